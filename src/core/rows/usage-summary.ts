import type { UsageState } from '../state/usage/usage.js';
import { sessionKey } from '../state/usage/usage.js';
import { resultsOf } from './usage-session.js';
import { type Spent, spentOf } from './usage-spent.js';

/** What a report by session adds to each row: how it went. */
export interface SessionSummary {
  duration_ms: number | null;
  duration_api_ms: number | null;
  num_turns: number | null;
  results: number;
  is_error: boolean | null;
  subtype: string | null;
  model: string | null;
}

export const summaryFields = [
  'duration_ms',
  'duration_api_ms',
  'num_turns',
  'results',
  'is_error',
  'subtype',
  'model',
] as const satisfies readonly (keyof SessionSummary)[];

/** `mainModel` is that of its main conversation's last message. */
export function summaryOf(usage: UsageState, session_id: string | null, mainModel: string | null): SessionSummary {
  const results = resultsOf(usage.sessions.get(sessionKey(session_id)));
  const last = results.at(-1);
  const spent = spentOf(results);
  return {
    duration_ms: sumOf(results.map(({ said }) => said.duration_ms)),
    duration_api_ms: apiTime(spent),
    num_turns: sumOf(results.map(({ said }) => said.num_turns)),
    results: results.length,
    is_error: last?.said.is_error ?? null,
    subtype: last?.said.subtype ?? null,
    model: mainModel ?? dearest(spent),
  };
}

function sumOf(list: readonly (number | null)[]): number | null {
  const known = list.filter((one) => one !== null);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

/** Cumulative over a process: the last that is not zero of each. */
function apiTime(spent: readonly Spent[]): number | null {
  const processes: number[] = [];
  for (const { result, goesOn } of spent) {
    const time = result.said.duration_api_ms ?? 0;
    if (goesOn && processes.length > 0 && time > 0) processes.pop();
    if (time > 0) processes.push(time);
  }
  return sumOf(processes);
}

/** The model that cost most in the last result. */
function dearest(spent: readonly Spent[]): string | null {
  const models = [...(spent.at(-1)?.result.models ?? [])];
  const cost = ([, { total }]: (typeof models)[number]) => total?.cost_usd ?? 0;
  return models.sort((a, b) => cost(b) - cost(a) || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null;
}
