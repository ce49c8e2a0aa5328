import fc from 'fast-check';
import type { Row } from '../../src/view/formats.js';

/** What agents have put, or could put, into a cell. */
export const nasty = [
  '\x1b[31mred\x1b[0m',
  '\x1b]8;;https://example.com\x07link\x1b]8;;\x07',
  '\x9b2J',
  '\u202eevil\u202c',
  '\u2066isolated\u2069',
  '\u200b\u200c\u200d\u2060\ufeff',
  '\u{e0041}\u{e007f}\u{e0100}',
  '\u2028\u2029\x85',
  'two\nlines\r\nthree\rfour',
  'a\tb',
  '\ud83d',
  '\udc00\ufe0f',
  '=HYPERLINK("https://example.com","x")',
  '+1',
  '-1+cmd',
  '@SUM(A1)',
  '| a | `b` | <script>alert(1)</script> & *c* _d_ [e](f) ~~g~~ \\|',
  '"quoted", and; not',
  '測試テスト한국어',
  '👩‍💻👍🏽🇩🇪❤️1️⃣',
  'e\u0301\u0301\u0301 Z\u0335\u0327a',
  '\u1100\u1161\u11a8ﾞ',
  '\u0600 1',
  '🏽🏽',
  '__proto__',
  '   ',
] as const;

export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...nasty),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ maxLength: 30 }),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.integer() },
  fc.double(),
  fc.boolean(),
  fc.array(hostileText, { maxLength: 3 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
  fc.record({ pending: fc.nat(), completed: fc.nat() }),
);

export const fields = [
  'name',
  'session_id',
  'status',
  'members',
  'content',
  'time',
  'total_tokens',
  'cost_usd',
  'duration_ms',
  'turn',
] as const;

export const hostileRow: fc.Arbitrary<Row> = fc.record(Object.fromEntries(fields.map((field) => [field, value])), {
  requiredKeys: [],
});

export const someFields: fc.Arbitrary<readonly string[]> = fc.uniqueArray(fc.constantFrom(...fields), { minLength: 1 });
