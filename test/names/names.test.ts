import { expect, test } from 'vitest';
import { namesOf } from './names.js';

test('a name counts if three files mean three things by it', () => {
  const texts = new Map([
    ['a.ts', 'export function rows(from: string): Row[] {\n}\nconst same = 1;\ninterface Two {\n}\n'],
    [
      'b.ts',
      'const rows = (from: number): string => "";\nconst same = 1;\nclass Two {\n  take(rows: string): void {\n  }\n}\n',
    ],
    ['c.ts', 'type rows = string;\nconst same = 1;\n// function Two() {\n'],
  ]);
  expect(namesOf(texts).map(({ name, meanings }) => [name, meanings.map(({ signature }) => signature)])).toEqual([
    ['rows', ['function (from: string): Row[]', 'function (from: number): string', 'type = string;']],
  ]);
});
