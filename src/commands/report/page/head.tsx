// The head of the page: what was asked, how it ended, what it cost, what went wrong; and the list of several runs.
import { useMemo } from 'preact/hooks';
import { findIn } from '../find.js';
import { type Entry, wordsOfEntry } from '../story.js';
import { entriesOf, type RunFigures, type SummaryEntry } from '../summary.js';
import type { Place } from './address.js';
import { plainOf } from './parts.js';
import type { Run } from './run.js';
import { clock, count } from './text.js';

interface HeadProps {
  readonly run: Run;
  /** There are other runs to go back to. */
  readonly isPart: boolean;
  readonly query: string;
  readonly box: { current: HTMLInputElement | null };
  onQuery(query: string): void;
  onFirst(): void;
  go(to: Partial<Place>): void;
}

export function Head({ run, isPart, query, box, onQuery, onFirst, go }: HeadProps) {
  const { settings, figures, asked } = run;
  const [one] = figures;
  const isOne = figures.length === 1 && one !== undefined;
  const title = isOne ? one.title : settings.title;
  const prompt = isOne ? (asked[0] ?? null) : null;
  return (
    <header class="summary">
      {isPart ? (
        <button type="button" onClick={() => go({ run: null, agent: null, choice: null, at: null })}>
          ← All runs
        </button>
      ) : null}
      <h1 title={prompt ?? title}>{prompt === null ? title : `“${prompt.trim().split('\n', 1)[0]}”`}</h1>
      {prompt === null ? null : <span class="note team">{title}</span>}
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
      {isOne ? <Figures figures={one} onProblems={() => go({ tab: 'Findings' })} /> : null}
    </header>
  );
}

function Figures({ figures, onProblems }: { figures: RunFigures; onProblems(): void }) {
  return (
    <dl>
      {entriesOf(figures).map((entry) =>
        entry.name === 'findings' && figures.findings > 0 ? (
          <div key={entry.name}>
            <dt class="hidden">findings</dt>
            <dd>
              <button type="button" class={`problems ${entry.tone}`} onClick={onProblems}>
                {figures.problems > 0 ? many(figures.problems, 'problem') : many(figures.findings, 'note')} ›
              </button>
            </dd>
          </div>
        ) : (
          <Figure key={entry.name} entry={entry} />
        ),
      )}
    </dl>
  );
}

function Figure({ entry: { name, value, tone } }: { entry: SummaryEntry }) {
  return (
    <div>
      <dt class={name === 'outcome' ? 'hidden' : ''}>{name}</dt>
      <dd class={tone}>{value}</dd>
    </div>
  );
}

function many(amount: number, noun: string): string {
  return `${count(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

/** Where several runs begin: one is read at a time. */
export function Runs({ run, go }: { run: Run; go(to: Partial<Place>): void }) {
  const { figures, asked, settings } = run;
  const names = ['outcome', 'time', 'cost', 'agents', 'calls', 'findings'];
  const title = settings.title.length > longestTitle ? 'Runs' : settings.title;
  return (
    <main class="runs">
      <h1>{title}</h1>
      <p class="note">{count(figures.length)} runs. Choose one to read it.</p>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">run</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">began</th>
            </tr>
          </thead>
          <tbody>
            {figures.map((one, index) => {
              const entries = new Map(entriesOf(one).map((entry) => [entry.name, entry]));
              return (
                <tr key={one.session_id ?? index}>
                  <th scope="row">
                    <button type="button" onClick={() => go({ run: one.session_id ?? '' })}>
                      {asked[index]?.trim().split('\n', 1)[0]?.slice(0, 160) || one.title}
                    </button>
                    <span class="note"> {one.session_id?.slice(0, 8)}</span>
                  </th>
                  {names.map((name) => (
                    <td key={name} class={entries.get(name)?.tone ?? ''}>
                      {entries.get(name)?.value ?? '-'}
                    </td>
                  ))}
                  <td class="note">{begun(run, index)}</td>
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

/** In the time zone of the reader. */
function begun({ playback }: Run, index: number): string {
  const trace = playback.traces[index];
  if (trace === undefined || !trace.toScale) return '-';
  const at = new Date(trace.root.start);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

interface FoundProps {
  readonly run: Run;
  readonly query: string;
  readonly chosen: Entry | undefined;
  onOpen(entry: Entry): void;
}

/** What a search found. Choosing opens it in the story. */
export function Found({ run, query, chosen, onOpen }: FoundProps) {
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
          return (
            <li key={entry.index}>
              <button type="button" aria-current={entry === chosen} onClick={() => onOpen(entry)}>
                <span class="note">{clock(entry.at, run.playback.length)}</span>{' '}
                <strong>{entry.line?.name ?? 'audit'}</strong> {`${mark} ${about}`.trim().slice(0, 80)}{' '}
                <span class="note">{plainOf(excerpt)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
const mostShown = 100;
