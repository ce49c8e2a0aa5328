import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lastSessions } from '../../src/cli/last.js';
import { createDiagnostics } from '../../src/io/diagnostics.js';
import { cpuSeconds } from '../cpu-seconds.js';
import { Collected } from '../run.js';

let config: string;
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'cct-last-'));
});
afterEach(() => rmSync(config, { recursive: true }));

/** Writes a file of records, each with the time of a day in November, or with none. */
function write(path: string, days: readonly (number | null)[], more: object = {}): void {
  const file = join(config, path);
  mkdirSync(dirname(file), { recursive: true });
  const records = days.map((day) => ({
    type: 'user',
    ...(day !== null && { timestamp: `2026-11-${String(day).padStart(2, '0')}T12:00:00.000Z` }),
    ...more,
  }));
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/** What is taken, without the folder of the project. */
function last(count: number, here = '/w/app'): string[] {
  const stderr = new Collected();
  const diagnostics = createDiagnostics(stderr, { verbosity: 'normal', sanitize: (text) => text });
  const taken = lastSessions(count, { CLAUDE_CONFIG_DIR: config }, diagnostics, here);
  return taken.map((path) => path.slice(config.length + 1).replace('projects/-w-app/', ''));
}

test('the newest by the time of its last record, whatever stands behind it', () => {
  write('projects/-w-app/a.jsonl', [1, 9, null, null]);
  write('projects/-w-app/b.jsonl', [5, 6]);
  write('projects/-w-app/c.jsonl', [null]);
  expect([last(1), last(2), last(9)]).toEqual([['a.jsonl'], ['a.jsonl', 'b.jsonl'], ['a.jsonl', 'b.jsonl', 'c.jsonl']]);
});

test('the last record of a session may be one of its agents’', () => {
  write('projects/-w-app/a.jsonl', [1]);
  write('projects/-w-app/a/subagents/agent-1.jsonl', [7]);
  write('projects/-w-app/b.jsonl', [5]);
  expect(last(1)).toEqual(['a.jsonl', 'a']);
});

test('files of agents beside the session, as old versions wrote them', () => {
  write('projects/-w-app/a.jsonl', [1]);
  write('projects/-w-app/agent-1.jsonl', [7], { sessionId: 'a' });
  write('projects/-w-app/b.jsonl', [5]);
  expect(last(1)).toEqual(['a.jsonl', 'agent-1.jsonl']);
});

test('a record longer than what is read at first', () => {
  write('projects/-w-app/a.jsonl', [8], { text: 'long '.repeat(100_000) });
  write('projects/-w-app/b.jsonl', [5]);
  expect(last(1)).toEqual(['a.jsonl']);
});

test('the nearest directory above that has a session', () => {
  write('projects/-w-app/a.jsonl', [1]);
  write('projects/-w/b.jsonl', [5]);
  write('projects/-w-app-src/empty.jsonl', []);
  expect(last(1, '/w/app/src/deep')).toEqual(['a.jsonl']);
});

test('a path too long for a name is cut, with a hash behind it', () => {
  const here = `/w/${'a-long_name/'.repeat(20)}end`;
  const name = here.replace(/[^a-z]/g, '-').slice(0, 200);
  write(`projects/${name}-1x2y3z/a.jsonl`, [1]);
  expect(last(1, here)).toEqual([`projects/${name}-1x2y3z/a.jsonl`]);
});

test('a directory without sessions is an error', () => {
  expect(() => last(1)).toThrow(`--last: ${config}/projects has no session of this directory or its parents`);
});

const mate = (team: string, agentName: string) => ({ teamName: team, agentName });

test('a team whose lead is named in its config, with its config, inboxes and tasks', () => {
  write('projects/-w-app/lead.jsonl', [1, 4]);
  write('projects/-w-app/mate.jsonl', [2, 8], mate('crew', 'writer'));
  write('projects/-w-app/other.jsonl', [1, 7]);
  write('tasks/crew/1.json', [null]);
  write('tasks/lead/1.json', [null]);
  write('teams/others/config.json', [null], { leadSessionId: 'other' });
  write('teams/crew/config.json', [null], { leadSessionId: 'lead' });
  expect(last(1)).toEqual(['lead.jsonl', 'mate.jsonl', 'tasks/lead', 'teams/crew', 'tasks/crew']);
});

test('a team that was cleaned up: its lead was at work and names it', () => {
  write('projects/-w-app/lead.jsonl', [1, 4], { message: { input: { team_name: 'crew' } } });
  write('projects/-w-app/mate.jsonl', [2, 8], mate('crew', 'writer'));
  write('projects/-w-app/other.jsonl', [1, 7]);
  expect(last(1)).toEqual(['lead.jsonl', 'mate.jsonl']);
});

test('two teams of one name are two', () => {
  const naming = { message: { input: { team_name: 'crew' } } };
  write('projects/-w-app/lead1.jsonl', [1, 4], naming);
  write('projects/-w-app/mate1.jsonl', [2, 3], mate('crew', 'writer'));
  write('projects/-w-app/lead2.jsonl', [5, 9], naming);
  write('projects/-w-app/mate2.jsonl', [6, 8], mate('crew', 'writer'));
  expect([last(1), last(2)]).toEqual([
    ['lead2.jsonl', 'mate2.jsonl'],
    ['lead2.jsonl', 'mate2.jsonl', 'lead1.jsonl', 'mate1.jsonl'],
  ]);
});

test('teammates whose lead is not there are at least together', () => {
  write('projects/-w-app/m1.jsonl', [2, 3], mate('crew', 'writer'));
  write('projects/-w-app/m2.jsonl', [4, 5], mate('crew', 'reader'));
  write('projects/-w-app/other.jsonl', [1, 1]);
  expect(last(1).sort()).toEqual(['m1.jsonl', 'm2.jsonl']);
});

test('the configs of all teams are read once, not for each session', () => {
  for (let number = 0; number < 400; number++) {
    write(`projects/-w-app/${number}.jsonl`, [1]);
    write(`teams/crew-${number}/config.json`, [null], { leadSessionId: String(number) });
  }
  const one = cpuSeconds(() => last(1));
  expect(last(400)).toHaveLength(800);
  expect(cpuSeconds(() => last(400))).toBeLessThan(9 * one);
});
