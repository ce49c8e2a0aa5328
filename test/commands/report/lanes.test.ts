// The lanes of a run: the critical path below them, and how a crowd of agents is folded.
import { describe, expect, test } from 'vitest';
import {
  foldedLanes,
  type Lane,
  lanesOf,
  type PathPiece,
  placesOf,
  waitedFor,
} from '../../../src/commands/report/lanes.js';
import { Playback } from '../../../src/commands/report/playback.js';
import { homes, sessions } from '../../laws/inputs.js';
import { readAll } from '../../laws/reading.js';
import { rows } from '../../run.js';

describe('the critical path', () => {
  test.each(['sessions/team-2.1.325.ndjson', 'files/workflow-2.1.326'])('%s: as long as trace says', async (name) => {
    const input = [...homes, ...sessions].find((one) => one.name === name);
    const { lanes, path } = lanesOf(new Playback(readAll(input?.parts ?? []).events));
    const waited = waitedFor(path());
    const accounts = await rows(['trace', '--by', 'agent', `fixtures/${name}`]);
    const told = accounts.map((row) => [row['name'], row['critical_ms']]).filter(([, ms]) => ms !== 0);
    const shown = lanes.flatMap(({ id, name }) => (waited.has(id) ? [[name, waited.get(id)]] : []));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown).toEqual(told);
  });

  test('is one line: no two agents at the same moment', () => {
    const runs = sessions.map(({ parts }) => new Playback(readAll(parts).events));
    for (const playback of runs.filter(({ traces }) => traces.length === 1)) {
      const path = lanesOf(playback).path();
      for (const [place, { end }] of path.entries())
        expect(end).toBeLessThanOrEqual((path[place + 1]?.start ?? Number.POSITIVE_INFINITY) + 0.001);
    }
  });
});

describe('a crowd of agents', () => {
  const lane = (id: string, more: Partial<Lane> = {}): Lane => ({
    id,
    name: id,
    isFold: false,
    folded: [],
    isLead: false,
    depth: 1,
    hue: 'blue',
    model: null,
    bars: [{ kind: 'life', start: 0, end: 9, failed: false, open: false, waits: false, call: null }],
    marks: [],
    ...more,
  });
  const crowd = [lane('main', { isLead: true }), ...Array.from({ length: 60 }, (_, at) => lane(`agent-${at}`))];
  const path = (): PathPiece[] => [{ lane: 'agent-42', start: 0, end: 9 }];
  const names = (lanes: readonly Lane[]) => lanes.map(({ name }) => name);

  test('takes few rows, and those that the run waited for have one', () => {
    const rows = foldedLanes({ lanes: crowd, path }, false, () => false);
    expect(names(rows)).toEqual([
      'main',
      'agent-0',
      'agent-1',
      'agent-2',
      'agent-3',
      'agent-4',
      'agent-42',
      '▸ 54 more agents',
    ]);
    expect(rows.at(-1)?.bars).toHaveLength(54);
    expect(placesOf(rows).get('agent-59')).toBe(7);
    expect(placesOf(rows).get('agent-42')).toBe(6);
  });

  test('what was chosen has a row too', () => {
    const rows = foldedLanes({ lanes: crowd, path }, false, ({ id }) => id === 'agent-50');
    expect(names(rows)).toContain('agent-50');
    expect(names(rows).at(-1)).toBe('▸ 53 more agents');
  });

  test('opens to all of them, and closes again', () => {
    const rows = foldedLanes({ lanes: crowd, path }, true, () => false);
    expect(names(rows)).toEqual([...names(crowd), '▾ fewer agents']);
  });

  test('is not folded for one more row', () => {
    const few = crowd.slice(0, 8);
    expect(foldedLanes({ lanes: few, path }, false, () => false)).toBe(few);
  });
});
