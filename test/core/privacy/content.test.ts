import { expect, test } from 'vitest';
import * as z from 'zod';
import { createPrivacy } from '../../../src/core/privacy/privacy.js';
import { shortHash } from '../../../src/io/hash.js';
import { type Event, type EventName, eventNames, eventSchema, withoutContent } from '../../../src/lib.js';

test.each(eventNames())('%s without content has its shape', (name) => {
  const bare = withoutContent(specimen(name));
  expect(eventSchema(name).safeParse(bare).error).toBeUndefined();
  expect(Object.keys(bare)).toEqual(Object.keys(specimen(name)));
  expect(withoutContent(bare)).toEqual(bare);
});

// A field that is new in event.ts turns up here and has to be decided on: text that people or agents write must not.
test('what of each event stays', () => {
  const kept = eventNames().map((name) => `${name}: ${textPaths(withoutContent(specimen(name))).join(' ')}`.trim());
  expect(kept).toMatchInlineSnapshot(`
    [
      "session:started: program model cwd claude_code_version permission_mode tools.0 agents.0 mcp_servers.0.id api_key_source slash_commands.0 git_branch raw.type",
      "session:labelled: ci raw.type",
      "turn:started: turn_id raw.type",
      "session:ended: result_id subtype terminal_reason stop_reason api_error_status.id model_usage.some.canonical_model model_usage.some.cost_basis model_usage_since_last_result.some.canonical_model model_usage_since_last_result.some.cost_basis errors.0.id permission_denials.0.id origin.id subagent_stats.id raw.type",
      "session:compacted: raw.type hook_name nested.id",
      "session:reset: raw.type hook_name nested.id",
      "session:retried: raw.type hook_name nested.id",
      "session:limited: raw.type hook_name nested.id",
      "session:changed: raw.type hook_name nested.id",
      "control:requested: raw.type hook_name nested.id",
      "control:responded: response.id raw.type hook_name nested.id",
      "control:cancelled: raw.type hook_name nested.id",
      "prompt:received: origin.id raw.type",
      "text:produced: message_id model raw.type",
      "thinking:produced: message_id model raw.type",
      "tool:called: tool tool_use_id message_id server message.type message.from message.to message.recipients.0 message.request_id message.status message.error_code message.delivered_at message.tool_use_id raw.type",
      "tool:returned: tool tool_use_id raw.type",
      "usage:recorded: message_id request_id model speed service_tier inference_geo iteration_type stop_reason stop_sequence raw.type",
      "usage:reported: model_usage.some.canonical_model model_usage.some.cost_basis raw.type",
      "usage:merged: row.message_id row.session_id row.team row.agent row.name row.agent_type row.model row.time row.speed row.inference_geo row.cost_source row.result_id row.kind row.also_in.0 row.iteration_type row.reported.time row.reported.subtype row.reported.model_usage.canonical_model row.reported.model_usage.cost_basis row.reported.since_last_result.canonical_model row.reported.since_last_result.cost_basis row.reported.started_at row.reported.ended_at row.reported.outcome row.reported.ci row.reported.copied row.reported.reason row.project row.branch row.version row.cache_break row.session.started_at row.session.outcome row.session.ci row.session.copied row.session.reason row.stop_reason row.stop_sequence row.program raw.type",
      "agent:started: agent_type name model mode isolation worktree.path worktree.branch parent tool_use_id task_id task_type run_id transcript_path continues color workflow raw.type",
      "agent:progressed: task_id task_type run_id tool_use_id status model last_tool worktree.path worktree.branch raw.type",
      "agent:finished: task_id task_type run_id tool_use_id status model worktree.path worktree.branch raw.type",
      "team:created: category tool_use_id name lead_agent_id lead_session_id config_path protocol raw.type",
      "team:deleted: category tool_use_id name raw.type",
      "team:cleanup_failed: category tool_use_id name raw.type",
      "team:member:joined: category tool_use_id member.name member.agent_id member.agent_type member.model member.color member.kind member.cwd member.backend raw.type",
      "team:member:active: category tool_use_id member.name member.agent_id member.agent_type member.model member.color member.kind member.cwd member.backend raw.type",
      "team:member:idle: category tool_use_id member.name member.agent_id member.agent_type member.model member.color member.kind member.cwd member.backend completed_task_id error raw.type",
      "team:member:shutting_down: category tool_use_id member.name member.agent_id member.agent_type member.model member.color member.kind member.cwd member.backend raw.type",
      "team:member:shutdown: category tool_use_id member.name member.agent_id member.agent_type member.model member.color member.kind member.cwd member.backend raw.type",
      "team:task:created: category tool_use_id kind list task.id task.status task.owner task.blocked_by.0 task.blocks.0 task.metadata.some.id raw.type",
      "team:task:claimed: category tool_use_id kind list task.id task.status task.owner task.blocked_by.0 task.blocks.0 task.metadata.some.id raw.type",
      "team:task:updated: category tool_use_id kind list task.id task.status task.owner task.blocked_by.0 task.blocks.0 task.metadata.some.id raw.type",
      "team:task:completed: category tool_use_id kind list task.id task.status task.owner task.blocked_by.0 task.blocks.0 task.metadata.some.id raw.type",
      "team:task:deleted: category tool_use_id kind list task.id task.status task.owner task.blocked_by.0 task.blocks.0 task.metadata.some.id raw.type",
      "team:message:sent: category tool_use_id message.type message.from message.to message.recipients.0 message.request_id message.status message.error_code message.delivered_at message.tool_use_id body.id raw.type",
      "team:message:received: category tool_use_id message.type message.from message.to message.recipients.0 message.request_id message.status message.error_code message.delivered_at message.tool_use_id body.id raw.type",
      "team:message:failed: category tool_use_id message.type message.from message.to message.recipients.0 message.request_id message.status message.error_code message.delivered_at message.tool_use_id body.id raw.type",
      "team:shutdown:requested: category tool_use_id request_id from to raw.type",
      "team:shutdown:response: category tool_use_id request_id from to raw.type",
      "team:plan:requested: category tool_use_id request_id from to raw.type",
      "team:plan:resolved: category tool_use_id request_id from to raw.type",
      "hook:fired: raw.type hook_name nested.id",
      "spawn:requested: spawn_id project_path agent_type raw.type",
      "spawn:linked: spawn_id project zellij_session zellij_pane raw.type",
      "run:started: ci workflow run_id commit pull_request traceparent command.0 raw.type",
      "run:stopped: reason unit signal raw.type",
      "input:skipped: reason raw.type",
      "unknown: raw.type hook_name nested.id",
    ]
  `);
});

// Whatever fields an event has or will have.
test.each(eventNames())('%s has no secret and no path in any of its texts', (name) => {
  const key = `sk-ant-api03-${'aB3dE5gH7j'.repeat(9)}`;
  const text = JSON.stringify(specimen(name)).replaceAll(
    /(?:words of [^"]*|free words)/g,
    `$& ${key} /home/lovelace/enigma`,
  );
  expect(text).toContain(key);
  const event: Event = JSON.parse(text);
  const safe = createPrivacy({ isBare: false, judgesContent: false, redacts: true, hash: shortHash('') }).event(event);
  expect(JSON.stringify(safe)).not.toMatch(/aB3dE5gH7j|lovelace|enigma/);
  expect(eventSchema(name).safeParse(safe).error).toBeUndefined();
});

test('numbers and truth values stay', () => {
  for (const name of eventNames()) {
    const dropped = new Set(['input', 'result', 'structured_output']);
    const count = (value: unknown) =>
      JSON.stringify(value, (key, v) => (dropped.has(key) ? undefined : v)).match(/\b(17|true)\b/g);
    expect(count(withoutContent(specimen(name))), name).toEqual(count(specimen(name)));
  }
});

test('a record kept as it came has only identifiers left', () => {
  const raw = {
    type: 'user',
    uuid: '8f14e45f-ceea-467f-a8d2-9c1b1c2f3a4b',
    sessionId: 's1',
    timestamp: '2026-11-16T02:00:00.000Z',
    message: {
      role: 'user',
      model: 'claude-opus-4-5[1m]',
      content: [
        { type: 'text', text: 'the plan', cache: true },
        {
          type: 'tool_use',
          id: 'toolu_01',
          name: 'Bash',
          input: { command: 'ls', name: 'a secret plan', 'What now?': 'Go' },
        },
      ],
      usage: { input_tokens: 12, service_tier: 'standard' },
    },
    tool_use_result: { status: 'completed', totalTokens: 99, answer: 'forty-two', list: ['a', 1] },
    __proto__: null,
    cwd: '/home/ada',
  };
  const event: Event = { ...envelope('unknown'), event: 'unknown', type: 'user', subtype: null, raw };
  expect(withoutContent(event).raw).toEqual({
    type: 'user',
    uuid: '8f14e45f-ceea-467f-a8d2-9c1b1c2f3a4b',
    sessionId: 's1',
    timestamp: '2026-11-16T02:00:00.000Z',
    message: {
      role: 'user',
      model: 'claude-opus-4-5[1m]',
      content: [
        { type: 'text', text: null, cache: true },
        { type: 'tool_use', id: 'toolu_01', name: 'Bash', input: { command: null, name: null } },
      ],
      usage: { input_tokens: 12, service_tier: 'standard' },
    },
    tool_use_result: { status: 'completed', totalTokens: 99, answer: null, list: [null, 1] },
    cwd: null,
  });
});

test('an agent that goes by a description goes by none', () => {
  const joined = specimen('team:member:joined');
  const described = { ...joined, member: { ...Object(joined).member, name: 'Survey the sources' } };
  expect(withoutContent(described as Event)).toMatchObject({ member: { name: null, agent_id: expect.any(String) } });
});

function envelope(event: EventName) {
  return {
    cct: 1 as const,
    seq: 1,
    event,
    time: null,
    session_id: null,
    team: null,
    agent: null,
    line: null,
    source: undefined,
  };
}

/** An event with every field filled: texts have spaces and their own path in them, numbers are 17, flags true. */
function specimen(name: EventName): Event {
  const filled = fill(Object(z.toJSONSchema(eventSchema(name))), []);
  const more = loose.has(name)
    ? { said: 'free words', hook_name: 'Stop', nested: { summary: 'free words', id: 'a1' } }
    : {};
  const value: unknown = { ...Object(filled), ...more, raw: { type: 'x', said: 'free words', cost: 17 } };
  return value as Event;
}

const loose = new Set<EventName>([
  'session:compacted',
  'session:reset',
  'session:retried',
  'session:limited',
  'session:changed',
  'control:requested',
  'control:responded',
  'control:cancelled',
  'hook:fired',
  'unknown',
]);

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

const names = new Set(['name', 'from', 'to', 'owner']);

function fill(schema: JsonSchema, path: readonly string[]): unknown {
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return fill(schema.anyOf[0], path);
  switch ([schema.type].flat()[0]) {
    case 'string':
      return names.has(path.at(-1) ?? '') || path.at(-2) === 'recipients' ? 'ada' : `words of ${path.join('.')}`;
    case 'number':
    case 'integer':
      return 17;
    case 'boolean':
      return true;
    case 'array':
      return [fill(schema.items ?? {}, [...path, '0'])];
    case 'object': {
      const own = Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, fill(inner, [...path, key])]);
      const more = typeof schema.additionalProperties === 'object' && !schema.properties;
      return Object.fromEntries(more ? [['some', fill(Object(schema.additionalProperties), [...path, 'some'])]] : own);
    }
    default:
      return { said: `words of ${path.join('.')}`, id: 'a1' };
  }
}

function textPaths(event: Event): string[] {
  const ours = new Set(['time', 'session_id', 'team', 'agent', 'source', 'event']);
  const walk = (value: unknown, path: string): string[] => {
    if (typeof value === 'string') return [path];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => walk(inner, path === '' ? key : `${path}.${key}`));
  };
  return walk(event, '').filter((path) => !ours.has(path));
}
