// Lists the tools that cct follows, in all versions of Claude Code. A new tool is one entry here. A new act also needs
// a handler in calls.ts, which the compiler asks for.
import type { TeamCategory } from '../../event/event.js';
import { idOf, type JsonObject } from '../../record/json.js';

interface ActRules {
  /** For calls about a team. */
  readonly category?: TeamCategory;
  /** The result is a sentence by Claude Code, not by an agent or a user. */
  readonly speaks?: true;
  /** It changes or shows a list of tasks. */
  readonly tasks?: true;
}

const acts = {
  spawn: { category: 'team_state_change' },
  createTeam: { category: 'team_state_change', speaks: true },
  deleteTeam: { category: 'team_state_change', speaks: true },
  send: { category: 'team_message', speaks: true },
  submitPlan: {},
  createTask: { category: 'team_task_update', speaks: true, tasks: true },
  updateTask: { category: 'team_task_update', speaks: true, tasks: true },
  listTasks: { category: 'team_task_update', tasks: true },
  showTask: { category: 'team_task_update', tasks: true },
  writeTodos: { speaks: true, tasks: true },
  runShell: {},
  launch: {},
  stop: { speaks: true },
  readOutput: {},
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
  return rulesOf(actOf(tool, input)).category ?? null;
}

/** Who wrote the text of a result: Claude Code, or perhaps an agent or the author of a task. */
export function wordsOf(tool: string | null): 'program' | 'anybody' {
  return tool !== null && rulesOf(actOf(tool)).speaks ? 'program' : 'anybody';
}

export function isTaskTool(tool: string): boolean {
  return rulesOf(actOf(tool)).tasks ?? false;
}

export function auditOf(tool: string): 'teams' | 'tasks' | 'messages' | null {
  return toolNamed(tool)?.audit ?? null;
}

/** The required inputs that a call of a team tool lacks, by their first spelling. */
export function missingInputs(tool: string, input: JsonObject): string[] {
  const needs = toolNamed(tool)?.needs ?? [];
  return needs.filter((spellings) => spellings.every((name) => idOf(input[name]) === null)).map(([name = '']) => name);
}

/** Whether a tool is named like the team tools but is not in the list, which means that the protocol has changed. */
export function isUnknownTeamTool(tool: string): boolean {
  return /^(Team|Task|Send)/.test(tool) && toolNamed(tool) === undefined;
}

function toolNamed(tool: string): Tool | undefined {
  return toolsByName.get(tool);
}
const toolsByName: ReadonlyMap<string, Tool> = new Map(Object.entries(tools));

function rulesOf(act: Act | null): ActRules {
  return act === null ? {} : acts[act];
}
