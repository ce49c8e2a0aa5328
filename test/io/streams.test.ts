import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { outputStream } from '../../src/io/streams.js';

describe('the width to draw for', () => {
  test.each<[stream: { isTTY?: boolean; columns?: number }, columns: string | undefined, expected: number | undefined]>(
    [
      [{}, undefined, undefined],
      [{}, '', undefined],
      [{}, '100', 100],
      [{}, '0', undefined],
      [{}, '-5', undefined],
      [{}, 'wide', undefined],
      [{}, '9007199254740991', 100_000],
      [{ isTTY: true, columns: 80 }, undefined, 80],
      [{ isTTY: true, columns: 80 }, '100', 80],
    ],
  )('%o with COLUMNS=%s', (properties, columns, expected) => {
    const output = outputStream(Object.assign(new Writable(), properties), { COLUMNS: columns });
    expect(output.columns).toBe(expected);
    expect(output.isTTY).toBe(properties.isTTY === true);
  });

  test('follows the terminal when it is resized', () => {
    const terminal = Object.assign(new Writable(), { isTTY: true, columns: 80 });
    const output = outputStream(terminal, {});
    terminal.columns = 40;
    expect(output.columns).toBe(40);
  });
});
