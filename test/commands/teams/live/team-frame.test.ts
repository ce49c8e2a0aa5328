import { Chalk } from 'chalk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { teamFrame } from '../../../../src/commands/teams/cards.js';
import type { TeamPicture } from '../../../../src/commands/teams/picture.js';
import { asciiSigns, noPaint, unicodeSigns } from '../../../../src/view/signs.js';
import { displayWidth } from '../../../../src/view/text.js';
import { check } from '../../../laws/check.js';
import { textOf } from '../../../lib/read-fixture.js';
import { stepsOf } from '../../../steps.js';
import { hostileText } from '../../../view/hostile.js';
import { picturesAfter, picturesOf } from './pictures.js';

const local = (time: string) => time.slice(0, 19);
const look = { width: 100, height: Number.POSITIVE_INFINITY, paint: noPaint, glyphs: unicodeSigns, local };

/** What a user interface has to show of a team, by the document this project began with. */
const scenarios: [what: string, lines: number][] = [
  ['a teammate is spawned: a new card with its colour and model', 4],
  ['a broadcast: a banner with its recipients', 8],
  ['a shutdown request is acknowledged: its card says so', 10],
  ['a cleanup fails: the team is active, and the error is shown', 11],
  ['a result: a card for the session', 13],
];

describe('frames', () => {
  test.each([60, 100, 160])('the five scenarios, %i columns wide', async (width) => {
    const frames = scenarios.map(([what, lines]) => {
      const frame = teamFrame(picturesAfter('seed-000-swarm.ndjson', lines), { ...look, width });
      return `# ${what}\n${frame.join('\n')}\n`;
    });
    await expect(frames.join('\n')).toMatchFileSnapshot(`scenarios-${width}.txt`);
  });

  test.each([60, 100, 160])('a real team at its end, %i columns wide', async (width) => {
    const frame = teamFrame(picturesAfter('team-2.1.325.ndjson'), { ...look, width });
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(`team-${width}.txt`);
  });

  test('a real team at work, in colour', async () => {
    const frame = teamFrame(picturesAfter('team-2.1.140.ndjson', 30), { ...look, paint: new Chalk({ level: 1 }) });
    await expect(`${frame.join('\n').replaceAll('\x1b', '\\e')}\n`).toMatchFileSnapshot('team-color.txt');
  });

  test('in ASCII', async () => {
    const frame = teamFrame(picturesAfter('seed-000-swarm.ndjson'), { ...look, glyphs: asciiSigns });
    expect(frame.join('\n')).toMatch(/^[\x20-\x7e\n…]*$/);
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot('team-ascii.txt');
  });
});

describe('frames of a live view', () => {
  const chalk = new Chalk({ level: 1 });
  const live = (minutes: number) => ({
    ...look,
    time: { now: minutes * 60_000, silenceLimit: Number.POSITIVE_INFINITY },
  });
  const working = (lines: number, everyMs: number) =>
    picturesOf(textOf('parallel-subagents.ndjson').split('\n').slice(0, lines).join('\n'), false, everyMs);

  test('have a clock, the age of all open calls, and how long each agent has been silent', async () => {
    const frames = [80, 120].map((width) => {
      const frame = teamFrame(working(10, 10_000), { ...live(4), width });
      return `# ${width} columns\n${frame.join('\n')}\n`;
    });
    await expect(frames.join('\n')).toMatchFileSnapshot('working.txt');
  });

  test.each([
    ['dim', 1, Number.POSITIVE_INFINITY],
    ['yellow', 4, Number.POSITIVE_INFINITY],
    ['red', 9, Number.POSITIVE_INFINITY],
    ['red', 4, 30_000],
  ] as const)(
    'show a silence in %s after %i minutes, where reading ends after %d ms',
    (color, minutes, silenceLimit) => {
      const silent = silences(
        teamFrame(working(14, 1000), { ...live(minutes), time: { now: minutes * 60_000, silenceLimit }, paint: chalk }),
      );
      expect(silent).toContain(chalk[color]('x').split('x')[0]);
    },
  );

  test('show nothing of the kind for who waits for other agents, or has ended', () => {
    const frame = teamFrame(working(10, 10_000), { ...live(60), paint: chalk });
    expect(frame.join('\n')).toContain(chalk.dim('waiting 58m 30s'));
    const ended = teamFrame(picturesOf(textOf('parallel-subagents.ndjson'), true, 10_000), live(60));
    expect(ended.join('\n')).not.toMatch(/silent|waiting/);
    // A stream that goes on after a result: the lead waits for a prompt.
    const between = teamFrame(picturesOf(textOf('parallel-subagents.ndjson'), false, 10_000), live(60));
    expect(between.join('\n')).not.toMatch(/silent|waiting/);
  });

  test('show an agent of which nothing but the beginning is in the stream without alarm', () => {
    const pictures = picturesOf(textOf('team-2.1.140.ndjson').split('\n').slice(0, 30).join('\n'), false, 1000);
    const heard = pictures.flatMap(({ cards }) => cards.map(({ member, heard }) => [member.name, heard?.spoke]));
    expect(heard).toEqual([
      ['team-lead', true],
      ['researcher', false],
      ['writer', false],
    ]);
    const colors = silences(teamFrame(pictures, { ...live(6), width: 160, paint: chalk }));
    expect(colors).toEqual(['\x1b[31m', '\x1b[2m', '\x1b[2m']);
  });

  test('show a session without agents with its list, its last calls and its cost', async () => {
    const frames = [80, 120].map(
      (width) =>
        `# ${width} columns\n${teamFrame(picturesOf(listed, false, 10_000), { ...live(3), width }).join('\n')}\n`,
    );
    await expect(frames.join('\n')).toMatchFileSnapshot('alone.txt');
  });

  test('show the first of many open calls, and how many there are', () => {
    const ids = Array.from({ length: 30 }, (_, at) => `t${at}`);
    const pictures = picturesOf(
      ids.map((id) => use(id, 'Bash', { command: `sleep ${id}` }, 'm1')).join(''),
      false,
      1000,
    );
    const frame = teamFrame(pictures, { ...live(1), width: 60 });
    expect(frame.filter((line) => line.includes('Bash'))).toHaveLength(5);
    expect(frame.join('\n')).toContain('… 25 more open');
    const list = teamFrame(pictures, { ...live(1), width: 64, height: 4 });
    expect(list.join('\n')).toMatch(/59s Bash sleep t0 · 58s Bash/);
  });

  test('take no more than in proportion longer for more agents', () => {
    const [few = 0, twice = 0, most = 0] = [100, 200, 400].map((count) => {
      const text = crowd(count);
      return stepsOf(() => teamFrame(picturesOf(text, false, 10), { ...live(1), height: 50 }));
    });
    // In proportion, 200 more agents take twice as many steps as 100 more. By the square they take four times as many.
    expect((most - twice) / (twice - few)).toBeLessThan(2.1);
  });
});

describe('frames that do not fit', () => {
  const heights = [28, 24, 16, 12, 8, 5, 3, 1];
  test('shrink to a list of two lines each, then of one, then leave out who is done, then end', async () => {
    const crowd = crowded(picturesAfter('team-2.1.325.ndjson', 60), 9);
    const frames = heights.map((height) => `# height ${height}\n${teamFrame(crowd, { ...look, height }).join('\n')}\n`);
    await expect(frames.join('\n')).toMatchFileSnapshot('heights.txt');
  });

  test('leave nobody out when they may scroll', () => {
    const crowd = crowded(picturesAfter('team-2.1.325.ndjson', 60), 40);
    const frame = teamFrame(crowd, { ...look, height: 20 }, { whole: true });
    for (const { member } of crowd[0]?.cards ?? []) expect(frame.some((line) => line.includes(member.name))).toBe(true);
  });

  test('never exceed the size, whatever is said in them, and hold nothing a terminal obeys', () => {
    const real = [picturesAfter('seed-000-swarm.ndjson'), picturesAfter('team-2.1.325.ndjson', 70)];
    const size = fc.record({ width: fc.integer({ min: 1, max: 200 }), height: fc.integer({ min: 1, max: 60 }) });
    const shown = fc.record({
      size,
      pictures: fc.constantFrom(...real),
      texts: fc.array(hostileText, { minLength: 1 }),
    });
    const holds = fc.property(shown, ({ size, pictures, texts }) => {
      const hostile = withTexts(pictures, texts);
      for (const glyphs of [unicodeSigns, asciiSigns]) {
        const plain = teamFrame(hostile, { ...look, ...size, glyphs });
        expect(plain.length).toBeLessThanOrEqual(size.height);
        for (const line of plain) expect(displayWidth(line)).toBeLessThanOrEqual(size.width);
        expect(plain.join('')).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200b]/u);
        const painted = teamFrame(hostile, { ...look, ...size, glyphs, paint: new Chalk({ level: 1 }) });
        const bare = painted.map((line) => line.replaceAll(/\x1b\[\d+m/g, '').trimEnd());
        expect(bare).toEqual(plain.map((line) => line.trimEnd()));
      }
    });
    check(holds, 25);
  });
});

/** The same team with more agents, most of which are done. */
function crowded(pictures: readonly TeamPicture[], count: number): TeamPicture[] {
  return pictures.map((picture) => {
    const [lead, ...others] = picture.cards;
    const more = Array.from({ length: count }, (_, index) => {
      const card = others[index % others.length];
      if (card === undefined) throw new Error('the team has nobody but its lead');
      const status = index % 3 === 0 ? ('active' as const) : ('finished' as const);
      return { ...card, member: { ...card.member, name: `${card.member.name}-${index + 1}`, status } };
    });
    return { ...picture, cards: lead === undefined ? more : [lead, ...more] };
  });
}

/** Every text in it is another one, in turn. */
function withTexts<T>(value: T, texts: readonly string[]): T {
  let at = 0;
  const replaced = (one: unknown, key: string): unknown => {
    if (typeof one === 'string') return kept.has(key) ? one : texts[at++ % texts.length];
    if (Array.isArray(one)) return one.map((item) => replaced(item, key));
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, item]) => [name, replaced(item, name)]));
  };
  return replaced(value, '') as T;
}

/** Words of ours, not of the input. */
const kept = new Set(['status', 'kind', 'cost_source']);

/** The colours in which silences are shown. */
function silences(frame: readonly string[]): (string | undefined)[] {
  return [...frame.join('\n').matchAll(/(\x1b\[\d+m)silent/g)].map(([, color]) => color);
}

function use(id: string, name: string, input: object, message: string): string {
  const content = [{ type: 'tool_use', id, name, input }];
  return `${JSON.stringify({ type: 'assistant', session_id: 's', message: { id: message, model: 'claude-opus-4-6', content } })}\n`;
}

function done(id: string, tool_use_result: object = {}): string {
  const content = [{ type: 'tool_result', tool_use_id: id, content: 'ok' }];
  return `${JSON.stringify({ type: 'user', session_id: 's', message: { content }, tool_use_result })}\n`;
}

/** A session that keeps a list, and has two calls open. */
const todos = (active: number) => ({
  todos: ['Read the code', 'Fix the bug', 'Run the tests'].map((content, at) => ({
    content,
    activeForm: ['Reading the code', 'Fixing the bug', 'Running the tests'][at],
    status: at < active ? 'completed' : at === active ? 'in_progress' : 'pending',
  })),
});
const listed = [
  '{"type":"system","subtype":"init","session_id":"s","model":"claude-opus-4-6"}\n',
  use('t1', 'TodoWrite', todos(0), 'm1'),
  done('t1'),
  use('t2', 'Read', { file_path: 'src/a.ts' }, 'm2'),
  done('t2'),
  use('t3', 'TodoWrite', todos(1), 'm3'),
  done('t3'),
  use('t4', 'Bash', { command: 'npm test' }, 'm4'),
  use('t5', 'Bash', { command: 'npm run lint' }, 'm4'),
].join('');

/** So many agents at work. */
function crowd(count: number): string {
  const ids = Array.from({ length: count }, (_, at) => `t${at}`);
  const spawn = ids.map((id) => use(id, 'Task', { description: `Part ${id}`, subagent_type: 'x', prompt: 'p' }, 'm1'));
  const work = ids.map((id) => {
    const content = [{ type: 'tool_use', id: `${id}b`, name: 'Bash', input: { command: 'ls' } }];
    const message = { id: `m${id}`, content, usage: { input_tokens: 1, output_tokens: 1 } };
    return `${JSON.stringify({ type: 'assistant', session_id: 's', parent_tool_use_id: id, message })}\n`;
  });
  return [...spawn, ...work].join('');
}
