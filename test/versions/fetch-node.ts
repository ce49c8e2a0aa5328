import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Fetched = { readonly path: string; readonly version: string } | { readonly problem: string };

/** A Node of this major version: the running one, one fetched before, or one from the npm registry, which has binaries. */
export function fetchNode(major: string, seconds: number): Fetched {
  if (process.versions.node.startsWith(`${major}.`)) return { path: process.execPath, version: process.version };
  const cache = process.env['CCT_NODE_CACHE'] ?? join(tmpdir(), 'cct-node-versions');
  const folder = join(cache, major);
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const path = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const words = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    const ran = spawnSync('npm', [...words, `${name}@${major}`], { encoding: 'utf8', timeout: seconds * 1000 });
    if (ran.status !== 0)
      return { problem: `${name}@${major} could not be fetched (${reasonOf(ran.stderr, ran.error)})` };
  }
  const ran = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return ran.status === 0 ? { path, version: ran.stdout.trim() } : { problem: `${path} does not run` };
}

function reasonOf(stderr: string, error: Error | undefined): string {
  const said = /npm error (?!code|A complete log)(.*)/.exec(stderr ?? '');
  return error?.message ?? said?.[1] ?? 'npm failed';
}
