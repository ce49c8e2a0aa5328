import type { JsonObject } from '../json.js';
import { Scene } from '../laws/scene.js';
import { ndjson } from '../streams.js';

/** Runs from which some command makes more than two megabytes: plain text, with no line too long for a terminal. */
export const bigRuns = {
  /** Known by their long descriptions. */
  agents: () =>
    run(620, (scene, number) => {
      const done = { status: 'completed', agentId: `a${number}f`, content: [{ type: 'text', text: 'done' }] };
      const input = { description: long(`agent ${number}`), prompt: 'Do it.', subagent_type: 'general-purpose' };
      call(scene, 'Agent', input, done);
    }),
  tasks: () => run(620, createTask),
  messages: () =>
    run(680, (scene, number) => {
      const sent = { success: true, message: 'Message sent to writer' };
      const input = { type: 'message', recipient: 'writer', content: long(`message ${number}`), summary: 'note' };
      call(scene, 'SendMessage', input, sent);
    }),
  /** A message of the model each. */
  usage: () =>
    run(3800, (scene, number) => {
      scene.speak(scene.lead, 5, { type: 'text', text: `${number}${' and so on'.repeat(20)}` });
      scene.put({ type: 'keep_alive' });
      scene.put({ type: 'keep_alive' });
    }),
  /** Much talk, then tasks that are all shown again with each new one. */
  states: () =>
    run(728, (scene, number) => {
      if (number < 700) scene.put({ type: 'user', message: { role: 'user', content: long(`prompt ${number}`) } });
      else createTask(scene, number);
    }),
} as const;

export type BigRun = keyof typeof bigRuns;

function createTask(scene: Scene, number: number): void {
  const subject = `task ${number}`;
  const task = { id: String(number), subject };
  call(scene, 'TaskCreate', { subject, description: long(subject) }, { task });
}

function run(count: number, act: (scene: Scene, number: number) => void): string {
  const scene = new Scene('2.1.39', 1);
  scene.turn();
  for (let number = 1; number <= count; number += 1) act(scene, number);
  scene.end();
  return ndjson(scene.records);
}

function call(scene: Scene, tool: string, input: JsonObject, data: JsonObject): void {
  scene.call(scene.lead, tool, input, () => ({ data, text: 'done' }));
  scene.answer(-1);
}

function long(text: string): string {
  return `${text}${' and so on'.repeat(300)}`;
}
