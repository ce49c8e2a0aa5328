// Rules of one's own: calls that must not be made, and how many calls are too many.
import type { Event } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import type { AgentsState } from '../../core/tables/agents.js';
import { scopeOf } from '../../core/tables/agents.js';
import { resolveAgent } from '../../core/tables/directory.js';
import { groupBy } from '../../core/tables/order.js';
import { matches } from '../../core/wire/interest.js';
import { targetOf } from '../../core/wire/tools/about.js';
import { isBefore, type Spot } from './fold.js';
import { type FindingRow, finding } from './rows.js';

export interface OwnRule {
  /** As it was written. */
  readonly text: string;
  readonly agent: string;
  readonly tool: string;
  readonly target: string | null;
  /** How many such calls a session may have. */
  readonly most: number;
}

export interface OwnCall extends Spot {
  readonly tool: string;
  readonly target: string | null;
  /** A person or a rule refused it, so nothing happened. */
  isRefused: boolean;
}

/** `Bash(rm -rf *)`, `mcp__*`, `reviewer:Edit(/etc/*)`; null if it is no such pattern. `*` is any text. */
export function denial(text: string): OwnRule | null {
  const [, agent = '*', tool = '', target = null] =
    /^(?:([^:()]+):)?([^:()\s]+)(?:\((.+)\))?$/s.exec(text.trim()) ?? [];
  return tool === '' ? null : { text: text.trim(), agent, tool, target, most: 0 };
}

/** `WebFetch=20` */
export function limitOf(text: string): OwnRule | null {
  const [, pattern = '', count = ''] = /^(.+)=(\d{1,9})$/s.exec(text.trim()) ?? [];
  const rule = denial(pattern);
  return rule === null ? null : { ...rule, text: pattern, most: Number(count) };
}

/** A file of rules: `deny Bash(rm -rf *)` or `max-calls WebFetch=20` on each line. Throws an Error with the wrong line. */
export function readRules(text: string): OwnRule[] {
  return text.split('\n').flatMap((line, at) => {
    const [word = '', ...rest] = line.trim().split(/\s+(.*)/s);
    if (word === '' || word.startsWith('#')) return [];
    const rule = word === 'deny' ? denial(rest[0] ?? '') : word === 'max-calls' ? limitOf(rest[0] ?? '') : null;
    if (rule === null)
      throw new Error(
        `line ${at + 1}: expected 'deny Bash(rm -rf *)' or 'max-calls WebFetch=20', not '${line.trim()}'`,
      );
    return [rule];
  });
}

export function noteOwnCall(calls: Map<string, OwnCall>, event: Event, spot: Spot): void {
  if (event.event === 'tool:called' && event.tool_use_id !== null) {
    const { tool, input } = event;
    getOrCreate(calls, event.tool_use_id, () => ({
      ...spot,
      ...{ tool: tool ?? '', target: targetOf(tool, input), isRefused: false },
    }));
  } else if (event.event === 'tool:returned' && event.denied === true) {
    const call = calls.get(event.tool_use_id ?? '');
    if (call !== undefined) call.isRefused = true;
  } else if (event.event === 'session:changed' && event.subtype === 'retracted') {
    for (const id of Array.isArray(event.tool_use_ids) ? event.tool_use_ids : []) calls.delete(id);
  }
}

export function ownFindings(
  rules: readonly OwnRule[],
  calls: ReadonlyMap<string, OwnCall>,
  agents: AgentsState,
  bare: boolean,
): FindingRow[] {
  return rules.flatMap((rule) => {
    const found = [...calls].filter(([, call]) => isMeant(rule, call, agents));
    return rule.most === 0 ? found.map((one) => denied(rule, one, agents, bare)) : tooMany(rule, found, agents);
  });
}

type Found = readonly [id: string, call: OwnCall];

function denied({ text }: OwnRule, [tool_use_id, call]: Found, agents: AgentsState, bare: boolean): FindingRow {
  const detail = bare || call.target === null ? `${call.tool} (${text})` : `${call.tool}: ${call.target} (${text})`;
  return finding(agents, 'denied_call', call, {
    ...{ tool_use_id, detail },
    ...(call.isRefused && { severity: 'note' as const }),
  });
}

/** Found where the limit was passed. */
function tooMany({ text, most }: OwnRule, found: readonly Found[], agents: AgentsState): FindingRow[] {
  const groups = groupBy(found, ([, call]) => scopeOf(call));
  return [...groups.values()].flatMap((group) => {
    const [id, call] = group.toSorted(([, a], [, b]) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0))[most] ?? [];
    if (id === undefined || call === undefined) return [];
    const detail = `${group.length} calls of ${text}, limit ${most}`;
    return [finding(agents, 'too_many_calls', call, { tool_use_id: id, detail })];
  });
}

function isMeant({ agent, tool, target }: OwnRule, call: OwnCall, agents: AgentsState): boolean {
  if (!matches(tool, call.tool)) return false;
  if (agent !== '*' && !matches(agent, resolveAgent(agents, call, call.agent).name)) return false;
  return target === null || (call.target !== null && wordings(call.target).some((text) => matches(target, text)));
}

/** A target as it is, and each command in it: `cd build && rm -rf .`, `bash -lc 'rm -rf build'`. */
function wordings(target: string): string[] {
  const inner = /^\S*sh -l?c (['"]?)(.*)\1$/s.exec(target)?.[2] ?? target;
  return [target, inner, ...inner.split(/&&|\|\||[;|&\n]/).map((part) => part.trim())];
}
