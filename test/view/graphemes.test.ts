import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clip, cut, displayWidth } from '../../src/view/text.js';
import { hostileText } from './hostile.js';

// Long texts are measured piece by piece; where a piece ends must not show.
const whole = new Intl.Segmenter('en', { granularity: 'grapheme' });
const pieces = ['👩‍💻', '👍🏽', '🇩🇪', 'e\u0301\u0327', '測', 'a', '각', '\u{e0041}', '\ud83d', 'क्षि', '✅'];

test.each(pieces)('%j at every place of a long text is as wide as alone', (grapheme) => {
  const alone = displayWidth(grapheme);
  for (let before = 240; before < 270; before += 1)
    expect(displayWidth(`${'x'.repeat(before)}${grapheme}${'y'.repeat(300)}`)).toBe(before + alone + 300);
});

test('flags are pairs, however long the row of them', () => {
  expect(displayWidth('🇩🇪'.repeat(1000))).toBe(2000);
});

test('a grapheme longer than any piece is one', () => {
  const long = `e${'\u0301'.repeat(5000)}`;
  expect(displayWidth(`${long}${long}✅x`)).toBe(5);
  expect(cut(`${long}${long}✅x`, 2)).toBe(`${long}…`);
});

test('cut where a grapheme of the whole text ends', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(hostileText, fc.constantFrom(...pieces)), { maxLength: 200 }),
      fc.nat(900),
      (texts, width) => {
        const text = texts.join('');
        const shown = clip(text, width).text;
        if (shown === text || shown === '') return;
        const boundaries = new Set([...whole.segment(text)].map(({ index }) => index));
        expect(boundaries).toContain(shown.length - 1);
      },
    ),
    { numRuns: 100 },
  );
});
