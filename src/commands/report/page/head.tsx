// The head of the page: what was asked, how it ended, what it cost, what went wrong; and what a search found.
import { useMemo } from 'preact/hooks';
import { findIn, wordsIn } from '../find.js';
import { type Entry, wordsOfEntry } from '../story.js';
import { entriesOf, type RunFigures, type SummaryEntry } from '../summary.js';
import type { Place } from './address.js';
import { plainOf } from './parts.js';
import type { Run } from './run.js';
import { clockText, count, dateText, plural } from './text.js';

interface HeadProps {
  readonly run: Run;
  /** There are other runs to go back to. */
  readonly isPart: boolean;
  readonly query: string;
  readonly box: { current: HTMLInputElement | null };
  onQuery(query: string): void;
  onFirst(): void;
  onHelp(): void;
  go(to: Partial<Place>): void;
}

export function Head({ run, isPart, query, box, onQuery, onFirst, onHelp, go }: HeadProps) {
  const { settings, figures } = run;
  const [one] = figures;
  const title = one?.title ?? settings.title;
  return (
    <header class="summary">
      {isPart ? (
        <button type="button" onClick={() => go({ run: null, agent: null, choice: null, at: null, tab: null })}>
          {settings.compare ? '← Both runs' : '← All runs'}
        </button>
      ) : null}
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
      <button type="button" aria-label="Help" onClick={onHelp}>
        ?
      </button>
      {one === undefined ? null : (
        <RunFacts figures={one} isLive={settings.live} onProblems={() => go({ tab: 'Findings' })} />
      )}
    </header>
  );
}

/** The first line of what was asked, else its name. */
export function runTitle({ asked, title }: RunFigures): string {
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

interface FoundProps {
  readonly run: Run;
  readonly query: string;
  readonly chosen: Entry | undefined;
  onOpen(entry: Entry): void;
}

/** What a search found. Choosing opens it in the story. */
export function SearchResults({ run, query, chosen, onOpen }: FoundProps) {
  const { hits, count: all } = useMemo(() => findIn(run.story().entries, query, mostShown), [run, query]);
  return (
    <section class="results panel" aria-label="Search results">
      <h2>
        {all === 0 ? 'Nothing found' : `${count(all)} found`}
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
