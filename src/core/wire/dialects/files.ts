// Reads the files of a team: config.json, inboxes/<name>.json, tasks/<team>/<id>.json, agent-<id>.meta.json.
import { flagOf, listOf, textOf, timeOf } from '../../record/json.js';
import { emitMember, finishAgent, startAgent } from '../agents.js';
import { atTime, type Context, type Origin, ofAgent, sessionOf } from '../context.js';
import { filledOf, read, spelled } from '../read.js';
import { canonical, memberNamed } from '../sessions.js';
import { emitTask, eventOf, noChange, readTask, taskTimes } from '../tools/task.js';
import { mailOf, passMessage } from './deliveries.js';

export function config(context: Context, at: Origin): void {
  const file = read(configFile, at.record.whole());
  const { description, lead_session_id } = file;
  const name = file.name ?? at.session.team;
  if (name === null) return unreadable(context, at);
  const members = (file.members ?? []).map((item) => read(configMember, item));
  const lead =
    file.lead_agent_id ?? members.find((member) => member.name === 'team-lead')?.agent_id ?? `team-lead@${name}`;
  const session = lead_session_id === null ? at.session : sessionOf(context, lead_session_id);
  session.team ??= name;
  const when = { ...at, session, time: at.time ?? file.created_at };
  context.emit({ ...when, agent: lead }, 'team:created', {
    category: 'team_state_change',
    tool_use_id: null,
    name,
    description,
    lead_agent_id: lead,
    lead_session_id,
    config_path: null,
    protocol: 'files',
  });
  for (const { joined_at, ...member } of members) {
    if (member.name === null && member.agent_id === null) continue;
    const id = member.agent_id ?? `${member.name}@${name}`;
    const kind = id === lead || member.name === 'team-lead' ? 'lead' : 'teammate';
    const { agent_type, model, color, cwd, backend, plan_mode_required, active } = member;
    const known = { name: member.name ?? id, agent_id: id, agent_type, model, color } as const;
    const joined = { ...known, kind, cwd, backend, plan_mode_required, active } as const;
    emitMember(context, { ...when, agent: id, time: joined_at ?? when.time }, 'team:member:joined', joined);
  }
}

const configFile = {
  name: spelled(textOf, 'name', 'team_name'),
  description: textOf,
  created_at: spelled(timeOf, 'createdAt', 'created_at'),
  lead_agent_id: spelled(textOf, 'leadAgentId'),
  lead_session_id: spelled(textOf, 'leadSessionId'),
  members: listOf,
};

const configMember = {
  name: textOf,
  agent_id: spelled(textOf, 'agentId'),
  agent_type: spelled(textOf, 'agentType'),
  model: textOf,
  color: textOf,
  cwd: textOf,
  backend: spelled(filledOf, 'backendType'),
  plan_mode_required: spelled(flagOf, 'planModeRequired'),
  active: spelled(flagOf, 'isActive'),
  joined_at: spelled(timeOf, 'joinedAt'),
};

/** One inbox entry. The file is named after the recipient. */
export function inbox(context: Context, at: Origin): void {
  const record = at.record.whole();
  const mail = mailOf(record);
  const isRead = record.read === true;
  const agent = memberNamed(at.session, (isRead ? context.place.inbox : null) ?? mail.from).agent_id ?? mail.from;
  const written = ofAgent(at, agent, timeOf(record.timestamp) ?? at.time);
  passMessage(context, written, { ...mail, to: context.place.inbox, read: isRead, deliveredAt: null });
}

export function taskFile(context: Context, at: Origin): void {
  const record = at.record.whole();
  const task = readTask(record);
  if (task === null) return unreadable(context, at);
  const { created_at, updated_at } = read(taskTimes, record);
  if (created_at !== null)
    emitTask(context, atTime(at, created_at), 'team:task:created', { ...noChange, id: task.id }, null);
  const event = created_at === null ? 'team:task:created' : eventOf(task.status);
  emitTask(context, atTime(at, updated_at), event, task, null, true);
}

export function meta(context: Context, at: Origin): void {
  const id = context.place.agent;
  if (id === null) return unreadable(context, at);
  const record = at.record.whole();
  const file = read(metaFile, record);
  const [path, branch] = [textOf(record.worktreePath), textOf(record.worktreeBranch)];
  const agent = startAgent(context, at, {
    ...file,
    id: canonical(at.session, id),
    worktree: path === null && branch === null ? null : { path, branch },
    // Up to 2.1.140 the meta file of a teammate's turn contains only its name, as the agent type.
    turn_only: file.task_type === null && Object.keys(record).length === 1,
    ...(file.task_type === null ? {} : { kind: /teammate/.test(file.task_type) ? 'teammate' : 'subagent' }),
  });
  // How it ended, its results and its conversation say.
  if (record.finished === true && agent.kind !== 'teammate') finishAgent(context, at, agent.id, { on_disk: true });
}

const metaFile = {
  name: textOf,
  agent_type: spelled(textOf, 'spawnedAgentType', 'agentType'),
  model: textOf,
  description: textOf,
  color: textOf,
  tool_use_id: spelled(filledOf, 'toolUseId'),
  parent: spelled(filledOf, 'parentAgentId'),
  task_type: spelled(textOf, 'taskKind'),
};

function unreadable(context: Context, at: Origin): void {
  context.emit(at, 'unknown', { type: null, subtype: null, raw: at.record.whole() });
}
