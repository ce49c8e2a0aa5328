import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAuditReader, findingsOf } from '../../src/commands/audit/audit.js';
import type { Subject } from '../../src/commands/audit/row.js';
import type { FindingRow } from '../../src/commands/audit/rows.js';
import { messages } from '../../src/commands/messages/command.js';
import { tasks } from '../../src/commands/tasks/command.js';
import { teams } from '../../src/commands/teams/command.js';
import type { Event } from '../../src/core/event/event.js';
import { check } from '../laws/check.js';
import { all, homes, sessions } from '../laws/inputs.js';
import { type Part, readAll, readText, written } from '../laws/reading.js';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';

const commands = { teams, tasks, messages };
const subjects: readonly Subject[] = ['teams', 'tasks', 'messages'];

describe('normalize | X --audit is X --audit', () => {
  test.each(all)('$name', ({ parts }) => {
    const back = readText(written(readAll(parts).events)).events;
    for (const subject of subjects) expect(audit(subject, back)).toEqual(audit(subject, asked(subject, parts)));
  });

  test('of any stream', () => {
    check(
      fc.property(streams(), fc.constantFrom(...subjects), (records, subject) => {
        const text = ndjson(records);
        const back = readText(written(readText(text).events)).events;
        expect(audit(subject, back)).toEqual(audit(subject, asked(subject, [stdin(text)])));
      }),
      300,
    );
  });
});

describe('so it is for every flag that chooses findings', () => {
  const chosen = [
    '',
    '--team report-crew',
    '--session 7b678677-a59d-447f-b357-c04038b33045',
    '--since 2026-11-15T23:36:20Z',
  ];
  const lines = chosen.flatMap((flags) => subjects.map((subject) => `${subject} --audit ${flags}`.trim()));

  test.each(lines)('%s', async (line) => {
    let shown = 0;
    for (const { name, parts } of [...sessions, ...homes]) {
      const files = parts.map(({ path }) => `fixtures/${path === null ? name : `${name}/${path}`}`);
      const events = (await cct(['normalize', ...files])).stdout;
      const direct = (await cct([...line.split(' '), ...files])).stdout;
      expect((await cct(line.split(' '), events)).stdout).toBe(direct);
      shown += direct.length;
    }
    expect(shown).toBeGreaterThan(0);
  });
});

describe('cat a a | X --audit is X --audit', () => {
  test.each(all)('$name', ({ parts }) => {
    const whole = parts.map(({ path, bytes }) => ({ path, bytes: Buffer.concat([bytes, Buffer.from('\n')]) }));
    for (const subject of subjects) {
      const once = audit(subject, asked(subject, whole));
      expect(audit(subject, asked(subject, [...whole, ...whole]))).toEqual(once);
      expect(audit(subject, [...asked(subject, whole), ...asked(subject, whole)])).toEqual(once);
    }
  });

  test('of any stream, and of any part of it sent again', () => {
    check(
      fc.property(streams(), fc.nat(60), fc.nat(60), fc.constantFrom(...subjects), (records, from, length, subject) => {
        const again = [...records, ...records.slice(from, from + length)];
        expect(audit(subject, readText(ndjson(again)).events)).toEqual(
          audit(subject, readText(ndjson(records)).events),
        );
      }),
      300,
    );
  });
});

describe('files in any order', () => {
  test.each(homes)('$name', ({ parts }) => {
    for (const subject of subjects)
      expect(audit(subject, asked(subject, [...parts].reverse()))).toEqual(audit(subject, asked(subject, parts)));
  });
});

test('any part of a stream can be audited, and its findings stand in order', () => {
  check(
    fc.property(streams(), fc.nat(80), fc.nat(80), fc.constantFrom(...subjects), (records, from, length, subject) => {
      const found = audit(subject, readText(ndjson(records.slice(from, from + length))).events);
      for (const [place, { time, line, rule }] of found.entries()) {
        const before = found[place - 1] ?? { time, line, rule };
        const order = [before.time ?? '', time ?? ''];
        expect(order).toEqual([...order].sort());
        if (before.time === time) expect(before.line).toBeLessThanOrEqual(line ?? 0);
        if (before.time === time && before.line === line) expect(before.rule <= rule).toBe(true);
      }
    }),
    200,
  );
});

test('thousands of agents, tasks and messages are a matter of reading', () => {
  // Quadratic would not end within the time a test has.
  const { events } = readText(ndjson(crowd(3000)));
  expect(subjects.flatMap((subject) => audit(subject, events)).length).toBeGreaterThan(1);
});

function asked(subject: Subject, parts: readonly Part[]): Event[] {
  return readAll(parts, { interest: commands[subject].interest({ audit: true }) }).events;
}

function audit(subject: Subject, events: readonly Event[]): FindingRow[] {
  const reader = createAuditReader();
  for (const event of events) reader.note(event);
  return findingsOf(subject, reader.facts());
}

function stdin(text: string): Part {
  return { path: null, bytes: Buffer.from(text) };
}

/** A board where every task waits for another in pairs, and agents that talk to each other and to nobody. */
function crowd(count: number): unknown[] {
  const lines: unknown[] = [];
  const session_id = 'bbbbbbbb-0000';
  const call = (at: number, name: string, input: object, data: object) => {
    const id = `toolu_${name}_${at}`;
    const timestamp = new Date(1_790_000_000_000 + lines.length * 1000).toISOString();
    const block = { type: 'tool_use', id, name, input };
    lines.push({ type: 'assistant', session_id, uuid: `a${id}`, message: { id: `m${id}`, content: [block] } });
    const result = { type: 'tool_result', tool_use_id: id, content: 'ok' };
    lines.push({
      type: 'user',
      session_id,
      uuid: `u${id}`,
      timestamp,
      message: { content: [result] },
      tool_use_result: data,
    });
  };
  for (let at = 0; at < count; at++) {
    const task = { id: `${at}`, subject: 'x' };
    call(at, 'TaskCreate', { subject: 'x', description: 'y' }, { task });
    call(
      at,
      'TaskUpdate',
      { taskId: `${at}`, addBlockedBy: [`${at ^ 1}`], owner: `m${at}` },
      { success: true, taskId: `${at}` },
    );
    if (at % 10 === 0)
      call(
        at,
        'Agent',
        { name: `m${at}`, prompt: `p${at}`, description: 'd' },
        { status: 'async_launched', agentId: `id${at}` },
      );
    call(at, 'SendMessage', { to: `m${at}`, message: `hello ${at}` }, { success: true, message: 'sent' });
  }
  return lines;
}
