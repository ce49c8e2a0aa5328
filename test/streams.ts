import fc from 'fast-check';
import type { JsonObject } from './json.js';
import { acts } from './laws/acts.js';
import { eras, Scene } from './laws/scene.js';

export interface StreamOptions {
  /** The most sessions in one stream. */
  readonly sessions?: number;
  /** The most things that happen in a session. */
  readonly steps?: number;
}

/** Realistic streams of one or more sessions, consecutive or interleaved, as records in order. */
export function streams({ sessions = 2, steps = 25 }: StreamOptions = {}): fc.Arbitrary<JsonObject[]> {
  const step = fc.record({ act: fc.constantFrom(...acts), pick: fc.nat(11), odd: fc.boolean(), now: fc.boolean() });
  const story = fc.record({
    era: fc.constantFrom(...eras),
    steps: fc.array(step, { maxLength: steps, size: 'max' }),
    ends: fc.boolean(),
  });
  return fc
    .record({
      stories: fc.array(story, { minLength: 1, maxLength: sessions }),
      order: fc.array(fc.nat(sessions - 1), { maxLength: 9 }),
    })
    .map(({ stories, order }) =>
      merge(
        stories.map(({ era, steps, ends }, index) => {
          const scene = new Scene(era, index);
          scene.turn();
          for (const { act, ...how } of steps) act(scene, how);
          if (ends) scene.end();
          return scene.records;
        }),
        order,
      ),
    );
}

export function ndjson(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/**
 * Each session keeps its order. `order` says whose record comes next, repeatedly; if empty, sessions follow each other.
 */
function merge(lists: JsonObject[][], order: readonly number[]): JsonObject[] {
  if (order.length === 0) return lists.flat();
  const merged: JsonObject[] = [];
  for (let at = 0, open = lists; open.length > 0; at++) {
    const record = open[(order[at % order.length] ?? 0) % open.length]?.shift();
    if (record !== undefined) merged.push(record);
    open = open.filter((list) => list.length > 0);
  }
  return merged;
}
