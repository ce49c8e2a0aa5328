// Lists the tools that cct follows, in all versions of Claude Code. A new tool is one entry here. A new act also needs
// a handler in calls.ts, which the compiler asks for, and a specimen: a test says if a result without its call is taken
// for that of another tool (toolOfShape).
import type { EventName, TeamCategory } from '../../event/event.js';
import { idOf, type JsonObject, objectOf, textOf } from '../../record/json.js';

interface ActRules {
  /** What tells people of a call that worked: the events it leads to, or the call. */
  readonly told: 'events' | 'call';
  /** For calls about a team. */
  readonly category?: TeamCategory;
  /** The result is a sentence by Claude Code, not by an agent or a user. */
  readonly speaks?: true;
  /** The events it leads to, if they are the only ones. If nobody wants them, its calls need not be read. */
  readonly leadsTo?: readonly EventName[];
}

const ofTasks: readonly EventName[] = [
  'team:task:created',
  'team:task:claimed',
  'team:task:updated',
  'team:task:completed',
  'team:task:deleted',
  // Whoever completes a task may be idle.
  'team:member:idle',
  'team:member:active',
];

const acts = {
  spawn: { told: 'events', category: 'team_state_change' },
  createTeam: { told: 'events', category: 'team_state_change', speaks: true },
  deleteTeam: { told: 'events', category: 'team_state_change', speaks: true },
  send: { told: 'events', category: 'team_message', speaks: true },
  submitPlan: { told: 'call' },
  createTask: { told: 'events', category: 'team_task_update', speaks: true, leadsTo: ofTasks },
  updateTask: { told: 'events', category: 'team_task_update', speaks: true, leadsTo: ofTasks },
  listTasks: { told: 'call', category: 'team_task_update', leadsTo: ofTasks },
  showTask: { told: 'call', category: 'team_task_update', leadsTo: ofTasks },
  writeTodos: { told: 'events', speaks: true, leadsTo: ofTasks },
  runShell: { told: 'call' },
  launch: { told: 'call' },
  stop: { told: 'call', speaks: true },
  readOutput: { told: 'call' },
  useSkill: { told: 'call' },
} as const satisfies Record<string, ActRules>;

/** What a call does. Tools of different versions have different names for the same act. */
export type Act = keyof typeof acts;

interface Tool {
  /** null for tools that only share the name prefix of the team tools. */
  readonly act: Act | null;
  /** Acts that the input selects by its `operation`. */
  readonly operations?: Readonly<Record<string, Act>>;
  /** The inputs a call needs; one of several spellings is enough. */
  readonly needs?: readonly (readonly string[])[];
  /** A call may resume an agent. */
  readonly wakes?: true;
  /** The audit that checks its calls. */
  readonly audit?: 'teams' | 'tasks' | 'messages';
}

const tools: Readonly<Record<string, Tool>> = {
  Agent: { act: 'spawn', needs: [['team_name'], ['name']], audit: 'teams' },
  Task: { act: 'spawn', needs: [['team_name'], ['name']], audit: 'teams' },
  TeamCreate: { act: 'createTeam', needs: [['team_name']], audit: 'teams' },
  TeamDelete: { act: 'deleteTeam', audit: 'teams' },
  // The only team tool of 2.1.16 to 2.1.32.
  Teammate: {
    act: 'send',
    operations: { spawnTeam: 'createTeam', cleanup: 'deleteTeam' },
    needs: [['operation']],
    audit: 'teams',
  },
  SendMessage: { act: 'send', needs: [['type', 'to', 'recipient']], wakes: true, audit: 'messages' },
  SendUserMessage: { act: null },
  SendUserFile: { act: null },
  ExitPlanMode: { act: 'submitPlan' },
  TaskCreate: { act: 'createTask', needs: [['subject']], audit: 'tasks' },
  TaskUpdate: { act: 'updateTask', needs: [['taskId', 'task_id', 'id']], audit: 'tasks' },
  TaskList: { act: 'listTasks', audit: 'tasks' },
  TaskGet: { act: 'showTask', needs: [['taskId', 'task_id', 'id']], audit: 'tasks' },
  TodoWrite: { act: 'writeTodos', audit: 'tasks' },
  Bash: { act: 'runShell' },
  Monitor: { act: 'launch' },
  Workflow: { act: 'launch' },
  TaskStop: { act: 'stop', audit: 'tasks' },
  KillShell: { act: 'stop' },
  KillBash: { act: 'stop' },
  TaskOutput: { act: 'readOutput', audit: 'tasks' },
  BashOutput: { act: 'readOutput' },
  AgentOutputTool: { act: 'readOutput' },
  Skill: { act: 'useSkill' },
};

/** What a call does; null for tools cct does not follow. Without an input, what the tool usually does. */
export function actOf(tool: string, { operation }: JsonObject = {}): Act | null {
  const known = toolNamed(tool);
  if (known?.operations === undefined || typeof operation !== 'string') return known?.act ?? null;
  return Object.hasOwn(known.operations, operation) ? (known.operations[operation] ?? null) : known.act;
}

export function actsOf(tool: string): Act[] {
  const { act = null, operations = {} } = toolNamed(tool) ?? {};
  return [...(act === null ? [] : [act]), ...Object.values(operations)];
}

/** Whether some call of it creates a team. */
export function canCreateTeam(tool: string): boolean {
  return actsOf(tool).includes('createTeam');
}

export function isSpawnTool(tool: string): boolean {
  return actOf(tool) === 'spawn';
}

/** Whether the tool only sends messages. */
export function isSendTool(tool: string): boolean {
  return actsOf(tool).every((act) => act === 'send') && actOf(tool) === 'send';
}

/** Whether a call may start or resume an agent. */
export function startsAgents(tool: string): boolean {
  return isSpawnTool(tool) || toolNamed(tool)?.wakes === true;
}

/** Whether the result of a tool matters. A shell's result shows by itself that the shell went to the background. */
export function hasEffect(tool: string): boolean {
  const act = actOf(tool);
  return act !== null && act !== 'runShell';
}

/** null for a call that is not about teams. */
export function categoryOf(tool: string, input: JsonObject): TeamCategory | null {
  return rulesOf(actOf(tool, input))?.category ?? null;
}

/** Who wrote the text of a result: Claude Code, or perhaps an agent or the author of a task. */
export function wordsOf(tool: string | null): 'program' | 'anybody' {
  return tool !== null && rulesOf(actOf(tool))?.speaks ? 'program' : 'anybody';
}

/** The events that calls of a tool lead to; null if there may be others. */
export function eventsOf(tool: string): readonly EventName[] | null {
  return rulesOf(actOf(tool))?.leadsTo ?? null;
}

/** Whether the events of a call that worked tell of it. */
export function isToldByEvents(tool: string): boolean {
  return rulesOf(actOf(tool))?.told === 'events';
}

/** Whether a call creates, changes or deletes tasks. Others only show them. */
export function changesTasks(tool: string): boolean {
  const rules = rulesOf(actOf(tool));
  return rules?.category === 'team_task_update' && rules.told === 'events';
}

export function auditOf(tool: string): 'teams' | 'tasks' | 'messages' | null {
  return toolNamed(tool)?.audit ?? null;
}

/** The required inputs that a call of a team tool lacks, by their first spelling. */
export function missingInputs(tool: string, input: JsonObject): string[] {
  const needs = toolNamed(tool)?.needs ?? [];
  // The id of a task may be a number.
  const isGiven = (name: string) => (/id$/i.test(name) ? idOf : textOf)(input[name]);
  return needs.filter((spellings) => !spellings.some(isGiven)).map(([name = '']) => name);
}

/** Recognizes the tool of a result by its shape, when the call is not in the input because the stream began later. */
export function toolOfShape(data: JsonObject | null): string | null {
  if (data === null) return null;
  if (data.status === 'async_launched' && /workflow/.test(textOf(data.taskType) ?? '')) return 'Workflow';
  if (data.status === 'forked' && typeof data.agentId === 'string') return 'Skill';
  if (data.status === 'teammate_spawned' || typeof data.teammate_id === 'string') return 'Agent';
  // A workflow that could not start is async_launched too.
  if ((data.status === 'async_launched' || data.status === 'completed') && typeof data.agentId === 'string')
    return 'Agent';
  if (typeof data.team_file_path === 'string') return 'TeamCreate';
  if (objectOf(data.routing) !== null) return 'SendMessage';
  if (typeof data.request_id === 'string' && typeof data.target === 'string') return 'SendMessage';
  if (idOf(objectOf(data.task)?.id) !== null)
    return objectOf(data.task)?.status === undefined ? 'TaskCreate' : 'TaskGet';
  if (typeof data.success === 'boolean' && idOf(data.taskId) !== null) return 'TaskUpdate';
  if (typeof data.success === 'boolean' && typeof data.team_name === 'string') return 'TeamDelete';
  if (Array.isArray(data.tasks) && data.tasks.every((task) => idOf(objectOf(task)?.id) !== null)) return 'TaskList';
  return null;
}

/** Whether a tool is named like the team tools but is not in the list, which means that the protocol has changed. */
export function isUnknownTeamTool(tool: string): boolean {
  return /^(Team|Task|Send)/.test(tool) && toolNamed(tool) === undefined;
}

function toolNamed(tool: string): Tool | undefined {
  return toolsByName.get(tool);
}
const toolsByName: ReadonlyMap<string, Tool> = new Map(Object.entries(tools));

function rulesOf(act: Act | null): ActRules | null {
  return act === null ? null : acts[act];
}
