import { expect, test } from 'vitest';
import { hasUnicode } from '../../src/io/streams.js';

test.each<[env: Record<string, string>, expected: boolean]>([
  [{}, true],
  [{ LANG: 'C' }, true],
  [{ LC_ALL: 'C' }, false],
  [{ LANG: 'de_DE.UTF-8', LC_ALL: 'POSIX' }, false],
  [{ LANG: 'de_DE.UTF-8' }, true],
  [{ LANG: 'de_DE.utf8@euro' }, true],
  [{ LANG: 'de_DE.ISO-8859-1' }, false],
  [{ LANG: 'de_DE.ISO-8859-1', LC_ALL: 'C.UTF-8' }, true],
  [{ LANG: 'C.UTF-8', LC_CTYPE: 'ja_JP.eucJP' }, false],
  [{ LANG: 'C.UTF-8', TERM: 'linux' }, false],
])('%j: %j', (env, expected) => {
  expect(hasUnicode(env)).toBe(expected);
});
