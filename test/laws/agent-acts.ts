import type { JsonObject } from '../json.js';
import { call, chosen, type How, result, speaker } from './act.js';
import type { Actor, Answer, Era, Scene } from './scene.js';

export function spawn(scene: Scene, how: How): void {
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

export function send(scene: Scene, how: How): void {
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

export function progress(scene: Scene, how: How): void {
  const agent = chosen(scene, how);
  const usage = { total_tokens: how.pick * 100, tool_uses: how.pick, duration_ms: 9 };
  if (agent?.running) scene.taskFrame(agent, 'task_progress', { usage, last_tool_name: 'Read' });
}

export function finish(scene: Scene, how: How): void {
  const agent = chosen(scene, how);
  if (agent?.running) scene.finish(agent, how.odd ? 'failed' : 'completed');
}

export function hear(scene: Scene, how: How): void {
  const { pick, odd } = how;
  const agent = chosen(scene, how);
  const from = agent?.name ?? 'nobody';
  const body = odd ? JSON.stringify({ type: 'idle_notification', from, idleReason: 'available' }) : `hello ${pick}`;
  const message = `<teammate-message teammate_id="${from}" summary="hi">\n${body}\n</teammate-message>`;
  const note = `<task-notification>\n<task-id>${agent?.id}</task-id>\n<status>completed</status>\n</task-notification>`;
  const text = pick === 4 ? note : message;
  scene.put({ type: 'user', message: { content: pick % 2 ? text : [{ type: 'text', text }] }, isReplay: true });
}
