// Sockets of a network, which bash opens.
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { bigRuns } from './big-runs.js';

const fixture = 'fixtures/sessions/team-2.1.39.ndjson';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

test('one connection is both stdin and stdout, as under inetd', async () => {
  const { port, connected } = await listen();
  const ended = bash(`exec 3<> /dev/tcp/127.0.0.1/${port}; cct replay --no-wait <&3 >&3`);
  const socket = await connected;
  const input = bigRuns.messages();
  socket.end(input);
  expect((await text(socket)) === input).toBe(true);
  expect(await ended).toEqual({ code: 0, stderr: '' });
});

test('a reader that leaves its connection', async () => {
  const { port, connected } = await listen();
  const ended = bash(`cct replay --interval 0.001 ${Array(2000).fill(fixture).join(' ')} > /dev/tcp/127.0.0.1/${port}`);
  const socket = await connected;
  await once(socket, 'data');
  socket.resetAndDestroy();
  expect(await ended).toEqual({ code: 0, stderr: '' });
});

test('datagrams arrive', async () => {
  const { port, received } = await hear();
  expect(await bash(`cct replay --no-wait ${fixture} > /dev/udp/127.0.0.1/${port}`)).toEqual({ code: 0, stderr: '' });
  const expected = readFileSync(fixture, 'utf8');
  expect(await received(expected.length)).toBe(expected);
});

test('what is too long for a datagram is not lost in silence', async () => {
  const { port } = await hear();
  expect(await bash(`cct schema event > /dev/udp/127.0.0.1/${port}`)).toEqual({
    code: 2,
    stderr: 'cct: stdout: message too long\n',
  });
});

test('datagrams have no end to read to', async () => {
  const { port } = await hear();
  expect(await bash(`cct normalize < /dev/udp/127.0.0.1/${port}`)).toEqual({
    code: 2,
    stderr: 'cct: stdin: not a stream\n',
  });
});

/** A server for one connection. Either side may end before the other. */
async function listen() {
  const server = createServer({ allowHalfOpen: true });
  open.push(server);
  const connected = once(server, 'connection').then(([socket]: Socket[]) => {
    if (socket === undefined) throw new Error('no connection');
    return socket.on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: portOf(server.address()), connected };
}

async function hear() {
  const socket = createSocket('udp4');
  open.push(socket);
  let heard = '';
  socket.on('message', (bytes) => {
    heard += bytes;
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: portOf(socket.address()),
    async received(length: number) {
      while (heard.length < length) await once(socket, 'message');
      return heard;
    },
  };
}

function portOf(address: string | { port: number } | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function bash(script: string) {
  const cct = `cct() { "${process.execPath}" bin/cct.js "$@"; };`;
  const child = spawn('bash', ['-c', `${cct} ${script}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  const stderr = text(child.stderr);
  const [code] = await once(child, 'close');
  return { code, stderr: await stderr };
}
