import { describe, expect, test } from 'vitest';
import { startedEvent } from '../../../src/commands/run/events.js';
import { eventSchema } from '../../../src/lib.js';
import { isTurn } from '../../effort.js';
import { bytesOf, sessions } from '../../laws/inputs.js';
import { readText } from '../../laws/reading.js';
import { cct } from '../../run.js';

const time = '2026-11-17T10:00:00.000Z';
const started = (words: string, env = {}) => startedEvent(words.split(' '), {}, env, time);

describe('the command without its prompt', () => {
  test.each([
    ['claude -p secret --model opus --verbose', ['claude', '-p', '--model', 'opus', '--verbose']],
    ['/usr/bin/claude --print secret', ['claude', '--print']],
    ['claude secret --output-format stream-json', ['claude', '--output-format', 'stream-json']],
    ['claude --model=opus -p -- secret', ['claude', '--model=opus', '-p']],
    [
      'claude --append-system-prompt=secret --mcp-config secret -p',
      ['claude', '--append-system-prompt', '--mcp-config', '-p'],
    ],
    ['claude --model --verbose -secret= -5', ['claude', '--model', '--verbose', '-secret']],
    ['sh -c secret', ['sh', '-c']],
  ])('%s', (words, expected) => {
    expect(started(words).command).toEqual(expected);
  });
});

describe('where it ran', () => {
  test.each([
    [{}, { ci: null, workflow: null, run_id: null, commit: null, pull_request: null }],
    [{ CI: 'false' }, { ci: null }],
    [{ CI: '1' }, { ci: 'unknown' }],
    [
      {
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKFLOW: 'w',
        GITHUB_RUN_ID: '7',
        GITHUB_SHA: 'abc',
        GITHUB_REF: 'refs/heads/12',
      },
      { ci: 'github-actions', workflow: 'w', run_id: '7', commit: 'abc', pull_request: null },
    ],
    [{ GITHUB_ACTIONS: 'true', GITHUB_REF: 'refs/pull/12/merge' }, { pull_request: '12' }],
    [
      { GITLAB_CI: 'true', CI_PIPELINE_ID: '8', CI_MERGE_REQUEST_IID: '3' },
      { ci: 'gitlab', run_id: '8', pull_request: '3' },
    ],
    [
      { CIRCLECI: 'true', CIRCLE_PULL_REQUEST: 'https://example.org/a/b/pull/44' },
      { ci: 'circleci', pull_request: '44' },
    ],
    [
      { BUILDKITE: 'true', BUILDKITE_PULL_REQUEST: 'false' },
      { ci: 'buildkite', pull_request: null },
    ],
    [
      { TRACEPARENT: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
      { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    ],
    [{ TRACEPARENT: 'anything' }, { traceparent: null }],
  ])('%j', (env, expected) => {
    expect(started('claude', env)).toMatchObject(expected);
  });
});

test('is an event like any other: it has its schema, and is read back as it is', () => {
  const event = startedEvent(['claude', '-p', 'x'], { a: 'b' }, {}, time);
  expect(eventSchema('run:started').safeParse(event).success).toBe(true);
  const { events } = readText(`${JSON.stringify(event)}\n`);
  expect(events).toEqual([event]);
});

describe('in front of a stream it changes no row, whatever its time is', () => {
  const ways = [
    ...['teams', 'teams --members', 'tasks --all', 'messages', 'messages --settled', 'audit --of messages'],
    ...['usage --by message', 'usage --by session,agent'],
  ];
  test.each(ways.map((way, place) => ({ way, place })))('$way', async ({ way, place }) => {
    const rowsOf = async (text: string) =>
      (await cct([...way.split(' '), '-f', 'ndjson'], text)).stdout.replace(/"line":\d+/g, '');
    for (const input of sessions.filter((_, index) => isTurn(index, ways.length, place))) {
      const text = bytesOf(input).toString();
      const rows = await rowsOf(text);
      for (const at of ['2020-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z']) {
        const event = startedEvent(['claude'], {}, {}, at);
        expect(await rowsOf(`${JSON.stringify(event)}\n${text}`), `${input.name}, ${at}`).toBe(rows);
      }
    }
  });
});
