// Hook inputs: what a hook script gets on stdin, and what SDK runs pass in hook_callback requests.
import { idOf, textOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import { finishAgent, startAgent } from '../agents.js';
import type { Context, Origin } from '../context.js';
import { fieldsOf } from '../free-fields.js';
import { idle } from '../members.js';
import { agentNamed, canonical } from '../sessions.js';
import { hookWire, read } from '../shapes.js';
import { closeCall, openCall } from '../tools/calls.js';
import { emitTask, noChange } from '../tools/task.js';
import { received } from './conversation.js';
import { sessionStarted } from './frames.js';

export function hook(context: Context, at: Origin): void {
  const { record, session } = at;
  const said = read(hookWire, record);
  const name = said.hook_event_name ?? '';
  const { type: _type, subtype: _subtype, hook_event_name: _name, ...fields } = fieldsOf(record);
  context.emit(at, 'hook:fired', { ...fields, hook: name });
  if (said.agent_id != null)
    inAgent(context, at, said.agent_id, said.agent_type ?? null, said.agent_transcript_path ?? null);
  switch (name) {
    case 'SessionStart':
      return sessionStarted(context, at, {
        ...nothing,
        cwd: said.cwd ?? null,
        model: said.model ?? null,
        permission_mode: said.permission_mode ?? null,
      });
    case 'UserPromptSubmit':
      return received(context, at, said.prompt ?? '');
    case 'PreToolUse':
      return openCall(context, at, callBlock(record), null);
    case 'PostToolUse':
    case 'PostToolUseFailure':
      openCall(context, at, callBlock(record), null);
      return closeCall(context, at, resultBlock(record, name === 'PostToolUseFailure'), record.tool_response);
    case 'SubagentStop':
      return finishAgent(context, at, at.agent, {
        task_id: said.agent_id ?? null,
        status: 'completed',
        result: said.last_assistant_message ?? null,
      });
    case 'TeammateIdle':
      session.team ??= said.team_name ?? null;
      if (said.teammate_name != null) idle(context, at, said.teammate_name, { reason: 'TeammateIdle' });
      return;
    case 'TaskCreated':
    case 'TaskCompleted': {
      session.team ??= said.team_name ?? null;
      const id = idOf(said.task_id);
      if (id === null) return;
      const created = name === 'TaskCreated';
      const task = {
        id,
        ...noChange,
        subject: said.task_subject ?? null,
        description: said.task_description ?? null,
        status: created ? 'pending' : 'completed',
        owner: created ? null : (said.teammate_name ?? null),
      };
      return emitTask(context, at, created ? 'team:task:created' : 'team:task:completed', task, null);
    }
  }
}

const nothing = {
  model: null,
  cwd: null,
  claude_code_version: null,
  permission_mode: null,
  tools: null,
  agents: null,
  mcp_servers: null,
  api_key_source: null,
  slash_commands: null,
  git_branch: null,
  transcript: true,
};

/** A teammate's hooks name it in agent_type, and up to 2.1.140 each of its turns has an id of its own. */
function inAgent(context: Context, at: Origin, id: string, type: string | null, path: string | null): void {
  const { session } = at;
  if (session.agents.has(canonical(session, id))) return;
  const mate = type === null ? null : agentNamed(session, type);
  startAgent(
    context,
    { ...at, agent: session.lead },
    {
      id,
      agent_type: type,
      transcript_path: path,
      turn_only: mate?.kind === 'teammate',
      continues: mate?.kind === 'teammate' ? mate.id : null,
    },
  );
}

function callBlock(record: JsonObject): JsonObject {
  return { id: record.tool_use_id, name: record.tool_name, input: record.tool_input };
}

function resultBlock(record: JsonObject, failed: boolean): JsonObject {
  const text = textOf(record.tool_response) ?? textOf(record.error);
  return { tool_use_id: record.tool_use_id, is_error: failed, content: text };
}
