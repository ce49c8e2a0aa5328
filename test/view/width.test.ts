import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cut, displayWidth, sanitize } from '../../src/view/text.js';
import { hostileText } from './hostile.js';

describe('displayWidth', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['Grüße', 5],
    ['世界', 4],
    ['ｆｕｌｌ', 8],
    ['ﾊﾝｶｸ', 4],
    ['e\u0301', 1],
    ['Z\u0335\u0327\u0301a', 2],
    ['\u0301', 0],
    ['한글', 4],
    ['\u1112\u1161\u11ab', 2],
    ['👍', 2],
    ['👍🏽', 2],
    ['👩‍💻', 2],
    ['👨‍👩‍👧‍👦', 2],
    ['🇩🇪🇫🇷', 4],
    ['❤', 1],
    ['❤️', 2],
    ['1️⃣', 2],
    ['…', 1],
    ['\u{20000}', 2],
  ])('%j is %i wide', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('is the same with and without an emoji further on, which makes every grapheme be looked for', () => {
    const wrong: string[] = [];
    for (let code = 0x20; code < 0xd800; code += 1) {
      const text = sanitize(String.fromCharCode(code));
      if (displayWidth(`${text} 👍🏽`) !== displayWidth(text) + 3) wrong.push(`U+${code.toString(16)}`);
    }
    expect(wrong).toEqual([]);
    const text = fc.string({ unit: fc.constantFrom(...'aé…Жあア世、한！ -©') });
    fc.assert(fc.property(text, (text) => displayWidth(`${text} 👍🏽`) === displayWidth(text) + 3));
  });
});

describe('cut', () => {
  test.each([
    ['hello', 5, 'hello'],
    ['hello', 4, 'hel…'],
    ['hello', 1, '…'],
    ['hello', 0, ''],
    ['\u{119d1}', 0, '\u{119d1}'],
    ['', 3, ''],
    ['世界平和', 8, '世界平和'],
    ['世界平和', 7, '世界平…'],
    ['世界平和', 6, '世界…'],
    ['世', 1, '…'],
    ['a👍🏽b', 3, 'a…'],
    ['a👍🏽b', 4, 'a👍🏽b'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['🇩🇪🇫🇷', 3, '🇩🇪…'],
    ['any length', Number.POSITIVE_INFINITY, 'any length'],
  ])('%j to %d', (text, width, shown) => {
    expect(cut(text, width)).toBe(shown);
  });

  test('never exceeds the width, keeps what fits, and ends at a whole grapheme', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(hostileText.map(sanitize), fc.nat({ max: 60 }), (text, width) => {
        const shown = cut(text, width);
        expect(displayWidth(shown)).toBeLessThanOrEqual(width);
        if (displayWidth(text) <= width) expect(shown).toBe(text);
        else if (width > 0) {
          const kept = shown.slice(0, -1);
          const ends = [...segmenter.segment(text)].map(({ index }) => index);
          expect(shown.endsWith('…')).toBe(true);
          expect(text.startsWith(kept)).toBe(true);
          expect(ends).toContain(kept.length);
        }
      }),
    );
  });
});
