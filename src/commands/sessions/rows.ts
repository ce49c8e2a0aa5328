// Makes the rows of the sessions command.
import { getOrCreate, idOf } from '../../core/record/json.js';
import type { AgentsState } from '../../core/tables/agents.js';
import { leadSession, resolveAgent } from '../../core/tables/directory.js';
import { compare, groupBy, latest } from '../../core/tables/order.js';
import type { State } from '../../core/tables/reduce.js';
import { programsOf } from '../../core/tables/usage/sessions.js';
import { isInternalFork } from '../../core/wire/agents.js';
import { CallsFold } from '../calls/fold.js';
import { reportCalls } from '../calls/rows.js';
import { costOfRows, reportsOf, reportUsage, sessionsIn, type UsageQuery, type UsageRow } from '../usage/rows.js';
import type { SessionsFold, Story } from './fold.js';
import type { SessionRow } from './row.js';

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
  const called = sessionGroup(reportCalls(new CallsFold(), state, everyCall).rows.filter((row) => 'calls' in row));
  // Streams do not show the messages of every agent.
  const spawned = sessionGroup(
    agents.entries
      .values()
      .flatMap(({ id: agent, session_id, kind, turnOnly }) =>
        kind === 'lead' || turnOnly ? [] : [{ agent, session_id }],
      ),
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
      title: fold.stories.get(lead)?.title?.text ?? titleLine(prompt),
      prompt,
      agents: Math.max(1, names.size),
      calls: countTotal(of(called).map(({ calls }) => calls)),
      errors: countTotal(of(called).map(({ errors }) => errors)),
      duration_ms: sessionDuration(started_at, ended_at, own?.duration_ms ?? null),
      // A program that names no usage may have used any.
      total_tokens: usage.every(isSilent) ? null : countTotal(usage.map(({ total_tokens }) => total_tokens)),
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

const everyCall = {
  by: ['session'],
  session: null,
  team: null,
  includesTime: () => true,
  timezone: 'UTC',
  bare: true,
} as const;

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

function isSilent({ cost_source }: UsageRow): boolean {
  return cost_source === null;
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

function titleLine(text: string | null): string | null {
  return text?.split('\n', 1)[0]?.trim() || null;
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
