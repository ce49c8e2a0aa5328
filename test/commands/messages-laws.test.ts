import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messages } from '../../src/commands/messages/command.js';
import { type MessageRow, Timeline } from '../../src/commands/messages/rows.js';
import type { Event } from '../../src/core/event/event.js';
import { check } from '../laws/check.js';
import { all, homes, type Input, sessions } from '../laws/inputs.js';
import { type Part, readAll, readText, written } from '../laws/reading.js';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';

const interest = messages.interest({});

describe('normalize | messages is messages', () => {
  test.each(all)('$name', ({ parts }) => {
    const asked = readAll(parts, { interest }).events;
    const back = readText(written(readAll(parts).events)).events;
    expect(timeline(back)).toEqual(timeline(asked));
    expect(timeline(back, true)).toEqual(timeline(asked, true));
  });

  test('of any stream', () => {
    check(
      fc.property(streams(), fc.boolean(), (records, settled) => {
        const text = ndjson(records);
        const back = readText(written(readText(text).events)).events;
        expect(timeline(back, settled)).toEqual(timeline(readText(text, { interest }).events, settled));
      }),
      300,
    );
  });

  /** Every flag that chooses rows, with values that choose some and leave some. */
  const flags = [
    '--from team-lead',
    '--from researcher,writer',
    '--to researcher',
    '--with writer',
    '--type message',
    '--type idle_notification,shutdown_request',
    '--team report-crew',
    '--session 314aac79-5f04-44e3-99f3-66f4f5a982a7',
    '--failed',
    '--settled',
    '--settled --with writer --type shutdown_response',
    '--since 2026-11-15T23:29:19Z --until 2026-11-16',
    '--no-content',
    '--fields from,to,status,line',
  ];

  test.each(flags)('with %s', async (flag) => {
    let chosen = 0;
    for (const { words, stdin, events } of await talkative) {
      const direct = await cct(['messages', ...flag.split(' '), ...words], stdin);
      expect((await cct(['messages', ...flag.split(' ')], events)).stdout).toBe(direct.stdout);
      chosen += direct.stdout.length;
    }
    expect(chosen).toBeGreaterThan(0);
  });
});

describe('cat a a | messages is messages', () => {
  test.each(all)('$name', ({ parts }) => {
    const whole = parts.map(({ path, bytes }) => ({ path, bytes: Buffer.concat([bytes, Buffer.from('\n')]) }));
    for (const settled of [false, true]) {
      const once = timeline(read(whole), settled);
      expect(timeline(read([...whole, ...whole]), settled)).toEqual(once);
      expect(timeline([...read(whole), ...read(whole)], settled)).toEqual(once);
    }
  });

  test('of any stream, and of any part of it sent again', () => {
    check(
      fc.property(streams(), fc.nat(60), fc.nat(60), fc.boolean(), (records, from, length, settled) => {
        const part = records.slice(from, from + length);
        const once = timeline(readText(ndjson(records)).events, settled);
        expect(timeline(readText(ndjson([...records, ...part])).events, settled)).toEqual(once);
      }),
      200,
    );
  });
});

describe('plain and settled', () => {
  test.each(all)('show the same messages of $name', ({ parts }) => {
    const events = read(parts);
    const plain = timeline(events).map(sameSettled).sort();
    expect(timeline(events, true).map(sameSettled).sort()).toEqual(plain);
  });
});

describe('a row is written at once', () => {
  test.each(sessions)('$name', ({ parts }) => {
    const events = read(parts);
    const back = events.filter(({ event }) => event === 'team:message:sent' || event === 'team:message:failed');
    const [, rows] = follow(events, false);
    const sent = back.filter((event) => 'tool_use_id' in event && event.tool_use_id !== null);
    expect(rows.map(({ line }) => line)).toEqual(sent.map(({ line }) => line));
  });
});

describe('files in any order', () => {
  test.each(homes)('$name', ({ parts }) => {
    for (const settled of [false, true]) {
      const rows = timeline(read(parts), settled).map(asText).sort();
      expect(
        timeline(read([...parts].reverse()), settled)
          .map(asText)
          .sort(),
      ).toEqual(rows);
    }
  });
});

function read(parts: readonly Part[]): Event[] {
  return readAll(parts, { interest }).events;
}

function follow(events: readonly Event[], settled: boolean): [Timeline, MessageRow[]] {
  const timeline = new Timeline({ settled });
  return [timeline, events.flatMap((event) => timeline.follow(event))];
}

function timeline(events: readonly Event[], settled = false): MessageRow[] {
  const [state, rows] = follow(events, settled);
  return [...rows, ...state.end()];
}

/** A row as text, without what only the end of the input can tell. */
function sameSettled({ status, delivered_at: _delivered, ...row }: MessageRow): string {
  return JSON.stringify({ ...row, failed: status === 'failed' });
}

function asText(row: MessageRow): string {
  return JSON.stringify(row);
}

/** Whole sessions and homes that have messages, as they are typed, and their events. */
const talkative = Promise.all(
  [...sessions, ...homes]
    .filter(({ parts }) => timeline(read(parts)).length > 0)
    .map(async (input) => {
      const { words, stdin } = asTyped(input);
      return { words, stdin, events: (await cct(['normalize', ...words], stdin)).stdout };
    }),
);

function asTyped({ name, parts }: Input): { words: string[]; stdin: Buffer } {
  const isHome = readdirSync('fixtures/files').includes(name.replace('files/', ''));
  return isHome
    ? { words: parts.map(({ path }) => `fixtures/${name}/${path}`), stdin: Buffer.alloc(0) }
    : { words: [], stdin: parts[0]?.bytes ?? Buffer.alloc(0) };
}
