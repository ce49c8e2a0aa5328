import { spawnSync } from 'node:child_process';

/** Runs the tests under another Node; returns the exit code. Tests that start `node` by name find that one too. */
export function runTests(node: string, chosen: readonly string[]): number {
  const folder = node.slice(0, node.lastIndexOf('/'));
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...chosen];
  return spawnSync(node, words, { env, stdio: 'inherit' }).status ?? 1;
}
