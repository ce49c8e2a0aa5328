import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildScan, target } from '../../.build/scan/build.js';

test('the WebAssembly in src is what its source compiles to; else run npm run build:scan', () => {
  expect(readFileSync(target, 'utf8')).toBe(buildScan());
});
