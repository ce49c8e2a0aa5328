import type { Event, Member, Message, TaskChange } from './event.js';

/** The same event without what people and agents wrote: numbers, names, ids, times, kinds and places stay. */
export function withoutContent(event: Event): Event {
  const bare = strip(event);
  return bare.raw === undefined ? bare : { ...bare, raw: withoutText(bare.raw) };
}

function strip(event: Event): Event {
  switch (event.event) {
    case 'session:ended':
      return {
        ...event,
        result: null,
        structured_output: null,
        errors: listWithoutText(event.errors),
        permission_denials: listWithoutText(event.permission_denials),
        api_error_status: withoutText(event.api_error_status),
        origin: withoutText(event.origin),
      };
    case 'session:started':
      return { ...event, mcp_servers: listWithoutText(event.mcp_servers) };
    case 'prompt:received':
      return { ...event, text: null, origin: withoutText(event.origin), attachments: [] };
    case 'text:produced':
    case 'thinking:produced':
      return { ...event, text: null };
    case 'tool:called':
      return { ...event, input: null, message: event.message && bareMessage(event.message) };
    case 'tool:returned':
      return { ...event, result: null };
    case 'usage:merged':
      // Who has no name goes by a description.
      return { ...event, row: { ...event.row, name: identifier.test(event.row.name ?? '') ? event.row.name : null } };
    case 'agent:started':
      return { ...event, name: nameOnly(event.name), description: null, prompt: null };
    case 'agent:progressed':
    case 'agent:finished':
      return { ...event, summary: null, result: null };
    case 'team:created':
      return { ...event, description: null };
    case 'team:cleanup_failed':
      return { ...event, error: null };
    case 'team:member:joined':
    case 'team:member:active':
    case 'team:member:shutting_down':
    case 'team:member:shutdown':
      return { ...event, member: bareMember(event.member) };
    case 'team:member:idle':
      return { ...event, member: bareMember(event.member), reason: null };
    case 'team:task:created':
    case 'team:task:claimed':
    case 'team:task:updated':
    case 'team:task:completed':
    case 'team:task:deleted':
      return { ...event, task: bareTask(event.task) };
    case 'team:message:sent':
    case 'team:message:received':
      return {
        ...event,
        message: bareMessage(event.message),
        ...(event.body === undefined ? {} : { body: withoutText(event.body) }),
      };
    case 'team:message:failed':
      return { ...event, message: bareMessage(event.message) };
    case 'team:shutdown:requested':
    case 'team:shutdown:response':
      return { ...event, ...bareAddress(event), reason: null };
    case 'team:plan:requested':
      return { ...event, ...bareAddress(event), plan: null };
    case 'team:plan:resolved':
      return { ...event, ...bareAddress(event), feedback: null };
    // These carry the fields of their record as they came.
    case 'session:compacted':
    case 'session:reset':
    case 'session:retried':
    case 'session:limited':
    case 'session:changed':
    case 'control:requested':
    case 'control:responded':
    case 'control:cancelled':
    case 'hook:fired':
    case 'unknown':
      return { ...event, ...ownFieldsWithoutText(event) };
    default:
      return event;
  }
}

function bareMember(member: Member): Member {
  return { ...member, name: nameOnly(member.name) };
}

export function bareMessage<M extends Message>(message: M): M {
  const recipients = message.recipients.filter((name) => identifier.test(name));
  return { ...message, ...bareAddress(message), recipients, summary: null, content: null, error: null };
}

function bareAddress({ from, to }: { from: string | null; to: string | null }) {
  return { from: nameOnly(from), to: nameOnly(to) };
}

function bareTask(task: TaskChange): TaskChange {
  const metadata = task.metadata && withoutTextIn(task.metadata);
  return { ...task, subject: null, description: null, active_form: null, owner: nameOnly(task.owner), metadata };
}

/** An agent without a name goes by the description it was given, which is a text. */
function nameOnly(name: string | null): string | null {
  return name !== null && identifier.test(name) ? name : null;
}

function ownFieldsWithoutText(event: Record<string, unknown>): Record<string, unknown> {
  const own = Object.entries(event).filter(([name]) => !envelope.has(name));
  return withoutTextIn(Object.fromEntries(own));
}

const envelope = new Set(['cct', 'seq', 'event', 'time', 'session_id', 'team', 'agent', 'line', 'source', 'raw']);

/** Any JSON value without its texts: a string stays only where its name is harmless and it looks like an identifier. */
function withoutText(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return isHarmless(name) && identifier.test(value) ? value : null;
  if (Array.isArray(value)) return value.map((item) => withoutText(item, name));
  return typeof value === 'object' && value !== null ? withoutTextIn(value) : value;
}

function withoutTextIn(value: object): Record<string, unknown> {
  // A key can be a text too: the questions an answer was given to.
  const kept = Object.entries(value).filter(([name]) => identifier.test(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutText(inner, name)]));
}

function listWithoutText(list: unknown[] | null): unknown[] | null {
  return list?.map((item) => withoutText(item)) ?? null;
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
    'agent agents apiKeySource api_key_source backend blockedBy blocked_by blocks category color costBasis effort',
    'entrypoint error_code event event_name from hook hook_event hook_event_name hook_name id ids inference_geo',
    'isolation kind last_tool last_tool_name level mode model models name outcome owner permissionMode',
    'permission_mode priority protocol recipient recipients role sender service_tier source speed state status',
    'stop_reason subtype team teamName team_name terminal_reason time to tool toolName tool_name tools trigger',
    'type uuid uuids version',
  ].flatMap((names) => names.split(' ')),
);
