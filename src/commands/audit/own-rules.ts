// Rules of one's own: calls that must not be made, and how many calls are too many.
import { type AgentsState, scopeOf } from '../../core/tables/agents.js';
import { resolveAgent } from '../../core/tables/directory.js';
import { groupBy } from '../../core/tables/order.js';
import { matches } from '../../core/wire/interest.js';
import type { Facts } from './audit.js';
import { type Spot, spotIn } from './fold.js';
import { type FindingRow, finding, ordered } from './rows.js';

export interface OwnRule {
  /** As it was written. */
  readonly text: string;
  readonly agent: string;
  readonly tool: string;
  readonly target: string | null;
  /** How many such calls a session may have. */
  readonly most: number;
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

export function ownFindings(rules: readonly OwnRule[], { agents, calls, bare = false }: Facts): FindingRow[] {
  if (rules.length === 0) return [];
  const made = [...calls.all()].flatMap(({ caller, tool, denied, details }) => {
    if (!details?.called || details.id === '') return [];
    const { id, called, about: target } = details;
    return [{ ...spotIn(caller, called), id, tool: tool.tool, target, denied }];
  });
  return rules.flatMap((rule) => {
    const meant = made.filter((call) => isMeant(rule, call, agents));
    return rule.most === 0
      ? meant.map((call) => deniedCall(rule, call, agents, bare))
      : tooManyCalls(rule, meant, agents);
  });
}

interface MadeCall extends Spot {
  readonly id: string;
  readonly tool: string;
  readonly target: string | null;
  /** A person or a rule refused it, so nothing happened. */
  readonly denied: boolean;
}

function deniedCall({ text }: OwnRule, call: MadeCall, agents: AgentsState, bare: boolean): FindingRow {
  const { id: tool_use_id, tool, target } = call;
  const detail = bare || target === null ? `${tool} (${text})` : `${tool}: ${target} (${text})`;
  const severity = call.denied ? 'note' : 'problem';
  return finding(agents, 'denied_call', call, { tool_use_id, detail, severity });
}

/** Found where the limit was passed. */
function tooManyCalls({ text, most }: OwnRule, meant: readonly MadeCall[], agents: AgentsState): FindingRow[] {
  return [...groupBy(meant, scopeOf).values()].flatMap((group) => {
    const call = ordered(group)[most];
    if (call === undefined) return [];
    const detail = `${group.length} calls of ${text}, limit ${most}`;
    return [finding(agents, 'too_many_calls', call, { tool_use_id: call.id, detail })];
  });
}

function isMeant({ agent, tool, target }: OwnRule, call: MadeCall, agents: AgentsState): boolean {
  if (!matches(tool, call.tool)) return false;
  if (agent !== '*' && !matches(agent, resolveAgent(agents, call, call.agent).name)) return false;
  return target === null || (call.target !== null && wordings(call.target).some((text) => matches(target, text)));
}

/** What may stand in front of a command. */
const inFront = /^(?:(?:sudo|env|nohup|exec|command|time)\s+(?:-\S+\s+)*|\w+=\S*\s+)+/;

/** A target as it is, and each command in it: `cd build && rm -rf .`, `bash -lc 'rm -rf build'`. */
function wordings(target: string): string[] {
  const inner = /^\S*sh -l?c (['"]?)(.*)\1$/s.exec(target)?.[2] ?? target;
  const parts = inner.split(/[;|&\n()`]/).map((part) => part.trim());
  return [target, inner, ...parts, ...parts.map((part) => part.replace(inFront, ''))];
}
