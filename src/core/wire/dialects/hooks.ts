// Turns hook inputs into events, from the stdin of a hook script or from hook_callback requests of the SDK.
import { countOf, type JsonObject, textOf } from '../../record/json.js';
import { finishAgent, idle, startAgent } from '../agents.js';
import { type Context, type Origin, ofAgent } from '../context.js';
import { fieldsOf, firstOf, jsonOf, type Read, read } from '../read.js';
import { agentNamed, canonical } from '../sessions.js';
import { closeCall, openCall } from '../tools/calls.js';
import { emitTask, noChange, taskIdOf } from '../tools/task.js';
import { type BlockView, ParsedBlock, ParsedResult } from '../view.js';
import { received } from './conversation.js';
import { noSession, sessionStarted } from './frames.js';

export function hook(context: Context, at: Origin): void {
  const { session } = at;
  const record = at.record.whole();
  const input = read(hookShape, record);
  const name = input.hook_event_name ?? '';
  const { type: _type, subtype: _subtype, hook_event_name: _name, ...fields } = fieldsOf(record);
  context.emit(at, 'hook:fired', { ...fields, hook: name });
  if (input.agent_id !== null) inAgent(context, at, input.agent_id, input);
  switch (name) {
    case 'SessionStart': {
      const { cwd, model, permission_mode } = input;
      return sessionStarted(context, at, { ...noSession, cwd, model, permission_mode });
    }
    case 'UserPromptSubmit':
      return received(context, at, input.prompt ?? '');
    case 'PreToolUse':
      return openCall(context, at, callBlock(record));
    case 'PostToolUse':
    case 'PostToolUseFailure':
      openCall(context, at, callBlock(record));
      return closeCall(
        context,
        at,
        resultBlock(record, name === 'PostToolUseFailure'),
        new ParsedResult(record.tool_response),
      );
    case 'SubagentStop': {
      const { agent_id: task_id, last_assistant_message: result } = input;
      return finishAgent(context, at, at.agent, { task_id, status: 'completed', result });
    }
    case 'TeammateIdle':
      session.team ??= input.team_name;
      if (input.teammate_name !== null) idle(context, at, input.teammate_name, { reason: 'TeammateIdle' });
      return;
    case 'TaskCreated':
    case 'TaskCompleted': {
      session.team ??= input.team_name;
      const { task_id: id, task_subject: subject, task_description: description, teammate_name } = input;
      if (id === null) return;
      const task = { id, ...noChange, subject, description };
      if (name === 'TaskCreated') emitTask(context, at, 'team:task:created', { ...task, status: 'pending' }, null);
      else {
        const done = { ...task, status: 'completed', owner: teammate_name };
        emitTask(context, at, 'team:task:completed', done, null);
      }
    }
  }
}

/** What says how a hook ended. */
export const hookEnd = { subtype: true, exit_code: true, exitCode: true, outcome: true } as const;

/** Whether a hook failed or blocked something. */
export function hasFailed({ subtype, exit_code, exitCode, outcome }: JsonObject): boolean {
  const exit = firstOf(countOf, exit_code, exitCode) ?? 0;
  return subtype === 'hook_response' && (exit !== 0 || outcome === 'error');
}

const hookShape = {
  hook_event_name: textOf,
  cwd: textOf,
  permission_mode: textOf,
  model: textOf,
  prompt: textOf,
  agent_id: textOf,
  agent_type: textOf,
  agent_transcript_path: textOf,
  last_assistant_message: jsonOf,
  teammate_name: textOf,
  team_name: textOf,
  task_id: taskIdOf,
  task_subject: textOf,
  task_description: textOf,
};
type Hook = Read<typeof hookShape>;

/** Hooks of a teammate have its name in agent_type. Up to 2.1.140 each of its turns has an id of its own. */
function inAgent(context: Context, at: Origin, id: string, { agent_type, agent_transcript_path }: Hook): void {
  const { session } = at;
  if (session.agents.has(canonical(session, id))) return;
  const mate = agent_type === null ? null : agentNamed(session, agent_type);
  const isTurn = mate?.kind === 'teammate';
  startAgent(context, ofAgent(at, session.lead), {
    id,
    agent_type,
    transcript_path: agent_transcript_path,
    turn_only: isTurn,
    continues: isTurn ? mate.id : null,
  });
}

function callBlock(record: JsonObject): BlockView {
  return new ParsedBlock({ id: record.tool_use_id, name: record.tool_name, input: record.tool_input });
}

function resultBlock(record: JsonObject, failed: boolean): BlockView {
  const content = firstOf(textOf, record.tool_response, record.error);
  return new ParsedBlock({ tool_use_id: record.tool_use_id, is_error: failed, content });
}
