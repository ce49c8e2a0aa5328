import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lastSessions } from '../../../src/cli/flags/last.js';
import { createDiagnostics } from '../../../src/io/diagnostics.js';
import { cpuSeconds } from '../../cpu-seconds.js';
import { Collected, cct } from '../../run.js';

let config: string;
/** What stderr said about the last call of last(). */
let said: string;
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
  const diagnostics = createDiagnostics({ stream: stderr }, 'normal', (text) => text);
  const taken = lastSessions(count, { CLAUDE_CONFIG_DIR: config }, diagnostics, { here });
  said = stderr.text();
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

test('outside a project, the newest of all projects', () => {
  write('projects/-w-app/a.jsonl', [1, 9]);
  write('projects/-w-other/b.jsonl', [5, 6]);
  expect(last(1, '/elsewhere')).toEqual(['a.jsonl']);
  expect(last(2, '/elsewhere')).toEqual(['a.jsonl', 'projects/-w-other/b.jsonl']);
});

test('a home without sessions is an error', () => {
  expect(() => last(1)).toThrow(`${config}/projects has no sessions`);
});

describe('one line says what is read', () => {
  test('the session and its project', () => {
    write('projects/-w-app/12345678-a.jsonl', [1, 9]);
    last(1);
    expect(said).toBe('cct: reading session 12345678 in /w/app, last record 2026-11-09T12:00:00Z\n');
  });

  test('whose it is, if it is not of this directory', () => {
    write('projects/-w-app/a.jsonl', [1, 9], { cwd: '/w/app' });
    last(1, '/elsewhere');
    expect(said).toBe('cct: reading session a in /w/app, last record 2026-11-09T12:00:00Z\n');
  });

  test('several sessions', () => {
    write('projects/-w-app/a.jsonl', [1, 9], { cwd: '/w/app' });
    write('projects/-w-other/b.jsonl', [5, 6], { cwd: '/w/other' });
    last(2, '/elsewhere');
    expect(said).toBe('cct: reading the newest 2 sessions of 2 projects: a, b\n');
  });
});

describe('at a terminal without files', () => {
  const typed = (...words: string[]) =>
    cct(words, '', { tty: true, env: { CLAUDE_CONFIG_DIR: config, HOME: dirname(config) } });
  const session = readFileSync('fixtures/sessions/one-shot.ndjson', 'utf8');

  test('usage reads all sessions, other commands the newest', async () => {
    write('projects/-w-app/a.jsonl', [1, 9]);
    write('projects/-w-other/b.jsonl', [5, 6]);
    const folder = `~/${basename(config)}/projects`;
    expect((await typed('usage')).stderr).toContain(
      `cct: reading 2 sessions of ${folder}; name files or pipe a stream to read something else\n`,
    );
    expect((await typed('calls')).stderr).toMatch(/^cct: reading session a, \d+ Nov [\d:]+; others: cct sessions$/m);
  });

  test('a project that is a link to another disk is one of them', async () => {
    write('elsewhere/a.jsonl', [1, 9]);
    writeFileSync(join(config, 'elsewhere/a.jsonl'), session);
    mkdirSync(join(config, 'projects'));
    symlinkSync(join(config, 'elsewhere'), join(config, 'projects/-w-app'));
    const { stdout, stderr } = await typed('usage', '--by', 'session', '-f', 'csv', '--fields', 'messages');
    expect(stderr).toContain('cct: reading 1 session of');
    expect(stdout).toBe('messages\n1\n');
  });

  test('no sessions: says where it looked and how to pipe', async () => {
    expect(await typed('usage')).toEqual({
      code: 2,
      stdout: '',
      stderr: `cct: ~/${basename(config)}/projects has no sessions to read; name files, or pipe a stream: claude -p "…" --output-format stream-json --verbose | cct usage\n`,
    });
  });

  test('a price list reads nothing', async () => {
    expect((await typed('usage', '--prices', 'show')).code).toBe(0);
  });

  test('a session without agents says what to ask instead', async () => {
    mkdirSync(join(config, 'projects/-w-app'), { recursive: true });
    writeFileSync(join(config, 'projects/-w-app/a.jsonl'), session);
    expect((await typed('teams')).stderr).toContain('no teams: no session here started an agent; cct log');
  });
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
