// The page of cct report: as it was built, packed, opened in a browser, and served to browsers on this machine.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createDeflate } from 'node:zlib';
import { describeSystemError, UsageError } from './exit.js';

/** The build puts the page of `cct report` here, so that the program needs no file beside it. */
declare const builtPage: string | undefined;

/** The page of `cct report`, as it was built. The sources read it from dist. */
export function readPageShell(): string {
  if (typeof builtPage === 'string') return builtPage;
  return readFileSync(join(import.meta.dirname, '../../dist/page.html'), 'utf8');
}

/** Compresses text piece by piece into base64, as the page decodes it. */
export function createPacker() {
  const deflate = createDeflate({ level: 9 });
  const chunks: Buffer[] = [];
  deflate.on('data', (chunk: Buffer) => chunks.push(chunk));
  return {
    write: (text: string) => void deflate.write(text),
    end: () =>
      new Promise<string>((resolve, reject) => {
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

export interface Served {
  /** Where the page is: on loopback, behind a token that nobody can guess. */
  readonly address: string;
  close(): void;
}

export interface Answer {
  readonly type: string;
  readonly text: string;
}

/** `answer` gets the path below the token, and the query; null if there is nothing. */
export async function serve(answer: (path: string, query: URLSearchParams) => Promise<Answer | null>): Promise<Served> {
  // Nobody else waits until it is loaded.
  const { createServer } = await import('node:http');
  const token = randomBytes(18).toString('base64url');
  let hosts: readonly string[] = [];
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    // A page of another site may know the port; its own name in Host gives it away, whatever address that name has.
    if (!hosts.includes(request.headers.host ?? '')) return end(response, 403);
    if (request.method !== 'GET') return end(response, 405);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const [, given, ...rest] = pathname.split('/');
    const found = given === token ? await answer(rest.join('/'), searchParams) : null;
    return found === null ? end(response, 404) : end(response, 200, found);
  };
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new UsageError(`127.0.0.1: ${describeSystemError(error)}`)));
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
      hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
      resolve({
        address: `http://127.0.0.1:${port}/${token}/`,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

function end(
  response: ServerResponse,
  status: number,
  { type, text }: Answer = { type: 'text/plain', text: '' },
): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'content-security-policy': "frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}
