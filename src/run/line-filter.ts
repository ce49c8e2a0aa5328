import type { Interest, Look } from '../core/event/interest.js';

/** Decides by its bytes whether a line is worth parsing. */
export interface LineFilter {
  wants(bytes: Buffer, start: number, end: number): boolean;
}

export interface Waiting {
  /** Somebody follows this call. */
  awaits(toolUseId: string): boolean;
  /** The call was seen, and has no result yet. */
  knows(toolUseId: string): boolean;
  /** Its result came, and nobody looked at it. */
  dismiss(toolUseId: string): void;
  /** The calls of this stream were all seen, so the result of an unknown one is nobody's. */
  readonly complete: boolean;
  /** Records of this session were read, from its beginning; a record that names none goes on with the one before. */
  follows(sessionId: string): boolean;
}

const opening = Buffer.from('{"type":"');
const answer = Buffer.from('"tool_use_id":"');
const session = Buffer.from('"session_id":"');
/** A second record behind the first. */
const another = Buffer.from('}{"type":"');
const quote = 0x22;
const brace = 0x7d;
/** Claude Code writes the id of a result near the front of its line; further back, the line is parsed. */
const near = 300;
/** Lines up to this size are looked through. Longer ones are one large result, and judged by their beginning. */
const large = 64 * 1024;

/** Lines of any other shape than {"type":"…" … } are always parsed: transcripts, results of 2.1.325, noise, damage. */
export function createLineFilter(interest: Interest, waiting: Waiting): LineFilter {
  const looks = new Map<string, CompiledLook>();
  const lookOf = (type: string) => {
    const look = looks.get(type) ?? compile(interest.look(type));
    looks.set(type, look);
    return look;
  };
  return {
    wants(bytes, start, end) {
      if (
        interest.everything ||
        bytes[end - 1] !== brace ||
        end - start < opening.length ||
        bytes.compare(opening, 0, opening.length, start, start + opening.length) !== 0
      )
        return true;
      const from = start + opening.length;
      const to = bytes.indexOf(quote, from);
      if (to === -1 || to >= end || to - from > 40) return true;
      const look = lookOf(bytes.toString('latin1', from, to));
      if (look.kind === 'parse') return true;
      const line = bytes.subarray(to, end);
      if (line.length <= large && (line.includes(another) || !isOfKnownSession(line, waiting))) return true;
      if (look.kind === 'skip') return false;
      const ids = look.kind === 'answers' ? nobodysIds(line, waiting, interest.seesCalls) : [];
      if (ids === null) return true;
      const isLarge = look.kind === 'answers' && line.length > large;
      if (!isLarge && look.needles.some((needle) => line.includes(needle))) return true;
      for (const id of ids) waiting.dismiss(id);
      return false;
    },
  };
}

interface CompiledLook {
  kind: 'parse' | 'skip' | 'needles' | 'answers';
  needles: Buffer[];
}

function compile(look: Look): CompiledLook {
  if (typeof look === 'string') return { kind: look, needles: [] };
  const [kind, words] = 'needles' in look ? (['needles', look.needles] as const) : (['answers', look.answers] as const);
  return { kind, needles: words.map((word) => Buffer.from(word)) };
}

/** The calls a line has results of, if nobody follows one of them. Who sees every call need not guess about one it does not know. */
function nobodysIds(line: Buffer, waiting: Waiting, seesCalls: boolean): string[] | null {
  if (!waiting.complete) return null;
  const within = line.length > large ? line.subarray(0, near) : line;
  let at = within.indexOf(answer);
  if (at === -1 || at > near) return null;
  const ids: string[] = [];
  for (; at !== -1; at = within.indexOf(answer, at + answer.length)) {
    const id = textAt(line, at + answer.length);
    if (id === null || waiting.awaits(id) || (seesCalls && !waiting.knows(id))) return null;
    ids.push(id);
  }
  return ids;
}

/** Whose records come next may depend on a line of another session. */
function isOfKnownSession(line: Buffer, waiting: Waiting): boolean {
  const at = line.lastIndexOf(session);
  if (at === -1) return true;
  const id = textAt(line, at + session.length);
  return id !== null && waiting.follows(id);
}

function textAt(line: Buffer, from: number): string | null {
  const to = line.indexOf(quote, from);
  return to === -1 || to - from > 100 ? null : line.toString('latin1', from, to);
}
