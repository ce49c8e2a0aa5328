// Collects what sessions were about, their titles, first prompts, times and files, and makes rows of it.
import type { Event } from '../../core/event/event.js';
import { getOrCreate, idOf, textOf } from '../../core/record/json.js';
import type { AgentsState } from '../../core/tables/agents.js';
import { leadSession, resolveAgent } from '../../core/tables/directory.js';
import { compare, earliest, groupBy, latest } from '../../core/tables/order.js';
import { newState, type State, type Watcher } from '../../core/tables/reduce.js';
import { programsOf } from '../../core/tables/usage/sessions.js';
import { isInternalFork } from '../../core/wire/agents.js';
import { insertedPrompt, isInterruption, promptText } from '../../core/wire/dialects/telling.js';
import { CallsFold, reportCalls } from '../calls/rows.js';
import { costOfRows, reportsOf, reportUsage, sessionsIn, type UsageQuery, type UsageRow } from '../usage/rows.js';
import type { SessionRow } from './row.js';

/** The events that it notes. Others may be passed on as well, and say nothing here. */
export const sessionEvents = [
  'session:started',
  'session:ended',
  'session:changed',
  'prompt:received',
  'tool:called',
  'tool:returned',
  'usage:recorded',
  'usage:reported',
] as const satisfies readonly Event['event'][];

/** What somebody wrote, and where: two files may say different things. */
interface TitleOrPrompt {
  readonly text: string;
  readonly rank: number;
  readonly time: string | null;
  readonly source: string;
  readonly line: number;
}

class Story {
  first: string | null = null;
  last: string | null = null;
  title: TitleOrPrompt | null = null;
  /** The first prompt of each agent. */
  readonly prompts = new Map<string | null, TitleOrPrompt>();
  readonly files = new Set<string>();
  /** The last message that a fork repeats, which another session requested. */
  copied: { readonly time: string; readonly message_id: string } | null = null;
}

/** Rows count calls, for which the ids of calls are hashed. */
export function newSessionsState(): State {
  return newState({ seed: Math.floor(Math.random() * 2 ** 32) });
}

export class SessionsFold implements Watcher {
  readonly stories = new Map<string, Story>();

  /** `near` is the time of the nearest record before it in its file: titles have none of their own. */
  after(event: Event, _: State, near: string | null): void {
    const { session_id, source = '' } = event;
    if (session_id === null || !sessionEvents.some((name) => name === event.event)) return;
    const story = getOrCreate(this.stories, session_id, () => new Story());
    story.first = earliest(story.first, event.time);
    story.last = latest(story.last, event.time);
    if (source !== '') story.files.add(source);
    const saidHere = (text: string, rank: number): TitleOrPrompt => ({
      ...{ text, rank, source },
      ...{ time: event.time ?? near, line: event.line ?? 0 },
    });
    if (event.event === 'usage:recorded' && event.copied) {
      const { time, message_id } = event;
      if (time !== null && message_id !== null && time >= (story.copied?.time ?? ''))
        story.copied = { time, message_id };
    } else if (event.event === 'session:changed') {
      const title = titleIn(event);
      const own = title === null ? null : saidHere(...title);
      if (own !== null && (story.title === null || isBetterTitle(own, story.title))) story.title = own;
    } else if (event.event === 'prompt:received' && !event.synthetic) {
      const text = promptIn(event.text ?? '');
      const known = story.prompts.get(event.agent);
      const own = text === '' ? null : saidHere(text, 0);
      if (own !== null && (known === undefined || isBetterTitle(known, own))) story.prompts.set(event.agent, own);
    }
  }
}

/** The better title of two, else the one that was written later. */
function isBetterTitle(a: TitleOrPrompt, b: TitleOrPrompt): boolean {
  const order =
    a.rank - b.rank || compare(a.time ?? '', b.time ?? '') || compare(a.source, b.source) || a.line - b.line;
  return order > 0;
}

/** A title with its rank: what a person chose counts before what the program thought of. */
function titleIn(event: Event & { readonly event: 'session:changed' }): [text: string, rank: number] | null {
  const { type, subtype } = event;
  const [value, rank] =
    type === 'custom-title'
      ? [event['custom_title'], 3]
      : subtype === 'session_title_changed'
        ? [event['title'], 3]
        : type === 'ai-title'
          ? [event['ai_title'], 2]
          : type === 'summary'
            ? [event['summary'], 1]
            : [null, 0];
  const text = textOf(value)?.trim() ?? '';
  return text === '' ? null : [text, rank];
}

/** A prompt as it was typed: `/init`, not the tags around it. Empty for what the program itself put there. */
function promptIn(text: string): string {
  const typed = insertedPrompt(text) !== null || isInterruption(text) ? '' : promptText(text).trim();
  // A session that follows another begins with the command that ended the other.
  return typed === '/clear' ? '' : typed;
}

// Makes the rows of the sessions command.

/** One row for each session, the newest first. The session of a teammate is part of its lead's. */
export function sessionRows(
  fold: SessionsFold,
  state: State,
  { prices }: Pick<UsageQuery, 'prices'> = {},
): SessionRow[] {
  const { agents } = state;
  const [bySession, byAgent] = reportsOf({ ...state, prices }, [['session'], ['session', 'agent']]);
  const used = sessionGroup(bySession?.rows ?? []);
  const workers = sessionGroup(byAgent?.rows ?? []);
  const called = sessionGroup(
    reportCalls(new CallsFold(), state, { by: ['session'] }).rows.filter((row) => 'calls' in row),
  );
  // Streams do not show the messages of every agent, and a lead may leave all work to others.
  const spawned = sessionGroup(
    agents.entries.values().flatMap(({ id: agent, session_id, turnOnly }) => (turnOnly ? [] : [{ agent, session_id }])),
  );
  const parents = parentsOf(fold, { ...state, prices });
  const known = new Set([...fold.stories.keys(), ...used.keys()]);
  const sessions = sessionsIn(state);
  const programs = programsOf(state.usage.sessions);
  const teams = new Map<string, string[]>();
  for (const id of known) getOrCreate(teams, leadSessionOf(agents, id, known), () => []).push(id);
  const rows = [...teams].map(([lead, all]): SessionRow => {
    const ids = [lead, ...all.filter((id) => id !== lead).sort()];
    const of = <R>(groups: ReadonlyMap<string, readonly R[]>) => ids.flatMap((id) => groups.get(id) ?? []);
    const stories = ids.flatMap((id) => fold.stories.get(id) ?? []);
    const [own] = used.get(lead) ?? [];
    // A run may end before it says what it used.
    const about = own ?? sessions.columnsOf(lead);
    const usage = of(used);
    // A fork begins when its file does, not with what it copied.
    const started_at = about.started_at ?? fold.stories.get(lead)?.first ?? null;
    const ends = [...usage.map((row) => row.ended_at ?? null), ...stories.map(({ last }) => last)];
    const ended_at = ends.reduce(latest, null);
    const prompt = firstPrompt(agents, lead, fold.stories.get(lead));
    const names = new Set([...of(workers), ...of(spawned)].flatMap(({ agent }) => (isWorker(agent) ? [agent] : [])));
    return {
      started_at,
      ended_at,
      project: about.project ?? null,
      branch: about.branch ?? null,
      session_id: lead,
      title: fold.stories.get(lead)?.title?.text ?? (prompt?.split('\n', 1)[0]?.trim() || null),
      prompt,
      agents: Math.max(1, names.size),
      calls: countTotal(of(called).map(({ calls }) => calls)),
      errors: countTotal(of(called).map(({ errors }) => errors)),
      duration_ms: sessionDuration(started_at, ended_at, own?.duration_ms ?? null),
      // A program that names no usage may have used any.
      total_tokens: usage.every(({ cost_source }) => cost_source === null)
        ? null
        : countTotal(usage.map(({ total_tokens }) => total_tokens)),
      ...costOfRows(usage),
      outcome: about.outcome ?? null,
      reason: about.reason ?? null,
      version: about.version ?? null,
      model: own?.model ?? null,
      parent_session: parents.get(lead) ?? null,
      ...(programs && { program: programs.get(lead) ?? 'claude' }),
      files: [...new Set(stories.flatMap(({ files }) => [...files]))].sort(),
    };
  });
  return rows.sort(
    (a, b) => compare(b.started_at ?? '', a.started_at ?? '') || compare(a.session_id ?? '', b.session_id ?? ''),
  );
}

type SessionId = { readonly session_id?: string | null | undefined };

function sessionGroup<R extends object>(rows: readonly (R & SessionId)[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const id = idOf(row.session_id);
    if (id !== null) getOrCreate(groups, id, () => []).push(row);
  }
  return groups;
}

/** The session that leads the team of this one, if it was read; else itself. */
function leadSessionOf(agents: AgentsState, id: string, known: ReadonlySet<string>): string {
  const { team } = resolveAgent(agents, { session_id: id, team: null }, null);
  const lead = team === null ? null : leadSession(agents, team);
  return lead !== null && known.has(lead) ? lead : id;
}

/** Not what belongs to nobody, nor what the program runs for itself. */
function isWorker(agent: UsageRow['agent']): boolean {
  return agent != null && agent !== 'unattributed' && !isInternalFork(agent);
}

function countTotal(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** The first prompt of its main conversation, not of a subagent. */
function firstPrompt(agents: AgentsState, session_id: string, story: Story | undefined): string | null {
  const own = [...(story?.prompts ?? [])].filter(
    ([agent]) => resolveAgent(agents, { session_id, team: null }, agent).kind === 'lead',
  );
  const [first] = own.map(([, said]) => said).sort((a, b) => compare(a.time ?? '', b.time ?? '') || a.line - b.line);
  return first?.text ?? null;
}

/** The results of a stream may say more than its records, of which few have a time. */
function sessionDuration(from: string | null, to: string | null, reported: number | null): number | null {
  const wall = from === null || to === null ? null : Date.parse(to) - Date.parse(from);
  return wall === null || (reported !== null && reported > wall) ? reported : wall;
}

/** The sessions that requested the last message that a fork repeats. */
function parentsOf({ stories }: SessionsFold, state: Omit<UsageQuery, 'by'>): Map<string, string> {
  const parents = new Map<string, string>();
  const copied = [...stories].flatMap(([id, { copied }]) => (copied === null ? [] : [{ id, copied }]));
  if (copied.length === 0) return parents;
  // A session may have several forks that begin at the same place.
  const forks = groupBy(copied, ({ copied }) => copied.message_id);
  for (const row of reportUsage({ ...state, by: ['message'] }).rows)
    for (const { id } of forks.get(('message_id' in row && idOf(row.message_id)) || '') ?? [])
      if (row.session_id != null && row.session_id !== id) parents.set(id, row.session_id);
  return parents;
}
