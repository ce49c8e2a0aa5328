import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { teamRowSchema } from '../../src/api/schemas.js';
import { selectTeams } from '../../src/api/select.js';
import { initialState, reduce } from '../../src/commands/reduce.js';
import { teamFields } from '../../src/commands/teams/row.js';
import type { Event } from '../../src/core/event/event.js';
import { check } from '../laws/check.js';
import { all, homes, sessions } from '../laws/inputs.js';
import { readAll, readText, written } from '../laws/reading.js';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';

const rowsOf = (events: readonly Event[]) => selectTeams(events.reduce(reduce, initialState), { ended: true });

describe('normalize | teams is teams', () => {
  test.each(all)('$name', ({ parts }) => {
    const { events } = readAll(parts);
    const rows = rowsOf(events);
    expect(rowsOf(readText(written(events)).events)).toEqual(rows);
    for (const row of rows) expect(Object.keys(row)).toEqual(teamFields);
    teamRowSchema.array().parse(rows);
  });

  test('of any stream', () => {
    check(
      fc.property(streams(), (records) => {
        const { events } = readText(ndjson(records));
        expect(rowsOf(readText(written(events)).events)).toEqual(rowsOf(events));
      }),
      200,
    );
  });

  test.each([
    '',
    '--members',
    '--team report-crew',
    '--members --fields name,status,team',
    '--since 2026-11-15T23:29:18Z',
  ])('with %s', async (flag) => {
    const words = ['teams', ...flag.split(' ').filter(Boolean)];
    let written = 0;
    for (const { parts } of sessions) {
      const stdin = Buffer.concat(parts.map((part) => part.bytes));
      const direct = await cct(words, stdin);
      const events = (await cct(['normalize'], stdin)).stdout;
      expect((await cct(words, events)).stdout).toBe(direct.stdout);
      written += direct.stdout.length;
    }
    expect(written).toBeGreaterThan(0);
  });
});

describe('cat a a | teams is teams', () => {
  test.each(all)('$name', ({ parts }) => {
    const whole = parts.map(({ path, bytes }) => ({ path, bytes: Buffer.concat([bytes, Buffer.from('\n')]) }));
    expect(rowsOf(readAll([...whole, ...whole]).events)).toEqual(rowsOf(readAll(whole).events));
  });

  test('of any stream', () => {
    check(
      fc.property(streams(), (records) => {
        const text = ndjson(records);
        expect(rowsOf(readText(`${text}${text}`).events)).toEqual(rowsOf(readText(text).events));
      }),
      200,
    );
  });
});

describe('files in any order are the same team', () => {
  test.each(homes)('$name', ({ parts }) => {
    const told = (events: readonly Event[]) =>
      rowsOf(events).map(({ members, ...row }) => ({
        ...row,
        members: members.map(({ name, kind, status, tool_calls, agent_id }) => ({
          name,
          kind,
          status,
          tool_calls,
          agent_id,
        })),
      }));
    expect(told(readAll([...parts].reverse()).events)).toEqual(told(readAll(parts).events));
  });
});
