import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { events as described, envelopeNames } from '../src/core/event/event.js';
import type { Field } from '../src/core/record/describe.js';
import { type Event, eventNames, eventSchema } from '../src/lib.js';
import { type Part, readAll } from './laws/reading.js';

const fixtures = new URL('../fixtures/', import.meta.url);
const specimens = namesIn('specimens/', '.ndjson');
const sessions = namesIn('sessions/', '.ndjson');

/** What a file of a team does not say its path does. */
const paths: Record<string, string> = {
  'files/file-agent-meta-2.1.140':
    'projects/-home-dev-project/7b678677-a59d-447f-b357-c04038b33045/subagents/agent-a05e8ed97d900af31.meta.json',
  'files/file-agent-meta-subagent':
    'projects/-home-dev-project/6e9cadef-eb5b-4b72-bf2a-36d7cfa6de0f/subagents/agent-a152dd12b3e6e7ce9.meta.json',
  'files/file-agent-meta-teammate':
    'projects/-home-dev-project/e14e95d0-e463-4002-a221-694ad34b7f94/subagents/agent-awriter-9d686fae54b9e6c9.meta.json',
  'files/file-inbox': 'teams/session-e14e95d0/inboxes/team-lead.json',
  'files/file-inbox-2.1.140': 'teams/report-crew/inboxes/researcher.json',
  'files/file-inbox-plan-answered-twice': 'teams/care-crew/inboxes/carer.json',
  'files/file-inbox-protocol': 'teams/report-crew/inboxes/team-lead.json',
  'files/file-task': 'tasks/report-crew/2.json',
  'files/file-task-internal': 'tasks/report-crew/4.json',
  'files/file-team-config': 'teams/session-e14e95d0/config.json',
  'files/file-team-config-2.1.140': 'teams/report-crew/config.json',
};

describe('specimens', () => {
  const seen = new Set<string>();

  test.each(specimens)('%s', async (name) => {
    const { events, damaged } = readAll([partOf(`specimens/${name}.ndjson`, paths[name])]);
    for (const event of events) seen.add(event.event);
    expect(damaged).toBe(0);
    expect(events.filter((event) => eventSchema(event.event).safeParse(event).success === false)).toEqual([]);
    expect(events.flatMap(undescribed)).toEqual([]);
    if (!name.startsWith('unknown/')) expect(events.filter((event) => event.event === 'unknown')).toEqual([]);
    await expect(ndjson(events)).toMatchFileSnapshot(path(`specimens/${name}.events.ndjson`));
  });

  // A stream may begin after a call. Its result then says what it said with the call, or nothing.
  test('have no result that is taken for that of another tool', () => {
    const wrong = specimens.flatMap((name) => {
      const part = partOf(`specimens/${name}.ndjson`, paths[name]);
      const lines = Buffer.from(part.bytes).toString().split('\n');
      const results = lines.filter((line) => !line.includes('"type":"tool_use"')).join('\n');
      const known = new Set(readAll([part]).events.flatMap(actOfCall));
      const late = readAll([{ ...part, bytes: Buffer.from(results) }]).events.flatMap(actOfCall);
      return late.filter((act) => !known.has(act)).map((act) => `${name}: ${act}`);
    });
    expect(wrong).toEqual([]);
  });

  test('have every event but those of damaged input and of cct run, which writes its own', () => {
    expect(eventNames().filter((name) => !seen.has(name))).toEqual(['run:started', 'run:stopped', 'input:skipped']);
  });

  test('have no golden file without a specimen', () => {
    const goldens = namesIn('specimens/', '.events.ndjson');
    expect(goldens.filter((name) => !specimens.includes(name))).toEqual([]);
  });
});

describe('sessions', () => {
  /** Stories that are about damage. */
  const broken: Record<string, number> = { 'killed-midway': 1, 'seed-000-swarm': 5 };

  test.each(sessions)('%s', async (name) => {
    const { events, damaged } = readAll([partOf(`sessions/${name}.ndjson`)]);
    expect(damaged).toBe(broken[name] ?? 0);
    expect(events.filter((event) => event.event === 'unknown')).toEqual([]);
    await expect(`${JSON.stringify(count(events), null, 2)}\n`).toMatchFileSnapshot(
      path(`sessions/${name}.events.json`),
    );
  });
});

describe('files', () => {
  const homes = readdirSync(new URL('files/', fixtures)).filter((name) => !name.endsWith('.json'));

  test.each(homes)('%s', async (home) => {
    const inside = readdirSync(new URL(`files/${home}/`, fixtures), { recursive: true, encoding: 'utf8' });
    const parts = inside.filter((file) => /\.(?:jsonl?|ndjson)$/.test(file)).sort();
    const { events, damaged } = readAll(parts.map((part) => partOf(`files/${home}/${part}`, part)));
    expect(damaged).toBe(0);
    expect(events.flatMap((event) => (event.event === 'unknown' ? [event.type] : []))).toEqual([]);
    await expect(`${JSON.stringify(count(events), null, 2)}\n`).toMatchFileSnapshot(path(`files/${home}.events.json`));
  });
});

function partOf(file: string, path: string | null = null): Part {
  return { path, bytes: readFileSync(new URL(file, fixtures)) };
}

/** How many there are of each but damage, which is counted by itself. */
function count(events: Event[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { event } of events) if (event !== 'input:skipped') counts[event] = (counts[event] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Without nulls, which the schema vouches for: what is left can be read. */
function ndjson(events: Event[]): string {
  return events.map((event) => `${JSON.stringify(event, (_, value) => value ?? undefined)}\n`).join('');
}

/** Fields that nothing says an event has. */
function undescribed(event: Event): string[] {
  const { fields = {}, isLoose = false }: Field = described[event.event];
  const known = new Set([...Object.keys(fields), ...envelopeNames]);
  return Object.keys(event).flatMap((name) => (isLoose || known.has(name) ? [] : [`${event.event}.${name}`]));
}

function namesIn(folder: string, ending: string): string[] {
  const inside = readdirSync(new URL(folder, fixtures), { recursive: true, encoding: 'utf8' });
  const files = inside.filter((file) => file.endsWith(ending));
  const kept = ending === '.ndjson' ? files.filter((file) => !file.endsWith('.events.ndjson')) : files;
  return kept.map((file) => file.slice(0, -ending.length)).sort();
}

function path(file: string): string {
  return new URL(file, fixtures).pathname;
}

function actOfCall(event: Event): string[] {
  const isAct = event.event.startsWith('team:') && 'tool_use_id' in event && event.tool_use_id !== null;
  return isAct ? [`${event.event} by ${event.tool_use_id}`] : [];
}
