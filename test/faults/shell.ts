import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const project = new URL('../../', import.meta.url).pathname;

/** A folder for each test. `clear` deletes everything in it. */
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'cct-faults-'));
  return { folder, clear: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs bash in a folder, with the built `cct` and `$fixtures`. */
export async function shell(script: string, cwd: string): Promise<Ended> {
  const setting = `fixtures=${project}fixtures; cct() { "${process.execPath}" "${project}bin/cct.js" "$@"; }\n`;
  const child = spawn('bash', ['-c', setting + script], { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  return collected(child).ended;
}

/** A running `cct`, fed by a pipe. */
export function start(words: readonly string[], cwd: string) {
  const child = spawn(process.execPath, [`${project}bin/cct.js`, ...words], { cwd, stdio: 'pipe', timeout: 60_000 });
  const { ended, stdout, stderr } = collected(child);
  return Object.assign(child, {
    ended,
    async saw(text: string) {
      while (!stdout().includes(text)) await once(child.stdout, 'data');
    },
    async said(text: string) {
      while (!stderr().includes(text)) await once(child.stderr, 'data');
    },
  });
}

function collected(child: ChildProcess): { ended: Promise<Ended>; stdout: () => string; stderr: () => string } {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return { ended, stdout: () => stdout, stderr: () => stderr };
}
