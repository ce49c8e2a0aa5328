import type { ResultUse } from '../state/usage/result-use.js';
import type { UsageState } from '../state/usage/usage.js';
import { sessionKey } from '../state/usage/usage.js';
import { countsAsMessage, type Part } from './usage-part.js';
import { spentOf } from './usage-processes.js';
import type { Spent } from './usage-spent.js';

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

/** Of one session: the last message of its main conversation, and its last result. */
export class LastParts {
  #main: Part | null = null;
  #result: Part | null = null;

  note(part: Part): void {
    if (countsAsMessage(part) && part.who.kind === 'lead') this.#main = later(this.#main, part);
    else if (part.result !== null && !part.result.state) this.#result = later(this.#result, part);
  }

  get model(): string | null {
    return this.#main?.model ?? null;
  }

  get result(): ResultUse | null {
    return this.#result?.result ?? null;
  }
}

/** By time; where none is known, as they were read. */
function later(known: Part | null, part: Part): Part {
  if (known === null) return part;
  const [a, b] = [known.time ?? '', part.time ?? ''];
  if (a !== b) return a < b ? part : known;
  return known.place <= part.place ? part : known;
}

export function summaryOf(usage: UsageState, session_id: string | null, last: LastParts | undefined): SessionSummary {
  const key = sessionKey(session_id);
  const all = usage.sessions.get(key)?.results.values() ?? [];
  const results = all.filter(({ state }) => !state);
  const named = results.some(({ models }) => models.size > 0);
  const spent = spentOf(
    results.map((result) => ({ session: key, result })),
    () => ({ named, base: null, main: null }),
  );
  return {
    duration_ms: sumOf(results.map(({ said }) => said.duration_ms)),
    duration_api_ms: apiTime(spent),
    num_turns: sumOf(results.map(({ said }) => said.num_turns)),
    results: results.length,
    is_error: last?.result?.said.is_error ?? null,
    subtype: last?.result?.said.subtype ?? null,
    model: last?.model ?? dearest(spent),
  };
}

function sumOf(list: readonly (number | null)[]): number | null {
  const known = list.filter((one) => one !== null);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

/** Cumulative, as the cost is: the last that is not zero of each chain. */
function apiTime(spent: readonly Spent[]): number | null {
  const chains = new Map<number, number>();
  for (const { result, chain } of spent) {
    const time = result.said.duration_api_ms ?? 0;
    if (time > 0) chains.set(chain, time);
  }
  return sumOf([...chains.values()]);
}

/** The model that cost most in the last result. */
function dearest(spent: readonly Spent[]): string | null {
  const models = [...(spent.at(-1)?.result.models ?? [])];
  const cost = ([, { total }]: (typeof models)[number]) => total?.cost_usd ?? 0;
  return models.sort((a, b) => cost(b) - cost(a) || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null;
}
