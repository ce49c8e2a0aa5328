// Everything the page can show went through the same doors as other output: its events, findings, tables and story.
import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { FindingRow } from '../../../src/commands/audit/row.js';
import { lanesOf } from '../../../src/commands/report/lanes.js';
import { Playback } from '../../../src/commands/report/playback.js';
import { askedIn, storyOf, textsOf } from '../../../src/commands/report/story.js';
import type { Event } from '../../../src/core/event/event.js';
import { isObject, parseJson } from '../../json.js';
import { cct } from '../../run.js';

const secret = `ghp_${'a1B2c3D4'.repeat(5).slice(0, 36)}`;
const home = '/home/alice/acme-billing';
const word = 'quokka';

/** Says the word, the secret and the path in every place where a session has text. */
const input = (() => {
  const said = (place: string) => `${word} ${place}: token ${secret} in ${home}/src/price.ts`;
  let number = 0;
  const record = (type: string, content: unknown, more: object = {}) => ({
    type,
    session_id: '11111111-2222-4333-8444-555555555555',
    uuid: `u${number}`,
    timestamp: new Date(Date.UTC(2026, 10, 1) + 1000 * number++).toISOString(),
    message: { id: `m${number}`, role: type, model: 'claude-opus-4-6', content },
    ...more,
  });
  const use = (id: string, name: string, value: object) =>
    record('assistant', [{ type: 'tool_use', id, name, input: value }]);
  const back = (id: string, content: string, result: unknown, is_error = false) =>
    record('user', [{ type: 'tool_result', tool_use_id: id, content, is_error }], { tool_use_result: result });
  return [
    record('user', said('prompt')),
    record('assistant', [{ type: 'thinking', thinking: said('thinking') }]),
    record('assistant', [{ type: 'text', text: `# ${said('text')}` }]),
    use('t1', 'Bash', { command: `cat ${home}/x # ${said('command')}` }),
    back('t1', said('output'), { stdout: said('stdout'), stderr: said('stderr') }),
    use('t2', 'Edit', { file_path: `${home}/a.ts`, old_string: said('old'), new_string: said('new') }),
    back('t2', said('edited'), { structuredPatch: [{ lines: [`-${said('minus')}`, `+${said('plus')}`] }] }),
    use('t3', 'Bash', { command: said('failing') }),
    back('t3', `Exit code 1\n${said('error')}`, `Error: ${said('error')}`, true),
    use('t4', 'TaskCreate', { subject: said('subject'), description: said('description') }),
    back('t4', 'Task #1 created successfully', { task: { id: '1', subject: said('subject') } }),
    use('t5', 'SendMessage', { to: 'nobody', summary: said('summary'), message: said('message') }),
    back('t5', said('refused'), `Error: ${said('refused')}`, true),
  ]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('');
})();

/** All texts of a page: of its story and its head, and its HTML. */
async function textsOfPage(...flags: readonly string[]): Promise<string> {
  const { stdout } = await cct(['report', ...flags], input);
  const packed = /id="events">([^<]*)</.exec(stdout)?.[1] ?? '';
  const json = inflateSync(Buffer.from(packed, 'base64')).toString();
  const events = json
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Event);
  const settings = parseJson(/id="settings">(.*?)<\/script>/.exec(stdout)?.[1] ?? '');
  const findings = (isObject(settings) ? settings['findings'] : []) as FindingRow[];
  const playback = new Playback(events);
  const { entries } = storyOf(events, playback, findings, lanesOf(playback));
  expect(entries.length).toBeGreaterThan(5);
  const told = entries.flatMap(textsOf).join('\n');
  return [told, askedIn(playback.moments).get(events[0]?.session_id ?? null), json, stdout.replace(packed, '')].join(
    '\n',
  );
}

test('without flags, all of it is there', async () => {
  const text = await textsOfPage();
  for (const place of ['prompt', 'thinking', 'text', 'command', 'stdout', 'minus', 'plus', 'error', 'message'])
    expect(text).toContain(`${word} ${place}: token ${secret}`);
});

test('--no-content leaves no word', async () => {
  const text = await textsOfPage('--no-content');
  expect(text).not.toContain(word);
  expect(text).not.toContain(secret);
});

test('--redact leaves no secret', async () => {
  const text = await textsOfPage('--redact');
  expect(text).toContain(word);
  expect(text).not.toContain(secret);
});

test('--anonymize leaves no path', async () => {
  const text = await textsOfPage('--anonymize');
  expect(text).toContain(word);
  expect(text).not.toContain('alice');
  expect(text).not.toContain('acme-billing');
});
