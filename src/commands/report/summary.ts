// What a reader of a report sees first: how each run ended, its cost and time, who took part, what went wrong.
import type { Ending } from '../../core/event/usage-row.js';
import type { Trace } from '../../core/spans/model.js';
import { endingText, isBad, isByCct, toldEnding } from '../../core/tables/outcome.js';
import { endingByStop } from '../../core/wire/outcome.js';
import { duration, money, thousands } from '../../view/text.js';
import type { FindingRow } from '../audit/row.js';
import { costOfRows } from '../usage/rows.js';
import type { Playback } from './playback.js';

/** The figures of one run: a session with its agents. */
export interface RunFigures {
  readonly session_id: string | null;
  readonly title: string;
  readonly ending: Ending;
  readonly cost_usd: number | null;
  readonly cost_source: string | null;
  readonly tokens: number;
  /** From its first to its last record; null if records have no times. */
  readonly ms: number | null;
  readonly agents: number;
  readonly calls: number;
  readonly errors: number;
  readonly tasks: number;
  readonly done: number;
  readonly messages: number;
  readonly findings: number;
  /** Those of them that are problems. */
  readonly problems: number;
}

export function figuresOf(playback: Playback, findings: readonly FindingRow[]): RunFigures[] {
  return playback.traces.map((trace) => figuresOfRun(playback, findings, trace));
}

function figuresOfRun({ end, messages, moments }: Playback, findings: readonly FindingRow[], trace: Trace): RunFigures {
  const sessions = new Set([trace.session_id, ...trace.actors.map(({ session_id }) => session_id)]);
  const isOfRun = (row: { readonly session_id: string | null }) => sessions.has(row.session_id);
  const usage = end.sessions.filter((row) => [...sessions].some((id) => id === row['session_id']));
  const own = usage.find((row) => row['session_id'] === trace.session_id);
  const calls = trace.actors.flatMap((actor) => actor.calls);
  const tasks = end.tasks.filter((task) => task.kind !== 'background' && isOfRun(task));
  return {
    session_id: trace.session_id,
    title: trace.team ?? trace.root.name,
    ending: endingWith(toldEnding(own), moments, trace.session_id),
    ...costOfRows(usage),
    tokens: usage.reduce((sum, row) => sum + row.total_tokens, 0),
    ms: trace.toScale ? trace.root.end - trace.root.start : null,
    agents: trace.actors.length,
    calls: calls.length,
    errors: calls.filter(({ failed }) => failed).length,
    tasks: tasks.length,
    done: tasks.filter(({ status }) => status === 'completed').length,
    messages: messages.filter(({ row }) => isOfRun(row)).length,
    findings: findings.filter(isOfRun).length,
    problems: findings.filter((row) => isOfRun(row) && row.severity === 'problem').length,
  };
}

/** A row does not say what `cct run` stopped the run for. */
function endingWith(ending: Ending, moments: Playback['moments'], session_id: string | null): Ending {
  if (!isByCct(ending)) return ending;
  const stops = moments.flatMap(({ event }) => (event.event === 'run:stopped' ? [event] : []));
  const stop = stops.findLast((event) => event.session_id === session_id);
  return stop === undefined ? ending : endingByStop(stop);
}

/** One line of a summary: `cost $0.2831`. */
export interface SummaryEntry {
  readonly name: string;
  readonly value: string;
  readonly tone: 'good' | 'bad' | 'plain';
}

export function entriesOf(run: RunFigures): SummaryEntry[] {
  const plainEntry = (name: string, value: string): SummaryEntry => ({ name, value, tone: 'plain' });
  return [
    outcomeOf(run.ending),
    plainEntry('time', run.ms === null ? 'unknown' : duration(run.ms)),
    plainEntry(
      'cost',
      `${run.cost_source === 'lower_bound' ? '≥ ' : ''}${run.cost_usd === null ? 'unknown' : money(run.cost_usd)}`,
    ),
    plainEntry('tokens', thousands(run.tokens)),
    plainEntry('agents', String(run.agents)),
    {
      name: 'calls',
      value: run.errors === 0 ? String(run.calls) : `${run.calls}, ${run.errors} failed`,
      tone: run.errors === 0 ? 'plain' : 'bad',
    },
    ...(run.tasks === 0 ? [] : [plainEntry('tasks', `${run.done}/${run.tasks}`)]),
    ...(run.messages === 0 ? [] : [plainEntry('messages', String(run.messages))]),
    { name: 'findings', value: String(run.findings), tone: run.problems === 0 ? 'plain' : 'bad' },
  ];
}

/** A transcript has no result, so it is nothing bad if nobody knows. */
function outcomeOf(ending: Ending): SummaryEntry {
  const { outcome } = ending;
  const value = outcome === null ? 'not shown (a transcript has no result)' : endingText(ending);
  return { name: 'outcome', value, tone: isBad(ending) ? 'bad' : outcome === null ? 'plain' : 'good' };
}
