import { spawnSync } from 'node:child_process';

/** The tests under another Node, all or those chosen; the exit code. Tests that start `node` by its name find that one too. */
export function runTests(node: string, chosen: readonly string[]): number {
  const folder = node.slice(0, node.lastIndexOf('/'));
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...chosen];
  return spawnSync(node, words, { env, stdio: 'inherit' }).status ?? 1;
}
