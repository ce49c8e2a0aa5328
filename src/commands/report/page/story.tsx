// The middle of the page: what happened, told line by line. A line opens to what belongs to it.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { firstIndex } from '../../../core/tables/order.js';
import { wordsIn } from '../find.js';
import type { Lane } from '../lanes.js';
import { type Choice, type Entry, type Group, groups, wordsOfEntry } from '../story.js';
import type { Place } from './address.js';
import { LongList } from './list.js';
import { Parts, Plain, Prose, plainOf } from './parts.js';
import type { Run } from './run.js';
import { clock, count } from './text.js';

/** How far lines are open: `whole` shows long texts to their end. */
export type Opened = ReadonlyMap<number, 'open' | 'whole'>;

export interface StoryProps {
  readonly run: Run;
  readonly at: number;
  readonly place: Place;
  readonly opened: Opened;
  readonly hidden: ReadonlySet<Group>;
  readonly entries: readonly Entry[];
  /** What somebody searches for. */
  readonly query: string;
  onHide(hidden: ReadonlySet<Group>): void;
  onToggle(entry: Entry): void;
  go(to: Partial<Place>): void;
}

/** The lines of all agents or of one, of the kinds that are wanted. What was chosen is always there. */
export function shownEntries(run: Run, { agent, choice }: Place, hidden: ReadonlySet<Group>): readonly Entry[] {
  const { entries, entryOf } = run.story();
  if (agent === null && hidden.size === 0) return entries;
  const chosen = choice === null ? undefined : entryOf(choice);
  return entries.filter(
    (entry) =>
      entry === chosen ||
      ((agent === null || entry.lane === agent || entry.other === agent) &&
        (!hidden.has(entry.group) || entry.line?.bad === true)),
  );
}

export function StoryPanel({ run, at, place, opened, hidden, entries, query, onHide, onToggle, go }: StoryProps) {
  const chosen = place.choice === null ? undefined : run.story().entryOf(place.choice);
  const [shows, setShows] = useState({ row: -1, turn: 0 });
  const show = (row: number) => setShows(({ turn }) => ({ row, turn: turn + 1 }));
  useEffect(() => {
    // What the story does not tell, such as a look at the list of tasks, has a moment in it.
    const mark = chosen === undefined && place.choice !== null ? run.markOf(place.choice) : null;
    const near = mark === null ? -1 : firstIndex(entries, (entry) => entry.at <= mark.end) - 1;
    show(chosen === undefined ? near : entries.indexOf(chosen));
  }, [chosen, place.choice, entries]);
  // Play and scrub lead through the story.
  const before = useRef(at);
  useEffect(() => {
    if (before.current !== at) show(firstIndex(entries, (entry) => entry.at <= at) - 1);
    before.current = at;
  }, [at]);
  const words = useMemo(() => wordsIn(query), [query]);
  const lanes = new Map(run.lanes.map((lane) => [lane.id, lane]));
  return (
    <section class="story panel shown" aria-label="Story">
      <div class="filters">
        <h2>Story</h2>
        <label>
          <span class="note">of </span>
          <select
            aria-label="Agent"
            value={place.agent ?? ''}
            onChange={(event) => go({ agent: event.currentTarget.value || null })}
          >
            <option value="">all agents</option>
            {run.lanes
              .filter(({ isHeading }) => !isHeading)
              .map((lane) => (
                <option key={lane.id} value={lane.id}>
                  {lane.name}
                </option>
              ))}
          </select>
        </label>
        {groups.map((group) => (
          <label key={group}>
            <input
              type="checkbox"
              checked={!hidden.has(group)}
              onChange={() => {
                const next = new Set(hidden);
                if (!next.delete(group)) next.add(group);
                onHide(next);
              }}
            />{' '}
            {group}
          </label>
        ))}
        <span class="note">{count(entries.length)} lines</span>
      </div>
      {entries.length === 0 ? <p class="note">Nothing is told here.</p> : null}
      <LongList
        items={entries}
        label="Lines of the story"
        row={shows.row}
        shows={shows.turn}
        words={words}
        guess={guessHeight}
        draw={(entry, row) => (
          <Row
            key={entry.index}
            row={row}
            entry={entry}
            length={run.playback.length}
            size={entries.length}
            lane={entry.line === null ? null : (lanes.get(entry.lane ?? '') ?? null)}
            isAhead={entry.at > at}
            isChosen={entry === chosen}
            opened={opened.get(entry.index) ?? null}
            onChoose={(choice) => go({ choice })}
            onToggle={onToggle}
          />
        )}
      />
    </section>
  );
}

function guessHeight({ line }: Entry): number {
  if (line === null || (line.kind !== 'text' && line.kind !== 'prompt' && line.kind !== 'result')) return 28;
  return 28 + 20 * Math.min(30, Math.floor((line.text?.length ?? 0) / 90));
}

interface RowProps {
  readonly row: number;
  readonly entry: Entry;
  readonly length: number;
  readonly size: number;
  readonly lane: Lane | null;
  readonly isAhead: boolean;
  readonly isChosen: boolean;
  readonly opened: 'open' | 'whole' | null;
  onChoose(choice: Choice): void;
  onToggle(entry: Entry): void;
}

function Row({ row, entry, length, size, lane, isAhead, isChosen, opened, onChoose, onToggle }: RowProps) {
  // Made again only if something of it changed: the clock moves 60 times a second.
  return useMemo(() => {
    const { line, finding, at } = entry;
    const kind = line?.kind ?? 'finding';
    return (
      <article
        class={`row ${kind}${isAhead ? ' ahead' : ''}${isChosen ? ' chosen' : ''}${line?.bad ? ' wrong' : ''}`}
        data-row={row}
        aria-posinset={row + 1}
        aria-setsize={size}
        aria-current={isChosen}
        aria-label={`${line?.name ?? finding?.agent ?? 'audit'}, ${kind}`}
      >
        <button
          type="button"
          class="time"
          title={line?.time ?? 'choose'}
          aria-label={`Choose the line at ${clock(at, length)}`}
          onClick={() => onChoose(entry.choice)}
        >
          {clock(at, length)}
        </button>
        <span class="who" style={{ color: `var(--${lane?.hue ?? 'muted'})` }}>
          {lane?.name ?? line?.name ?? 'audit'}
        </span>
        <div class="what">
          <What entry={entry} opened={opened} onOpen={() => onToggle(entry)} onChoose={() => onChoose(entry.choice)} />
        </div>
      </article>
    );
  }, [row, entry, size, lane, isAhead, isChosen, opened, length]);
}

interface WhatProps {
  readonly entry: Entry;
  readonly opened: 'open' | 'whole' | null;
  onOpen(): void;
  onChoose(): void;
}

/** What was said is shown; everything else is a line that opens. */
function What({ entry, opened, onOpen, onChoose }: WhatProps) {
  const { line } = entry;
  const { mark, about, said, facts, tone } = wordsOfEntry(entry);
  const whole = opened === 'whole';
  if ((line?.kind === 'text' || line?.kind === 'prompt') && said !== '') return <Prose text={said} whole={whole} />;
  const isResult = line?.kind === 'result';
  const first = isResult ? { text: '', isAll: true } : firstLine(said);
  const subject = firstLine(about);
  const opens = !isResult && isFoldable(entry);
  return (
    <>
      <button
        type="button"
        class={`line ${tone}`}
        {...(opens && { 'aria-expanded': opened !== null })}
        onClick={opens ? onOpen : onChoose}
      >
        {opens ? <span class="fold" aria-hidden="true" /> : null}
        {mark === '' ? null : <b>{mark}</b>} {line?.kind === 'call' ? <code>{subject.text}</code> : subject.text}
        {facts.length === 0 ? null : <span class="note"> {facts.join(' · ')}</span>}
        {first.text === '' ? null : <span class="said"> {first.text}</span>}
      </button>
      {isResult && said !== '' ? <Prose text={said} whole={whole} /> : null}
      {opens && opened !== null ? <Opened entry={entry} whole={whole} /> : null}
    </>
  );
}

/** What an open line shows below it. */
export function Opened({ entry, whole }: { entry: Entry; whole: boolean }) {
  const { line } = entry;
  const { about, said } = wordsOfEntry(entry);
  const hasOutput = line?.bad === true && line.parts.some(({ is }) => is === 'output');
  return (
    <div class="opened">
      {firstLine(about).isAll || line?.parts.some(({ is }) => is === 'input') ? null : (
        <Plain text={about} whole={whole} />
      )}
      {line?.kind === 'thinking' ? <Prose text={said} whole={whole} /> : null}
      {line?.kind === 'thinking' || firstLine(said).isAll || hasOutput ? null : <Plain text={said} whole={whole} />}
      <Parts parts={line?.parts ?? []} whole={whole} />
    </div>
  );
}

/** Whether there is more than its first line shows. */
export function isFoldable(entry: Entry): boolean {
  const { about, said } = wordsOfEntry(entry);
  return (entry.line?.parts.length ?? 0) > 0 || !firstLine(said).isAll || !firstLine(about).isAll;
}

function firstLine(whole: string): { text: string; isAll: boolean } {
  const bare = whole.trim();
  const end = bare.indexOf('\n');
  const line = end === -1 ? bare : bare.slice(0, end);
  const isLong = line.length > longestLine;
  const text = plainOf(isLong ? `${line.slice(0, longestLine)}…` : line);
  return { text, isAll: end === -1 && !isLong };
}
const longestLine = 300;
