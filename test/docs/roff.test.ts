import { expect, test } from 'vitest';
import { bold, literal, man, prose, section, tagged } from '../../src/cli/docs/man.js';

test.each([
  ['a-b', 'a\\-b'],
  ['back\\slash', 'back\\eslash'],
  ['it\'s "so"', 'it\\(aqs \\(dqso\\(dq'],
  ['.dot first', '\\&.dot first'],
  ['a .dot', 'a .dot'],
  ['"…"', '\\(dq...\\(dq'],
])('%s is printed as it is', (text, roff) => {
  expect(literal(text)).toBe(roff);
});

test.each([
  ['One. Two.', 'One.\nTwo.'],
  ['See .profile', 'See .profile'],
  [`${'word '.repeat(16)}.dot`, `${'word '.repeat(16).trim()}\n\\&.dot`],
])('prose: %s', (text, roff) => {
  expect(prose(text)).toBe(roff);
});

test('a page', () => {
  const page = man(
    { name: 'cct-x', released: '2026-01-02', version: '1.2.3' },
    section('NAME', literal('cct-x - y')),
    undefined,
    section('OPTIONS', tagged(bold('-q'), prose('be quiet')), '.PP'),
  );
  expect(page).toBe(`.\\" Made from the source by test/man.test.ts; do not edit.
.TH CCT\\-X 1 "2026-01-02" "cct 1.2.3" "cct manual"
.SH NAME
cct\\-x \\- y
.SH OPTIONS
.TP
\\fB\\-q\\fR
be quiet
`);
});
