import { expect, test } from 'vitest';
import { cli } from '../../src/cli.js';
import { Collected, streamsOver } from '../run.js';

const megabyte = Buffer.from(`${' '.repeat(1024 * 1024 - 1)}\n`);

test.each([
  ['a long fold', ['usage'], 40, 1],
  ['a long fold of any other kind', ['teams'], 40, 1],
  ['a short fold', ['usage'], 30, 0],
  ['a map, however long', ['normalize'], 40, 0],
])('%s spares memory, once', async (_what, words, megabytes, times) => {
  let spared = 0;
  const input = Array.from({ length: megabytes }, () => megabyte);
  const streams = streamsOver(input, new Collected(), new Collected(), {});
  const code = await cli(words, { ...streams, spareMemory: () => void spared++ });
  expect([code, spared]).toEqual([0, times]);
});
