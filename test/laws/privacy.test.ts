// `normalize --anonymize | X` prints what `X --anonymize` prints, and so for --redact and --no-content.
import { describe, expect, test } from 'vitest';
import { cct } from '../run.js';
import { familiesOf } from './families.js';
import { broken, bytesOf, homes, type Input, sessions } from './inputs.js';
import { holds } from './law.js';
import { shareOf } from './laws.js';

const ways = [
  'usage --by agent,model',
  'usage --by message',
  'calls --by agent,tool',
  'calls --by call',
  'trace',
  'trace --by agent',
  'teams',
  'teams --members',
  'tasks --all',
  'messages',
  'messages --settled',
  'audit --of teams',
  'audit --of tasks',
  'audit --of messages',
  'audit',
];
const flags = ['--anonymize', '--anonymize --salt pepper', '--redact', '--redact --anonymize', '--no-content'];
const inputs = [...sessions, ...broken, ...familiesOf(() => true)];

/** With --no-content these still read what was written, to tell messages and calls apart and to measure them. */
const judges = (way: string, flag: string) => flag === '--no-content' && /^calls|^messages|audit/.test(way);

const run = async (line: string, given: string | Buffer) => (await cct(line.split(' '), given)).stdout;

describe.each(flags.map((flag, place) => ({ flag, place })))('$flag', ({ flag, place }) => {
  const some = shareOf('privacy: inputs', inputs, place);
  test.each(some.map((input, index) => ({ name: input.name, input, turn: index + place })))(
    '$name',
    ({ input, turn }) =>
      holds(input, async (each: Input) => {
        const given = bytesOf(each);
        const events = await run(`normalize ${flag}`, given);
        expect(await run(`normalize ${flag}`, events), 'twice').toBe(events);
        expect(await run('normalize', events), 'read back').toBe(events);
        for (const way of shareOf('privacy: commands', ways, turn))
          if (!judges(way, flag))
            expect(await run(way, events), `normalize before ${way}`).toBe(await run(`${way} ${flag}`, given));
      }),
  );

  test.each(shareOf('privacy: homes', homes, place))('$name, files in any order', async ({ name, parts }) => {
    const files = parts.map(({ path }) => `fixtures/${name}/${path}`);
    const rows = async (names: readonly string[]) =>
      run(['teams', '--members', ...flag.split(' '), ...names].join(' '), '');
    const lines = (text: string) => text.split('\n').sort();
    expect(lines(await rows([...files].reverse()))).toEqual(lines(await rows(files)));
  });
});
