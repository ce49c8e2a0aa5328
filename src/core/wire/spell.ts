// Spells the keys that are asked of nearly every record. Each is one line here: the line index gets a slot for it, and
// both backings of a view answer it (view.ts, indexed.ts). All other keys are read from the whole record.
import { countOf, flagOf, idOf, isObject, listOf, objectOf, textOf, timeOf } from '../record/json.js';
import type { Shape } from '../record/line-index.js';

/** How a value is indexed and read. `hash`: it often repeats and is parsed once. `id`: it is known by its hash alone. */
const kinds = {
  word: { slot: 'hash', read: textOf },
  name: { slot: 'hash', read: idOf },
  id: { slot: 'id', read: idOf },
  number: { slot: 'place', read: idOf },
  text: { slot: 'place', read: textOf },
  flag: { slot: 'place', read: flagOf },
  time: { slot: 'time', read: timeOf },
  count: { slot: 'count', read: countOf },
  list: { slot: 'place', read: listOf },
  once: { slot: 'place', read: objectOf },
} as const;

type Kinds = typeof kinds;

export interface Key<K extends keyof Kinds = keyof Kinds> {
  readonly kind: K;
  /** Its spellings, with the keys of the objects around it. The first that has a value counts. */
  readonly paths: readonly string[];
}

function key<K extends keyof Kinds>(kind: K, ...paths: string[]): Key<K> {
  return { kind, paths };
}

/** Who wrote a record, and where. Most records say the same of it as the one before. */
export const writerKeys = {
  session: key('name', 'sessionId', 'session_id'),
  /** The call that spawned the agent it belongs to. */
  parentCall: key('name', 'parent_tool_use_id'),
  isSidechain: key('flag', 'isSidechain'),
  agentId: key('name', 'agentId'),
  /** The same in frames from 2.1.326 on. */
  namedAgent: key('name', 'agent_id'),
  agentName: key('word', 'agentName'),
  teamName: key('word', 'teamName'),
  version: key('word', 'version'),
  gitBranch: key('word', 'gitBranch'),
} as const;

export const recordKeys = {
  subtype: key('word', 'subtype'),
  uuid: key('id', 'uuid'),
  time: key('time', 'timestamp'),
  request: key('number', 'request_id', 'requestId'),
  /** In a row that a fork copied, the session that wrote it: `--fork-session` names it in answers, `/branch` everywhere. */
  writtenBy: key('name', 'requestSessionId', 'forkedFrom.sessionId'),
  cwd: key('word', 'cwd'),
  permissionMode: key('word', 'permissionMode'),
  promptId: key('name', 'promptId'),
  /** The type of the agent that wrote it. */
  agentType: key('word', 'attributionAgent'),
  parentUuid: key('number', 'parentUuid'),
  isMeta: key('flag', 'isMeta'),
  isSynthetic: key('flag', 'isSynthetic'),
  origin: key('once', 'origin'),
  isCompactSummary: key('flag', 'isCompactSummary'),
  operation: key('word', 'operation'),
  attachmentType: key('word', 'attachment.type'),
  /** Of a `progress` row: what it is about, and for an agent, its id and prompt. */
  dataType: key('word', 'data.type'),
  progressAgent: key('name', 'data.agentId'),
  progressPrompt: key('text', 'data.prompt'),
  progressCall: key('name', 'parentToolUseID'),
  /** The type inside a `stream_event`. */
  eventType: key('word', 'event.type'),
  messageId: key('id', 'message.id'),
  model: key('word', 'message.model'),
  stopReason: key('word', 'message.stop_reason'),
  stopSequence: key('word', 'message.stop_sequence'),
  inputTokens: key('count', 'message.usage.input_tokens'),
  outputTokens: key('count', 'message.usage.output_tokens'),
  cacheReads: key('count', 'message.usage.cache_read_input_tokens'),
  cacheWrites: key('count', 'message.usage.cache_creation_input_tokens'),
  cacheWrites5m: key('count', 'message.usage.cache_creation.ephemeral_5m_input_tokens'),
  cacheWrites1h: key('count', 'message.usage.cache_creation.ephemeral_1h_input_tokens'),
  searches: key('count', 'message.usage.server_tool_use.web_search_requests'),
  fetches: key('count', 'message.usage.server_tool_use.web_fetch_requests'),
  speed: key('word', 'message.usage.speed'),
  serviceTier: key('word', 'message.usage.service_tier'),
  inferenceGeo: key('name', 'message.usage.inference_geo'),
  iterations: key('list', 'message.usage.iterations'),
  /** Only other programs say it. */
  saidCost: key('count', 'message.usage.cost_usd'),
} as const;

export const blockKeys = {
  /** The id of a tool_use. */
  id: key('id', 'id'),
  /** The id of the call that a tool_result answers. */
  toolUseId: key('id', 'tool_use_id'),
  isError: key('flag', 'is_error'),
} as const;

export type Answers<T extends Readonly<Record<string, Key>>> = {
  readonly [K in keyof T]: ReturnType<Kinds[T[K]['kind']]['read']>;
};

export function readerOf(kind: keyof Kinds): (value: unknown) => unknown {
  return kinds[kind].read;
}

/** A record with one of these keys is parsed whole: it is no plain frame or row. */
export const strangeKeys = ['cct', 'hook_event_name', 'from', 'key', 'leafUuid', 'supersedes'] as const;

/** Keys of a structured result that say what a call did. Those that share a mark are looked for together. */
export const resultKeys = {
  status: 'telling',
  teammate_id: 'telling',
  team_file_path: 'telling',
  routing: 'telling',
  request_id: 'telling',
  task: 'telling',
  taskId: 'telling',
  tasks: 'telling',
  team_name: 'telling',
  detachedToolCall: 'detached',
  backgroundTaskId: 'background',
  totalDurationMs: 'timed',
  durationMs: 'timed',
  durationSeconds: 'timed',
} as const;

/** The keys that share the mark `timed`. */
export const pickedTimes = { totalDurationMs: true, durationMs: true, durationSeconds: true } as const;

export type ResultKey = keyof typeof resultKeys;

const result: Shape = { ...marks(resultKeys), success: 'place' };

/**
 * Every slot takes words in the index of every line, which another thread may write. What nearly every line is asked for
 * stands together at the beginning, so that this thread has to fetch little of it.
 */
export const recordShape: Shape = nested([
  ['type', 'hash'],
  ...slotsOf(pickKeys('time', 'uuid', 'parentUuid', 'writtenBy')),
  ['tool_use_result', { object: result }],
  ['toolUseResult', { object: result }],
  [
    'message.content',
    {
      list: nested([
        ['type', 'hash'],
        ['name', 'hash'],
        ...slotsOf(blockKeys),
        ['input', 'place'],
        ['content', 'place'],
        ['text', 'place'],
      ]),
    },
  ],
  ...slotsOf(pickKeys('messageId', 'model', 'stopReason', 'stopSequence')),
  // Records of one message repeat its usage.
  ['message.usage', { object: {}, hash: true }],
  ...strangeKeys.map((name) => [name, { mark: 'strange' }] as const),
  ...slotsOf(recordKeys),
  ...slotsOf(writerKeys).map(([path]): [string, Shape[string]] => [path, 'shared']),
  ['content', 'place'],
  // The record that a `progress` row carries.
  ['data.message', 'place'],
]);

function pickKeys(...names: (keyof typeof recordKeys)[]): Readonly<Record<string, Key>> {
  return Object.fromEntries(names.map((name) => [name, recordKeys[name]]));
}

function slotsOf(keys: Readonly<Record<string, Key>>): [string, Shape[string]][] {
  return Object.values(keys).flatMap(({ kind, paths }) =>
    paths.map((path): [string, Shape[string]] => [path, kinds[kind].slot]),
  );
}

function marks(names: Readonly<Record<string, string>>): Shape {
  return Object.fromEntries(Object.entries(names).map(([name, mark]) => [name, { mark }]));
}

/** `message.id` becomes `{message: {object: {id: …}}}`. The first of two entries with the same path counts. */
function nested(entries: readonly (readonly [string, Shape[string]])[]): Shape {
  const inside = new Map<string, [string, Shape[string]][]>();
  const own = new Map<string, Shape[string]>();
  for (const [path, kind] of entries) {
    const dot = path.indexOf('.');
    const outer = dot === -1 ? path : path.slice(0, dot);
    if (dot === -1) own.set(outer, own.get(outer) ?? kind);
    // In the order in which they are named.
    const inner = inside.get(outer) ?? [];
    inside.set(outer, inner);
    if (dot !== -1) inner.push([path.slice(dot + 1), kind]);
  }
  const shapes = [...inside].map(([outer, inner]): [string, Shape[string]] => {
    const kind = own.get(outer);
    if (kind !== undefined && inner.length === 0) return [outer, kind];
    const hasHash = typeof kind === 'object' && 'hash' in kind;
    return [outer, hasHash ? { object: nested(inner), hash: true } : { object: nested(inner) }];
  });
  return Object.fromEntries(shapes);
}

/** The value at a path of a parsed record. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}
