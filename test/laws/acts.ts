import type { JsonObject } from '../../src/core/record/json.js';
import type { Actor, Answer, Era, Scene } from './scene.js';

export interface How {
  /** Chooses among what there is: actors, agents, tasks, wordings. */
  readonly pick: number;
  readonly odd: boolean;
  /** A call comes back before anything else happens. */
  readonly now: boolean;
}

export type Act = (scene: Scene, how: How) => void;

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

function spawn(scene: Scene, how: How): void {
  const { pick, odd, now } = how;
  const { team } = scene;
  const actor = speaker(scene, how);
  const number = scene.agents.length;
  const name = odd ? `mate${pick % 4}` : null;
  const teammate = name !== null && team !== null;
  const id = teammate ? `${name}@${team}` : `a${scene.key}${number}f`;
  const background = teammate || (odd && scene.era === '2.1.325');
  const asked = { description: `work ${number}`, prompt: 'Do it.', subagent_type: 'general-purpose' };
  const input = { ...asked, ...(name === null ? {} : { name }), ...(teammate ? { team_name: team } : {}) };
  const spawned = scene.call(actor, scene.era === '2.1.39' ? 'Task' : 'Agent', input, () => {
    if (!background) agent.running = false;
    return receipt(id, teammate ? { name, team } : null, background);
  });
  const agent: Actor = { name: name ?? id, call: spawned, id, run: 1, running: true };
  scene.agents.push(agent);
  const type = teammate ? 'in_process_teammate' : 'local_agent';
  scene.taskFrame(agent, 'task_started', { description: asked.description, task_type: type, prompt: asked.prompt });
  if (background && now) scene.answer(-1);
  if (!background) scene.put({ type: 'user', message: { content: [{ type: 'text', text: asked.prompt }] } }, agent);
}

function receipt(id: string, mate: { name: string | null; team: string | null } | null, background: boolean): Answer {
  if (mate !== null) {
    const who = { teammate_id: id, agent_id: id, name: mate.name, team_name: mate.team, color: 'blue' };
    return {
      data: { status: 'teammate_spawned', ...who },
      text: `Spawned successfully.\nagent_id: ${id}\nname: ${mate.name}`,
    };
  }
  if (background) {
    const launched = { isAsync: true, status: 'async_launched', agentId: id };
    return { data: launched, text: `Async agent launched successfully.\nagentId: ${id} (internal ID)` };
  }
  const done = { status: 'completed', agentId: id, content: [{ type: 'text', text: 'done' }], totalTokens: 90 };
  return { data: done, text: `done\nagentId: ${id}\n<usage>total_tokens: 90</usage>` };
}

function send(scene: Scene, how: How): void {
  const { pick, odd } = how;
  const actor = speaker(scene, how);
  const to = chosen(scene, how)?.name ?? 'nobody';
  const text = `message ${pick}`;
  const asks = odd && pick % 3 === 0;
  const type = asks ? 'shutdown_request' : 'message';
  const inputs: Record<Era, JsonObject> = {
    '2.1.16': { operation: asks ? 'requestShutdown' : 'write', target_agent_id: to, value: text },
    '2.1.39': { type, recipient: to, content: text, summary: 'note' },
    '2.1.140': {
      to,
      summary: 'note',
      message: asks ? { type, reason: text } : text,
      type,
      recipient: to,
      content: text,
    },
    '2.1.325': { to, summary: 'note', message: asks ? { type } : text, recipient: to, recipient_kind: 'name' },
  };
  const routing = { sender: actor.name, target: `@${to}`, summary: 'note', content: text };
  const sent = { success: pick !== 9, message: `Message sent to ${to}`, routing };
  const asked = { success: true, message: 'Asked', request_id: `shutdown-${pick}@${to}`, target: to };
  const tool = scene.era === '2.1.16' ? 'Teammate' : 'SendMessage';
  const id = call(scene, how, tool, inputs[scene.era], () => result(asks ? asked : sent), actor);
  if (!asks) resume(scene, to, id);
}

/** From 2.1.178 on a message to an agent that has finished starts it again. */
function resume(scene: Scene, name: string, by: string): void {
  const agent = scene.agents.find((one) => one.name === name);
  if (scene.era !== '2.1.325' || agent === undefined || agent.running) return;
  agent.running = true;
  agent.run++;
  scene.taskFrame(agent, 'task_started', { description: 'again', task_type: 'local_agent', tool_use_id: by });
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

function progress(scene: Scene, how: How): void {
  const agent = chosen(scene, how);
  const usage = { total_tokens: how.pick * 100, tool_uses: how.pick, duration_ms: 9 };
  if (agent?.running) scene.taskFrame(agent, 'task_progress', { usage, last_tool_name: 'Read' });
}

function finish(scene: Scene, how: How): void {
  const agent = chosen(scene, how);
  if (agent?.running) scene.finish(agent, how.odd ? 'failed' : 'completed');
}

/** Now and then the result of a turn is held back, or lost. */
function nextTurn(scene: Scene, { odd, pick }: How): void {
  if (odd) scene.result(pick === 2 ? 'error_max_turns' : 'success');
  scene.turn();
}

function hear(scene: Scene, how: How): void {
  const { pick, odd } = how;
  const agent = chosen(scene, how);
  const from = agent?.name ?? 'nobody';
  const body = odd ? JSON.stringify({ type: 'idle_notification', from, idleReason: 'available' }) : `hello ${pick}`;
  const message = `<teammate-message teammate_id="${from}" summary="hi">\n${body}\n</teammate-message>`;
  const note = `<task-notification>\n<task-id>${agent?.id}</task-id>\n<status>completed</status>\n</task-notification>`;
  const text = pick === 4 ? note : message;
  scene.put({ type: 'user', message: { content: pick % 2 ? text : [{ type: 'text', text }] }, isReplay: true });
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

function call(
  scene: Scene,
  how: How,
  tool: string,
  input: JsonObject,
  answered: () => Answer,
  actor = speaker(scene, how),
): string {
  const id = scene.call(actor, tool, input, answered);
  if (how.now) scene.answer(-1);
  return id;
}

function result(data: JsonObject): Answer {
  return { data, text: JSON.stringify(data, null, 2) };
}

function speaker(scene: Scene, { pick }: How): Actor {
  return scene.speakers[pick % scene.speakers.length] ?? scene.lead;
}

function chosen(scene: Scene, { pick }: How): Actor | undefined {
  return scene.agents[pick % Math.max(1, scene.agents.length)];
}
