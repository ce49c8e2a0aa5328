// Makes findings: helpers for all audits, and findings about single calls.
import type { AgentsState } from '../../core/tables/agents.js';
import { resolveAgent, teamOf } from '../../core/tables/directory.js';
import { compare, type Place } from '../../core/tables/order.js';
import { type AuditCall, type AuditCalls, isEarlierSpot, type Spot } from './fold.js';
import { type Audited, countedBy, type FindingRow, type Limit, type RuleName, rules, type Subject } from './row.js';

export type { FindingRow } from './row.js';

/** The known members of each team. */
export interface Roster {
  /** Whether an agent with this name or id exists. */
  knowsAgent(place: Place, who: string): boolean;
  /** Whether all members of the team are known, so that an unknown name is wrong. */
  isComplete(place: Place): boolean;
}

/** A finding at a spot. Its agent is the spot's, unless `about` names another. */
export function finding(agents: AgentsState, rule: RuleName, spot: Spot, about: About): FindingRow {
  const agent = spot.agent === null ? null : resolveAgent(agents, spot, spot.agent).name;
  return findingAt(rule, { ...spot, team: teamOf(agents, spot) }, { agent, ...about });
}

/** A finding at a place whose team is known. */
export function findingAt(
  rule: RuleName,
  { time, session_id, team, line }: Pick<FindingRow, 'time' | 'session_id' | 'team' | 'line'>,
  about: About,
): FindingRow {
  const { severity } = rules[rule];
  return { time, session_id, team, rule, severity, agent: null, task: null, tool_use_id: null, line, ...about };
}

export function sortedFindings(findings: readonly FindingRow[]): FindingRow[] {
  return [...findings].sort(
    (a, b) =>
      compare(a.time, b.time) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      compare(a.rule, b.rule) ||
      compare(a.tool_use_id, b.tool_use_id) ||
      compare(a.detail, b.detail) ||
      compare(JSON.stringify(a), JSON.stringify(b)),
  );
}

/** One finding per bad call: the rule that its error code names, else a missing input, else the failure. */
export function callFindings(agents: AgentsState, calls: AuditCalls, audited: Audited): FindingRow[] {
  return [...calls.values()].flatMap((call) => {
    const rule = call.subject === audited ? ruleOf(call) : null;
    if (rule === null) return [];
    const detail = rule === 'missing_field' ? missingText(call) : failureText(call);
    const isNote = rule === 'failed_call' && call.withdrawn;
    return finding(agents, rule, call, {
      ...{ tool_use_id: call.id, task: call.task ?? null, detail },
      ...(isNote && { severity: 'note' as const }),
    });
  });
}

/** The first one above the limit; null if there is none. */
export function tooMany<S extends Spot>(all: readonly S[], limit: Limit): Passed<S> | null {
  const at = ordered(all)[limit.max];
  return at === undefined ? null : { at, detail: limitText(all.length, limit) };
}

/** Each period in which a rate was exceeded. Takes linear time. */
export function tooFast<S extends Spot>(all: readonly S[], limit: Limit): Passed<S>[] {
  const timed = ordered(all.filter(({ time }) => time !== null));
  const times = timed.map(({ time }) => Date.parse(time ?? ''));
  const window = (limit.seconds ?? 0) * 1000;
  const stretches: { readonly at: S; most: number }[] = [];
  let from = 0;
  let isOver = false;
  for (const [place, at] of timed.entries()) {
    const now = times[place] ?? 0;
    while (now - (times[from] ?? now) >= window) from++;
    const count = place - from + 1;
    if (count > limit.max && !isOver) stretches.push({ at, most: 0 });
    isOver = count > limit.max;
    const stretch = isOver ? stretches.at(-1) : undefined;
    if (stretch !== undefined) stretch.most = Math.max(stretch.most, count);
  }
  return stretches.map(({ at, most }) => ({ at, detail: limitText(most, limit) }));
}

export function limitText(count: number, limit: Limit): string {
  return `${count} ${countedBy(limit)}, limit ${limit.max}`;
}

/** `severity`: if it is another one than the rule says. */
type About = Partial<Omit<FindingRow, 'rule'>> & { detail: string };

function ruleOf({ subject, outcome, missing, type, error_code }: AuditCall): RuleName | null {
  const hasFailed = outcome === 'failed';
  if (hasFailed && subject === 'messages' && type === 'broadcast') return 'refused_broadcast';
  const named = hasFailed ? refusals[subject].get(error_code ?? null) : undefined;
  return named ?? (missing ? 'missing_field' : hasFailed ? 'failed_call' : null);
}

/** The rule that an error code names. */
const refusals: Readonly<Record<Subject, ReadonlyMap<string | null, RuleName>>> = {
  teams: new Map([
    ['team_already_exists', 'duplicate_name'],
    ['agent_already_exists', 'duplicate_name'],
  ]),
  tasks: new Map([
    ['circular_dependency', 'circular_dependency'],
    ['invalid_status', 'status_backwards'],
    ['agent_not_found', 'unknown_owner'],
  ]),
  messages: new Map([['agent_not_found', 'unknown_recipient']]),
};

function missingText(call: AuditCall): string {
  const without = `${call.tool} without ${call.missing}`;
  return call.error == null ? without : `${without}: ${call.error}`;
}

function failureText({ tool, to, error, error_code }: AuditCall): string {
  const what = to == null ? tool : `${tool} to ${to}`;
  if (error == null || error === error_code) return `${what}: ${error_code ?? 'no reason given'}`;
  return `${what}: ${error}${error_code == null ? '' : ` (${error_code})`}`;
}

interface Passed<S> {
  /** The one that exceeded the limit. */
  readonly at: S;
  readonly detail: string;
}

/** The earliest first. */
export function ordered<S extends Spot>(spots: readonly S[]): S[] {
  return spots.toSorted((a, b) => (isEarlierSpot(a, b) ? -1 : isEarlierSpot(b, a) ? 1 : 0));
}
