import type { Interest, Look } from '../../core/event/interest.js';
import type { Framer } from '../../core/record/frame.js';
import type { JsonObject } from '../../core/record/json.js';
import { brace, find, startsAt, textAt, type Word, wordOf } from './bytes.js';
import { sessionCheck } from './session-check.js';
import { createTalkReader, type TalkLook } from './talk.js';

/** Decides by its bytes whether a line is worth parsing. */
export interface LineFilter {
  /** Hands the line on, whole or without what nobody asked for; false when it was dropped. */
  pass(bytes: Buffer, start: number, end: number, number: number, reader: LineReader): boolean;
  judge(bytes: Buffer, start: number, end: number): Judgement;
}

/** The third is the record of the line without what nobody asked for, the fourth no more of it than the usage of its message. */
export type Judgement = 'parse' | 'skip' | { readonly record: JsonObject } | { readonly spent: JsonObject };

/** Reads what is handed on. */
export interface LineReader extends Pick<Framer, 'push' | 'isPending'> {
  record(record: JsonObject, line: number): void;
  spent(record: JsonObject, line: number): void;
}

export interface Waiting {
  /** The tool of a call that was seen and has no result yet. */
  toolOf(toolUseId: string): string | null;
  /** A call was seen, and nobody looked at it any further; so with its result. */
  called(toolUseId: string, tool: string): void;
  dismiss(toolUseId: string): void;
  /** Records of this session were read, from its beginning; a record that names none goes on with the one before. */
  follows(sessionId: string): boolean;
}

/** Lines of any other shape than {"type":"…" … } and {"parentUuid":… } are always parsed: results of 2.1.325, noise, damage. */
export function createLineFilter(interest: Interest, waiting: Waiting): LineFilter {
  const looks: TypeLook[] = [];
  const rows = compile(interest.rows);
  const talk = createTalkReader(interest, waiting);
  const isCurrent = sessionCheck(waiting.follows);

  /** How to look at lines of the type that stands there; null when none does. */
  function lookAt(line: Buffer, at: number): TypeLook | null {
    for (const look of looks) if (startsAt(line, look.type, at)) return look;
    const type = textAt(line, at);
    if (type === null) return null;
    const look = { type: Buffer.from(`${type}"`), ...compile(interest.look(type)) };
    if (looks.length < mostTypes) looks.push(look);
    return look;
  }

  function judge(line: Buffer, start: number, end: number): Judgement {
    if (interest.everything || line[end - 1] !== brace) return 'parse';
    if (startsAt(line, rowOpening, start))
      return rows.talk === undefined ? 'parse' : talk.judge(line, start, end, rows.talk, true);
    if (!startsAt(line, opening, start)) return 'parse';
    const at = start + opening.length;
    const look = lookAt(line, at);
    if (look === null || at + look.type.length >= end || look.kind === 'parse') return 'parse';
    if (look.talk !== undefined) return talk.judge(line, start, end, look.talk, false);
    if (find(line, another, start, end) !== -1 || !isCurrent(line, start, end)) return 'parse';
    if (look.kind === 'skip' || startsAt(line, look.unless, at + look.type.length)) return 'skip';
    return look.needles.some((needle) => find(line, needle, start, end) !== -1) ? 'parse' : 'skip';
  }

  return {
    judge,
    pass(bytes, start, end, number, reader) {
      const judgement = reader.isPending ? 'parse' : judge(bytes, start, end);
      if (judgement === 'skip') return false;
      if (judgement === 'parse') reader.push(bytes.toString('utf8', start, end), number);
      else if ('spent' in judgement) reader.spent(judgement.spent, number);
      else reader.record(judgement.record, number);
      return true;
    },
  };
}

const opening = Buffer.from('{"type":"');
const rowOpening = Buffer.from('{"parentUuid":');
/** A second record behind the first. */
const another = wordOf('}{"');
/** Who makes up types does not make this list longer. */
const mostTypes = 64;

type TypeLook = CompiledLook & { readonly type: Uint8Array };

interface CompiledLook {
  readonly kind: 'parse' | 'skip' | 'needles' | 'talk';
  readonly unless: Uint8Array;
  readonly needles: readonly Word[];
  readonly talk?: TalkLook;
}

function compile(look: Look): CompiledLook {
  const plain = { unless: Buffer.from('\n'), needles: [] };
  if (typeof look === 'string') return { ...plain, kind: look };
  if ('needles' in look)
    return { kind: 'needles', needles: look.needles.map(wordOf), unless: Buffer.from(look.unless) };
  const { idle, telling, shellTelling } = look;
  return {
    ...plain,
    kind: 'talk',
    talk: { idle, telling: telling.map(wordOf), shellTelling: shellTelling.map(wordOf) },
  };
}
