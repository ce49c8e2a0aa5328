// Where several runs begin: a list of which one is read, or two side by side.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Comparison, comparisonsOf } from '../compare.js';
import { entriesOf } from '../summary.js';
import type { Go } from './address.js';
import { runTitle } from './head.js';
import { Heads } from './parts.js';
import type { Report, Run } from './run.js';
import { Stage } from './stage.js';
import { dateText, plural } from './text.js';

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
                    <button type="button" onClick={() => go({ run: one.session_id ?? '' })}>
                      {runTitle(one)}
                    </button>
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
const noPlace = { at: null, run: null, agent: null, choice: null, tab: null };

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
