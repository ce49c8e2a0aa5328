import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPatch } from '../../../src/commands/replay/rows.js';
import { applyPatch } from '../../json-patch.js';
import { check } from '../../laws/check.js';

test.each<[string, unknown, unknown, object[]]>([
  ['nothing', { a: [1] }, { a: [1] }, []],
  ['a field', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ op: 'replace', path: '/b', value: 3 }]],
  [
    'keys come and go',
    { a: 1 },
    { b: 1 },
    [
      { op: 'remove', path: '/a' },
      { op: 'add', path: '/b', value: 1 },
    ],
  ],
  ['a row in front', [{ id: '2' }], [{ id: '1' }, { id: '2' }], [{ op: 'add', path: '/0', value: { id: '1' } }]],
  [
    'a field of the row behind it',
    [
      { id: '1', s: 1 },
      { id: '2', s: 1 },
    ],
    [{ id: '2', s: 2 }],
    [
      { op: 'remove', path: '/0' },
      { op: 'replace', path: '/0/s', value: 2 },
    ],
  ],
  ['a key with slashes', { 'a/b~': 1 }, { 'a/b~': 2 }, [{ op: 'replace', path: '/a~1b~0', value: 2 }]],
])('%s', (_name, before, after, changes) => {
  expect(jsonPatch(before, after)).toEqual(changes);
});

test('whatever two values are, the patch makes one of the other', () => {
  const row = fc.record({
    id: fc.constantFrom('1', '2', '3', '4'),
    n: fc.nat(3),
    list: fc.array(fc.constantFrom('a', 'b')),
  });
  const document = fc.record({ rows: fc.array(row), any: fc.jsonValue({ maxDepth: 3 }) });
  check(
    fc.property(document, document, (before, after) => {
      const plain = JSON.parse(JSON.stringify([before, after]));
      expect(applyPatch(plain[0], jsonPatch(plain[0], plain[1]))).toEqual(plain[1]);
    }),
    1000,
  );
});
