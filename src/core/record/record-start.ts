import { isObject, type JsonObject, parseJson } from './json.js';

/** Whether a record seems to begin here, judged by the first keys that versions of the program write. */
export function startsRecord(text: string, at: number): boolean {
  startHere.lastIndex = at;
  return startHere.test(text);
}

/** Where the next record seems to begin; the text's length when nowhere. */
export function nextRecordStart(text: string, from: number): number {
  nextStart.lastIndex = from;
  return nextStart.exec(text)?.index ?? text.length;
}

/** Records stand by themselves; what is found in the midst of damage may as well be a part of one. */
export function standsAlone(record: JsonObject): boolean {
  return (
    typeof record['session_id'] === 'string' ||
    typeof record['sessionId'] === 'string' ||
    'cct' in record ||
    (typeof record['type'] === 'string' && recordTypes.has(record['type']))
  );
}

/** A block of a message's content, which is never a record. */
export function isBlock(record: JsonObject): boolean {
  return !standsAlone(record) && typeof record['type'] === 'string' && blockTypes.has(record['type']);
}

/** The whole record behind text of an unknown kind, `claude> {"type":…}`, if the line holds nothing else. */
export function recordBehind(text: string): JsonObject | null {
  let at = text.indexOf('{"');
  for (let tries = 0; tries < mostTries && at >= 0 && at <= farthestStart; tries += 1) {
    const value = parseJson(text.slice(at));
    if (isObject(value) && typeof value['type'] === 'string') return value;
    at = text.indexOf('{"', at + 1);
  }
  return null;
}

const mostTries = 8;
const farthestStart = 256;

const start = /\{"(?:type":"|duration_api_ms":|is_error":|parentUuid":|cct":)/;
const startHere = new RegExp(start, 'y');
const nextStart = new RegExp(start, 'g');

const recordTypes = new Set([
  'system',
  'assistant',
  'user',
  'result',
  'stream_event',
  'rate_limit_event',
  'control_request',
  'control_response',
  'control_cancel_request',
]);

const blockTypes = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'tool_reference',
  'server_tool_use',
  'image',
  'document',
]);
