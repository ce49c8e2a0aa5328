import { find, startsAt, wordOf } from './bytes.js';
import type { Cuts } from './shape.js';

/** Where the content of a record, and what a tool returned beside it, begin and end; null when that is not plain to see. */
export function cutsOf(line: Buffer, start: number, end: number): Cuts | null {
  const opening = find(line, contentOpening, start, Math.min(end, start + nearContent));
  if (opening === -1 || find(line, anotherRecord, start, end) !== -1) return null;
  const from = opening + contentOpening.bytes.length;
  return resultOpenings.some((word) => startsAt(line, word, from))
    ? aroundResult(line, from, end)
    : aroundSaid(line, from, end);
}

/** A block that is the result of a call begins so, and then has its id. */
export const resultOpenings: readonly Uint8Array[] = ['{"tool_use_id":"', '{"type":"tool_result","tool_use_id":"'].map(
  (text) => Buffer.from(text),
);

const contentOpening = wordOf('"content":[');
const saidEnd = wordOf('],"stop_reason":');
const messageEnd = Buffer.from(']},"');
const anotherRecord = wordOf('}{"');
const objectOpening = wordOf('{"');
const resultKeys = [',"tool_use_result":', ',"toolUseResult":'].map((text) => Buffer.from(text));
/** What may follow the result, and with it whatever else stands there. */
const resumptions = [',"sourceToolAssistantUUID":"', ',"tool_result_meta":[', ',"uuid":"'].map(wordOf);
const envelope = [',"timestamp":"', ',"session', ',"agent'].map(wordOf);

const comma = 0x2c;
const colon = 0x3a;
const brace = 0x7d;
/** How far from the beginning of a record its content begins, at most. */
const nearContent = 1500;
const near = 300;
/** Behind its content a record has numbers and ids; more is unusual enough to be read. */
const longest = 8 * 1024;

function aroundSaid(line: Buffer, from: number, end: number): Cuts | null {
  let to = -1;
  const tail = Math.max(from, end - longest);
  for (let at = find(line, saidEnd, tail, end); at !== -1; at = find(line, saidEnd, at + 1, end)) to = at;
  return to === -1 ? null : { from, to, result: -1, next: -1 };
}

function aroundResult(line: Buffer, from: number, end: number): Cuts | null {
  let result = -1;
  for (
    let at = find(line, objectOpening, from + 1, end);
    at !== -1 && result === -1;
    at = find(line, objectOpening, at + 2, end)
  ) {
    const before = line[at - 1];
    // Another block of the message, or another record.
    if (before === comma || before === brace) return null;
    const key = before === colon ? resultKeys.find((word) => startsAt(line, word, at - word.length)) : undefined;
    if (key !== undefined) result = at;
  }
  const to = lastMessageEnd(line, from, result === -1 ? end : result);
  if (to === -1) return null;
  if (result === -1) return { from, to, result, next: -1 };
  const next = nextKey(line, result, end);
  const passed = Math.max(result, next - near);
  return next < end - 1 && envelope.some((word) => find(line, word, passed, next) !== -1)
    ? null
    : { from, to, result, next };
}

function lastMessageEnd(line: Buffer, from: number, end: number): number {
  for (let at = end - messageEnd.length; at >= from; at--) if (startsAt(line, messageEnd, at)) return at;
  return -1;
}

function nextKey(line: Buffer, result: number, end: number): number {
  const tail = Math.max(result + 1, end - 3 * near);
  for (const word of resumptions) {
    const at = find(line, word, tail, end);
    if (at !== -1) return at;
  }
  return end - 1;
}
