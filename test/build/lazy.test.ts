import { expect, test } from 'vitest';
import { lazily } from '../../.build/lazy.js';

test('a file is required by the function that first needs it', () => {
  const code = `const require_table = require("./table.cjs");
let node_zlib = require("node:zlib");
const { a } = { a: 1 };
function draw() { return new require_table.Table({ require_table: 1 }).node_zlib(node_zlib.gzip); }
Object.defineProperty(exports, "draw", { enumerable: true, get: function () { return draw; } });`;
  const made = lazily(code);
  const asked: string[] = [];
  const exports: { draw?: () => unknown } = {};
  const required = (name: string) => {
    asked.push(name);
    return name === 'node:zlib'
      ? { gzip: 'gzip' }
      : {
          Table: class Table {
            node_zlib = (what: unknown) => what;
          },
        };
  };
  new Function('exports', 'require', made)(exports, required);
  expect(asked).toEqual([]);
  expect([exports.draw?.(), exports.draw?.()]).toEqual(['gzip', 'gzip']);
  expect(asked).toEqual(['./table.cjs', 'node:zlib']);
});

test.each([
  ['what every command loads', 'const require_cli = require("./cli.cjs");\nrequire_cli.run();'],
  ['what is assigned again', 'let node_tty = require("node:tty");\nnode_tty = toESM(node_tty);'],
  ['what is required inside a function', 'function f() {\n\tconst fs = require("node:os");\n\treturn fs;\n}'],
])('%s stays as it is', (_, code) => expect(lazily(code)).toBe(code));
