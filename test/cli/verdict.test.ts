// One run with a team, tasks, messages and usage, so that every command has something to show.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cct } from '../run.js';

const lines = readFileSync('fixtures/sessions/team-2.1.39.ndjson', 'utf8').trimEnd().split('\n');
const good = lines.join('\n');
const [init = '', last = ''] = [lines[0], lines.at(-1)];
const before = lines.slice(0, -1).join('\n');

/** The same run with another result. */
const ending = (change: object) => `${before}\n${JSON.stringify({ ...JSON.parse(last), ...change })}\n`;
const failed = ending({ is_error: true });
const nextTurn = JSON.stringify({ ...JSON.parse(init), uuid: 'next' });
const again = (result: object) => `${nextTurn}\n${JSON.stringify({ ...JSON.parse(last), uuid: 'again', ...result })}\n`;
const elsewhere = (text: string) => text.replaceAll(/"(session_id|uuid)":"/g, '$&other-');

const commands = [
  'normalize',
  'teams',
  'teams --members',
  'tasks',
  'messages',
  'messages --settled',
  'usage',
  'usage --by agent',
  'calls',
  'sessions',
  'trace',
];

describe.each(commands)('cct %s', (line) => {
  test.each<[code: number, what: string, words: string, stdin: string]>([
    [0, 'a good run', '-e', good],
    [0, 'a failed run, not asked', '', failed],
    [1, 'is_error with subtype success', '-e', failed],
    [1, 'error_max_turns', '-e', ending({ subtype: 'error_max_turns' })],
    [1, 'error_during_execution', '-e', ending({ subtype: 'error_during_execution' })],
    [1, 'error_max_budget_usd', '-e', ending({ subtype: 'error_max_budget_usd' })],
    [1, 'an error subtype nobody knows yet', '-e', ending({ subtype: 'error_of_tomorrow' })],
    [0, 'an error that the next turn made good', '-e', failed + again({})],
    [1, 'an error after a good turn', '-e', `${good}\n${again({ is_error: true })}`],
    [1, 'a failed run beside a good one', '-e', `${good}\n${elsewhere(failed)}`],
    [1, 'no result', '-e', before],
    [1, 'no result of the last turn', '-e', `${good}\n${nextTurn}`],
    [0, 'no result, not asked', '', before],
    [1, 'nothing at all', '-e', ''],
    [1, 'nothing of the one asked for', '-e --session nobody', good],
    [0, 'nothing of the one asked for, not asked', '--session nobody', good],
    [0, 'damage', '-e', `${good}\n{"type":`],
    [4, 'damage, strict', '--strict', `${good}\n{"type":`],
    [4, 'damage and a failed run, strict', '--strict -e', `{"type":\n${failed}`],
    [1, 'a failed run, strict', '--strict -e', failed],
    [0, 'noise, strict', '--strict -e', `npm warn\n${good}`],
    [2, 'a file that is not there, and a failed run', '-e nosuch -', failed],
  ])('%i: %s', async (code, _what, words, stdin) => {
    const ran = await cct([...line.split(' '), ...words.split(' ').filter((word) => word !== '')], stdin);
    expect(ran.code, ran.stderr).toBe(code);
  });
});

describe('an audit answers for itself', () => {
  const quiet = readFileSync('fixtures/sessions/one-shot.ndjson', 'utf8');
  test.each<[code: number, what: string, words: string, stdin: string]>([
    [0, 'no finding', 'audit --of messages -e', quiet],
    [
      0,
      'no finding in a run that failed',
      'audit --of messages -e',
      quiet.replace('"is_error":false', '"is_error":true'),
    ],
    [0, 'problems, not asked', 'audit --of teams', before],
    [4, 'damage, strict', 'audit --of messages -e --strict', `${quiet}{"type":`],
  ])('%i: %s', async (code, _what, words, stdin) => {
    expect((await cct(words.split(' '), stdin)).code).toBe(code);
  });
});
