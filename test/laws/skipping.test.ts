import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Event, eventNames } from '../../src/core/event/event.js';
import { interestIn } from '../../src/core/event/interest.js';
import { loadAll } from '../../src/run/registry.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { all, homes, sessions } from './inputs.js';
import { namesLike, type Part, readAll } from './reading.js';

/** What commands ask for, and what others might. */
const interests: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries((await loadAll()).map((command) => [`cct ${command.name}`, command.interest({})])),
  'a usage report': ['usage:recorded', 'session:*', 'turn:started', 'agent:*', 'team:created', 'team:member:*'],
  'usage and all of its sessions': ['usage:recorded', 'session:*', 'turn:started', 'agent:*'],
  'a roster': ['team:*', 'agent:*', 'session:*', 'turn:started', 'usage:recorded', 'tool:*'],
  'a timeline': ['team:*', 'agent:started', 'agent:finished', 'tool:called'],
  'a board': ['team:task:*', 'agent:*', 'team:created', 'session:started', 'session:ended'],
};

test.each(Object.entries(interests))('%s gets what it asks for of any fixture', (_name, globs) => {
  expect(all.filter((input) => changes(input.parts, globs)).map(({ name }) => name)).toEqual([]);
});

const skippers = Object.entries(interests).filter(([, globs]) => !interestIn(globs).everything);

describe.each(skippers)('skipping what %s does not ask for changes nothing', (_name, globs) => {
  test('in any stream', () => {
    check(
      fc.property(streams(), (records) => {
        expectSame(ndjson(records), globs);
      }),
      120,
    );
  });

  test('in any stream, joined late, with a damaged line and keys in another order', () => {
    check(
      fc.property(streams(), fc.nat(20), fc.nat(40), fc.nat(40), (records, from, damaged, turned) => {
        const lines = ndjson(records).trimEnd().split('\n').slice(from);
        if (turned < lines.length) lines[turned] = turnedRound(lines[turned] ?? '');
        if (damaged < lines.length) lines[damaged] = (lines[damaged] ?? '').slice(0, -30);
        expectSame(lines.join('\n'), globs);
      }),
      120,
    );
  });
});

test.each(eventNames())('whoever asks only for %s gets it', (name) => {
  expect(all.filter((input) => changes(input.parts, [name])).map((input) => input.name)).toEqual([]);
});

test('something is skipped at all', () => {
  const inputs = [...sessions, ...homes];
  const skipped = inputs.reduce(
    (sum, { parts }) => sum + readAll(parts, { interest: interests['cct usage'] ?? [] }).skipped,
    0,
  );
  expect(skipped).toBeGreaterThan(60);
});

function changes(parts: readonly Part[], globs: readonly string[]): boolean {
  if (interestIn(globs).everything) return false;
  const kept = asked(readAll(parts, { interest: globs }).events, globs);
  return kept.join('\n') !== asked(eventsOf(parts), globs).join('\n');
}

function expectSame(text: string, globs: readonly string[]): void {
  const parts = [{ path: null, bytes: Buffer.from(text) }];
  const kept = asked(readAll(parts, { interest: globs }).events, globs);
  expect(kept).toEqual(asked(readAll(parts).events, globs));
}

/** Events of the asked-for names; seq counts what was read, and differs. */
function asked(events: readonly Event[], globs: readonly string[]): string[] {
  const names = namesLike(globs);
  return events.filter(({ event }) => names.has(event)).map(({ seq: _seq, ...event }) => JSON.stringify(event));
}

function eventsOf(parts: readonly Part[]): Event[] {
  const events = read.get(parts) ?? readAll(parts).events;
  read.set(parts, events);
  return events;
}
const read = new Map<readonly Part[], Event[]>();

function turnedRound(line: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()));
}
