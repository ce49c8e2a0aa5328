import type { JsonObject } from '../json.js';
import type { Random } from './random.js';
import { textOf, wordOf } from './text.js';

export type Wanted = 'team' | 'mate' | 'any';

export interface Board {
  tasks: number;
  readonly team: string;
}

export interface MadeCall {
  readonly name: string;
  readonly input: JsonObject;
  /** What the result says, as text and in structure. */
  readonly text: string;
  readonly data: JsonObject;
}

/** A call and its result, as 2.1.39 writes them. */
export function callOf(random: Random, wanted: Wanted, board: Board, results: number): MadeCall {
  if (wanted === 'team') return makeTeam(board);
  if (wanted === 'mate') return spawn(random, board);
  const dice = random.next();
  if (dice < 0.06) return send(random);
  if (dice < 0.11) return createTask(random, board);
  if (dice < 0.17 && board.tasks > 0) return updateTask(random, board);
  const text = textOf(random, random.length(results, 1.35, 1_500_000));
  if (dice < 0.3) return edit(random, text);
  if (dice < 0.62) {
    const file = { filePath: '/home/dev/project/src/a.ts', content: text, numLines: 90, startLine: 1, totalLines: 90 };
    return { name: 'Read', input: { file_path: pathOf(random) }, text, data: { type: 'text', file } };
  }
  const data = { stdout: text, stderr: '', interrupted: false, isImage: false };
  return { name: 'Bash', input: { command: `npm test -- ${wordOf(random)}`, description: 'Run it' }, text, data };
}

const mates = ['alice', 'bob', 'carol'] as const;

function makeTeam({ team }: Board): MadeCall {
  const lead_agent_id = `team-lead@${team}`;
  const data = { team_name: team, team_file_path: `/home/dev/.claude/teams/${team}/config.json`, lead_agent_id };
  return answered('TeamCreate', { team_name: team, description: 'the crew' }, data);
}

function spawn(random: Random, { team }: Board): MadeCall {
  const name = random.pick(mates);
  const prompt = textOf(random, random.between(300, 2000));
  const id = `${name}@${team}`;
  const data = { status: 'teammate_spawned', prompt, teammate_id: id, agent_id: id, name, team_name: team };
  const input = { description: wordOf(random), prompt, subagent_type: 'general-purpose', team_name: team, name };
  return answered('Task', input, data);
}

function send(random: Random): MadeCall {
  const recipient = random.pick(mates);
  const content = textOf(random, random.length(500, 0.9, 8000));
  const summary = `${wordOf(random)} ${wordOf(random)}`;
  const routing = { sender: 'team-lead', target: `@${recipient}`, summary, content };
  const data = { success: true, message: `Message sent to ${recipient}'s inbox`, routing };
  return answered('SendMessage', { type: 'message', recipient, content, summary }, data);
}

function createTask(random: Random, board: Board): MadeCall {
  const subject = `${wordOf(random)} ${wordOf(random)}`;
  const description = textOf(random, random.between(80, 800));
  const data = { task: { id: `${++board.tasks}`, subject } };
  const text = `Task #${board.tasks} created successfully: ${subject}`;
  return { name: 'TaskCreate', input: { subject, description, activeForm: 'Working' }, text, data };
}

function updateTask(random: Random, board: Board): MadeCall {
  const taskId = `${random.between(1, board.tasks)}`;
  const status = random.pick(['in_progress', 'completed'] as const);
  const data = { success: true, taskId, updatedFields: ['status'], statusChange: { from: 'pending', to: status } };
  const input = { taskId, status, owner: random.pick(mates) };
  return { name: 'TaskUpdate', input, text: `Updated task #${taskId} status`, data };
}

function edit(random: Random, text: string): MadeCall {
  const [old_string, new_string] = [textOf(random, random.between(40, 1500)), textOf(random, random.between(40, 2500))];
  const data = { filePath: '/home/dev/project/src/a.ts', originalFile: text, structuredPatch: [], replaceAll: false };
  return { name: 'Edit', input: { file_path: pathOf(random), old_string, new_string }, text, data };
}

function pathOf(random: Random): string {
  return `/home/dev/project/src/${wordOf(random)}/${wordOf(random)}.ts`;
}

function answered(name: string, input: JsonObject, data: JsonObject): MadeCall {
  return { name, input, text: JSON.stringify(data).slice(0, 600), data };
}
