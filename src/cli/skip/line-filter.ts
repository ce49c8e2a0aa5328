import { isObject, parseJson } from '../../core/record/json.js';
import type { LineRule, LineRules } from '../../core/wire/interest.js';
import type { Reader } from '../../core/wire/reader.js';
import { createTalkReader, type TalkRule } from './talk.js';

/** Decides by its bytes whether a line is worth parsing. */
interface LineFilter {
  /** Hands the line on, whole or without what nobody asked for; false when it was dropped. */
  pass(bytes: Buffer, start: number, end: number, number: number): boolean;
  judge(bytes: Buffer, start: number, end: number): Judgement;
  /** Hands over what is known of open calls, so that they can be counted. */
  settle(): void;
}

/** What to parse instead of the line; where that is no JSON, the line. Of `usage` nothing counts but that of its message. */
export type Judgement = 'parse' | 'skip' | { readonly as: 'record' | 'usage'; readonly text: string };

/** What the filter asks and tells the reader behind it. A call that was seen and has no result yet is open. */
export type LineReader = Pick<
  Reader,
  'line' | 'record' | 'usage' | 'isPending' | 'toolOf' | 'isNewCall' | 'called' | 'dismiss' | 'follows'
>;

/** Lines of any other shape than {"type":"…" … } and {"parentUuid":… } are always parsed: results of 2.1.325, noise, damage. */
export function createLineFilter(interest: LineRules, reader: LineReader): LineFilter {
  const rules: TypeRule[] = [];
  const rows = compile(interest.rows);
  const talk = createTalkReader(interest, reader);
  const sessions = sessionCheck(reader.follows);

  /** The rule for lines of the type that stands there, null when none does. A known type is found without making a text of it. */
  function ruleAt(bytes: Buffer, at: number): TypeRule | null {
    for (const known of rules) if (startsAt(bytes, known.type, at)) return known;
    const type = textAt(bytes, at);
    if (type === null) return null;
    const found = { type: Buffer.from(`${type}"`), rule: compile(interest.ruleFor(type)) };
    if (rules.length < mostTypes) rules.push(found);
    return found;
  }

  function judge(bytes: Buffer, start: number, end: number): Judgement {
    if (interest.everything || bytes[end - 1] !== brace) return 'parse';
    if (startsAt(bytes, rowOpening, start))
      return rows.kind === 'talk' ? talk.judge(bytes.subarray(start, end), rows.talk, true) : 'parse';
    if (!startsAt(bytes, opening, start)) return 'parse';
    const found = ruleAt(bytes, start + opening.length);
    if (found === null || start + opening.length + found.type.length > end) return 'parse';
    const { rule, type } = found;
    if (rule.kind === 'parse') return 'parse';
    if (rule.kind === 'talk') return talk.judge(bytes.subarray(start, end), rule.talk, false);
    if (findNear(bytes, another, start, end) !== -1 || sessions.find(bytes, end, start) === null) return 'parse';
    if (rule.kind === 'skip' || startsAt(bytes, rule.unless, start + opening.length + type.length)) return 'skip';
    const line = bytes.subarray(start, end);
    return rule.needles.some((needle) => line.includes(needle)) ? 'parse' : 'skip';
  }

  return {
    judge,
    settle: talk.settle,
    pass(bytes, start, end, number) {
      const judgement = reader.isPending() ? 'parse' : judge(bytes, start, end);
      if (judgement === 'skip') return false;
      const record = judgement === 'parse' ? undefined : parseJson(judgement.text);
      if (judgement === 'parse' || !isObject(record)) reader.line(bytes.toString('utf8', start, end), number);
      else reader[judgement.as](record, number);
      return true;
    },
  };
}

const opening = Buffer.from('{"type":"');
const rowOpening = Buffer.from('{"parentUuid":');
/** A second record behind the first. */
const another = wordOf('}{"', '{');
const brace = 0x7d;
/** So many types are remembered. Input that makes up types must not make every line slower. */
const mostTypes = 32;

interface TypeRule {
  readonly type: Buffer;
  readonly rule: CompiledRule;
}

type CompiledRule =
  | { kind: 'parse' }
  | { kind: 'skip' }
  | { kind: 'needles'; unless: Buffer; needles: Buffer[] }
  | { kind: 'talk'; talk: TalkRule };

function compile(rule: LineRule): CompiledRule {
  if (typeof rule === 'string') return { kind: rule };
  const bytesOf = (words: readonly string[]) => words.map((word) => Buffer.from(word));
  if ('needles' in rule) return { kind: 'needles', needles: bytesOf(rule.needles), unless: Buffer.from(rule.unless) };
  return {
    kind: 'talk',
    talk: { ...rule, resultNeedles: bytesOf(rule.resultNeedles), shellNeedles: bytesOf(rule.shellNeedles) },
  };
}

/** Whose records come next may depend on a line of another session, so only lines of the current one may be dropped. */
interface SessionCheck {
  /**
   * Where the line names its session, from `from` and before `to`; -1 where it names none, null where it is not the current one.
   * It is looked for first as far before `to` as in the line before, which costs a tenth of a search.
   */
  find(line: Buffer, to: number, from?: number): number | null;
}

export function sessionCheck(follows: (sessionId: string) => boolean): SessionCheck {
  let known = key;
  let id = '';
  let distance = 0;
  return {
    find(line, to, from = 0) {
      if (id !== '' && to - distance >= from && startsAt(line, known, to - distance))
        return follows(id) ? to - distance : null;
      const at = (to === line.length ? line : line.subarray(0, to)).lastIndexOf(key);
      if (at < from) return -1;
      const found = textAt(line, at + key.length);
      if (found === null) return null;
      id = found;
      known = Buffer.from(`${key}${id}"`);
      distance = to - at;
      return follows(id) ? at : null;
    },
  };
}

const key = Buffer.from('"session_id":"');

// Finding words in the bytes of a line. Node's search for a single byte is as fast as the memory; its search for several
// costs close to a microsecond before it begins, which is felt when each of a hundred thousand lines is looked at ten times.

/** A word, and the byte of it to look for: the rarest. */
export interface Word {
  readonly bytes: Buffer;
  readonly at: number;
  readonly byte: number;
}

export function wordOf(text: string, rarest = text[0] ?? ''): Word {
  const at = text.indexOf(rarest);
  return { bytes: Buffer.from(text), at, byte: text.charCodeAt(at) };
}

/** Where the word stands; long lines are worth a real search. */
export function find(bytes: Buffer, word: Word, from: number): number {
  return bytes.length - from > long ? bytes.indexOf(word.bytes, from) : findNear(bytes, word, from);
}
const long = 8 * 1024;

/** The same for a word that stands near, or whose rarest byte is rare indeed. */
export function findNear(
  bytes: Buffer,
  { bytes: word, at: within, byte }: Word,
  from: number,
  to = bytes.length,
): number {
  for (let at = bytes.indexOf(byte, from + within); at !== -1 && at < to; at = bytes.indexOf(byte, at + 1))
    if (startsAt(bytes, word, at - within)) return at - within;
  return -1;
}

/** The last place before `end`; for words that stand a few hundred bytes before it. */
export function findBack(bytes: Buffer, { bytes: word }: Word, end: number, start: number): number {
  for (let at = end - word.length; at >= start; at--) if (startsAt(bytes, word, at)) return at;
  return -1;
}

export function startsAt(bytes: Buffer, word: Buffer, at: number): boolean {
  if (at < 0 || at + word.length > bytes.length) return false;
  for (let index = 0; index < word.length; index++) if (bytes[at + index] !== word[index]) return false;
  return true;
}

/** The text up to the next quote; null when it is not that of an id or a name. */
export function textAt(bytes: Buffer, from: number): string | null {
  const to = bytes.indexOf(0x22, from);
  return to === -1 || to - from > 100 ? null : bytes.toString('latin1', from, to);
}
