import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program that runs JavaScript, and the words that start it. */
export interface Runtime {
  readonly name: string;
  readonly words: readonly string[];
}

export type Fetched = Runtime | { readonly problem: string };

/** `20`, `bun`, `deno` or `bun@1.4.3`: the running Node, what was fetched before, or a binary of the npm registry. */
export function fetchRuntime(asked: string, seconds: number): Fetched {
  if (process.versions.node.startsWith(`${asked}.`))
    return { name: `node ${process.version}`, words: [process.execPath] };
  const [, kind = 'node', version = /^\d/.test(asked) ? asked : 'latest'] = /^([a-z]+)(?:@(.*))?$/.exec(asked) ?? [];
  const from = packages[kind]?.();
  if (from === undefined) return { problem: `nobody knows ${asked}` };
  const folder = join(process.env['CCT_NODE_CACHE'] ?? join(tmpdir(), 'cct-node-versions'), asked);
  const path = join(folder, 'node_modules', from.name, from.path);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const words = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    const ran = spawnSync('npm', [...words, `${from.name}@${version}`], { encoding: 'utf8', timeout: seconds * 1000 });
    if (ran.status !== 0)
      return { problem: `${from.name}@${version} could not be fetched (${reasonOf(ran.stderr, ran.error)})` };
    if (!existsSync(path)) return { problem: `${from.name}@${version} has no ${from.path}` };
    chmodSync(path, 0o755);
  }
  const ran = spawnSync(path, ['--version'], { encoding: 'utf8' });
  const said = /v?\d+\.\d+\.\d+/.exec(ran.stdout ?? '')?.[0];
  if (ran.status !== 0 || said === undefined) return { problem: `${path} does not run` };
  return { name: `${kind} ${said}`, words: [path, ...from.words] };
}

const { platform, arch } = process;

/** The package that has the binary for this machine, where it is in it, and the words before the script. */
const packages: Readonly<Record<string, () => { name: string; path: string; words: readonly string[] }>> = {
  node: () => ({ name: `node-${platform === 'win32' ? 'win' : platform}-${arch}`, path: 'bin/node', words: [] }),
  bun: () => ({ name: `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`, path: 'bin/bun', words: [] }),
  deno: () => ({
    name: `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`,
    path: 'deno',
    words: ['run', '--allow-all', '--no-lock', '--quiet'],
  }),
};

function reasonOf(stderr: string, error: Error | undefined): string {
  const said = /npm error (?!code|A complete log)(.*)/.exec(stderr ?? '');
  return error?.message ?? said?.[1] ?? 'npm failed';
}
