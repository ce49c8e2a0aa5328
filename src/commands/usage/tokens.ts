import type { Tokens } from '../../core/event/usage-row.js';

/** Tokens that can be added up in place. */
export type Tally = { -readonly [K in keyof Tokens]: number };

export function noTokens(): Tally {
  return {
    input_tokens: 0,
    output_tokens: 0,
    cache_write_5m_tokens: 0,
    cache_write_1h_tokens: 0,
    cache_read_tokens: 0,
    web_search_requests: 0,
  };
}

/** `times` -1 takes them away again. */
export function addTokens(sum: Tally, more: Tokens, times: 1 | -1 = 1): void {
  sum.input_tokens += times * more.input_tokens;
  sum.output_tokens += times * more.output_tokens;
  sum.cache_write_5m_tokens += times * more.cache_write_5m_tokens;
  sum.cache_write_1h_tokens += times * more.cache_write_1h_tokens;
  sum.cache_read_tokens += times * more.cache_read_tokens;
  sum.web_search_requests += times * more.web_search_requests;
}

export function sumTokens(all: Iterable<Tokens>): Tally {
  const sum = noTokens();
  for (const tokens of all) addTokens(sum, tokens);
  return sum;
}

/** Never below zero. */
export function minusTokens(a: Tokens, b: Tokens): Tally {
  return {
    input_tokens: Math.max(0, a.input_tokens - b.input_tokens),
    output_tokens: Math.max(0, a.output_tokens - b.output_tokens),
    cache_write_5m_tokens: Math.max(0, a.cache_write_5m_tokens - b.cache_write_5m_tokens),
    cache_write_1h_tokens: Math.max(0, a.cache_write_1h_tokens - b.cache_write_1h_tokens),
    cache_read_tokens: Math.max(0, a.cache_read_tokens - b.cache_read_tokens),
    web_search_requests: Math.max(0, a.web_search_requests - b.web_search_requests),
  };
}

export function totalOf(tokens: Tokens): number {
  return tokens.input_tokens + tokens.output_tokens + writesOf(tokens) + tokens.cache_read_tokens;
}

export function writesOf(tokens: Tokens): number {
  return tokens.cache_write_5m_tokens + tokens.cache_write_1h_tokens;
}

export function isNothing(tokens: Tokens): boolean {
  return totalOf(tokens) === 0 && tokens.web_search_requests === 0;
}

/**
 * `whole` is at least `part`, token for token. Cache writes are compared as one: older programs report them without their
 * split. Searches are left out: a turn's own usage may count them otherwise.
 */
export function covers(whole: Tokens, part: Tokens): boolean {
  return (
    whole.input_tokens >= part.input_tokens &&
    whole.output_tokens >= part.output_tokens &&
    writesOf(whole) >= writesOf(part) &&
    whole.cache_read_tokens >= part.cache_read_tokens
  );
}
