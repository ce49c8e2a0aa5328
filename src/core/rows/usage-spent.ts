import type { ModelUsage, Tokens } from '../event/usage-row.js';
import { canonicalModel, modelKey } from '../prices/model-name.js';
import { picosOf } from '../prices/money.js';
import type { ResultUse } from '../state/usage/result-use.js';
import { addTokens, covers, isNothing, minusTokens, noTokens, type Tally } from './usage-tokens.js';

/** What one result says was spent since the one before it in the input. */
export interface Spent {
  readonly result: ResultUse;
  /** By modelKey; '' for a result that names no models. */
  readonly models: ReadonlyMap<string, ModelSpent>;
  /** The first result of a process. */
  readonly opens: boolean;
  /** Its cumulative figures go on from those before: durations do too, even over a resume. */
  readonly goesOn: boolean;
}

export interface ModelSpent extends Tokens {
  /** In picodollars; null where the program does not say. */
  readonly cost: bigint | null;
  /** The program did not know the model and charged its default. */
  readonly guess: boolean;
}

/**
 * The results of one session, in their order, zeroed ones left out: what each adds. `modelUsage` and the cost are cumulative
 * over a process, and over resumes on 2.1.325; where the program says what is new since its last result, that is taken.
 */
export function spentOf(results: readonly ResultUse[]): Spent[] {
  const track = trackSpent(results.some(({ models }) => models.size > 0));
  return results.map(track).filter((spent) => spent !== null);
}

/** The same, result by result; null for a zeroed one. `named`: some result of the session names its models. */
export function trackSpent(named: boolean): (result: ResultUse) => Spent | null {
  let before: Cumulative | null = null;
  let index: number | null = null;
  return (result) => {
    const { result_index, usage, after_reset } = result.said;
    const previous: Cumulative | null = after_reset || (!named && costFell(result, before)) ? null : before;
    const now = named ? cumulativeOf(result) : namelessUsage(result, previous);
    const follows = index !== null && result_index === index + 1;
    index = result_index;
    if (isZero(now)) return null;
    const goesOn = previous !== null && (isSame(now, previous) || coversAll(now, previous, usage));
    const since = sinceOf(result);
    // A result that is not the first, whose predecessors are not in the input, speaks for them too.
    const isWhole = since !== null && ((result_index ?? 0) === 0 || follows);
    const models = isWhole ? since : previous === null || !goesOn ? now : difference(now, previous);
    before = now;
    const opens = result_index === null ? !goesOn : !follows && !(result_index > 0 && goesOn);
    return { result, models, opens, goesOn };
  };
}

/** modelKey → what the process has used of it so far. */
type Cumulative = ReadonlyMap<string, ModelSpent>;

/** The key by which messages find a model of a result. The program may know better than we what a name means. */
export function reportedKey(name: string, canonical: string | null): string {
  const known = canonicalModel(name) ?? (canonical === null ? null : canonicalModel(canonical));
  return known ?? modelKey(name);
}

export function keyOfModel(
  name: string,
  { total, since }: { total: ModelUsage | null; since: ModelUsage | null },
): string {
  return reportedKey(name, total?.canonical_model ?? since?.canonical_model ?? null);
}

function cumulativeOf(result: ResultUse): Cumulative {
  return sumOf([...result.models].map(([name, model]) => [keyOfModel(name, model), model.total]));
}

function sinceOf(result: ResultUse): Cumulative | null {
  const models = [...result.models];
  if (models.length === 0 || models.some(([, { since }]) => since === null)) return null;
  return sumOf(models.map(([name, model]) => [keyOfModel(name, model), model.since]));
}

function sumOf(models: [string, ModelUsage | null][]): Cumulative {
  const sums = new Map<string, ModelSpent>();
  for (const [key, usage] of models) {
    if (usage === null) continue;
    const known = sums.get(key) ?? nothing;
    const tally = noTokens();
    addTokens(tally, known);
    addTokens(tally, usage);
    sums.set(key, {
      ...tally,
      cost: known.cost === null || usage.cost_usd === null ? null : known.cost + bigPicos(usage.cost_usd),
      guess: known.guess || usage.cost_basis === 'unknown',
    });
  }
  return sums;
}

const nothing: ModelSpent = { ...noTokens(), cost: 0n, guess: false };

function bigPicos(usd: number): bigint {
  const picos = picosOf(usd);
  return Number.isFinite(picos) ? BigInt(picos) : 0n;
}

function isZero(sums: Cumulative): boolean {
  return [...sums.values()].every((model) => isNothing(model) && (model.cost ?? 0n) === 0n);
}

function isSame(a: Cumulative, b: Cumulative): boolean {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].every(
    (key) =>
      covers(a.get(key) ?? nothing, b.get(key) ?? nothing) && covers(b.get(key) ?? nothing, a.get(key) ?? nothing),
  );
}

/** The counters hold what was there before and what this turn's main loop used itself. */
function coversAll(now: Cumulative, before: Cumulative, own: Tokens | null): boolean {
  for (const [key, model] of before) if (!covers(now.get(key) ?? nothing, model)) return false;
  const whole = total(now);
  const part = total(before);
  if (own !== null) addTokens(part, own);
  return covers(whole, part);
}

function total(sums: Cumulative): Tally {
  const tally = noTokens();
  for (const model of sums.values()) addTokens(tally, model);
  return tally;
}

function difference(now: Cumulative, before: Cumulative): Cumulative {
  return new Map(
    [...now].map(([key, model]) => {
      const old = before.get(key) ?? nothing;
      const cost = model.cost === null || old.cost === null ? null : model.cost - old.cost;
      return [key, { ...minusTokens(model, old), cost: cost !== null && cost < 0n ? 0n : cost, guess: model.guess }];
    }),
  );
}

/** Results that name no models, as in hand-made streams: each has the usage of its own turn, but a cost that is cumulative. */
function namelessUsage({ said }: ResultUse, before: Cumulative | null): Cumulative {
  const tally = noTokens();
  addTokens(tally, before?.get('') ?? nothing);
  if (said.usage !== null) addTokens(tally, said.usage);
  const cost = said.total_cost_usd === null ? null : bigPicos(said.total_cost_usd);
  return new Map([['', { ...tally, cost, guess: false }]]);
}

/** Nothing else shows that a new process began. */
function costFell({ said }: ResultUse, before: Cumulative | null): boolean {
  const old = before?.get('')?.cost ?? null;
  return old !== null && said.total_cost_usd !== null && bigPicos(said.total_cost_usd) < old;
}
