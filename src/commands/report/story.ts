// The story of a run for the page: the lines that `cct log` writes, with their moments, and the findings among them.
import type { Event } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import { happeningOf } from '../../core/story/happening.js';
import type { StoryLine } from '../../core/story/line.js';
import { Merge, StreamClock } from '../../core/story/merge.js';
import { Teller } from '../../core/story/teller.js';
import { isOfAgents, newAgents, noteAgents } from '../../core/tables/agents.js';
import { isLeadId } from '../../core/tables/order.js';
import type { FindingRow } from '../audit/row.js';
import { unicodeMarks, type Words, wordsOf } from '../log/rows.js';
import type { RunLanes } from './lanes.js';
import { lazily, type Playback } from './playback.js';

/** What somebody can choose in the page. */
export interface Choice {
  readonly is: 'call' | 'message' | 'task' | 'finding' | 'line';
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
  readonly line: StoryLine | null;
  readonly finding: FindingRow | null;
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
const wants = { whole: true, parts: true, thinking: true, find: null };

export function storyLines(events: readonly Event[]): StoryLine[] {
  const lines: StoryLine[] = [];
  const agents = newAgents();
  const colors = new Map<string, string>();
  const teller = new Teller(
    {
      everything: false,
      turns: true,
      parts: true,
      fold: null,
      agents,
      colorOf: (session, agent) => colors.get(`${session} ${agent}`) ?? null,
    },
    (line) => lines.push(line),
  );
  // As for `cct log`: one stream is told as it comes, several files in order of time.
  const merge = events.some(({ source }) => source !== undefined) ? new Merge() : null;
  const clock = new StreamClock();
  for (const event of events) {
    if (isOfAgents(event)) noteAgents(agents, event);
    if (event.event === 'team:member:joined' && event.member.color !== null)
      colors.set(`${event.session_id} ${event.member.agent_id ?? event.agent}`, event.member.color);
    const happening = happeningOf(event, wants);
    if (happening !== null && merge !== null) merge.add(happening);
    else if (happening !== null) for (const due of clock.dated(happening)) teller.tell(due);
    else if (event.time !== null && merge !== null) merge.passTime(event.time, event.source ?? '');
    else if (event.time !== null) for (const due of clock.passTime(event.time)) teller.tell(due);
  }
  for (const happening of merge === null ? clock.end() : merge.inOrder()) teller.tell(happening);
  teller.end();
  return lines;
}

interface Told {
  readonly at: number;
  readonly line: StoryLine | null;
  readonly finding: FindingRow | null;
  readonly choice: Choice | null;
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
  const entries = placed.map(({ at, line, finding, choice }, index): Entry => {
    const known = choice ?? (line === null ? null : choiceOf(line, messages)) ?? { is: 'line', id: String(index) };
    const { session_id = null } = line ?? finding ?? {};
    const lane = laneOf(session_id, ...(line === null ? [finding?.agent ?? 'main'] : whoOf(line)));
    const isAbout = line !== null && (line.kind === 'message' || line.kind === 'agent') && line.target !== null;
    const entry: Entry = {
      index,
      at,
      lane: lane?.id ?? null,
      other: isAbout ? (laneOf(session_id, line.target)?.id ?? null) : null,
      group: line === null ? 'notices' : groupByKind[line.kind],
      choice: known,
      line,
      finding,
    };
    for (const one of [known, ...alsoOf(entry)]) {
      const key = `${one.is} ${one.id}`;
      if (!places.has(key)) places.set(key, entry);
    }
    return entry;
  });
  return { entries, entryOf: ({ is, id }) => places.get(`${is} ${id}`) };
}

/** A message that somebody received belongs to whoever sent it. */
function whoOf({ kind, agent, name }: StoryLine): (string | null)[] {
  return kind === 'message' ? [name, agent] : [agent, name];
}

/** Other choices that lead to the same entry: the call that sent a message, a task by its id. */
function alsoOf({ index, line }: Entry): Choice[] {
  const also: Choice[] = [{ is: 'line', id: String(index) }];
  if (line !== null && line.tool_use_id !== null) also.push({ is: 'call', id: line.tool_use_id });
  const [, task] = line?.kind === 'task' ? (/^task (.+)$/s.exec(line.target ?? '') ?? []) : [];
  if (task !== undefined) also.push({ is: 'task', id: `board:${task}` });
  return also;
}

function choiceOf(line: StoryLine, messages: MessageFinder): Choice | null {
  const { kind, tool_use_id } = line;
  const message = kind === 'message' ? messages(line) : undefined;
  if (message !== undefined) return { is: 'message', id: String(message) };
  return kind === 'call' && tool_use_id !== null ? { is: 'call', id: tool_use_id } : null;
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
    return { at, line, finding: null, choice: null };
  });
  return told.sort((a, b) => a.at - b.at);
}

/** A finding follows the line of its call, else stands at its moment. */
function withFindings(told: readonly Told[], playback: Playback, findings: readonly FindingRow[]): Told[] {
  const byCall = new Map<string, Told[]>();
  const others: Told[] = [];
  const calls = new Set(told.map(({ line }) => line?.tool_use_id ?? null));
  findings.forEach((finding, index) => {
    const at = playback.atTime(finding.time) ?? playback.atLine('', finding.line ?? 0);
    const one: Told = { at: at ?? playback.length, line: null, finding, choice: { is: 'finding', id: String(index) } };
    const { tool_use_id } = finding;
    if (tool_use_id === null || !calls.has(tool_use_id)) others.push(one);
    else byCall.set(tool_use_id, [...(byCall.get(tool_use_id) ?? []), one]);
  });
  const near = told.flatMap((one) => {
    const call = one.line?.tool_use_id ?? '';
    const found = byCall.get(call) ?? [];
    byCall.delete(call);
    return [one, ...found.map((finding) => ({ ...finding, at: one.at }))];
  });
  return [...near, ...others].sort((a, b) => a.at - b.at);
}

/** The words of a line; a finding has words of its own. */
export function wordsOfEntry({ line, finding }: Entry): Words {
  if (line !== null) return wordsOf(line, unicodeMarks);
  return {
    mark: finding?.severity === 'problem' ? '✗' : 'note',
    about: `${finding?.rule.replaceAll('_', ' ') ?? ''}:`,
    said: finding?.detail ?? '',
    facts: [],
    tone: finding?.severity === 'problem' ? 'bad' : 'warning',
  };
}

/** What the run was asked: the first prompt of its main conversation; null if it is not in the input. */
export function askedIn(events: readonly Event[], session_id: string | null): string | null {
  for (const event of events)
    if (
      event.event === 'prompt:received' &&
      event.session_id === session_id &&
      isLeadId(event.agent) &&
      !event.synthetic &&
      event.text !== null &&
      event.text.trim() !== ''
    ) {
      const happening = happeningOf(event, wants);
      if (happening?.does === 'tell') return happening.draft.text;
    }
  return null;
}
