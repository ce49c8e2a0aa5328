import { Chalk } from 'chalk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { teamFrame } from '../../../../src/commands/teams/cards.js';
import type { TeamPicture } from '../../../../src/commands/teams/picture.js';
import { asciiGlyphs, unicodeGlyphs } from '../../../../src/view/glyphs.js';
import { displayWidth, noPaint } from '../../../../src/view/text.js';
import { check } from '../../../laws/check.js';
import { hostileText } from '../../../view/hostile.js';
import { picturesAfter } from './pictures.js';

const look = { width: 100, height: Number.POSITIVE_INFINITY, paint: noPaint, glyphs: unicodeGlyphs };

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
    const frame = teamFrame(picturesAfter('seed-000-swarm.ndjson'), { ...look, glyphs: asciiGlyphs });
    expect(frame.join('\n')).toMatch(/^[\x20-\x7e\n…]*$/);
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot('team-ascii.txt');
  });
});

describe('frames that do not fit', () => {
  const heights = [24, 16, 12, 8, 5, 3, 1];
  test('shrink to a list, then leave out who is done, then end', async () => {
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
      for (const glyphs of [unicodeGlyphs, asciiGlyphs]) {
        const plain = teamFrame(hostile, { ...size, glyphs, paint: noPaint });
        expect(plain.length).toBeLessThanOrEqual(size.height);
        for (const line of plain) expect(displayWidth(line)).toBeLessThanOrEqual(size.width);
        expect(plain.join('')).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200b]/u);
        const painted = teamFrame(hostile, { ...size, glyphs, paint: new Chalk({ level: 1 }) });
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
