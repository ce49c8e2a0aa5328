// `cct report --serve`: a page that grows with its run, for browsers on this machine only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cct } from '../../run.js';
import { browserPath, launch } from './browser.js';

const folder = mkdtempSync(join(tmpdir(), 'cct-serve-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'run.ndjson');
const lines = readFileSync('fixtures/sessions/team-2.1.325.ndjson', 'utf8').split('\n');

test.each([
  ['-o', 'page.html'],
  ['-f', 'md'],
  ['--compare', 'fixtures/sessions/one-shot.ndjson'],
])('not together with %s', async (...words) => {
  const { code, stderr } = await cct(['report', '--serve', ...words]);
  expect([code, stderr]).toEqual([
    2,
    'cct: --serve shows one page in a browser; it works without -o, -f md and --compare\n',
  ]);
});

describe('a run that goes on', () => {
  let address = '';
  let child: ReturnType<typeof spawn>;
  beforeAll(async () => {
    writeFileSync(file, `${lines.slice(0, 20).join('\n')}\n`);
    child = spawn(process.execPath, ['bin/cct.js', 'report', '--serve', '--follow', file], { stdio: 'pipe' });
    while (!address.endsWith('\n')) address += String((await once(child.stdout ?? child, 'data'))[0]);
    address = address.trim();
  }, 30_000);
  afterAll(() => child.kill('SIGKILL'));

  test('is on loopback, behind a token', () => {
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{24}\/$/);
  });

  test.each([
    ['the page', '', {}, 200],
    ['what came since', 'events?from=0', {}, 200],
    ['by the name of this machine', '', { host: 'localhost' }, 200],
    ['by another name', '', { host: 'attacker.example' }, 403],
    ['without the token', '..', {}, 404],
    ['with another token', '../AAAAAAAAAAAAAAAAAAAAAAAA/', {}, 404],
    ['something else', 'etc/passwd', {}, 404],
  ])('%s', async (_, path, { host }: { host?: string }, status) => {
    const url = new URL(path, address);
    const headers = host === undefined ? {} : { host: `${host}:${url.port}` };
    const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(status);
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
    expect(response.headers['content-security-policy']).toBe("frame-ancestors 'none'");
  });

  test('takes nothing', async () => {
    const [response] = (await once(request(address, { method: 'POST' }).end(), 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(405);
  });

  test.skipIf(browserPath === null)('its page grows, and Ctrl-C ends it', { timeout: 600_000 }, async () => {
    const browser = await launch();
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('request', (sent) => asked.push(sent.url()));
    page.on('pageerror', (error) => asked.push(`error: ${error.message}`));
    await page.goto(address);
    const last = page.locator('.row').last();
    await expect.poll(() => page.locator('.summary').innerText()).toContain('live');
    expect(await page.locator('.story').innerText()).not.toContain('All tasks are done');
    appendFileSync(file, lines.slice(20).join('\n'));
    await expect.poll(() => last.innerText(), { timeout: 120_000 }).toContain('finished');
    expect(asked.filter((url) => !url.startsWith(address))).toEqual([]);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => page.locator('.summary').innerText(), { timeout: 120_000 }).not.toContain('live');
    await browser.close();
  });
});
