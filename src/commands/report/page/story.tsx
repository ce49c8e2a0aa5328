// The middle of the page: what happened, told line by line. A line opens to what belongs to it.
import { useMemo, useRef } from 'preact/hooks';
import { firstIndex } from '../../../core/tables/order.js';
import { thousands } from '../../../view/text.js';
import {
  type Choice,
  type Entry,
  flagsOf,
  groups,
  type LineGroup,
  statusWords,
  wordsIn,
  wordsOfEntry,
} from '../story.js';
import type { Place } from './hooks.js';
import { LongList } from './list.js';
import { clockText, Parts, Plain, Prose, plainOf } from './parts.js';
import type { Run, View } from './run.js';

/** How far lines are open: `whole` shows long texts to their end. */
export type Opened = ReadonlyMap<number, 'open' | 'whole'>;

interface StoryProps extends View {
  readonly opened: Opened;
  readonly hidden: ReadonlySet<LineGroup>;
  readonly entries: readonly Entry[];
  onHide(hidden: ReadonlySet<LineGroup>): void;
  onToggle(entry: Entry): void;
}

/** The lines of all agents or of one, of the kinds that are wanted. What was chosen is always there. */
export function shownEntries(run: Run, { agent, choice }: Place, hidden: ReadonlySet<LineGroup>): readonly Entry[] {
  const { entries, entryOf } = run.story();
  if (agent === null && hidden.size === 0) return entries;
  const chosen = choice === null ? undefined : entryOf(choice);
  return entries.filter(
    (entry) =>
      entry === chosen ||
      ((agent === null || entry.lane === agent || entry.other === agent) &&
        (!hidden.has(entry.group) || entry.line?.bad === true || flagsOf(entry).length > 0)),
  );
}

export function StoryPanel(props: StoryProps) {
  const { run, at, place, opened, hidden, entries, chosen, query, onHide, onToggle, go } = props;
  const shows = useShown(props);
  const words = useMemo(() => wordsIn(query), [query]);
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
            {run.lanes.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
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
        <span class="note">{thousands(entries.length)} lines</span>
      </div>
      {entries.length === 0 ? <p class="note">Nothing is told here.</p> : null}
      <LongList
        items={entries}
        label="Lines of the story"
        row={shows.row}
        shows={shows.turn}
        follows={run.settings.live}
        words={words}
        guess={guessHeight}
        drawItem={(entry, row) => (
          <Row
            key={entry.index}
            run={run}
            row={row}
            entry={entry}
            size={entries.length}
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

interface ShownRow {
  readonly row: number;
  readonly turn: number;
  readonly choice: Choice | null;
  readonly run: Run;
  readonly entries: readonly Entry[];
  readonly at: number;
}

/** The row to bring into view: what was chosen, else where the clock is. It changes when one of them does. */
function useShown({ run, at, place: { choice }, entries, chosen }: StoryProps): ShownRow {
  // A link to a moment leads there; without one the story begins at its beginning.
  const before = useRef<ShownRow>({ row: -1, turn: 0, choice: null, run, entries, at: run.playback.length });
  const known = before.current;
  let row: number | null = null;
  // A run that has grown leaves the reader where he is.
  if (choice !== known.choice || (entries !== known.entries && run === known.run)) {
    // What the story does not tell, such as a look at the list of tasks, has a moment in it.
    const mark = chosen === undefined && choice !== null ? run.markOf(choice) : null;
    const near = mark === null ? -1 : firstIndex(entries, (entry) => entry.at <= mark.end) - 1;
    row = chosen === undefined ? near : entries.indexOf(chosen);
  } else if (at !== known.at && run === known.run) row = firstIndex(entries, (entry) => entry.at <= at) - 1;
  before.current = { row: row ?? known.row, turn: known.turn + (row === null ? 0 : 1), choice, run, entries, at };
  return before.current;
}

function guessHeight({ line }: Entry): number {
  if (line === null || (line.kind !== 'text' && line.kind !== 'prompt' && line.kind !== 'result')) return 28;
  return 28 + 20 * Math.min(30, Math.floor((line.text?.length ?? 0) / 90));
}

interface RowProps {
  readonly run: Run;
  readonly row: number;
  readonly entry: Entry;
  readonly size: number;
  readonly isAhead: boolean;
  readonly isChosen: boolean;
  readonly opened: 'open' | 'whole' | null;
  onChoose(choice: Choice): void;
  onToggle(entry: Entry): void;
}

function Row({ run, row, entry, size, isAhead, isChosen, opened, onChoose, onToggle }: RowProps) {
  // Made again only if something of it changed: the clock moves 60 times a second.
  return useMemo(() => {
    const { line, found } = entry;
    const kind = line?.kind ?? 'finding';
    const time = clockText(entry.at, run.playback.length);
    // A finding is told by the audit, whatever agent it is about.
    const lane = line === null ? undefined : run.lanes.find(({ id }) => id === entry.lane);
    return (
      <article
        class={`row ${kind}${isAhead ? ' ahead' : ''}${isChosen ? ' chosen' : ''}${line?.bad ? ' wrong' : ''}`}
        data-row={row}
        aria-posinset={row + 1}
        aria-setsize={size}
        aria-current={isChosen}
        aria-label={`${line?.name ?? found[0]?.finding.agent ?? 'audit'}, ${kind}`}
      >
        <button
          type="button"
          class="time"
          title={line?.time ?? 'choose'}
          aria-label={`Choose the line at ${time}`}
          onClick={() => onChoose(entry.choice)}
        >
          {time}
        </button>
        <span class="who" style={{ color: `var(--${lane?.hue ?? 'muted'})` }}>
          {lane?.name ?? line?.name ?? 'audit'}
        </span>
        <div class="what">
          <What entry={entry} opened={opened} onOpen={() => onToggle(entry)} onChoose={() => onChoose(entry.choice)} />
        </div>
      </article>
    );
  }, [run, row, entry, size, isAhead, isChosen, opened]);
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
  const isSaid = isProse(entry) && said !== '';
  if (isSaid && line?.kind !== 'result') return <Prose text={said} whole={opened === 'whole'} />;
  const flags = flagsOf(entry).map(({ rule, severity, detail }) => (
    <span key={rule} class={`flag ${severity === 'problem' ? 'bad' : 'warn'}`} title={detail}>
      {statusWords(rule)}
    </span>
  ));
  const first = isSaid ? '' : shortLine(said).text;
  const subject = shortLine(about).text;
  const opens = !isSaid && isFoldable(entry);
  return (
    <>
      <button
        type="button"
        class={`line ${tone}`}
        {...(opens && { 'aria-expanded': opened !== null })}
        onClick={opens ? onOpen : onChoose}
      >
        {flags}
        {opens ? <span class="fold" aria-hidden="true" /> : null}
        {mark === '' ? null : <b>{mark}</b>} {line?.kind === 'call' ? <code>{subject}</code> : subject}
        {facts.length === 0 ? null : <span class="note"> {facts.join(' · ')}</span>}
        {first === '' ? null : <span class="said"> {first}</span>}
      </button>
      {isSaid || (opens && opened !== null) ? <Body entry={entry} whole={opened === 'whole'} /> : null}
    </>
  );
}

/** Texts that somebody wrote, and not what a line of them says. */
function isProse({ line }: Entry): boolean {
  return line !== null && ['text', 'prompt', 'result'].includes(line.kind);
}

/** All that belongs to an entry, below its line: in the story, in the inspector and on paper. */
export function Body({ entry, whole }: { entry: Entry; whole: boolean }) {
  const { line } = entry;
  const { about, said } = wordsOfEntry(entry);
  const parts = line?.parts ?? [];
  const isText = isProse(entry) || line?.kind === 'thinking';
  const hasOutput = line?.bad === true && parts.some(({ is }) => is === 'output');
  const isSaidAbove = shortLine(said).isAll || hasOutput || parts.some(({ text }) => text.includes(said.trim()));
  return (
    <div class="opened">
      {shortLine(about).isAll || parts.some(({ is }) => is === 'input') ? null : <Plain text={about} whole={whole} />}
      {isText ? <Prose text={said} whole={whole} /> : isSaidAbove ? null : <Plain text={said} whole={whole} />}
      <Parts parts={parts} whole={whole} />
    </div>
  );
}

/** The story on paper: every line, open. */
export function PrintedStory({ run }: { run: Run }) {
  const { entries } = run.story();
  return (
    <section>
      <h2>Story</h2>
      {entries.slice(0, mostPrinted).map((entry, row) => (
        <Row
          key={entry.index}
          run={run}
          row={row}
          entry={entry}
          size={entries.length}
          isAhead={false}
          isChosen={false}
          opened="whole"
          onChoose={() => {}}
          onToggle={() => {}}
        />
      ))}
      {entries.length > mostPrinted ? (
        <p class="note">{thousands(entries.length - mostPrinted)} more lines are not printed.</p>
      ) : null}
    </section>
  );
}
const mostPrinted = 3000;

/** Whether there is more than its first line shows. */
export function isFoldable(entry: Entry): boolean {
  const { about, said } = wordsOfEntry(entry);
  return (entry.line?.parts.length ?? 0) > 0 || !shortLine(said).isAll || !shortLine(about).isAll;
}

function shortLine(whole: string): { text: string; isAll: boolean } {
  const bare = whole.trim();
  const end = bare.indexOf('\n');
  const line = end === -1 ? bare : bare.slice(0, end);
  const isLong = line.length > longestLine;
  const text = plainOf(isLong ? `${line.slice(0, longestLine)}…` : line);
  return { text, isAll: end === -1 && !isLong };
}
const longestLine = 300;
