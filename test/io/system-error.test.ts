import { expect, test } from 'vitest';
import { describeSystemError } from '../../src/io/exit.js';

test.each<[error: unknown, words: string]>([
  [Object.assign(new Error("ENOENT: no such file or directory, open '/x'"), { code: 'ENOENT' }), 'no such file'],
  [Object.assign(new Error('x'), { code: 'EUNHEARDOF' }), 'EUNHEARDOF'],
  [Object.assign(new Error('numbers are no codes'), { code: 7 }), 'numbers are no codes'],
  [new Error('plain'), 'plain'],
  ['text', 'text'],
])('%s', (error, words) => {
  expect(describeSystemError(error)).toBe(words);
});
