// The story of the page: what it tells, where findings stand, what a search finds, which files were edited.
import { describe, expect, test } from 'vitest';
import { createAuditReader, findingsOf } from '../../../src/commands/audit/audit.js';
import { auditedSubjects } from '../../../src/commands/audit/row.js';
import { lanesOf } from '../../../src/commands/report/lanes.js';
import { Playback } from '../../../src/commands/report/playback.js';
import {
  askedIn,
  type Entry,
  filesOf,
  findIn,
  flagsOf,
  Heights,
  type Story,
  storyLines,
  storyOf,
  wordsOfEntry,
} from '../../../src/commands/report/story.js';
import { homes, type Input, sessions } from '../../laws/inputs.js';
import { readAll } from '../../laws/reading.js';

function told(name: string): { story: Story; playback: Playback } {
  const input = [...homes, ...sessions].find((one: Input) => one.name === name);
  expect(input, name).toBeDefined();
  const { events } = readAll(input?.parts ?? []);
  const playback = new Playback(events);
  const reader = createAuditReader();
  for (const event of events) reader.note(event);
  const story = storyOf(events, playback, findingsOf(auditedSubjects, reader.facts()), lanesOf(playback));
  return { story, playback };
}

function textOf(entry: Entry): string {
  const { mark, about, said } = wordsOfEntry(entry);
  return [mark, about, said].filter((one) => one !== '').join(' ');
}

const team = 'sessions/team-2.1.325.ndjson';

describe('the story', () => {
  test('tells what was said, called, sent and found, in time', () => {
    const { entries } = told(team).story;
    const texts = entries.map(textOf);
    expect(texts).toContain('Creating the shared task list.');
    expect(texts).toContain('→ researcher Ask for line counts');
    expect(texts.filter((text) => text.startsWith('$ sleep'))).toHaveLength(3);
    const times = entries.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('a finding belongs to the line of its call, which tells it once', () => {
    const { entries } = told(team).story;
    const isAbout = (rule: string) => (entry: Entry) => entry.found.some(({ finding }) => finding.rule === rule);
    const [refused, ...others] = entries.filter(isAbout('unknown_recipient'));
    expect(others).toEqual([]);
    expect(textOf(refused as Entry)).toContain('✗ → nobody');
    expect(flagsOf(refused as Entry).map(({ rule }) => rule)).toEqual(['unknown_recipient']);
    // That it failed is said by the line.
    const failed = entries.find(isAbout('failed_call')) as Entry;
    expect(failed.line?.kind).toBe('call');
    expect(flagsOf(failed)).toEqual([]);
    // One about a task stands on the last line of that task.
    const unfinished = entries.find(isAbout('unfinished_task')) as Entry;
    expect(unfinished.line?.kind).toBe('task');
    expect(flagsOf(unfinished).map(({ rule }) => rule)).toEqual(['unfinished_task']);
  });

  test.each([
    ['sessions/several-tools.ndjson', 'failed_calls', 'call'],
    ['sessions/api-error.ndjson', 'run_failed', 'result'],
  ])('what failed is told once in %s: %s', (file, rule, kind) => {
    const entries = told(file).story.entries.filter(({ found }) => found.some(({ finding }) => finding.rule === rule));
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.map(({ line }) => line?.kind)).toEqual(entries.map(() => kind));
    expect(entries.flatMap(flagsOf)).toEqual([]);
  });

  test('an agent that failed is told once', () => {
    const { entries } = told('sessions/agent-api-error-2.1.326.ndjson').story;
    expect(entries.filter((entry) => textOf(entry).includes('529 Overloaded'))).toHaveLength(1);
    expect(findIn(entries, 'agent failed').count).toBe(1);
  });

  test('calls, messages, tasks and findings lead to their lines', () => {
    const { story, playback } = told(team);
    const ids = playback.messages.map((_, index) => story.entryOf({ is: 'message', id: String(index) }));
    expect(ids.filter((entry) => entry?.line?.kind === 'message').length).toBeGreaterThan(5);
    expect(story.entryOf({ is: 'task', id: 'board:1' })?.line?.target).toBe('task 1');
    expect(story.entryOf({ is: 'finding', id: '0' })?.found[0]?.index).toBe(0);
    for (const entry of story.entries) expect(story.entryOf(entry.choice)).toBeDefined();
  });

  test('a message without a call is found by what it says', () => {
    const { story, playback } = told('files/parley-plan-2.1.140');
    const asked = playback.messages.findIndex(({ row }) => row.type === 'plan_approval_request');
    expect(story.entryOf({ is: 'message', id: String(asked) })?.line?.text).toContain('# Plan 1');
  });

  test.each([...sessions, ...homes].map(({ name }) => name))('%s: every line has a moment of the run', (name) => {
    const { story, playback } = told(name);
    for (const { at, lane, line } of story.entries) {
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThanOrEqual(playback.length);
      expect(lane === null || line === null || lane.length > 0).toBe(true);
    }
  });
});

describe('a search', () => {
  test('finds what is folded: inputs, results and changes', () => {
    const { entries } = told(team).story;
    expect(findIn(entries, 'WC -L').count).toBe(2);
    expect(findIn(entries, 'nothing-of-the-kind').count).toBe(0);
    expect(findIn(entries, '').count).toBe(0);
    const { hits } = findIn(entries, 'reachable nobody');
    expect(hits[0]?.excerpt).toContain('reachable');
  });

  test('takes marks of patterns as they are', () => {
    const { entries } = told(team).story;
    expect(findIn(entries, '*.ts').count).toBe(2);
    expect(findIn(entries, '(.*').count).toBe(0);
  });
});

test('files: by whom, how often, and what changed', () => {
  const edited = sessions.concat(homes).flatMap(({ name }) => filesOf(told(name).story.entries));
  expect(edited.length).toBeGreaterThan(0);
  for (const { edits, by } of edited) expect(by.reduce((sum, [, times]) => sum + times, 0)).toBe(edits.length);
  expect(edited.some(({ added, edits }) => added > 0 && edits.some(({ line }) => line?.parts[0]?.changes))).toBe(true);
});

test('what was asked is the first prompt of the main conversation', () => {
  const input = sessions.find(({ name }) => name === 'sessions/multiturn.ndjson');
  const { events } = readAll(input?.parts ?? []);
  const prompts = storyLines(events).filter(({ kind }) => kind === 'prompt');
  expect(prompts[0]?.text).toBe('First question: say one.');
  expect(askedIn(new Playback(events).moments).get(prompts[0]?.session_id ?? null)).toBe(prompts[0]?.text);
});

test('heights of a long list', () => {
  const rows = Array.from({ length: 1000 }, (_, row) => 10 + (row % 3));
  const heights = new Heights(rows);
  const tops = (row: number) => rows.slice(0, row).reduce((a, b) => a + b, 0);
  rows[500] = 300;
  expect(heights.setHeight(500, 300)).toBe(300 - (10 + (500 % 3)));
  for (const row of [0, 1, 2, 499, 500, 501, 999]) {
    expect(heights.top(row)).toBe(tops(row));
    expect(heights.rowAt(heights.top(row))).toBe(row);
    expect(heights.rowAt(heights.top(row) + (rows[row] ?? 0) - 0.5)).toBe(row);
  }
  expect(heights.rowAt(-5)).toBe(0);
  expect(heights.rowAt(1e9)).toBe(999);
  expect(new Heights([]).rowAt(5)).toBe(0);
});
