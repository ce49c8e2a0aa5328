import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDeflate } from 'node:zlib';
import { describeSystemError } from './exit.js';

/** The build puts the page of `cct report` here, so that the program needs no file beside it. */
declare const builtPage: string | undefined;

/** The page of `cct report`, as it was built. The sources read it from dist. */
export function readPageShell(): string {
  if (typeof builtPage === 'string') return builtPage;
  return readFileSync(join(import.meta.dirname, '../../dist/page.html'), 'utf8');
}

/** Compresses text piece by piece into base64, as the page decodes it. */
export interface Packer {
  write(text: string): void;
  end(): Promise<string>;
}

export function createPacker(): Packer {
  const deflate = createDeflate({ level: 9 });
  const chunks: Buffer[] = [];
  deflate.on('data', (chunk: Buffer) => chunks.push(chunk));
  return {
    write: (text) => void deflate.write(text),
    end: () =>
      new Promise((resolve, reject) => {
        deflate.on('error', reject);
        deflate.on('end', () => resolve(Buffer.concat(chunks).toString('base64')));
        deflate.end();
      }),
  };
}

/** Opens a file with the system's default program; resolves to a problem or null. */
export function openInBrowser(path: string): Promise<string | null> {
  const [program = '', ...words] = openers[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, path], { stdio: 'ignore', detached: true });
    child.on('error', (error) => resolve(`${program}: ${describeSystemError(error)}`));
    child.on('spawn', () => {
      child.unref();
      resolve(null);
    });
  });
}

const openers: Readonly<Record<string, readonly string[]>> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] };
