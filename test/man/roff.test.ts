import { expect, test } from 'vitest';
import { released, version } from '../../src/version.js';
import { bold, literal, man, prose, section, tagged } from './man.js';

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
  const page = man('cct-x(7)', 'y-z', undefined, section('OPTIONS', tagged(bold('-q'), prose('be quiet')), '.PP'));
  expect(page).toBe(`.\\" Made from the source by test/man.test.ts; do not edit.
.TH CCT\\-X 7 "${released}" "cct ${version}" "cct manual"
.SH NAME
cct\\-x \\- y\\-z
.SH OPTIONS
.TP
\\fB\\-q\\fR
be quiet
`);
});
