import type { Interest, Look } from '../../core/event/interest.js';
import type { Framer } from '../../core/record/frame.js';
import { isObject, type JsonObject, parseJson } from '../../core/record/json.js';
import { findNear, startsAt, textAt, wordOf } from './bytes.js';
import { sessionCheck } from './session-check.js';
import { createTalkReader, type TalkLook } from './talk.js';

/** Decides by its bytes whether a line is worth parsing. */
export interface LineFilter {
  /** Hands the line on, whole or without what nobody asked for; false when it was dropped. */
  pass(bytes: Buffer, start: number, end: number, number: number, reader: LineReader): boolean;
  judge(bytes: Buffer, start: number, end: number): Judgement;
  /** Hands over what is known of open calls, so that they can be counted. */
  settle(): void;
}

/** What to parse instead of the line; where that is no JSON, the line. Of `usage` nothing counts but that of its message. */
export type Judgement = 'parse' | 'skip' | { readonly as: 'record' | 'usage'; readonly text: string };

/** Reads what is handed on. */
export interface LineReader extends Pick<Framer, 'push' | 'isPending'> {
  record(record: JsonObject, line: number): void;
  usage(record: JsonObject, line: number): void;
}

export interface Waiting {
  /** The tool of a call that was seen and has no result yet. */
  toolOf(toolUseId: string): string | null;
  /** False for a call that was seen before: a copy opens nothing. */
  isNewCall(toolUseId: string): boolean;
  /** A call was seen, and nobody looked at it any further; so with its result. `uuid` is that of its record. */
  called(toolUseId: string, tool: string, uuid: string | null): void;
  dismiss(toolUseId: string): void;
  /** Records of this session were read, from its beginning; a record that names none goes on with the one before. */
  follows(sessionId: string): boolean;
}

/** Lines of any other shape than {"type":"…" … } and {"parentUuid":… } are always parsed: results of 2.1.325, noise, damage. */
export function createLineFilter(interest: Interest, waiting: Waiting): LineFilter {
  const looks: TypeLook[] = [];
  const rows = compile(interest.rows);
  const talk = createTalkReader(interest, waiting);
  const sessions = sessionCheck(waiting.follows);

  /** How to look at lines of the type that stands there, null when none does; told without making a text of it. */
  function lookAt(bytes: Buffer, at: number): TypeLook | null {
    for (const known of looks) if (startsAt(bytes, known.type, at)) return known;
    const type = textAt(bytes, at);
    if (type === null) return null;
    const found = { type: Buffer.from(`${type}"`), look: compile(interest.look(type)) };
    if (looks.length < mostTypes) looks.push(found);
    return found;
  }

  function judge(bytes: Buffer, start: number, end: number): Judgement {
    if (interest.everything || bytes[end - 1] !== brace) return 'parse';
    if (startsAt(bytes, rowOpening, start))
      return rows.kind === 'talk' ? talk.judge(bytes.subarray(start, end), rows.talk, true) : 'parse';
    if (!startsAt(bytes, opening, start)) return 'parse';
    const found = lookAt(bytes, start + opening.length);
    if (found === null || start + opening.length + found.type.length > end) return 'parse';
    const { look, type } = found;
    if (look.kind === 'parse') return 'parse';
    if (look.kind === 'talk') return talk.judge(bytes.subarray(start, end), look.talk, false);
    if (findNear(bytes, another, start, end) !== -1 || sessions.find(bytes, end, start) === null) return 'parse';
    if (look.kind === 'skip' || startsAt(bytes, look.unless, start + opening.length + type.length)) return 'skip';
    const line = bytes.subarray(start, end);
    return look.needles.some((needle) => line.includes(needle)) ? 'parse' : 'skip';
  }

  return {
    judge,
    settle: talk.settle,
    pass(bytes, start, end, number, reader) {
      const judgement = reader.isPending ? 'parse' : judge(bytes, start, end);
      if (judgement === 'skip') return false;
      const record = judgement === 'parse' ? undefined : parseJson(judgement.text);
      if (judgement === 'parse' || !isObject(record)) reader.push(bytes.toString('utf8', start, end), number);
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
/** Who makes up types makes nothing slower. */
const mostTypes = 32;

interface TypeLook {
  readonly type: Buffer;
  readonly look: CompiledLook;
}

type CompiledLook =
  | { kind: 'parse' }
  | { kind: 'skip' }
  | { kind: 'needles'; unless: Buffer; needles: Buffer[] }
  | { kind: 'talk'; talk: TalkLook };

function compile(look: Look): CompiledLook {
  if (typeof look === 'string') return { kind: look };
  const bytesOf = (words: readonly string[]) => words.map((word) => Buffer.from(word));
  if ('needles' in look) return { kind: 'needles', needles: bytesOf(look.needles), unless: Buffer.from(look.unless) };
  return {
    kind: 'talk',
    talk: { ...look, telling: bytesOf(look.telling), shellTelling: bytesOf(look.shellTelling) },
  };
}
