import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageStatuses } from '../../src/core/event/event.js';
import { isLost } from '../../src/core/tables/sends.js';
import { noPaint } from '../../src/view/signs.js';
import { paintWord, sanitize, sanitizeData } from '../../src/view/text.js';
import { hostileText } from './hostile.js';

describe('sanitize', () => {
  test.each([
    ['plain text', 'plain text'],
    ['', ''],
    ['Grüße, 世界, नमस्ते', 'Grüße, 世界, नमस्ते'],
    ['a\nb\r\nc\td', 'a\\nb\\r\\nc\\td'],
    ['\x1b[2Jgone\x07', '\\x1b[2Jgone\\x07'],
    ['\x1b]8;;https://example.com\x1b\\x', '\\x1b]8;;https://example.com\\x1b\\x'],
    ['\0\b\x7f', '\\x00\\x08\\x7f'],
    ['\x9b31m\x85', '\\x9b31m\\x85'],
    ['user\u202egnp.exe', 'user\\u202egnp.exe'],
    ['\u202a\u202b\u202c\u202d\u202e', '\\u202a\\u202b\\u202c\\u202d\\u202e'],
    ['\u2066\u2067\u2068\u2069', '\\u2066\\u2067\\u2068\\u2069'],
    ['\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
    ['\u200b\u200c\u200d\u2060\ufeff', '\\u200b\\u200c\\u200d\\u2060\\ufeff'],
    ['\u2028\u2029', '\\u2028\\u2029'],
    ['\u00ad\u3164\u180e\ufff9', '\\xad\\u3164\\u180e\\ufff9'],
    ['\u{e0001}\u{e0041}\u{e0100}', '\\u{e0001}\\u{e0041}\\u{e0100}'],
    ['\ud83d!', '\\ud83d!'],
    ['\udc00', '\\udc00'],
    ['👩‍💻', '👩\\u200d💻'],
    ['❤️ 1️⃣ 👍🏽 🇩🇪', '❤️ 1️⃣ 👍🏽 🇩🇪'],
    ['x\ufe0f \ufe0e', 'x\\ufe0f \\ufe0e'],
    ['e\u0301', 'e\u0301'],
    ['C:\\new', 'C:\\new'],
  ])('%j', (text, shown) => {
    expect(sanitize(text)).toBe(shown);
  });

  test('leaves nothing that acts, reorders or hides, and nothing to do twice', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = sanitize(text);
        expect(shown).not.toMatch(
          /[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u,
        );
        expect(() => encodeURIComponent(shown)).not.toThrow(); // no lone surrogate
        expect(sanitize(shown)).toBe(shown);
      }),
    );
  });
});

describe('sanitizeData', () => {
  test.each([
    ['two\nlines\r\nand\ttab', 'two\nlines\r\nand\ttab'],
    ['lone\rreturn', 'lone\\rreturn'],
    ['👩‍💻 می‌خواهم', '👩‍💻 می‌خواهم'],
    ['\x1b[0m\u202e\u200b\ud83d', '\\x1b[0m\\u202e\\u200b\\ud83d'],
  ])('%j', (text, shown) => {
    expect(sanitizeData(text)).toBe(shown);
  });
});

// A word without a colour is not seen in a table.
test.each(messageStatuses.filter((status) => isLost({ status })))('a message that is %s is red', (status) => {
  expect(paintWord({ ...noPaint, red: (text) => `red ${text}` }, status)).toBe(`red ${status}`);
});
