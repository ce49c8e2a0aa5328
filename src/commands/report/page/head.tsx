// The head of the page: what was asked, how it ended, what it cost, what went wrong; and what a search found.

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { plural, thousands } from '../../../view/text.js';
import { type Entry, findIn, wordsIn, wordsOfEntry } from '../story.js';
import { type Comparison, comparisonsOf, entriesOf, type RunFigures, type SummaryEntry } from '../summary.js';
import { type Go, noPlace } from './hooks.js';
import { Button, clockText, dateText, Heads, plainOf } from './parts.js';
import type { Report, Run, View } from './run.js';
import { Stage } from './stage.js';

interface HeadProps extends View {
  /** There are other runs to go back to. */
  readonly isPart: boolean;
  readonly box: { current: HTMLInputElement | null };
  onQuery(query: string): void;
  onFirst(): void;
  onHelp(): void;
}

export function Head({ run, isPart, query, box, onQuery, onFirst, onHelp, go }: HeadProps) {
  const { settings, figures } = run;
  const [one] = figures;
  const title = one?.title ?? settings.title;
  return (
    <header class="summary">
      {isPart ? <Button text={settings.compare ? '← Both runs' : '← All runs'} act={() => go(noPlace)} /> : null}
      <h1 title={title}>{one === undefined ? title : runTitle(one)}</h1>
      <input
        class="search"
        type="search"
        placeholder="Search everything  ( / )"
        aria-label="Search everything that was said, called and returned"
        value={query}
        ref={box}
        onInput={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onFirst();
        }}
      />
      <Button text="?" label="Help" act={onHelp} />
      {one === undefined ? null : (
        <RunFacts figures={one} isLive={settings.live} onProblems={() => go({ tab: 'Findings' })} />
      )}
    </header>
  );
}

/** The first line of what was asked, else its name. */
function runTitle({ asked, title }: RunFigures): string {
  return asked === null ? title : `“${asked}”`;
}

interface FiguresProps {
  readonly figures: RunFigures;
  readonly isLive: boolean;
  onProblems(): void;
}

function RunFacts({ figures, isLive, onProblems }: FiguresProps) {
  const { asked, began, title } = figures;
  return (
    <dl>
      {isLive ? <Figure entry={{ name: 'outcome', value: '● live', tone: 'good' }} /> : null}
      {entriesOf(figures)
        .filter(({ name }) => !isLive || name !== 'outcome')
        .map((entry) =>
          entry.name === 'findings' && figures.findings > 0 ? (
            <div key={entry.name}>
              <dt class="hidden">findings</dt>
              <dd>
                <button type="button" class={`problems ${entry.tone}`} onClick={onProblems}>
                  {figures.problems > 0 ? plural(figures.problems, 'problem') : plural(figures.findings, 'note')} ›
                </button>
              </dd>
            </div>
          ) : (
            <Figure key={entry.name} entry={entry} />
          ),
        )}
      {began === null ? null : <Figure entry={{ name: 'began', value: dateText(began), tone: 'plain' }} />}
      {asked === null ? null : <Figure entry={{ name: 'run', value: title, tone: 'plain' }} />}
    </dl>
  );
}

function Figure({ entry: { name, value, tone } }: { entry: SummaryEntry }) {
  return (
    <div>
      <dt class={name === 'outcome' && tone !== 'plain' ? 'hidden' : ''}>{name}</dt>
      <dd class={tone}>{value}</dd>
    </div>
  );
}

/** What a search found. Choosing opens it in the story. */
export function SearchResults({ run, query, chosen, onOpen }: View & { onOpen(entry: Entry): void }) {
  const { hits, count: all } = useMemo(() => findIn(run.story().entries, query, mostShown), [run, query]);
  return (
    <section class="results panel" aria-label="Search results">
      <h2>
        {all === 0 ? 'Nothing found' : `${thousands(all)} found`}
        {all > hits.length ? <span class="note"> the first {hits.length} are shown</span> : null}
      </h2>
      <ul class="found">
        {hits.map(({ entry, excerpt }) => {
          const { mark, about } = wordsOfEntry(entry);
          const [name, title] = [entry.line?.name ?? 'audit', `${mark} ${about}`.trim().slice(0, 80)];
          const isShown = wordsIn(query)[0]?.test(`${name} ${title}`);
          return (
            <li key={entry.index}>
              <button type="button" aria-current={entry === chosen} onClick={() => onOpen(entry)}>
                <span class="note">{clockText(entry.at, run.playback.length)}</span> <strong>{name}</strong> {title}{' '}
                {isShown ? null : <span class="note">{plainOf(excerpt)}</span>}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
const mostShown = 100;

// Where several runs begin: a list of which one is read, or two side by side.

/** Where several runs begin: one is read at a time. */
export function Runs({ report: { figures, settings }, go }: { report: Report; go: Go }) {
  const newest = figures.toSorted((a, b) => (b.began ?? 0) - (a.began ?? 0));
  // Transcripts do not say how they ended.
  const isKnown = figures.some(({ ending }) => ending.outcome !== null);
  const names = [...(isKnown ? ['outcome'] : []), 'time', 'cost', 'agents', 'calls', 'findings'];
  const title = settings.title.length > longestTitle ? 'Runs' : settings.title;
  return (
    <main class="runs">
      <h1>{title}</h1>
      <p class="note">{plural(figures.length, 'run')}, the newest first. Choose one to read it.</p>
      <div class="wide">
        <table>
          <Heads names={['began', 'run', ...names]} />
          <tbody>
            {newest.map((one, index) => {
              const entries = new Map(entriesOf(one).map((entry) => [entry.name, entry]));
              return (
                <tr key={one.session_id ?? index}>
                  <td class="note">{one.began === null ? '-' : dateText(one.began)}</td>
                  <th scope="row">
                    <Button text={runTitle(one)} act={() => go({ run: one.session_id ?? '' })} />
                    {one.asked === null ? null : <span class="note"> {one.title}</span>}
                  </th>
                  {names.map((name) => (
                    <td key={name} class={entries.get(name)?.tone ?? ''} data-name={name}>
                      {entries.get(name)?.value.replace(/ \(.*/, '') ?? '-'}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </main>
  );
}

const longestTitle = 100;

/** Two runs, what differs, and their lanes on the same scale. Choosing leads into one of them. */
export function Compare({ report, go }: { report: Report; go: Go }) {
  const runs = useMemo(() => openedRuns(report), [report]);
  const [first, second] = runs;
  const [figures, ...others] = useMemo(
    () => (first === undefined || second === undefined ? [] : comparisonsOf(first, second)),
    [first, second],
  );
  const length = runs.reduce((most, { playback }) => Math.max(most, playback.length), 0);
  const titles = runs.map((run) => (
    <button key={runSession(run)} type="button" title="Read this run" onClick={() => go({ run: runSession(run) })}>
      {run.figures[0] === undefined ? '' : runTitle(run.figures[0])}
    </button>
  ));
  return (
    <main class="runs compare">
      <h1>Two runs compared</h1>
      {/* The heads name the runs. */}
      {figures === undefined ? null : (
        <ComparedTable comparison={{ ...figures, rows: figures.rows.slice(1) }} heads={titles} />
      )}
      {runs.map((run, place) => (
        <section key={runSession(run)}>
          <h2>
            {place === 0 ? 'First' : 'Second'} {titles[place]}
          </h2>
          <Stage
            label={place === 0 ? 'Lanes of the first run' : 'Lanes of the second run'}
            run={run}
            place={noPlace}
            player={null}
            length={length}
            onAgent={(lane) => go({ run: runSession(run), agent: lane.id })}
            onChoose={(choice) => go({ run: runSession(run), choice })}
          />
        </section>
      ))}
      {others.map((comparison) => (
        <ComparedTable key={comparison.title} comparison={comparison} heads={['first', 'second']} />
      ))}
    </main>
  );
}

/** Agents of the same name have the same colour in both. */
function openedRuns(report: Report): Run[] {
  const hues = new Map<string, string>();
  return report.given().map((figures) => {
    const run = report.openRun(figures, hues);
    for (const { name, hue, isLead } of run.lanes) hues.set(isLead ? 'main' : name, hue);
    return run;
  });
}

function runSession({ figures: [figures] }: Run): string {
  return figures?.session_id ?? '';
}

function ComparedTable({ comparison: { title, rows }, heads }: { comparison: Comparison; heads: ComponentChildren[] }) {
  return (
    <section class="wide">
      <table>
        <caption>{title}</caption>
        <Heads names={[<span class="hidden">name</span>, ...heads, 'difference']} />
        <tbody>
          {rows.map(({ name, first, second, difference, tone }, place) => (
            <tr key={`${name} ${place}`}>
              <th scope="row">{name}</th>
              <td>{first || '–'}</td>
              <td>{second || '–'}</td>
              <td class={tone}>{difference}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
