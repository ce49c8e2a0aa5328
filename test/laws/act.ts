import type { JsonObject } from '../json.js';
import type { Actor, Answer, Scene } from './scene.js';

export interface How {
  /** Chooses among actors, agents, tasks and wordings. */
  readonly pick: number;
  readonly odd: boolean;
  /** A call returns before anything else happens. */
  readonly now: boolean;
}

export type Act = (scene: Scene, how: How) => void;

export function call(
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

export function result(data: JsonObject): Answer {
  return { data, text: JSON.stringify(data, null, 2) };
}

export function speaker(scene: Scene, { pick }: How): Actor {
  return scene.speakers[pick % scene.speakers.length] ?? scene.lead;
}

export function chosen(scene: Scene, { pick }: How): Actor | undefined {
  return scene.agents[pick % Math.max(1, scene.agents.length)];
}
