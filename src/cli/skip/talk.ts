// Records of a conversation by their bytes. Most of a stream is what tools returned and what agents said; who wants to know
// only that it happened need not parse it. Everything here relies on the order in which Claude Code writes its keys, and
// nothing is believed that could be otherwise: a record cut in the wrong place is not JSON, and is then parsed whole.
import { isShell, type LineRules } from '../../core/wire/interest.js';
import {
  find,
  findBack,
  findNear,
  type Judgement,
  type LineReader,
  sessionCheck,
  startsAt,
  textAt,
  wordOf,
} from './line-filter.js';

export interface TalkRule {
  readonly idle: 'skip' | 'lean' | 'once';
  readonly resultNeedles: readonly Buffer[];
  readonly shellNeedles: readonly Buffer[];
}

interface TalkReader {
  /** A row of a transcript is never dropped: its envelope says more than that of a stream. */
  judge(line: Buffer, rule: TalkRule, isRow: boolean): Judgement;
  /** Whoever reads on, or asks what is open, has to know of the calls that nobody was told of. */
  settle(): void;
}

interface IdleCall {
  readonly tool: string;
  readonly uuid: string | null;
}

export function createTalkReader(interest: LineRules, reader: LineReader): TalkReader {
  const isSameMessage = sameMessageCheck();
  const sayers = sessionCheck(reader.follows);
  const answerers = sessionCheck(reader.follows);
  const follows = remembered(interest.follows);
  /** Agents whose first record was read: that they are at work is then known. */
  const heard = new Set<string>();
  /** Open calls of no interest, which nobody else was told of. */
  const idle = new Map<string, IdleCall>();

  function settle(): void {
    for (const [id, { tool, uuid }] of idle) reader.called(id, tool, uuid);
    idle.clear();
  }

  /** Whoever reads a whole record has to know of the calls it may answer. */
  function whole(): 'parse' {
    settle();
    return 'parse';
  }

  /** It may yet be taken back, by the uuid of its record. */
  function leave({ id, tool }: { id: string; tool: string }, line: Buffer, from: number): void {
    if (!reader.isNewCall(id)) return;
    const at = findNear(line, uuidOpening, from);
    idle.set(id, { tool, uuid: at === -1 ? null : textAt(line, at + uuidOpening.bytes.length) });
  }

  /** Text, thinking, or a call that does nothing but be called. */
  function said(line: Buffer, from: number, rule: TalkRule, isRow: boolean): Judgement {
    const call = startsAt(line, callOpening, from) ? callAt(line, from + callOpening.length) : null;
    if (call === null ? !isSpeech(line, from) : follows(call.tool)) return whole();
    const to = find(line, contentEnd, from);
    if (to === -1 || line.length - to > longest) return whole();
    const another = find(line, anotherBlock, from);
    if (another !== -1 && another < to) return whole();
    let as: 'record' | 'usage' = 'record';
    if (!isRow && rule.idle !== 'lean') {
      const session = sayers.find(line, line.length);
      if (session === null || session < to || hasMore(line, session)) return whole();
      const isRepeat = rule.idle === 'skip' || isSameMessage(line, from, to, session);
      if (isHeard(line, to, session)) {
        if (isRepeat) {
          if (call !== null) leave(call, line, to);
          return 'skip';
        }
        as = 'usage';
      }
    }
    const usage = findNear(line, usageOpening, to);
    if (usage === -1 || usage - to > near) return whole();
    if (call !== null && !interest.countsCalls) leave(call, line, to);
    const block = interest.countsCalls ? stubOf(line, from, call) : '';
    return { as, text: `${line.toString('utf8', 0, from)}${block}${line.toString('utf8', to)}` };
  }

  function isHeard(line: Buffer, to: number, session: number): boolean {
    if (startsAt(line, noParent, session - noParent.length)) return true;
    const at = findNear(line, parent, to);
    if (at === -1) return true;
    const agent = textAt(line, at + parent.bytes.length);
    if (agent === null || heard.has(agent)) return agent !== null;
    heard.add(agent);
    return false;
  }

  /** The result of a call that nobody follows. */
  function returned(line: Buffer, from: number, id: string, rule: TalkRule, isRow: boolean): Judgement {
    const tool = idle.get(id)?.tool ?? reader.toolOf(id);
    if (tool !== null && !isShell(tool) && follows(tool)) return whole();
    const parts = partsOf(line, from);
    if (parts === null) return whole();
    const { to, result, next } = parts;
    // A call that is not in the input is known by what it returned, if that is more than prose.
    if (tool === null && (interest.countsCalls || result < line.length - 1 || !isProse(line, from, id))) return whole();
    const structured = line.subarray(result);
    if (rule.resultNeedles.some((word) => structured.includes(word))) return whole();
    if (tool !== null && isShell(tool) && rule.shellNeedles.some((word) => line.includes(word))) return whole();
    if (rule.idle !== 'lean' && !isRow && answerers.find(line, result) !== null) {
      if (!idle.delete(id)) reader.dismiss(id);
      return 'skip';
    }
    idle.delete(id);
    const block = line.subarray(from, to);
    const failed = block.subarray(-near).includes(isError) || block.subarray(0, near).includes(isError);
    const stub = `{"type":"tool_result","tool_use_id":"${id}"${failed ? ',"is_error":true' : ''}}`;
    const [head, middle] = [line.toString('utf8', 0, from), line.toString('utf8', to, result)];
    return { as: 'record', text: `${head}${stub}${middle}${line.toString('utf8', next)}` };
  }

  return {
    settle,
    judge(line, rule, isRow) {
      const at = startsAt(line, answerOpening, 0) ? answerOpening.length : contentOf(line);
      if (at === -1) return whole();
      const id = idOfResult(line, at);
      return id === null ? said(line, at, rule, isRow) : returned(line, at, id, rule, isRow);
    },
  };
}

/** The block, with no more than what it is. */
function stubOf(line: Buffer, from: number, call: { id: string; tool: string } | null): string {
  if (call !== null) return `${callOpening}${call.id}","name":"${call.tool}","input":{}}`;
  return `${line.toString('latin1', from, line.indexOf(quote, from + typeOpening.length))}"}`;
}

function remembered(follows: (tool: string) => boolean): (tool: string) => boolean {
  const known = new Map<string, boolean>();
  return (tool) => {
    const answer = known.get(tool) ?? follows(tool);
    known.set(tool, answer);
    return answer;
  };
}

const answerOpening = Buffer.from('{"type":"user","message":{"role":"user","content":[');
const contentOpening = wordOf('"content":[', '[');
const typeOpening = Buffer.from('{"type":"');
const callOpening = Buffer.from('{"type":"tool_use","id":"');
const nameOpening = Buffer.from('","name":"');
const speech = ['text', 'thinking', 'redacted_thinking'].map((type) => Buffer.from(`{"type":"${type}",`));
const resultOpenings = [Buffer.from('{"tool_use_id":"'), Buffer.from('{"type":"tool_result","tool_use_id":"')];

const contentEnd = wordOf('],"stop_reason":', ']');
const messageEnd = wordOf(']},"');
const anotherBlock = wordOf('},{"type":"', '{');
const anotherRecord = wordOf('}{"', '{');
/** Another record, what takes others back, or another type or message: of two keys of one name the last counts. */
const more = [anotherRecord, wordOf('"supersedes"', 'p'), wordOf('"type":', 'y'), wordOf('"message":', 'g')];
const uuidOpening = wordOf('"uuid":"');
const usageOpening = wordOf('"usage":{', '{');
const parent = wordOf('"parent_tool_use_id":"', 'p');
const noParent = Buffer.from('"parent_tool_use_id":null,');
const isError = Buffer.from('"is_error":true');
const objectOpening = wordOf('{"');
const resultKeys = [Buffer.from(',"tool_use_result":'), Buffer.from(',"toolUseResult":')];
/** What may follow the result in a row, and with it whatever else stands there. */
const resumptions = [wordOf(',"sourceToolAssistantUUID":"', 'U'), wordOf(',"uuid":"')];
const envelope = [Buffer.from(',"timestamp":"'), Buffer.from(',"session'), Buffer.from(',"agent')];

const quote = 0x22;
const comma = 0x2c;
const brace = 0x7d;
/** How far from the beginning of a record its content begins, at most. */
const nearContent = 1500;
const near = 300;
/** Behind its content a record has numbers and ids; more is unusual enough to be read. */
const longest = 8 * 1024;

function contentOf(line: Buffer): number {
  const at = findNear(line, contentOpening, 0);
  return at === -1 || at > nearContent ? -1 : at + contentOpening.bytes.length;
}

function isSpeech(line: Buffer, from: number): boolean {
  for (const word of speech) if (startsAt(line, word, from)) return true;
  return false;
}

/** Behind its session stands something that has to be read. */
function hasMore(line: Buffer, session: number): boolean {
  return more.some((word) => findNear(line, word, session) !== -1);
}

function callAt(line: Buffer, from: number): { id: string; tool: string } | null {
  const id = textAt(line, from);
  if (id === null || !startsAt(line, nameOpening, from + id.length)) return null;
  const tool = textAt(line, from + id.length + nameOpening.length);
  return tool === null || tool.includes('\\') || id.includes('\\') ? null : { id, tool };
}

function idOfResult(line: Buffer, from: number): string | null {
  for (const word of resultOpenings) if (startsAt(line, word, from)) return textAt(line, from + word.length);
  return null;
}

/** Whether what was returned is a text that does not begin as JSON does, nor in a way that would take more than a rule. */
function isProse(line: Buffer, from: number, id: string): boolean {
  const opening = proseOpenings.map((text) => Buffer.from(text(id))).find((text) => startsAt(line, text, from));
  if (opening === undefined) return false;
  let at = from + opening.length;
  while (line[at] === space) at++;
  const first = line[at] ?? 0;
  return first > space && first < 0x80 && first !== curly && first !== backslash;
}
const proseOpenings = [
  (id: string) => `{"tool_use_id":"${id}","type":"tool_result","content":"`,
  (id: string) => `{"type":"tool_result","tool_use_id":"${id}","content":"`,
];
const space = 0x20;
const curly = 0x7b;
const backslash = 0x5c;

/** Where the one result of a record ends, where its structured twin begins, and where the record goes on behind that. */
function partsOf(line: Buffer, from: number): { to: number; result: number; next: number } | null {
  let result = -1;
  for (let at = find(line, objectOpening, from + 1); at !== -1; at = find(line, objectOpening, at + 2)) {
    const before = line[at - 1];
    // Another block of the message, or another record.
    if (before === comma || before === brace) return null;
    if (before !== colon) continue;
    const key = resultKeys.find((word) => startsAt(line, word, at - word.length));
    if (key === undefined) continue;
    result = at - key.length;
    break;
  }
  if (result !== -1 && find(line, anotherRecord, result) !== -1) return null;
  const until = result === -1 ? line.length - 1 : result;
  // The key behind it may be that of the result itself.
  const to = findBack(line, messageEnd, until + 2, from);
  if (to === -1) return null;
  const next = result === -1 ? until : nextKey(line, result);
  if (
    next < line.length - 1 &&
    envelope.some((word) => line.subarray(Math.max(until, next - near), next).includes(word))
  )
    return null;
  return { to, result: until, next };
}
const colon = 0x3a;

function nextKey(line: Buffer, result: number): number {
  const end = line.length - 1;
  const tail = Math.max(result + 1, end - 2 * near);
  for (const word of resumptions) {
    const at = findNear(line, word, tail);
    if (at !== -1) return at;
  }
  return end;
}

/**
 * Whether a record says of its message what the one before said, as the blocks of a message do one after the other: the same
 * bytes up to its content and behind it, up to its session, and no earlier. Two of three records of a usage report end here.
 */
function sameMessageCheck(): (line: Buffer, from: number, to: number, session: number) => boolean {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let time: string | null = null;
  return (line, from, to, session) => {
    const now = timeIn(line, session);
    if (
      from === head.length &&
      session - to === tail.length &&
      isNoEarlier(now, time) &&
      line.compare(head, 0, from, 0, from) === 0 &&
      line.compare(tail, 0, tail.length, to, session) === 0
    )
      return true;
    head = Buffer.from(line.subarray(0, from));
    tail = Buffer.from(line.subarray(to, session));
    // A message without an id of its own is one with its record.
    time = hasId(head) ? now : null;
    return false;
  };
}

function isNoEarlier(now: string | null, time: string | null): boolean {
  if (now === null || time === null) return false;
  return time === '' ? now === '' : now >= time;
}

const timeKey = wordOf('"timestamp":', 'm');
const timestamp = wordOf('"timestamp":"', 'm');
const id = wordOf('"id":"');

/** '' where the record has none, null where it is not spelled so that it compares as text. */
function timeIn(line: Buffer, from: number): string | null {
  const key = findNear(line, timeKey, from);
  if (key === -1) return '';
  const text = startsAt(line, timestamp.bytes, key) ? textAt(line, key + timestamp.bytes.length) : null;
  return text !== null && text.length === 24 && text.endsWith('Z') ? text : null;
}

function hasId(head: Buffer): boolean {
  const at = findNear(head, id, 0);
  return at !== -1 && head[at + id.bytes.length] !== 0x22;
}
