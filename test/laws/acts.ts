import type { JsonObject } from '../json.js';
import { type Act, call, chosen, type How, result, speaker } from './act.js';
import { finish, hear, progress, send, spawn } from './agent-acts.js';
import type { Scene } from './scene.js';

/** What can happen in a session. */
export const acts: readonly Act[] = [
  say,
  think,
  work,
  answer,
  answer,
  makeTeam,
  spawn,
  spawn,
  send,
  send,
  createTask,
  createTask,
  updateTask,
  updateTask,
  listTasks,
  writeTodos,
  progress,
  finish,
  nextTurn,
  hear,
  stream,
  frame,
  cleanUp,
];

function say(scene: Scene, how: How): void {
  scene.speak(speaker(scene, how), how.pick, { type: 'text', text: `text ${how.pick} “é” \u2028` });
}

function think(scene: Scene, how: How): void {
  scene.speak(speaker(scene, how), how.pick, { type: 'thinking', thinking: `thought ${how.pick}`, signature: 'c2ln' });
}

function work(scene: Scene, how: How): void {
  const { pick, odd } = how;
  const stdout = 'x'.repeat(pick * 60);
  const background = pick === 3 && odd ? { backgroundTaskId: `b${scene.key}${scene.records.length}` } : {};
  call(scene, how, odd ? 'Bash' : 'Read', { command: 'ls' }, () => ({
    data: { stdout, ...background },
    text: stdout,
    isError: pick === 7,
  }));
}

function answer(scene: Scene, { pick }: How): void {
  scene.answer(pick);
}

function makeTeam(scene: Scene, how: How): void {
  if (scene.era === '2.1.325' || scene.team !== null) return;
  const team = `crew-${scene.key}`;
  scene.team = team;
  const made = { team_name: team, team_file_path: `/home/dev/${team}.json`, lead_agent_id: `team-lead@${team}` };
  const input = scene.era === '2.1.16' ? { operation: 'spawnTeam', team_name: team } : { team_name: team };
  call(scene, how, scene.era === '2.1.16' ? 'Teammate' : 'TeamCreate', input, () => result(made), scene.lead);
}

function createTask(scene: Scene, how: How): void {
  const subject = `task ${how.pick}`;
  call(scene, how, 'TaskCreate', { subject, description: 'as it says' }, () => {
    const id = `${scene.tasks.length + 1}`;
    scene.tasks.push(id);
    return { data: { task: { id, subject } }, text: `Task #${id} created successfully: ${subject}` };
  });
}

function updateTask(scene: Scene, how: How): void {
  const { pick, odd } = how;
  const taskId = scene.tasks[pick % Math.max(1, scene.tasks.length)] ?? '99';
  const status = ['pending', 'in_progress', 'completed', 'completed', 'deleted'][pick % 5] ?? 'pending';
  const more = odd ? { owner: chosen(scene, how)?.name ?? 'nobody', addBlockedBy: ['1'] } : {};
  const data = { success: scene.tasks.includes(taskId), taskId, updatedFields: ['status'] };
  const text = data.success ? `Updated task #${taskId} status` : 'Task not found';
  call(scene, how, 'TaskUpdate', { taskId, status, ...more }, () => ({ data, text }));
}

function listTasks(scene: Scene, how: How): void {
  call(scene, how, 'TaskList', {}, () => {
    const tasks = scene.tasks.map((id) => ({ id, subject: `task ${id}`, status: 'pending', blockedBy: [] }));
    return { data: { tasks }, text: tasks.map(({ id, subject }) => `#${id} [pending] ${subject}`).join('\n') };
  });
}

function writeTodos(scene: Scene, how: How): void {
  const todos = Array.from({ length: how.pick % 3 }, (_, place) => ({
    content: `todo ${place}`,
    status: place === 0 ? 'in_progress' : 'pending',
    activeForm: 'doing',
  }));
  call(scene, how, 'TodoWrite', { todos }, () => ({ data: { oldTodos: [], newTodos: todos }, text: 'Todos changed' }));
}

/** Now and then the result of a turn is held back, or lost. */
function nextTurn(scene: Scene, { odd, pick }: How): void {
  if (odd) scene.result(pick === 2 ? 'error_max_turns' : 'success');
  scene.turn();
}

function stream(scene: Scene, { pick }: How): void {
  const usage = { input_tokens: 3, output_tokens: 1 };
  const message = { id: scene.messageId(scene.lead), model: 'claude-opus-4-6', usage };
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'te' } };
  scene.put({ type: 'stream_event', event: { type: 'message_start', message } });
  scene.put({ type: 'stream_event', event: delta });
  scene.put({ type: 'stream_event', event: { type: 'message_delta', delta: {}, usage: { output_tokens: 5 + pick } } });
}

function frame(scene: Scene, { pick }: How): void {
  scene.put(frames[pick % frames.length] ?? {});
}
const frames: readonly JsonObject[] = [
  { type: 'system', subtype: 'status', status: 'compacting' },
  { type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'auto', pre_tokens: 9 } },
  { type: 'system', subtype: 'api_retry', attempt: 1 },
  { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } },
  { type: 'tool_progress', tool_name: 'Bash', elapsed_time_seconds: 2 },
  { type: 'keep_alive' },
];

function cleanUp(scene: Scene, how: How): void {
  if (scene.team === null) return;
  const message = how.odd ? 'Cleaned up' : 'Cannot cleanup team with 1 active member(s)';
  const data = { success: how.odd, message, team_name: scene.team };
  const [tool, input] = scene.era === '2.1.16' ? ['Teammate', { operation: 'cleanup' }] : ['TeamDelete', {}];
  call(scene, how, tool, input, () => result(data), scene.lead);
}
