// The story of a run for the page: the lines that `cct log` writes, with their moments, and the findings among them.
import type { Event } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import { happeningOf } from '../../core/story/happening.js';
import type { StoryLine } from '../../core/story/line.js';
import { Storyteller } from '../../core/story/storyteller.js';
import { firstIndex, groupBy, isLeadId, keyOf } from '../../core/tables/order.js';
import { mannerOf } from '../../core/wire/tools/about.js';
import { unicodeSigns } from '../../view/signs.js';
import type { FindingRow } from '../audit/row.js';
import { type Words, wordsOf } from '../log/rows.js';
import type { RunLanes } from './lanes.js';
import { lazily, type Playback } from './playback.js';

export const choiceKinds = ['call', 'message', 'task', 'finding', 'line'] as const;

/** What somebody can choose in the page. */
export interface Choice {
  readonly is: (typeof choiceKinds)[number];
  readonly id: string;
}

/** A line of the story, or a finding in its place. */
export interface Entry {
  readonly index: number;
  readonly at: number;
  /** The lane of its agent. */
  readonly lane: string | null;
  /** The lane of the agent it is about. */
  readonly other: string | null;
  readonly group: LineGroup;
  readonly choice: Choice;
  /** null for a finding that no line tells. */
  readonly line: StoryLine | null;
  readonly found: readonly Found[];
}

/** A finding, and its place among all. */
export interface Found {
  readonly finding: FindingRow;
  readonly index: number;
}

export const groups = ['text', 'thinking', 'calls', 'team', 'notices'] as const;
export type LineGroup = (typeof groups)[number];

const groupByKind: Readonly<Record<StoryLine['kind'], LineGroup>> = {
  session: 'notices',
  prompt: 'text',
  text: 'text',
  thinking: 'thinking',
  call: 'calls',
  message: 'team',
  agent: 'team',
  task: 'team',
  notice: 'notices',
  result: 'text',
};

/** Texts, inputs and results are whole, and no line stands for several: each can be opened. */
const wants = {
  ...{ whole: true, parts: true, thinking: true, costs: false, find: null },
  ...{ everything: false, turns: true, folds: false },
};

export function storyLines(events: readonly Event[]): StoryLine[] {
  const lines: StoryLine[] = [];
  const story = new Storyteller(wants, (line) => lines.push(line));
  for (const event of events) story.note(event);
  story.end();
  return lines;
}

interface Told extends Pick<Entry, 'at' | 'line'> {
  readonly found: Found[];
}

export interface Story {
  readonly entries: readonly Entry[];
  /** The entry of what was chosen; undefined if nothing tells it. */
  entryOf(choice: Choice): Entry | undefined;
}

export function storyOf(
  events: readonly Event[],
  playback: Playback,
  findings: readonly FindingRow[],
  { laneOf }: Pick<RunLanes, 'laneOf'>,
): Story {
  const placed = withFindings(placedLines(events, playback), playback, findings);
  const messages = messageFinder(playback);
  const places = new Map<string, Entry>();
  const entries = placed.map(({ at, line, found }, index): Entry => {
    const finding = found[0]?.finding;
    const { session_id = null } = line ?? finding ?? {};
    // A message that somebody received belongs to whoever sent it.
    const named = line === null ? [finding?.agent ?? 'main'] : [line.agent, line.name];
    const who = line?.kind === 'message' ? named.reverse() : named;
    const lane = laneOf(session_id, ...who);
    const choices = choicesOf(line, found, index, messages);
    const isAbout = line !== null && (line.kind === 'message' || line.kind === 'agent') && line.target !== null;
    const entry: Entry = {
      index,
      at,
      lane: lane?.id ?? null,
      other: isAbout ? (laneOf(session_id, line.target)?.id ?? null) : null,
      group: line === null ? 'notices' : groupByKind[line.kind],
      choice: choices[0],
      line,
      found,
    };
    for (const { is, id } of choices) if (!places.has(`${is} ${id}`)) places.set(`${is} ${id}`, entry);
    return entry;
  });
  return { entries, entryOf: ({ is, id }) => places.get(`${is} ${id}`) };
}

/** Everything that leads to an entry, what it is itself first: a message also by its call, a task by its id. */
function choicesOf(
  line: StoryLine | null,
  found: readonly Found[],
  index: number,
  messages: MessageFinder,
): [Choice, ...Choice[]] {
  const own: Choice = { is: 'line', id: String(index) };
  const findings = found.map((one): Choice => ({ is: 'finding', id: String(one.index) }));
  if (line === null) return [findings[0] ?? own, own];
  const { kind, tool_use_id: id } = line;
  const message = kind === 'message' ? messages(line) : undefined;
  const task = taskIn(line);
  const call: Choice[] = id === null ? [] : [{ is: 'call', id }];
  const itself: Choice | undefined =
    message !== undefined ? { is: 'message', id: String(message) } : kind === 'call' ? call[0] : undefined;
  const tasks: Choice[] = task === null ? [] : [{ is: 'task', id: `board:${task}` }];
  return [itself ?? own, own, ...call, ...tasks, ...findings];
}

type MessageFinder = (line: StoryLine) => number | undefined;

/** The message of a line, by its call, else by who got it and what it says. */
function messageFinder({ messages }: Playback): MessageFinder {
  const byCall = new Map<string, number>();
  const others = new Map<string, Set<number>>();
  messages.forEach(({ row }, index) => {
    if (row.tool_use_id !== null) byCall.set(row.tool_use_id, index);
    getOrCreate(others, row.to ?? row.recipients.join(', '), () => new Set<number>()).add(index);
  });
  return ({ tool_use_id, target, text, session_id }) => {
    const left = others.get(target ?? '');
    let found = byCall.get(tool_use_id ?? '');
    if (found === undefined)
      for (const index of left ?? []) {
        const row = messages[index]?.row;
        const said = row?.summary ?? row?.content ?? null;
        if (row?.session_id !== session_id || said === null || !text?.includes(said)) continue;
        found = index;
        break;
      }
    if (found !== undefined) left?.delete(found);
    return found;
  };
}

/** A line without a time stands at its record, never before the line that was told before it. */
function placedLines(events: readonly Event[], playback: Playback): Told[] {
  const sources = lazily(() => new Map(events.map(({ line, source = '' }) => [line, source])));
  let before = 0;
  const told = storyLines(events).map((line): Told => {
    const timed = playback.isToScale ? playback.atTime(line.time) : null;
    const isUntimed = timed === null && line.line !== null;
    const record = isUntimed ? playback.atLine(sources().get(line.line) ?? '', line.line) : null;
    const at = timed ?? Math.max(before, record ?? before);
    before = at;
    return { at, line, found: [] };
  });
  return told.sort((a, b) => a.at - b.at);
}

/**
 * A finding belongs to the line of its call, of the agent that failed or of its task, or to the bad line of its moment;
 * else it has a line of its own.
 */
function withFindings(told: readonly Told[], playback: Playback, findings: readonly FindingRow[]): Told[] {
  const lines = new Map<string, Told>();
  for (const one of told) {
    if (one.line === null) continue;
    const { tool_use_id, kind, bad, name, session_id, time } = one.line;
    if (tool_use_id !== null && !lines.has(tool_use_id)) lines.set(tool_use_id, one);
    const task = taskIn(one.line);
    if (task !== null) lines.set(keyOf('unfinished_task', session_id, task), one);
    if (bad && kind === 'agent') lines.set(keyOf('agent_failed', name), one);
    else if (bad && time !== null) lines.set(keyOf('bad', session_id, time), one);
  }
  const ownerOf = ({ tool_use_id, rule, agent, session_id, task, time }: FindingRow) =>
    tool_use_id !== null
      ? lines.get(tool_use_id)
      : (lines.get(keyOf(rule, agent)) ??
        lines.get(keyOf(rule, session_id, task)) ??
        lines.get(keyOf('bad', session_id, time)));
  const others = findings.flatMap((finding, index): Told[] => {
    const owner = ownerOf(finding);
    owner?.found.push({ finding, index });
    const at = playback.atTime(finding.time) ?? playback.atLine('', finding.line ?? 0) ?? playback.length;
    return owner === undefined ? [{ at, line: null, found: [{ finding, index }] }] : [];
  });
  return [...told, ...others].sort((a, b) => a.at - b.at);
}

/** The id of the task that a line tells of. */
function taskIn({ kind, target }: StoryLine): string | null {
  return kind === 'task' ? (/^task (.+)$/s.exec(target ?? '')?.[1] ?? null) : null;
}

/** The words of a line; a finding without a line has words of its own. */
export function wordsOfEntry({ line, found: [only] }: Entry): Words {
  if (line !== null) return wordsOf(line, unicodeSigns);
  const isProblem = only?.finding.severity === 'problem';
  return {
    mark: isProblem ? '✗' : 'note',
    about: `${statusWords(only?.finding.rule ?? '')}:`,
    said: only?.finding.detail ?? '',
    facts: [],
    tone: isProblem ? 'bad' : 'warning',
  };
}

/** What was found about a line. That something failed is said already. */
export function flagsOf({ line, found }: Entry): FindingRow[] {
  if (line === null) return [];
  return found.flatMap(({ finding }) =>
    line.bad && /^(?:failed_calls?|agent_failed|run_failed)$/.test(finding.rule) ? [] : [finding],
  );
}

/** A status or a rule as people say it. */
export function statusWords(status: string | null): string {
  return (status ?? 'unknown').replaceAll('_', ' ');
}

/** What each session was asked: the first prompt of its main conversation, as far as it is in the input. */
export function askedIn(moments: Playback['moments']): Map<string | null, string | null> {
  const asked = new Map<string | null, string | null>();
  for (const { event } of moments) {
    if (event.event !== 'prompt:received' || asked.has(event.session_id)) continue;
    if (!isLeadId(event.agent) || event.synthetic || (event.text ?? '').trim() === '') continue;
    const happening = happeningOf(event, wants);
    if (happening?.does === 'tell' && happening.draft.status === null)
      asked.set(event.session_id, happening.draft.text);
  }
  return asked;
}

// Finds words in everything a story tells, also in what is folded.
interface Hit {
  readonly entry: Entry;
  /** The text around the first word found. */
  readonly excerpt: string;
}

/** Every word has to be in the entry, in any of its texts; upper and lower case are the same. */
export function findIn(entries: readonly Entry[], query: string, most = mostHits): { hits: Hit[]; count: number } {
  const words = wordsIn(query);
  const hits: Hit[] = [];
  let count = 0;
  if (words.length === 0) return { hits, count };
  for (const entry of entries) {
    const texts = textsOf(entry);
    if (!words.every((word) => texts.some((text) => word.test(text)))) continue;
    count += 1;
    if (hits.length < most) hits.push({ entry, excerpt: excerptOf(texts, words[0]) });
  }
  return { hits, count };
}

const mostHits = 500;

export function wordsIn(query: string): RegExp[] {
  return query
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'i'));
}

/** Everything that an entry says. */
export function textsOf(entry: Entry): string[] {
  const { line, found } = entry;
  const { mark, about, said, facts } = wordsOfEntry(entry);
  const head = `${line?.name ?? found[0]?.finding.agent ?? ''} ${mark} ${about} ${facts.join(' ')}`;
  const texts = [head, said, ...found.map(({ finding: { rule, detail } }) => `${statusWords(rule)} ${detail}`)];
  for (const { text, changes } of line?.parts ?? []) {
    if (text !== '') texts.push(text);
    for (const change of changes ?? []) texts.push(change.text);
  }
  return texts;
}

function excerptOf(texts: readonly string[], word: RegExp | undefined): string {
  for (const text of texts) {
    const place = word === undefined ? -1 : text.search(word);
    if (place === -1) continue;
    const from = Math.max(0, place - lettersBefore);
    const piece = text.slice(from, place + lettersAfter).replace(/\s+/g, ' ');
    return `${from > 0 ? '…' : ''}${piece.trim()}${place + lettersAfter < text.length ? '…' : ''}`;
  }
  return '';
}
const lettersBefore = 40;
const lettersAfter = 120;

// Which files a run edited: by whom, how often, and what changed.
export interface EditedFile {
  readonly path: string;
  readonly edits: readonly Entry[];
  readonly added: number;
  readonly removed: number;
  readonly failed: number;
  /** Names of the agents that edited it, with how often. */
  readonly by: readonly (readonly [name: string, edits: number])[];
}

/** In order of the first edit. */
export function filesOf(entries: readonly Entry[]): EditedFile[] {
  const all = entries.filter(({ line }) => line?.kind === 'call' && mannerOf(line.tool) === 'edit');
  return [...groupBy(all, (entry) => wordsOfEntry(entry).about || 'unknown')].map(([path, edits]) => ({
    path,
    edits,
    added: edits.reduce((sum, { line }) => sum + (line?.facts.added ?? 0), 0),
    removed: edits.reduce((sum, { line }) => sum + (line?.facts.removed ?? 0), 0),
    failed: edits.filter(({ line }) => line?.bad).length,
    by: [...groupBy(edits, ({ line }) => line?.name ?? '')].map(([name, own]) => [name, own.length] as const),
  }));
}

/** The heights of the rows of a long list, of which only a few are drawn. A row that was never drawn has a guess. */
export class Heights {
  readonly #rows: number[];
  /** Where each row begins, and at last where the list ends; summed again in the first question after a change. */
  #tops: number[] | null = null;

  constructor(guesses: readonly number[]) {
    this.#rows = [...guesses];
  }

  get total(): number {
    return this.top(this.#rows.length);
  }

  /** Where a row begins. */
  top(row: number): number {
    return this.#summed()[Math.min(row, this.#rows.length)] ?? 0;
  }

  /** Returns by how much the row changed. */
  setHeight(row: number, height: number): number {
    const change = height - (this.#rows[row] ?? height);
    if (change === 0) return 0;
    this.#rows[row] = height;
    this.#tops = null;
    return change;
  }

  /** The row at this height; the last one below the end. */
  rowAt(y: number): number {
    const before = firstIndex(this.#summed(), (top) => top <= y) - 1;
    return Math.max(0, Math.min(before, this.#rows.length - 1));
  }

  #summed(): readonly number[] {
    if (this.#tops !== null) return this.#tops;
    let sum = 0;
    this.#tops = [0, ...this.#rows].map((height) => (sum += height));
    return this.#tops;
  }
}
