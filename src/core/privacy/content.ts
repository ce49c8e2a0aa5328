// Removes from events what people and agents wrote. Numbers, names, ids, times, kinds and places stay.

import { type Event, type EventName, envelopeNames, type Message, type Own } from '../event/event.js';
import { isObject, type JsonObject, jsonBytes, toJson } from '../record/json.js';

export function withoutContent(event: Event): Event {
  const rule = rules[event.event];
  const bare = { ...event, ...(typeof rule === 'function' ? rule(event) : changedFields(rule, event)) };
  return bare.raw === undefined ? bare : { ...bare, raw: withoutText(bare.raw) };
}

/** The changed event with the length that the input or result of a call had before. */
export function withSizes(before: Event, after: Event): Event {
  if (before.event === 'tool:called' && after.event === 'tool:called')
    return after.input_bytes === undefined ? withSize('input_bytes', before.input, after.input, after) : after;
  if (before.event === 'tool:returned' && after.event === 'tool:returned')
    return after.result_bytes === undefined ? withSize('result_bytes', before.result, after.result, after) : after;
  return after;
}

function withSize(name: 'input_bytes' | 'result_bytes', before: unknown, after: unknown, event: Event): Event {
  const text = toJson(before);
  if (text === toJson(after)) return event;
  const { raw, ...rest } = event;
  return { ...rest, [name]: jsonBytes(before), ...(raw === undefined ? {} : { raw }) };
}

export function bareMessage<M extends Message>(message: M): M {
  return { ...message, ...changedFields(messageRules, message) };
}

/** Returns the new value of a field. */
type Change = (value: unknown) => unknown;
type Changes = Readonly<Record<string, Change | undefined>>;

function changedFields(changes: Changes, value: object): JsonObject {
  const fields = Object.entries(value).filter(([name, inner]) => inner !== undefined && Object.hasOwn(changes, name));
  return Object.fromEntries(fields.map(([name, inner]) => [name, changes[name]?.(inner)]));
}

function changesInside(changes: Changes): Change {
  return (value) => (isObject(value) ? { ...value, ...changedFields(changes, value) } : value);
}

const removed: Change = () => null;
const emptied: Change = () => [];

/** The name of an agent may be its description, which is content. */
export function nameOnly(name: unknown): string | null {
  return typeof name === 'string' && identifier.test(name) ? name : null;
}
const namesOnly: Change = (names) => (Array.isArray(names) ? names.filter((name) => nameOnly(name) !== null) : names);

/** A label may be a prompt, such as the step of a CI job. */
function identifiersOnly(labels: unknown): unknown {
  if (!isObject(labels)) return labels;
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => nameOnly(value) !== null));
}

const labelRules = { labels: identifiersOnly };
const memberRules = { name: nameOnly };
const bareAddress = { from: nameOnly, to: nameOnly };
const messageRules = { ...bareAddress, recipients: namesOnly, summary: removed, content: removed, error: removed };
const taskRules = {
  subject: removed,
  description: removed,
  active_form: removed,
  owner: nameOnly,
  metadata: withoutText,
};

const aboutMember = { member: changesInside(memberRules) };
const aboutTask = { task: changesInside(taskRules) };
const aboutMessage = { message: changesInside(messageRules) };
const bareEnd = { summary: removed, result: removed };

/** The rules of every event. Fields without a rule stay; a test lists them. */
const rules: { readonly [K in EventName]: { readonly [F in keyof Own<K>]?: Change } | typeof everyText } = {
  'session:started': { mcp_servers: withoutText },
  'session:labelled': labelRules,
  'turn:started': {},
  'session:ended': {
    result: removed,
    structured_output: removed,
    errors: withoutText,
    permission_denials: withoutText,
    api_error_status: withoutText,
    origin: withoutText,
    subagent_stats: withoutText,
  },
  'session:compacted': everyText,
  'session:reset': everyText,
  'session:retried': everyText,
  'session:limited': everyText,
  'session:changed': everyText,
  'control:requested': everyText,
  'control:responded': everyText,
  'control:cancelled': everyText,
  'prompt:received': { text: removed, origin: withoutText, attachments: emptied },
  'text:produced': { text: removed },
  'thinking:produced': { text: removed },
  'tool:called': { input: removed, ...aboutMessage },
  'tool:returned': { result: removed, error: removed },
  'usage:recorded': {},
  'usage:reported': ({ model_usage: _numbers, ...fields }) => everyText(fields),
  'usage:merged': {
    row: changesInside({ name: nameOnly, reported: changesInside(labelRules), session: changesInside(labelRules) }),
  },
  'agent:started': { name: nameOnly, description: removed, prompt: removed },
  'agent:progressed': bareEnd,
  'agent:finished': bareEnd,
  'team:created': { description: removed },
  'team:deleted': {},
  'team:cleanup_failed': { error: removed },
  'team:member:joined': aboutMember,
  'team:member:active': aboutMember,
  // Still, its turn failed.
  'team:member:idle': { ...aboutMember, reason: removed, error: () => '' },
  'team:member:shutting_down': aboutMember,
  'team:member:shutdown': aboutMember,
  'team:task:created': aboutTask,
  'team:task:claimed': aboutTask,
  'team:task:updated': aboutTask,
  'team:task:completed': aboutTask,
  'team:task:deleted': aboutTask,
  'team:message:sent': { ...aboutMessage, body: withoutText },
  'team:message:received': { ...aboutMessage, body: withoutText },
  'team:message:failed': { ...aboutMessage, body: withoutText },
  'team:shutdown:requested': { ...bareAddress, reason: removed },
  'team:shutdown:response': { ...bareAddress, reason: removed },
  'team:plan:requested': { ...bareAddress, plan: removed },
  'team:plan:resolved': { ...bareAddress, feedback: removed },
  'hook:fired': everyText,
  'spawn:requested': {},
  'spawn:linked': {},
  'run:started': labelRules,
  'run:stopped': { ended: namesOnly },
  'input:skipped': {},
  unknown: everyText,
};

/** For events that carry the fields of their record unchanged. */
function everyText(fields: JsonObject): JsonObject {
  return withoutTextIn(Object.fromEntries(Object.entries(fields).filter(([name]) => !envelopeNames.includes(name))));
}

/** A JSON value without its texts. A string stays only if its name is harmless and it looks like an identifier. */
export function withoutText(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return isHarmless(name) && identifier.test(value) ? value : null;
  if (Array.isArray(value)) return value.map((item) => withoutText(item, name));
  return isObject(value) ? withoutTextIn(value) : value;
}

function withoutTextIn(value: object): Record<string, unknown> {
  // A key can be content too: a question whose value is the answer.
  const kept = Object.entries(value).filter(([name]) => identifier.test(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutText(inner, name)]));
}

const identifier = /^[\w.:@/#+*()[\]-]{1,200}$/;

function isHarmless(name: string): boolean {
  return (
    harmless.has(name) ||
    /(?:[a-z]Ids?|_ids?|[uU]uids?|_at|[a-z]At|_name|[a-z]Name|[tT]imestamp|_ms|_status|_type|[a-z]Type)$/.test(name)
  );
}

const harmless = new Set(
  [
    'addBlockedBy addBlocks agent agents apiKeySource api_key_source backend blockedBy blocked_by blocks category color costBasis effort',
    'entrypoint error_code event event_name from hook hook_event hook_event_name hook_name id ids inference_geo',
    'isolation kind last_tool last_tool_name level mode model models name outcome owner permissionMode',
    'permission_mode priority protocol recipient recipients role sender service_tier source speed state status',
    'stop_reason subtype team teamName team_name terminal_reason time to tool toolName tool_name tools trigger',
    'type uuid uuids version',
  ].flatMap((names) => names.split(' ')),
);
