import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** What a process may be connected to. */
export const sourceKinds = ['file', 'pipe', 'socket', 'terminal', 'null'] as const;
export const sinkKinds = ['file', 'fast pipe', 'slow pipe', 'terminal', 'socket', 'full'] as const;
export type SourceKind = (typeof sourceKinds)[number];
export type SinkKind = (typeof sinkKinds)[number];

export interface Connection {
  readonly from: SourceKind;
  readonly to: SinkKind;
  /** Contains the input, `in`. Files for the output may be created there. */
  readonly folder: string;
}

export interface Arrived {
  readonly code: number;
  readonly bytes: Buffer;
  readonly stderr: string;
}

/** How bash connects it, and how bash can check that. Sockets belong to our own process. */
const sources: Record<SourceKind, { before: string; redirect: string; is: string }> = {
  file: { before: '', redirect: '< in', is: '-f /dev/stdin' },
  pipe: { before: 'cat in |', redirect: '', is: '-p /dev/stdin' },
  socket: { before: '', redirect: '<&3', is: '-S /dev/stdin' },
  terminal: { before: '', redirect: '', is: '-t 0' },
  null: { before: '', redirect: '< /dev/null', is: '-c /dev/stdin' },
};
const sinks: Record<SinkKind, { redirect: string; after: string; is: string }> = {
  file: { redirect: '> out', after: '', is: '-f /dev/stdout' },
  'fast pipe': { redirect: '', after: '| cat > out', is: '-p /dev/stdout' },
  'slow pipe': { redirect: '', after: '| { sleep 0.1; dd bs=4096 status=none; } > out', is: '-p /dev/stdout' },
  terminal: { redirect: '', after: '', is: '-t 1' },
  socket: { redirect: '>&4', after: '', is: '-S /dev/stdout' },
  full: { redirect: '> /dev/full', after: '', is: '-c /dev/stdout' },
};

const program = new URL('../../bin/cct.js', import.meta.url).pathname;

/** Runs the built cct between the two. */
export async function connect(words: readonly string[], { from, to, folder }: Connection): Promise<Arrived> {
  const source = sources[from];
  const sink = sinks[to];
  const cct = [process.execPath, program, ...words].map((word) => `'${word}'`).join(' ');
  const guarded = `[ ${source.is} ] && [ ${sink.is} ] && ${cct} 2> err; echo $? > code`;
  const script = `${source.before} { ${guarded}; } ${source.redirect} ${sink.redirect} ${sink.after}`;
  const input = readFileSync(join(folder, 'in'));
  const onTerminal = from === 'terminal' || to === 'terminal';
  const child = onTerminal ? startOnTerminal(script, folder) : start('bash', ['-c', script], folder);
  const [shown, sent] = [collect(child.stdout), collect(child.stdio[4])];
  const ended = once(child, 'close');
  if (onTerminal) await shown.saw(ready);
  // Left open: when its own input ends, `script` ends that of the terminal in a way that loses pending data.
  if (from === 'terminal') writableOf(child.stdin).write(Buffer.concat([input, endOfInput]));
  else writableOf(child.stdin).end();
  writableOf(child.stdio[3]).end(from === 'socket' ? input : nothing);
  await ended;
  const read = (name: string) => readFileSync(join(folder, name));
  const bytes: Record<SinkKind, () => Buffer> = {
    file: () => read('out'),
    'fast pipe': () => read('out'),
    'slow pipe': () => read('out'),
    terminal: () => shown.bytes().subarray(ready.length),
    socket: sent.bytes,
    full: () => nothing,
  };
  return { code: Number(read('code')), bytes: bytes[to](), stderr: read('err').toString() };
}

const ready = 'ready\n';
const nothing = Buffer.alloc(0);
/** Ctrl-D. */
const endOfInput = Buffer.of(4);

/** Without echo, and with line feeds left unchanged. */
function startOnTerminal(script: string, folder: string): ChildProcess {
  return start('script', ['-qec', `stty -echo -opost; echo ${ready.trim()}; ${script}`, '/dev/null'], folder);
}

function start(command: string, words: readonly string[], folder: string): ChildProcess {
  const env = { ...process.env, SHELL: '/bin/bash', LC_ALL: 'C.UTF-8' };
  return spawn(command, words, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit', 'pipe', 'pipe'] });
}

type Stdio = ChildProcess['stdio'][number] | undefined;

/** A process that does not need its input may close it. */
function writableOf(stream: Stdio): Writable {
  if (!isWritable(stream)) throw new Error('nothing to write to');
  return stream.on('error', () => {});
}

function collect(stream: Stdio) {
  if (!isReadable(stream)) throw new Error('nothing to read from');
  const chunks: Buffer[] = [];
  stream.on('data', (chunk) => chunks.push(chunk));
  const bytes = () => Buffer.concat(chunks);
  return {
    bytes,
    async saw(text: string) {
      while (!bytes().includes(text)) await once(stream, 'data');
    },
  };
}

function isWritable(stream: unknown): stream is Writable {
  return typeof stream === 'object' && stream !== null && 'write' in stream;
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'read' in stream;
}
