import type { Tokens } from '../event/usage-row.js';
import { noTokens, type Tally, writesOf } from './usage-tokens.js';

/**
 * What one account has over another, step by step. What one step lacks is taken from those before it: a message may stream
 * before a result that does not count it yet.
 */
export interface Spread {
  /** Never negative; together what the first account has more in the end. */
  readonly left: readonly bigint[];
  /** What the second has more in the end. */
  readonly beyond: bigint;
  /** No step lacks anything. */
  readonly clean: boolean;
}

export function spread(differences: readonly bigint[]): Spread {
  const sums: bigint[] = [];
  for (const difference of differences) sums.push((sums.at(-1) ?? 0n) + difference);
  const total = sums.at(-1) ?? 0n;
  const left = new Array<bigint>(differences.length).fill(0n);
  let next = atLeastZero(total);
  for (let at = differences.length - 1; at >= 0; at--) {
    const sum = at === 0 ? 0n : atLeastZero(sums[at - 1] ?? 0n);
    const before = sum < next ? sum : next;
    left[at] = next - before;
    next = before;
  }
  return { left, beyond: atLeastZero(-total), clean: differences.every((difference) => difference >= 0n) };
}

/** The same for tokens, counter by counter. */
export interface TokenSpread {
  readonly left: readonly Tokens[];
  readonly beyond: Tokens;
  readonly clean: boolean;
}

export function spreadTokens(reported: readonly Tokens[], attributed: readonly Tokens[]): TokenSpread {
  const left = reported.map(noTokens);
  const beyond = noTokens();
  let clean = true;
  const compare = (amountOf: (tokens: Tokens) => number): Spread => {
    const found = spread(reported.map((one, at) => BigInt(amountOf(one)) - BigInt(amountOf(attributed[at] ?? none))));
    clean &&= found.clean;
    return found;
  };
  for (const field of plainFields) {
    const found = compare((tokens) => tokens[field]);
    for (const [at, amount] of found.left.entries()) put(left[at], field, Number(amount));
    beyond[field] = Number(found.beyond);
  }
  // Programs that report writes without a split call them all short; messages know which were long.
  const writes = compare(writesOf);
  const long = sumOf(reported) - sumOf(attributed);
  let longLeft = Math.max(0, long);
  writes.left.forEach((amount, at) => {
    const taken = Math.min(Number(amount), longLeft);
    longLeft -= taken;
    put(left[at], 'cache_write_1h_tokens', taken);
    put(left[at], 'cache_write_5m_tokens', Number(amount) - taken);
  });
  beyond.cache_write_1h_tokens = Math.min(Number(writes.beyond), Math.max(0, -long));
  beyond.cache_write_5m_tokens = Number(writes.beyond) - beyond.cache_write_1h_tokens;
  return { left, beyond, clean };
}

const plainFields = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'web_search_requests'] as const;
const none: Tokens = noTokens();

function put(tally: Tally | undefined, field: keyof Tally, amount: number): void {
  if (tally !== undefined) tally[field] = amount;
}

function sumOf(list: readonly Tokens[]): number {
  return list.reduce((sum, tokens) => sum + tokens.cache_write_1h_tokens, 0);
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}
