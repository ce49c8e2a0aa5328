import { expect, test } from 'vitest';
import { isOpenEnded } from '../../src/io/sources.js';

const pipe = { isTTY: false, isFile: false };
const file = { isTTY: false, isFile: true };
const keyboard = { isTTY: true, isFile: false };

test.each<[files: string[], stdin: typeof pipe, expected: boolean]>([
  [[], pipe, true],
  [[], file, false],
  [[], keyboard, false],
  [['-'], pipe, true],
  [['/dev/stdin'], file, false],
  [['package.json'], pipe, false],
  [['package.json', '-'], pipe, true],
  [['no-such-file'], pipe, false],
  [['/dev/null'], file, true],
])('%j with stdin %j: more may come is %j', (files, stdin, expected) => {
  const open = () => ({ ok: false, problem: 'not asked for' }) as const;
  expect(isOpenEnded(files, { ...stdin, open })).toBe(expected);
});
