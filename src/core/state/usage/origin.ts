import { keyOf } from '../tasks-place.js';
import type { Origin } from './message-use.js';

export function sameOrigin(a: Origin, b: Origin): boolean {
  return (
    a === b ||
    (a.who === b.who &&
      a.session_id === b.session_id &&
      a.team === b.team &&
      a.agent === b.agent &&
      a.model === b.model &&
      a.speed === b.speed &&
      a.inference_geo === b.inference_geo &&
      a.iteration === b.iteration)
  );
}

export function originKey({ session_id, team, agent, model, speed, inference_geo, iteration, who }: Origin): string {
  if (who === null) return keyOf(session_id, team, agent, model, speed, inference_geo, iteration);
  return keyOf(session_id, team, agent, model, speed, inference_geo, iteration, who.name, who.agent_type, who.kind);
}
