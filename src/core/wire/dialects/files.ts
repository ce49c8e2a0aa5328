// Files of a team on disk: config.json, inboxes/<name>.json, tasks/<team>/<id>.json, agent-<id>.meta.json.
import { idOf, objectOf, timeOf } from '../../record/fields.js';
import { startAgent } from '../agents.js';
import type { Context, Origin } from '../context.js';
import { canonical, memberNamed, noMember } from '../sessions.js';
import { configMemberWire, configWire, metaWire, read, taskWire } from '../shapes.js';
import { emitTask, eventOf, noChange, taskChange, taskId } from '../tools/task.js';
import { mailOf, passMessage } from './deliveries.js';

export function config(context: Context, at: Origin): void {
  const said = read(configWire, at.record);
  const name = said.name ?? said.team_name ?? at.session.team;
  if (name == null) return context.emit(at, 'unknown', { type: null, subtype: null, raw: at.record });
  const members = (said.members ?? []).map((item) => read(configMemberWire, item));
  const lead =
    said.leadAgentId ?? members.find((member) => member.name === 'team-lead')?.agentId ?? `team-lead@${name}`;
  const session = said.leadSessionId == null ? at.session : context.session(said.leadSessionId);
  session.team ??= name;
  const when = { ...at, session, time: at.time ?? timeOf(said.createdAt) ?? timeOf(said.created_at) };
  context.emit({ ...when, agent: lead }, 'team:created', {
    category: 'team_state_change',
    tool_use_id: null,
    name,
    description: said.description ?? null,
    lead_agent_id: lead,
    lead_session_id: said.leadSessionId ?? null,
    config_path: null,
    protocol: 'files',
  });
  for (const member of members) {
    if (member.name == null && member.agentId == null) continue;
    const id = member.agentId ?? `${member.name}@${name}`;
    context.emit({ ...when, agent: id, time: timeOf(member.joinedAt) ?? when.time }, 'team:member:joined', {
      category: 'team_state_change',
      tool_use_id: null,
      member: {
        ...noMember,
        name: member.name ?? id,
        agent_id: id,
        agent_type: member.agentType ?? null,
        model: member.model ?? null,
        color: member.color ?? null,
        kind: id === lead || member.name === 'team-lead' ? 'lead' : 'teammate',
        cwd: member.cwd ?? null,
        backend: member.backendType || null,
        plan_mode_required: member.planModeRequired ?? null,
        active: member.isActive ?? null,
      },
    });
  }
}

/** One entry of an inbox; the recipient is in the file's name. */
export function inbox(context: Context, at: Origin): void {
  const { record } = at;
  const mail = mailOf(record);
  const read = record.read === true;
  const agent = memberNamed(at.session, (read ? context.place.inbox : null) ?? mail.from).agent_id ?? mail.from;
  const written = { ...at, agent, time: timeOf(record.timestamp) ?? at.time };
  passMessage(context, written, { ...mail, to: context.place.inbox, read, deliveredAt: null });
}

export function taskFile(context: Context, at: Origin): void {
  const said = read(taskWire, at.record);
  const id = taskId(said);
  if (id === null) return context.emit(at, 'unknown', { type: null, subtype: null, raw: at.record });
  const made = timeOf(said.created_at);
  if (made !== null) emitTask(context, { ...at, time: made }, 'team:task:created', { ...noChange, id }, null);
  const change = taskChange(id, said);
  const event = made === null ? 'team:task:created' : eventOf(change.status);
  emitTask(context, { ...at, time: timeOf(said.updated_at) }, event, change, null, true);
}

export function meta(context: Context, at: Origin): void {
  const said = read(metaWire, at.record);
  const id = context.place.agent;
  if (id === null) return context.emit(at, 'unknown', { type: null, subtype: null, raw: at.record });
  startAgent(context, at, {
    id: canonical(at.session, id),
    name: said.name ?? null,
    agent_type: said.spawnedAgentType ?? said.agentType ?? null,
    model: said.model ?? null,
    description: said.description ?? null,
    color: said.color ?? null,
    tool_use_id: idOf(said.toolUseId),
    task_type: said.taskKind ?? null,
    worktree: said.worktreePath == null ? null : { path: said.worktreePath, branch: null },
    // Up to 2.1.140 the meta file of a teammate's turn says nothing but its name, as a type.
    turn_only: said.taskKind == null && Object.keys(objectOf(at.record) ?? {}).length === 1,
    ...(said.taskKind == null
      ? {}
      : { kind: /teammate/.test(said.taskKind) ? ('teammate' as const) : ('subagent' as const) }),
  });
}
