import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadAll } from '../../src/cli/registry.js';
import { type Interest, rulesFor } from '../../src/core/wire/interest.js';
import { type Event, eventNames } from '../../src/lib.js';
import { sample } from '../effort.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { everything } from './families.js';
import { homes, sessions } from './inputs.js';
import { testEach } from './law.js';
import { namesLike, readAll } from './reading.js';

/** What commands ask for, and what others might. */
const interests: Readonly<Record<string, Interest>> = {
  ...Object.fromEntries((await loadAll()).map((command) => [`cct ${command.name}`, command.interest({})])),
  'a usage report': {
    events: ['usage:recorded', 'session:*', 'turn:started', 'agent:*', 'team:created', 'team:member:*'],
  },
  'usage and all of its sessions': { events: ['usage:recorded', 'session:*', 'turn:started', 'agent:*'] },
  'a roster': { events: ['team:*', 'agent:*', 'session:*', 'turn:started', 'usage:recorded', 'tool:*'] },
  'everything, without content': { events: ['*'], lean: true },
  'a timeline': { events: ['team:*', 'agent:started', 'agent:finished', 'tool:called'] },
  'a board': { events: ['team:task:*', 'agent:*', 'team:created', 'session:started', 'session:ended'] },
};

const skippers = Object.entries(interests).filter(([, wish]) => !rulesFor(wish).everything);

describe.each(skippers)('skipping what %s does not ask for changes nothing', (_name, wish) => {
  test('in any stream', () => {
    check(
      fc.property(streams(), (records) => {
        expectSame(ndjson(records), wish);
      }),
      25,
      120,
    );
  });

  test('in any stream, joined late, with a damaged line and keys in another order', () => {
    check(
      fc.property(streams(), fc.nat(20), fc.nat(40), fc.nat(40), (records, from, damaged, turned) => {
        const lines = ndjson(records).trimEnd().split('\n').slice(from);
        if (turned < lines.length) lines[turned] = turnedRound(lines[turned] ?? '');
        if (damaged < lines.length) lines[damaged] = (lines[damaged] ?? '').slice(0, -30);
        expectSame(lines.join('\n'), wish);
      }),
      25,
      120,
    );
  });
});

describe('everybody gets what they ask for, and so does who asks for one event', () => {
  testEach(everything, ({ parts }) => {
    const all = readAll(parts).events;
    const here = new Set(all.map(({ event }) => event));
    const elsewhere = eventNames().filter((name) => !here.has(name));
    const single = [...here, ...sample(elsewhere, 4)].map((name) => [`only ${name}`, { events: [name] }] as const);
    for (const [name, wish] of [...skippers, ...single]) {
      const kept = asked(readAll(parts, { interest: wish }).events, wish);
      // Thousands of times: a comparison of texts takes much less time than one of lists.
      expect(kept.join('\n'), name).toBe(asked(all, wish).join('\n'));
    }
  });
});

test('something is skipped at all', () => {
  const inputs = [...sessions, ...homes];
  const skipped = inputs.reduce(
    (sum, { parts }) => sum + readAll(parts, { interest: interests['cct usage'] ?? { events: [] } }).skipped,
    0,
  );
  expect(skipped).toBeGreaterThan(60);
});

function expectSame(text: string, wish: Interest): void {
  const parts = [{ path: null, bytes: Buffer.from(text) }];
  const kept = asked(readAll(parts, { interest: wish }).events, wish);
  expect(kept).toEqual(asked(readAll(parts).events, wish));
}

/** Events of the asked-for names; seq counts what was read, and differs. */
function asked(events: readonly Event[], wish: Interest): string[] {
  const names = namesLike(wish.events);
  const { shells, talk, sends, details } = rulesFor(wish);
  const lean = (event: object) => ({ ...event, ...unasked, ...(!details && isCall(event) && undetailed) });
  const heard = events.filter(
    (event) =>
      names.has(event.event) && (shells || !isShell(event)) && (sends === 'always' || !event.event.startsWith('team:')),
  );
  // Only a message may show what the lead is called, and which team it leads.
  const named = (event: object) => (sends === 'always' ? event : { ...event, team: null, ...nameless(event) });
  return (talk === 'calls' ? heard : heard.filter(isNews())).map(({ seq: _seq, ...event }) =>
    JSON.stringify(wish.lean ? lean(event) : named(event)),
  );
}

function nameless(event: object) {
  const who = (id: unknown) => (typeof id === 'string' && id.startsWith('team-lead@') ? 'main' : id);
  return {
    ...('agent' in event && { agent: who(event.agent) }),
    ...('parent' in event && { parent: who(event.parent) }),
  };
}

function isShell(event: Event): boolean {
  return 'task_type' in event && event.task_type === 'local_bash';
}

/** Not what a record before said of the same message. */
function isNews(): (event: Event) => boolean {
  const before = new Set<string>();
  return (event) => {
    if (event.event !== 'usage:recorded') return true;
    const { seq: _seq, line: _line, time: _time, request_id: _request, ...said } = event;
    const text = JSON.stringify(said);
    const isNew = !before.has(text);
    before.add(text);
    return isNew;
  };
}

/** Fields that somebody who can do without content may find empty, with their length beside them. */
const unasked = { text: null, input: null, result: null, input_bytes: undefined, result_bytes: undefined };

/** What only somebody who asks for single calls is told of them. */
const undetailed = { duration_ms: undefined, denied: undefined, error: undefined, server: undefined };

function isCall(event: object): boolean {
  return 'event' in event && ['tool:called', 'tool:returned', 'thinking:produced'].includes(`${event.event}`);
}

function turnedRound(line: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()));
}
