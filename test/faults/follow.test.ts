// --follow with real processes: files that appear, grow in pieces, shrink or are replaced, and Ctrl-C.
import { appendFileSync, mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scratch, start } from './shell.js';

let folder: string;
let clear: () => void;
beforeEach(() => {
  ({ folder, clear } = scratch());
});
afterEach(() => clear());

const session = '53649ed8-b3c6-47b6-b15d-9126cfac14d2';
const home = new URL('../../fixtures/files/grow-2.1.325/projects/-home-dev-project/', import.meta.url);
const lead = readFileSync(new URL(`${session}.jsonl`, home), 'utf8');
const agent = readFileSync(new URL(`${session}/subagents/agent-a1d9a8589ebb9b147.jsonl`, home), 'utf8');
const news = (number: number) => `{"type":"news","number":${number}}\n`;

test('takes in the agents of a session, and ends with the first Ctrl-C and all that is known', async () => {
  const path = join(folder, `${session}.jsonl`);
  writeFileSync(path, lead.slice(0, 9000));
  const cct = start(['usage', '-F', '--by', 'model', '--fields', 'model,messages', path], folder);
  await cct.saw('claude-opus-4-6');
  appendFileSync(path, lead.slice(9000));
  mkdirSync(join(folder, session, 'subagents'), { recursive: true });
  writeFileSync(join(folder, session, 'subagents', 'agent-a1d9a8589ebb9b147.jsonl'), agent);
  await cct.saw('{"model":"claude-sonnet-5-5","messages":7}');
  await cct.saw('{"model":"claude-opus-4-6","messages":7}');
  cct.kill('SIGINT');
  expect(await cct.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
});

test('reads a line when it is whole, also without its line end', async () => {
  const path = join(folder, 'run.ndjson');
  writeFileSync(path, news(1).slice(0, 9));
  const cct = start(['normalize', '-F', 'run.ndjson'], folder);
  appendFileSync(path, news(1).slice(9, -1));
  await cct.saw('"line":1,"source":"run.ndjson"');
  appendFileSync(path, '\n');
  appendFileSync(path, news(2));
  await cct.saw('"line":2,"source":"run.ndjson"');
  cct.kill('SIGINT');
  const { stdout, stderr } = await cct.ended;
  expect({ lines: stdout.split('\n').length - 1, stderr }).toEqual({ lines: 2, stderr: '' });
});

test('waits for a file, and notices that it was truncated or replaced', async () => {
  const path = join(folder, 'run.ndjson');
  const cct = start(['normalize', '-F', 'run.ndjson'], folder);
  await cct.said('cct: run.ndjson: no such file yet; waiting for it\n');
  writeFileSync(path, news(1) + news(2));
  await cct.saw('"number":2');
  truncateSync(path);
  writeFileSync(path, news(3));
  await cct.saw('"number":3');
  writeFileSync(`${path}.new`, news(4) + news(5));
  renameSync(`${path}.new`, path);
  await cct.saw('"number":5');
  cct.kill('SIGINT');
  const { code, stderr } = await cct.ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(/run.ndjson: truncated; reading it again from the start\n.*run.ndjson: replaced; /s);
});

test('a file that never comes is named', async () => {
  const cct = start(['normalize', '-F', '--idle-timeout', '0.1', 'run.ndjson'], folder);
  const { code, stderr } = await cct.ended;
  expect(code).toBe(2);
  expect(stderr).toContain('cct: run.ndjson: no such file\n');
});

test('takes in the new files of a directory, and reads a document when it is whole, and again when it changes', async () => {
  const inbox = join(folder, 'teams', 'crew', 'inboxes', 'writer.json');
  const message = (text: string) => ({ from: 'lead', text, timestamp: '2026-11-16T12:00:00.000Z', read: true });
  mkdirSync(join(inbox, '..'), { recursive: true });
  const cct = start(['normalize', '-F', '.'], folder);
  const first = JSON.stringify([message('first')], null, 2);
  writeFileSync(inbox, first.slice(0, 30));
  writeFileSync(inbox, first);
  await cct.saw('"content":"first"');
  writeFileSync(inbox, JSON.stringify([message('first'), message('second')], null, 2));
  await cct.saw('"content":"second"');
  cct.kill('SIGINT');
  expect(await cct.ended).toMatchObject({ code: 0, stderr: '' });
});

test('the reader of the output goes away', async () => {
  const path = join(folder, 'run.ndjson');
  writeFileSync(path, news(1));
  const cct = start(['normalize', '-F', 'run.ndjson'], folder);
  await cct.saw('"number":1');
  cct.stdout.destroy();
  appendFileSync(path, news(2).repeat(5000));
  expect(await cct.ended).toMatchObject({ code: 0, stderr: '' });
});
