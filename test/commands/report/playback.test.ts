// Where a page places what has no time of its own.
import { describe, expect, test } from 'vitest';
import { Playback } from '../../../src/commands/report/playback.js';
import { openInput } from '../../../src/commands/report/summary.js';
import { homes, type Input, sessions } from '../../laws/inputs.js';
import { readAll } from '../../laws/reading.js';

function playbackOf(name: string): Playback {
  const input = [...homes, ...sessions].find((one: Input) => one.name === name);
  return new Playback(readAll(input?.parts ?? []).events);
}

describe('a home with agents', () => {
  test.each(['team-2.1.140', 'grow-2.1.325', 'turn-without-head-2.1.140', 'workflow-2.1.326'])(
    '%s is to scale',
    (name) => {
      expect(playbackOf(`files/${name}`).isToScale).toBe(true);
    },
  );

  test('its agents begin when they begin, whatever their meta files say', () => {
    const playback = playbackOf('files/grow-2.1.325');
    const begins = playback.snapshot(playback.countAt(0)).teams.flatMap(({ members }) => members);
    expect(playback.end.teams.flatMap(({ members }) => members).length).toBeGreaterThan(3);
    expect(begins.filter(({ kind }) => kind === 'subagent')).toEqual([]);
  });
});

test('a stream without times has those of its transcripts', () => {
  const found = (name: string) => [...homes, ...sessions].find((one: Input) => one.name === name)?.parts ?? [];
  const stream = found('sessions/team-2.1.39.ndjson').map((part) => ({ ...part, path: 'stream.ndjson' }));
  const { events } = readAll([...found('files/team-2.1.39'), ...stream]);
  const { isToScale, moments, traces } = new Playback(events);
  expect(isToScale).toBe(true);
  const streamed = moments.filter(({ event }) => event.source === 'stream.ndjson' && event.event === 'tool:called');
  expect(streamed.length).toBeGreaterThan(5);
  const spans = new Map(
    traces.flatMap(({ root, actors }) =>
      actors.flatMap(({ calls }) => calls.map(({ call, start }) => [call?.id, start - root.start] as const)),
    ),
  );
  for (const { at, event } of streamed) if ('tool_use_id' in event) expect(at).toBe(spans.get(`${event.tool_use_id}`));
});

test('the clock starts with the run, and is as long as it', () => {
  const { moments, length, traces } = playbackOf('files/workflow-2.1.326');
  const [{ root }] = traces as [(typeof traces)[0]];
  expect(moments[0]?.at).toBe(0);
  expect(length).toBe(root.end - root.start);
});

test('a message that never left stands at its call, not at the beginning', () => {
  const { messages } = playbackOf('sessions/killed-midway.ndjson');
  expect(messages).toHaveLength(2);
  for (const { at } of messages) expect(at).toBeGreaterThan(0);
});

test('a run without times took as long as its result says', () => {
  const found = sessions.find(({ name }) => name === 'sessions/parallel-subagents-2.1.39.ndjson');
  const { figures, playback } = openInput(readAll(found?.parts ?? []).events, []);
  expect(playback.isToScale).toBe(false);
  expect(figures.map(({ ms }) => ms)).toEqual([1586]);
});
