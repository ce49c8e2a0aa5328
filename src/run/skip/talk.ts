// Records of a conversation by their bytes. Most of a stream is what tools returned and what agents said; who wants to know
// only that it happened need not parse it. Everything here relies on the order in which Claude Code writes its keys, and
// nothing is believed that could be otherwise: what does not look as expected is parsed whole.
import type { Interest } from '../../core/event/interest.js';
import type { JsonObject } from '../../core/record/json.js';
import { brace, find, findObject, startsAt, textAt, type Word, wordOf } from './bytes.js';
import { resultOpenings } from './cuts.js';
import type { Judgement, Waiting } from './line-filter.js';
import type { Shape } from './shape.js';
import { Shapes } from './shapes.js';

export interface TalkLook {
  readonly idle: 'skip' | 'lean' | 'once';
  readonly telling: readonly Word[];
  readonly shellTelling: readonly Word[];
}

export interface TalkReader {
  /** A row of a transcript is never dropped: its envelope says more than that of a stream. */
  judge(line: Buffer, start: number, end: number, look: TalkLook, isRow: boolean): Judgement;
}

export function createTalkReader(interest: Interest, waiting: Waiting): TalkReader {
  const records = new Shapes();
  const rows = new Shapes();
  const follows = remembered(interest.follows);
  /** Open calls of no interest that nobody else was told of. */
  const idle = new Map<string, string>();
  /** Agents whose first record was read: that they are at work is then known. */
  const heard = new Set<string>();

  /** Whoever reads a whole record has to know of the calls it may answer. */
  function whole(): 'parse' {
    for (const [id, tool] of idle) waiting.called(id, tool);
    idle.clear();
    return 'parse';
  }

  /** Text, thinking, or a call that does nothing but be called. */
  function said(line: Buffer, shape: Shape, look: TalkLook, isRow: boolean): Judgement {
    const { from, to } = shape;
    const call = startsAt(line, callOpening, from) ? callAt(line, from + callOpening.length) : null;
    const speech = call === null ? speechAt(line, from) : undefined;
    if (call === null ? speech === undefined : follows(call.name)) return whole();
    if (hasMore(line, from + 1, to)) return whole();
    const judgement = judgeSaid(
      line,
      shape,
      look,
      isRow,
      call === null ? { type: speech } : { type: 'tool_use', ...call },
    );
    if (call !== null && !interest.countsCalls && judgement !== 'parse') idle.set(call.id, call.name);
    return judgement;
  }

  function judgeSaid(line: Buffer, shape: Shape, look: TalkLook, isRow: boolean, block: JsonObject): Judgement {
    const content = interest.countsCalls ? [block] : [];
    if (isRow || look.idle === 'lean') return recordOf(line, shape, content);
    if (!isCurrent(line, shape)) return whole();
    const isRepeat = look.idle === 'skip' || shape.isRepeat(line);
    if (!isHeard(line, shape)) return recordOf(line, shape, content);
    if (isRepeat) return 'skip';
    const spent = shape.spent(line);
    return spent === null ? whole() : { spent };
  }

  function recordOf(line: Buffer, shape: Shape, content: readonly JsonObject[]): Judgement {
    const record = shape.record(line, content);
    return record === null ? whole() : { record };
  }

  /** Whose records come next may depend on a line of another session, so only lines of the current one may be dropped. */
  function isCurrent(line: Buffer, shape: Shape): boolean {
    const id = shape.session === -1 ? null : shape.value(line, shape.session);
    return typeof id === 'string' && waiting.follows(id);
  }

  function isHeard(line: Buffer, shape: Shape): boolean {
    const agent = shape.parent === -1 ? null : shape.value(line, shape.parent);
    if (agent === null) return true;
    if (typeof agent !== 'string' || heard.has(agent)) return typeof agent === 'string';
    heard.add(agent);
    return false;
  }

  /** The result of a call that nobody follows. */
  function returned(
    line: Buffer,
    end: number,
    id: string,
    opening: number,
    shape: Shape,
    look: TalkLook,
    isRow: boolean,
  ): Judgement {
    const { from, to, result, next } = shape;
    const tool = idle.get(id) ?? waiting.toolOf(id);
    if (tool === null || (tool !== 'Bash' && follows(tool))) return whole();
    if (hasMoreResults(line, opening, to) || (result !== -1 && hasAnother(line, result, next))) return whole();
    const isDropped = look.idle !== 'lean' && !isRow;
    if (isDropped && !isCurrent(line, shape)) return whole();
    const isTold = (word: Word) => find(line, word, from, end) !== -1;
    if (look.telling.some(isTold) || (tool === 'Bash' && look.shellTelling.some(isTold))) return whole();
    if (isDropped) {
      if (!idle.delete(id)) waiting.dismiss(id);
      return 'skip';
    }
    const failed =
      find(line, isError, Math.max(from, to - near), to) !== -1 ||
      find(line, isError, from, Math.min(to, from + near)) !== -1;
    const block = { type: 'tool_result', tool_use_id: id, ...(failed && { is_error: true }) };
    return recordOf(line, shape, [block]);
  }

  return {
    judge(line, start, end, look, isRow) {
      const shape = (isRow ? rows : records).match(line, start, end);
      if (shape === null) return whole();
      for (const word of resultOpenings) {
        if (!startsAt(line, word, shape.from)) continue;
        const opening = shape.from + word.length;
        const id = textAt(line, opening);
        return id === null ? whole() : returned(line, end, id, opening + id.length, shape, look, isRow);
      }
      return said(line, shape, look, isRow);
    },
  };
}

function remembered(follows: (tool: string) => boolean): (tool: string) => boolean {
  const known = new Map<string, boolean>();
  return (tool) => {
    const answer = known.get(tool) ?? follows(tool);
    known.set(tool, answer);
    return answer;
  };
}

const callOpening = Buffer.from('{"type":"tool_use","id":"');
const nameOpening = Buffer.from('","name":"');
const speech = ['text', 'thinking', 'redacted_thinking'].map((type) => ({
  type,
  opening: Buffer.from(`{"type":"${type}",`),
}));
const typeKey = Buffer.from('"type":"');
const isError = wordOf('"is_error":true');
const colon = 0x3a;
const bracket = 0x5b;
const comma = 0x2c;
const near = 300;

function callAt(line: Buffer, from: number): { id: string; name: string; input: JsonObject } | null {
  const id = textAt(line, from);
  if (id === null || !startsAt(line, nameOpening, from + id.length)) return null;
  const name = textAt(line, from + id.length + nameOpening.length);
  return name === null ? null : { id, name, input: {} };
}

function speechAt(line: Buffer, from: number): string | undefined {
  return speech.find(({ opening }) => startsAt(line, opening, from))?.type;
}

/** Whether another block follows the one that has begun, or what is no part of it. */
function hasMore(line: Buffer, from: number, to: number): boolean {
  for (let at = findObject(line, from, to); at !== -1; at = findObject(line, at + 2, to)) {
    const before = line[at - 1];
    if (before === colon) continue;
    if ((before !== bracket && before !== comma) || startsAt(line, typeKey, at + 1)) return true;
  }
  return false;
}

/** The same for a result, which may be a list of one block; two are taken for two results. */
function hasMoreResults(line: Buffer, from: number, to: number): boolean {
  const at = findObject(line, from, to);
  if (at === -1) return false;
  return line[at - 1] !== bracket || findObject(line, at + 2, to) !== -1;
}

/** Whether another record follows. */
function hasAnother(line: Buffer, from: number, to: number): boolean {
  for (let at = findObject(line, from, to); at !== -1; at = findObject(line, at + 2, to))
    if (line[at - 1] === brace) return true;
  return false;
}
