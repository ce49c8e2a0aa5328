import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadAll } from '../../src/cli/registry.js';
import { happeningOf } from '../../src/core/story/happening.js';
import type { Interest } from '../../src/core/wire/interest.js';
import { amountOf, changesOf } from '../../src/core/wire/tools/about.js';
import { type Event, eventNames } from '../../src/lib.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { everything } from './families.js';
import { homes, sessions } from './inputs.js';
import { testEach } from './law.js';
import { shareOf } from './laws.js';
import { namesLike, readAll } from './reading.js';

/** What commands ask for, and what others might. */
const interests: Readonly<Record<string, Interest>> = {
  ...Object.fromEntries((await loadAll()).map((command) => [`cct ${command.name}`, command.interest({})])),
  'a usage report': {
    events: ['usage:recorded', 'session:*', 'turn:started', 'agent:*', 'team:created', 'team:member:*'],
  },
  'usage and all of its sessions': { events: ['usage:recorded', 'session:*', 'turn:started', 'agent:*'] },
  'a roster': { events: ['team:*', 'agent:*', 'session:*', 'turn:started', 'usage:recorded', 'tool:*'] },
  'everything, without content': { events: ['*'], content: 'none' },
  'everything, with sizes': { events: ['*'], content: 'sizes' },
  'a timeline': { events: ['team:*', 'agent:started', 'agent:finished', 'tool:called'] },
  'a board': { events: ['team:task:*', 'agent:*', 'team:created', 'session:started', 'session:ended'] },
};

const wishes = Object.entries(interests);

describe.each(wishes)('skipping what %s does not ask for changes nothing', (_name, wish) => {
  test('in any stream', () => {
    check(
      fc.property(streams(), (records) => {
        expectSame(ndjson(records), wish);
      }),
      'skipping: any stream',
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
      'skipping: damaged stream',
    );
  });
});

describe('everybody gets what they ask for, and so does who asks for one event', () => {
  testEach(everything, ({ parts }, turn) => {
    const all = readAll(parts).events;
    const here = [...new Set(all.map(({ event }) => event))];
    const elsewhere = eventNames().filter((name) => !here.includes(name));
    const single = [here, elsewhere]
      .flatMap((names) => shareOf('skipping: single events', names, turn))
      .map((name) => [`only ${name}`, { events: [name] }] as const);
    for (const [name, wish] of [...shareOf('skipping: fixtures', wishes, turn), ...single]) {
      const kept = asked(readAll(parts, { interest: wish }).events, wish, all);
      // Thousands of times: a comparison of texts takes much less time than one of lists.
      expect(kept.join('\n'), name).toBe(asked(all, wish, all).join('\n'));
    }
  });
});

test('most lines are not parsed whole', () => {
  const wish = interests['cct usage'] ?? { events: [] };
  const read = [...sessions, ...homes].map(({ parts }) => readAll(parts, { interest: wish }));
  const [viewed, all] = [read.map((each) => each.viewed), read.map((each) => each.records.length)].map(sum);
  expect(viewed).toBeGreaterThan(0.8 * (all ?? 0));
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function expectSame(text: string, wish: Interest): void {
  const parts = [{ path: null, bytes: Buffer.from(text) }];
  const all = readAll(parts).events;
  const kept = asked(readAll(parts, { interest: wish }).events, wish, all);
  expect(kept).toEqual(asked(all, wish, all));
}

/** Events of the asked-for names; seq counts what was read, and differs. */
function asked(events: readonly Event[], wish: Interest, all: readonly Event[]): string[] {
  const { events: globs, content = 'all' } = wish;
  const names = namesLike(globs);
  const { detail = 'all' } = wish;
  const asksForRows = detail === 'rows' && content === 'none';
  const told = detail === 'sums' || asksForRows ? withoutRepeats(events) : events;
  return (detail === 'sums' ? coarsely(told, all) : asksForRows ? roughly(told) : told)
    .filter((event) => names.has(event.event) && (content !== 'brief' || isAsked(event)))
    .map((event) => JSON.stringify({ ...event, ...unasked[content](event), seq: 0 }));
}

/** What a message used, only where it is more than was said before: tables keep the most. */
function withoutRepeats(events: readonly Event[]): Event[] {
  const most = new Map<string, number>();
  return events.filter((event) => {
    if (event.event !== 'usage:recorded' || event.message_id === null) return true;
    const { session_id, team, agent, source, message_id, model, iteration, transcript, copied } = event;
    const key = JSON.stringify([session_id, team, agent, source, message_id, model, iteration, transcript, copied]);
    const { input_tokens, output_tokens, cache_write_5m_tokens, cache_write_1h_tokens, cache_read_tokens } = event;
    const sum = input_tokens + output_tokens + cache_write_5m_tokens + cache_write_1h_tokens + cache_read_tokens;
    const value = sum + (event.final ? 1.5 : 1);
    if (value <= (most.get(key) ?? 0)) return false;
    most.set(key, value);
    return true;
  });
}

/** Without hooks that change nothing, and without what shells in the background are to do. */
function roughly(events: readonly Event[]): Event[] {
  return events.flatMap((event): Event[] => {
    if (event.event === 'hook:fired' && event.hook !== 'SessionEnd') return [];
    const isShell = event.event === 'agent:started' && /shell|bash/.test(event.task_type ?? '');
    return [isShell ? { ...event, description: null, background: null } : event];
  });
}

/** Without shells, the directories that a session moves to, and the lines of usage. */
function coarsely(events: readonly Event[], all: readonly Event[]): Event[] {
  const isShell = (type: string | null) => type !== null && !/agent|teammate|workflow/.test(type);
  const shells = new Set(
    all.flatMap((one) => ('task_type' in one && isShell(one.task_type as string | null) ? [one.task_id] : [])),
  );
  const started = new Set<string>();
  return events.flatMap((event): Event[] => {
    if ('task_id' in event && shells.has(event.task_id)) return [];
    if (event.event.startsWith('team:member:') && 'member' in event)
      return [{ ...event, member: { ...(event.member as object), cwd: null } } as Event];
    const place = `${event.session_id} ${event.source}`;
    if (event.event === 'session:started' && started.has(place)) return [];
    if (event.event === 'session:started') started.add(place);
    // Of two records that say the same, either may tell it.
    return [event.event === 'usage:recorded' ? { ...event, line: null } : event];
  });
}

/** Fields that somebody who can do without content may find empty, or find with less in them. */
const unasked: Record<NonNullable<Interest['content']>, (event: Event) => object> = {
  all: () => ({}),
  brief,
  sizes: (event) => ({ ...withoutContent(event), ...(event.event === 'tool:called' && { input: null }) }),
  none: (event) => ({
    ...withoutContent(event),
    ...(isCall(event) && undetailed),
    ...(event.event === 'usage:recorded' && { request_id: null }),
  }),
};

/** Of changes and hooks only those that a story tells. */
function isAsked(event: Event): boolean {
  const isOther = event.event === 'session:changed' || event.event === 'hook:fired';
  return (
    !isOther ||
    happeningOf(event, {
      whole: true,
      parts: true,
      thinking: true,
      costs: true,
      find: null,
      everything: true,
      turns: true,
      folds: false,
    }) !== null
  );
}

/** Of a result only how much came back is asked, and what it changed; of a frame only what a story tells. */
function brief(event: Event): object {
  if (event.event === 'tool:returned') {
    const { tool, success, result } = event;
    return { result: success ? [amountOf(tool, result), changesOf(tool, null, result)] : null };
  }
  if (event.event !== 'session:changed') return {};
  return event['subagent_retry'] || event.subtype === 'model_refusal_fallback' ? {} : withoutContent(event);
}

function withoutContent(event: object): object {
  if ('event' in event && event.event === 'session:changed' && !('tool_use_ids' in event))
    return Object.fromEntries(Object.keys(event).flatMap((name) => (kept.has(name) ? [] : [[name, undefined]])));
  return isCall(event) ? { ...bare, ...('event' in event && event.event === 'thinking:produced' && undetailed) } : {};
}

const kept = new Set(['cct', 'event', 'time', 'session_id', 'team', 'agent', 'line', 'source', 'type', 'subtype']);
const bare = { text: null, input: null, result: null, input_bytes: undefined, result_bytes: undefined };
const undetailed = { duration_ms: undefined, denied: undefined, error: undefined, server: undefined };

function isCall(event: object): boolean {
  return (
    'event' in event &&
    ['tool:called', 'tool:returned', 'text:produced', 'thinking:produced', 'agent:finished'].includes(`${event.event}`)
  );
}

function turnedRound(line: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()));
}
