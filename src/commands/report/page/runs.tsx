// Where several runs begin: a list of which one is read, or two side by side.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Comparison, comparisonsOf, runsOf } from '../compare.js';
import { entriesOf } from '../summary.js';
import type { Go } from './address.js';
import { quotedPrompt } from './head.js';
import { openRun, type Run } from './run.js';
import { Stage } from './stage.js';
import { count } from './text.js';

/** Where several runs begin: one is read at a time. */
export function Runs({ run, go }: { run: Run; go: Go }) {
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
                      {asked[index] == null ? one.title : quotedPrompt(asked[index])}
                    </button>
                    <span class="note"> {one.session_id?.slice(0, 8)}</span>
                  </th>
                  {names.map((name) => (
                    <td key={name} class={entries.get(name)?.tone ?? ''}>
                      {entries.get(name)?.value.replace(/ \(.*/, '') ?? '-'}
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

/** Two runs, what differs, and their lanes on the same scale. Choosing leads into one of them. */
export function Compare({ run: whole, go }: { run: Run; go: Go }) {
  const runs = useMemo(() => openedRuns(whole), [whole]);
  const [first, second] = runs;
  const [figures, ...others] = useMemo(
    () => (first === undefined || second === undefined ? [] : comparisonsOf(first, second)),
    [first, second],
  );
  const length = runs.reduce((most, { playback }) => Math.max(most, playback.length), 0);
  const titles = runs.map((run) => (
    <button key={runSession(run)} type="button" title="Read this run" onClick={() => go({ run: runSession(run) })}>
      {run.asked[0] == null ? run.settings.title : quotedPrompt(run.asked[0])}
    </button>
  ));
  return (
    <main class="runs compare">
      <h1>Two runs compared</h1>
      {figures === undefined ? null : <ComparedTable comparison={figures} heads={titles} />}
      {runs.map((run, place) => (
        <section key={runSession(run)}>
          <h2>{place === 0 ? 'First' : 'Second'}</h2>
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
const noPlace = { at: null, run: null, agent: null, choice: null, tab: null };

/** Agents of the same name have the same colour in both. */
function openedRuns(whole: Run): Run[] {
  const hues = new Map<string, string>();
  return runsOf(whole).map(({ events, findings }) => {
    const run = openRun(events, { ...whole.settings, findings }, hues);
    for (const { name, hue } of run.lanes) hues.set(name, hue);
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
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">name</span>
            </th>
            {[...heads, 'difference'].map((head, column) => (
              <th key={column} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
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
