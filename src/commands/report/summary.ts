// What a reader of a report sees first: how each run ended, its cost and time, who took part, what went wrong.
import type { Ending } from '../../core/event/usage-row.js';
import { idOf } from '../../core/record/json.js';
import type { Trace } from '../../core/spans/model.js';
import { groupBy } from '../../core/tables/order.js';
import { endingText, isBad, isByCct, toldEnding } from '../../core/tables/outcome.js';
import { sessionKey } from '../../core/tables/usage/sessions.js';
import { endingByStop } from '../../core/wire/outcome.js';
import { duration, money, thousands } from '../../view/text.js';
import type { FindingRow } from '../audit/row.js';
import { costOfRows, type UsageRow } from '../usage/rows.js';
import type { Cost } from './lanes.js';
import type { Playback } from './playback.js';
import { askedIn } from './story.js';

/** The figures of one run: a session with its agents. */
export interface RunFigures extends Cost {
  readonly session_id: string | null;
  /** Its own session, and those of its agents. */
  readonly sessions: readonly (string | null)[];
  readonly title: string;
  /** The first line of what was asked; null if it is not in the input. */
  readonly asked: string | null;
  /** In milliseconds since 1970; null if records have no times. */
  readonly began: number | null;
  readonly ending: Ending;
  readonly tokens: number;
  /** From its first to its last record; if records have no times, what its results say. */
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

export function figuresOf({ end, messages, moments, traces }: Playback, findings: readonly FindingRow[]): RunFigures[] {
  const known: BySession = {
    usage: groupBy(end.sessions, (row) => sessionKey(idOf(row['session_id']))),
    tasks: groupBy(end.tasks, (task) => sessionKey(task.session_id)),
    messages: groupBy(messages, ({ row }) => sessionKey(row.session_id)),
    moments: groupBy(moments, ({ event }) => sessionKey(event.session_id)),
    findings: groupBy(findings, (row) => sessionKey(row.session_id)),
  };
  return traces.map((trace) => figuresOfRun(known, trace));
}

/** What is known of each session, by its key. */
interface BySession {
  readonly usage: ReadonlyMap<string, readonly UsageRow[]>;
  readonly tasks: ReadonlyMap<string, Playback['end']['tasks']>;
  readonly messages: ReadonlyMap<string, Playback['messages']>;
  readonly moments: ReadonlyMap<string, Playback['moments']>;
  readonly findings: ReadonlyMap<string, readonly FindingRow[]>;
}

function figuresOfRun(known: BySession, trace: Trace): RunFigures {
  const sessions = new Set([trace.session_id, ...trace.actors.map(({ session_id }) => session_id)]);
  const allOf = <T>(rows: ReadonlyMap<string, readonly T[]>) =>
    [...sessions].flatMap((session) => rows.get(sessionKey(session)) ?? []);
  const usage = allOf(known.usage);
  const own = usage.find((row) => row['session_id'] === trace.session_id);
  const calls = trace.actors.flatMap((actor) => actor.calls);
  const tasks = allOf(known.tasks).filter((task) => task.kind !== 'background');
  const moments = known.moments.get(sessionKey(trace.session_id)) ?? [];
  const findings = allOf(known.findings);
  return {
    session_id: trace.session_id,
    sessions: [...sessions],
    asked: firstLine(askedIn(moments, trace.session_id)),
    began: trace.toScale ? trace.root.start : null,
    title: trace.team ?? trace.root.name,
    ending: endingWith(toldEnding(own), moments, trace.session_id),
    ...costOfRows(usage),
    tokens: usage.reduce((sum, row) => sum + row.total_tokens, 0),
    ms: trace.toScale ? trace.root.end - trace.root.start : saidDuration(own),
    agents: trace.actors.length,
    calls: calls.length,
    errors: calls.filter(({ failed }) => failed).length,
    tasks: tasks.length,
    done: tasks.filter(({ status }) => status === 'completed').length,
    messages: allOf(known.messages).length,
    findings: findings.length,
    problems: findings.filter(({ severity }) => severity === 'problem').length,
  };
}

function saidDuration(row: UsageRow | undefined): number | null {
  const ms = row?.['duration_ms'];
  return typeof ms === 'number' && ms > 0 ? ms : null;
}

function firstLine(text: string | null): string | null {
  return text === null ? null : (text.trim().split('\n', 1)[0]?.slice(0, longestTitle) ?? null);
}
const longestTitle = 300;

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
    plainEntry('cost', costText(run)),
    plainEntry('tokens', thousands(run.tokens)),
    plainEntry('agents', String(run.agents)),
    {
      name: 'calls',
      value: run.errors === 0 ? String(run.calls) : `${run.calls}, ${run.errors} failed`,
      tone: run.errors === 0 ? 'plain' : 'bad',
    },
    ...(run.tasks === 0 ? [] : [plainEntry('tasks', `${run.done} of ${run.tasks} done`)]),
    ...(run.messages === 0 ? [] : [plainEntry('messages', String(run.messages))]),
    { name: 'findings', value: String(run.findings), tone: run.problems === 0 ? 'plain' : 'bad' },
  ];
}

/** `≥ $0.0219`: at least. */
export function costText({ cost_usd, cost_source }: Cost): string {
  return cost_usd === null ? 'unknown' : `${cost_source === 'lower_bound' ? '≥ ' : ''}${money(cost_usd)}`;
}

/** A transcript has no result, so it is nothing bad if nobody knows. */
function outcomeOf(ending: Ending): SummaryEntry {
  const { outcome } = ending;
  const value = outcome === null ? 'not shown (a transcript has no result)' : endingText(ending);
  return { name: 'outcome', value, tone: isBad(ending) ? 'bad' : outcome === null ? 'plain' : 'good' };
}
