// Calls, errors and durations as they are counted from the records alone, without anything of cct.
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../json.js';
import { homes, type Input, sessions } from '../../laws/inputs.js';
import { rows } from '../../run.js';

interface Counted {
  readonly tool: string;
  /** null while it is open. */
  failed: boolean | null;
  reported: number | null;
  hook: number | null;
  start: number | null;
  end: number | null;
}

function recordsOf(text: string): JsonObject[] {
  const whole = text.split('\n').flatMap((line) => {
    // A log may have the name of a container before the record, and a time.
    const [, timestamp, logged] = line.match(/^\[?\w[^{"]*?(\d{4}-\d\d-\d\dT\S+Z)?[ |]*(\{.*)$/) ?? [];
    const value = parseJson(logged ?? line);
    const timed = timestamp !== undefined && isObject(value) ? { timestamp, ...value } : value;
    return Array.isArray(timed) ? timed : [timed];
  });
  return whole.filter(isObject);
}

const objectOf = (value: unknown) => (isObject(value) ? value : {});
const blocksOf = (record: JsonObject) => {
  const content = objectOf(record['message'])['content'];
  return Array.isArray(content) ? content.filter(isObject) : [];
};
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);
const first = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b));

/** Tools whose text the program writes: it may say that a call failed where nothing marks it so. */
const speaks = /^(?:Send|Task|Todo|Team)/;

function count({ parts }: Input): Map<string, Counted> {
  const calls = new Map<string, Counted>();
  const results: { id: string; failed: boolean; ms: number | null; end: number | null }[] = [];
  const call = (id: unknown, tool: unknown, start: number | null) => {
    const known = calls.get(String(id));
    if (known !== undefined) known.start = first(known.start, start);
    else calls.set(String(id), { tool: String(tool), failed: null, reported: null, hook: null, start, end: null });
  };
  const takenBack = new Set<unknown>();
  const placeOf = new Map<string, unknown>();
  for (const record of parts.flatMap(({ bytes }) => recordsOf(bytes.toString()))) {
    const { hook_event_name, tool_use_id, tool_name, duration_ms, supersedes, retracted_message_uuids } = record;
    for (const uuid of [supersedes, retracted_message_uuids].flat()) takenBack.add(uuid);
    if (/^(?:Pre|Post)ToolUse/.test(String(hook_event_name))) {
      call(tool_use_id, tool_name, null);
      if (hook_event_name === 'PreToolUse') continue;
      const response = objectOf(record['tool_response']);
      const failed = hook_event_name === 'PostToolUseFailure' || response['success'] === false;
      const ms = numberOf(response['totalDurationMs']);
      results.push({ id: String(tool_use_id), failed, ms, end: null });
      const known = calls.get(String(tool_use_id));
      if (known !== undefined) known.hook = numberOf(duration_ms);
      continue;
    }
    // The file of a fork begins with the call of its parent that started it, and an answer of its own.
    if (record['parentUuid'] === null && blocksOf(record).some(({ name }) => name === 'Agent')) continue;
    if (blocksOf(record).some(({ text }) => String(text).startsWith('<fork-boilerplate>'))) continue;
    const inner = record['type'] === 'progress' ? objectOf(objectOf(record['data'])['message']) : record;
    const time = typeof record['timestamp'] === 'string' ? Date.parse(record['timestamp']) : null;
    const blocks = blocksOf(inner);
    for (const { type, id, name } of blocks)
      if (type === 'tool_use') {
        call(id, name, time);
        placeOf.set(String(id), record['uuid']);
      }
    const answers = blocks.filter(({ type }) => type === 'tool_result');
    for (const answer of answers) {
      const own = objectOf(answers.length === 1 ? (inner['tool_use_result'] ?? inner['toolUseResult']) : null);
      const seconds = numberOf(own['durationSeconds']);
      const text = JSON.stringify(answer['content'] ?? '');
      // Inside an agent, the result of another agent is only text.
      const told = Object.keys(own).length > 0 ? undefined : /<usage>[^<]*duration_ms: (\d+)/.exec(text)?.[1];
      const ms =
        numberOf(own['totalDurationMs']) ??
        (seconds === null ? null : Math.round(seconds * 1000)) ??
        (told === undefined ? null : Number(told));
      const says = /^\W*(?:type\W+text\W+text\W+)?(?:success\W+false|Task not found|No task found)/.test(text);
      const tool = calls.get(String(answer['tool_use_id']))?.tool ?? '';
      const failed = answer['is_error'] === true || own['success'] === false || (says && speaks.test(tool));
      results.push({ id: String(answer['tool_use_id']), failed, ms, end: time });
    }
  }
  for (const { id, failed, ms, end } of results) {
    const known = calls.get(id);
    if (known === undefined) continue;
    known.failed = known.failed === true || failed;
    known.reported ??= ms;
    known.end = first(known.end, end);
  }
  // What ran before it was taken back has run.
  for (const [id, uuid] of placeOf)
    if (uuid !== undefined && takenBack.has(uuid) && calls.get(id)?.failed === null) calls.delete(id);
  return calls;
}

/** Made up, to be read as no program would write it, or written by another agent. */
const strange = /seed-000|codex|teammate-tool|hostile|results-out-of-order|joined-late/;
const inputs = [...sessions, ...homes].filter(({ name }) => !strange.test(name));

describe('calls, errors, open calls and durations are those of the records', () => {
  test.each(inputs)('$name', async (input) => {
    const files = input.parts.map(({ path }) => `fixtures/${path === null ? input.name : `${input.name}/${path}`}`);
    const shown = await rows(['calls', '--by', 'call', '-q', ...files]);
    const found = shown.map(({ tool_use_id, tool, is_error, ms, clock }) => [tool_use_id, tool, is_error, ms, clock]);
    const counted = [...count(input)].map(([id, { tool, failed, reported, hook, start, end }]) => {
      const between = start !== null && end !== null && end >= start ? end - start : null;
      const clock = reported !== null ? 'reported' : hook !== null ? 'hook' : between !== null ? 'records' : null;
      return [id, tool, failed, reported ?? hook ?? between, clock];
    });
    expect(found.sort()).toEqual(counted.sort());
    const total = await rows(['calls', '--by', 'total', '-q', ...files]);
    expect(total[0]).toMatchObject({
      calls: counted.length,
      errors: counted.filter(([, , failed]) => failed === true).length,
      open: counted.filter(([, , failed]) => failed === null).length,
    });
  });
});
