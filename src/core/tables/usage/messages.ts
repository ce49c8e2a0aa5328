// The usage of one API message, and sums of tokens.
import type { EventMap } from '../../event/event.js';
import type { MessageRow, Tokens } from '../../event/usage-row.js';
import { factors, isServedAlike, joinServed, promptOf, type Served } from '../../prices/prices.js';
import { earliest, keyOf, latest } from '../order.js';

/** One API message, with the largest counts of its records. Kept small, because there may be hundreds of thousands. */
export interface MessageUse extends Tokens {
  /** Its id. */
  readonly key: string;
  readonly origin: Origin;
  /** Earliest known. */
  readonly time: string | null;
  readonly turn: number | null;
  /** It is in a stream, so it comes before or after each result. */
  readonly stream: boolean;
  /** It is in a transcript. */
  readonly row: boolean;
  /** output_tokens is the final count. */
  readonly final: boolean;
  /** Its place among messages and results: that of its first record in a stream, else in a transcript. */
  readonly place: number;
  /** The other sessions that repeat it, ordered by id: a fork begins with its parent's messages. */
  readonly others: readonly string[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly web_fetch_requests: number;
  /** What the program says it cost, in dollars; null if it does not say it, like Claude Code. */
  readonly said_usd: number | null;
}

export interface Origin extends Served {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  /** The kind of an attempt that its message does not count. */
  readonly iteration: string | null;
  /** Its agent, if a row read back names it. */
  readonly who: Who | null;
}

export type Who = Pick<MessageRow, 'agent' | 'name' | 'agent_type' | 'kind' | 'team'>;

/** The prefix of keys of messages without an id. */
export const unnamed = 'line ';

export function isUnnamed({ key }: MessageUse): boolean {
  return key.startsWith(unnamed);
}

/** Whether a record repeats what is known: a message has a record for each of its blocks. */
export function isKnownUse(known: MessageUse, event: EventMap['usage:recorded']): boolean {
  return (
    event.iteration === null &&
    isFrom(known.origin, event) &&
    known.output_tokens >= event.output_tokens &&
    known.input_tokens >= event.input_tokens &&
    known.cache_read_tokens >= event.cache_read_tokens &&
    hasWritesOf(known, event) &&
    known.web_search_requests >= event.web_search_requests &&
    known.web_fetch_requests >= (event.web_fetch_requests ?? 0) &&
    event.cost_usd === undefined &&
    known.time !== null &&
    event.time !== null &&
    known.time <= event.time &&
    known.stream === !event.transcript &&
    known.row === event.transcript &&
    (known.final || !event.final) &&
    known.stop_reason === (event.stop_reason ?? null) &&
    known.stop_sequence === (event.stop_sequence ?? null)
  );
}

/** Whether a record comes from this origin. */
export function isFrom(origin: Origin, event: EventMap['usage:recorded']): boolean {
  return (
    origin.session_id === event.session_id &&
    origin.agent === event.agent &&
    origin.team === event.team &&
    origin.model === event.model &&
    isServedAlike(origin, event) &&
    origin.iteration === event.iteration_type &&
    origin.who === null
  );
}

/** Merges two records of one message in any order. Returns `known` itself if the other has nothing new. */
export function mergeUse(known: MessageUse, said: MessageUse): MessageUse {
  const owner = owns(said, known) ? said : known;
  const other = owner === said ? known : said;
  const most = largestOf(known, said);
  const merged: MessageUse = {
    key: known.key,
    origin: completed(owner.origin, other.origin),
    time: earliest(known.time, said.time),
    turn: turnOf(owner, other),
    stream: known.stream || said.stream,
    row: known.row || said.row,
    final: known.final || said.final,
    // Whichever copy is read first: that of a stream, else the first.
    place: said.stream === known.stream ? Math.min(known.place, said.place) : owner.place,
    others: joinedOthers(owner, other, known.others),
    input_tokens: most.input_tokens,
    output_tokens: most.output_tokens,
    cache_write_5m_tokens: most.cache_write_5m_tokens,
    cache_write_1h_tokens: most.cache_write_1h_tokens,
    cache_read_tokens: most.cache_read_tokens,
    web_search_requests: most.web_search_requests,
    stop_reason: latest(known.stop_reason, said.stop_reason),
    stop_sequence: latest(known.stop_sequence, said.stop_sequence),
    web_fetch_requests: Math.max(known.web_fetch_requests, said.web_fetch_requests),
    said_usd: known.said_usd === null || (said.said_usd ?? 0) > known.said_usd ? said.said_usd : known.said_usd,
  };
  return sameUse(known, merged) ? known : merged;
}

/** The largest counts of two copies of a message. */
export function largestOf(a: Tokens, b: Tokens): Tokens {
  const writes = hasWritesOf(a, b) ? a : b;
  return {
    input_tokens: Math.max(a.input_tokens, b.input_tokens),
    output_tokens: Math.max(a.output_tokens, b.output_tokens),
    cache_write_5m_tokens: writes.cache_write_5m_tokens,
    cache_write_1h_tokens: writes.cache_write_1h_tokens,
    cache_read_tokens: Math.max(a.cache_read_tokens, b.cache_read_tokens),
    web_search_requests: Math.max(a.web_search_requests, b.web_search_requests),
  };
}

/** Both kinds of cache writes come from one copy, since another may not split them: from that with more or, of equals, with more long ones. */
function hasWritesOf(a: Tokens, b: Tokens): boolean {
  const more = writesOf(a) - writesOf(b);
  return more === 0 ? a.cache_write_1h_tokens >= b.cache_write_1h_tokens : more > 0;
}

export function isLead({ agent, who }: Pick<Origin, 'agent' | 'who'>): boolean {
  if (who !== null) return who.kind === 'lead';
  return agent === null || agent === 'main' || agent.startsWith('team-lead@');
}

/** Who spoke; the main conversation may have two names. */
export function speakerKey(origin: Origin): string {
  let key = speakers.get(origin);
  if (key === undefined) {
    key = keyOf(origin.session_id, isLead(origin) ? null : origin.agent);
    speakers.set(origin, key);
  }
  return key;
}
const speakers = new WeakMap<Origin, string>();

export function sameOrigin(a: Origin, b: Origin): boolean {
  return (
    a === b ||
    (a.who === b.who &&
      a.session_id === b.session_id &&
      a.team === b.team &&
      a.agent === b.agent &&
      a.model === b.model &&
      isServedAlike(a, b) &&
      a.iteration === b.iteration)
  );
}

/** Origins that are the same have the same. */
export function originKey(origin: Origin): (string | null)[] {
  const { session_id, team, agent, model, iteration, who } = origin;
  const key = [session_id, team, agent, model];
  for (const { field } of factors) key.push(origin[field]);
  key.push(iteration);
  if (who !== null) key.push(who.name, who.agent_type, who.kind);
  return key;
}

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

/** Events and rows read back may contain any number. Only whole, finite ones are added up. */
export function wholeNumber(said: number): number {
  return said > 0 ? Math.min(Math.round(said), Number.MAX_SAFE_INTEGER) : 0;
}

export function wholeTokens(said: Tokens): Tally {
  return {
    input_tokens: wholeNumber(said.input_tokens),
    output_tokens: wholeNumber(said.output_tokens),
    cache_write_5m_tokens: wholeNumber(said.cache_write_5m_tokens),
    cache_write_1h_tokens: wholeNumber(said.cache_write_1h_tokens),
    cache_read_tokens: wholeNumber(said.cache_read_tokens),
    web_search_requests: wholeNumber(said.web_search_requests),
  };
}

/** `times` -1 subtracts. */
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
  return promptOf(tokens) + tokens.output_tokens;
}

export function writesOf(tokens: Tokens): number {
  return tokens.cache_write_5m_tokens + tokens.cache_write_1h_tokens;
}

export function isNothing(tokens: Tokens): boolean {
  return totalOf(tokens) === 0 && tokens.web_search_requests === 0;
}

/**
 * Whether `whole` is at least `part` in every counter. Cache writes are compared as one sum, because older versions
 * report them without a split. Searches are left out, because a turn's own usage may count them differently.
 */
export function covers(whole: Tokens, part: Tokens): boolean {
  return (
    whole.input_tokens >= part.input_tokens &&
    whole.output_tokens >= part.output_tokens &&
    writesOf(whole) >= writesOf(part) &&
    whole.cache_read_tokens >= part.cache_read_tokens
  );
}

/**
 * Forks, resumed sessions and teammates' files repeat messages. A message belongs to the session whose stream has it.
 * If no stream has it, homes.ts finds its session later, and it is kept under the smallest id until then. Within a session it belongs to the main conversation rather than to an agent whose
 * file begins with its history.
 */
function owns(said: MessageUse, known: MessageUse): boolean {
  if (said.stream !== known.stream) return said.stream;
  const [a, b] = [said.origin, known.origin];
  if (a === b) return false;
  if (a.session_id !== b.session_id) return (a.session_id ?? '') < (b.session_id ?? '');
  if (a.agent !== b.agent) return isLead(a) === isLead(b) ? (a.agent ?? '') < (b.agent ?? '') : isLead(a);
  return keyOf(...originKey(a)) < keyOf(...originKey(b));
}

/** The first turn that contains it. A transcript counts turns differently from a stream. */
function turnOf(owner: MessageUse, other: MessageUse): number | null {
  if (owner.origin.session_id !== other.origin.session_id) return owner.turn;
  if (owner.turn === null || other.turn === null) return owner.turn ?? other.turn;
  return owner.stream === other.stream ? Math.min(owner.turn, other.turn) : owner.turn;
}

function joinedOthers(owner: MessageUse, other: MessageUse, known: readonly string[]): readonly string[] {
  const home = owner.origin.session_id ?? '';
  const guest = other.origin.session_id ?? '';
  if (home === guest && owner.others.length + other.others.length === 0) return known;
  return othersOf(home, [guest, ...owner.others, ...other.others], known);
}

/** The sessions without `home`, ordered by id. Returns `known` itself if it has the same. */
export function othersOf(
  home: string,
  sessions: readonly (string | null)[],
  known: readonly string[],
): readonly string[] {
  const all = new Set(sessions.map((session) => session ?? ''));
  all.delete(home);
  const isSame = all.size === known.length && known.every((session) => all.has(session));
  return isSame ? known : [...all].sort();
}

/** Fills in the model and how the request was served, which some copies lack. */
function completed(owner: Origin, other: Origin): Origin {
  const model = owner.model ?? other.model;
  const served = joinServed(owner, other, (own, others) => own ?? others);
  return model === owner.model && isServedAlike(served, owner) ? owner : { ...owner, model, ...served };
}

function sameUse(a: MessageUse, b: MessageUse): boolean {
  return (
    a.origin === b.origin &&
    a.time === b.time &&
    a.turn === b.turn &&
    a.stream === b.stream &&
    a.row === b.row &&
    a.final === b.final &&
    a.place === b.place &&
    a.others === b.others &&
    a.input_tokens === b.input_tokens &&
    a.output_tokens === b.output_tokens &&
    a.cache_write_5m_tokens === b.cache_write_5m_tokens &&
    a.cache_write_1h_tokens === b.cache_write_1h_tokens &&
    a.cache_read_tokens === b.cache_read_tokens &&
    a.web_search_requests === b.web_search_requests &&
    a.stop_reason === b.stop_reason &&
    a.stop_sequence === b.stop_sequence &&
    a.web_fetch_requests === b.web_fetch_requests &&
    a.said_usd === b.said_usd
  );
}
