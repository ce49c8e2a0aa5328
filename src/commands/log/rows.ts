// Chooses lines of a story, and makes rows of them.

import type { LineKind, StoryLine } from '../../core/story/line.js';
import { commonName } from '../../core/tables/order.js';
import type { LogRow } from './row.js';

// The page of a report says the same words.
export { shownTarget, type Words, wordsOf } from './words.js';

export function logRowOf(line: StoryLine): LogRow {
  const { time, session_id, team, agent, name, kind, text, tool, target, status, tool_use_id } = line;
  const ms = line.facts.ms ?? null;
  return { time, session_id, team, agent, name, kind, text, tool, target, status, ms, tool_use_id, line: line.line };
}

export const lineChoices = ['text', 'calls', 'messages', 'tasks', 'agents', 'errors'] as const;

const kindsOf: Readonly<Record<Exclude<(typeof lineChoices)[number], 'errors'>, readonly LineKind[]>> = {
  text: ['prompt', 'text', 'thinking'],
  calls: ['call'],
  messages: ['message'],
  tasks: ['task'],
  agents: ['agent'],
};

export interface LogQuery {
  /** Words of `lineChoices`; empty for all. */
  readonly only: readonly string[];
  /** Names or ids; empty for all. */
  readonly agents: readonly string[];
}

export function lineFilter({ only, agents }: LogQuery): (line: StoryLine) => boolean {
  const kinds = new Set(
    lineChoices.flatMap((word) => (word === 'errors' || !only.includes(word) ? [] : kindsOf[word])),
  );
  const isOnly = (line: StoryLine) =>
    only.length === 0 || kinds.has(line.kind) || (only.includes('errors') && isError(line));
  const names = new Set(agents.map(commonName));
  return (line) =>
    isOnly(line) && (names.size === 0 || agentsOf(line).some((who) => who !== null && names.has(commonName(who))));
}

function isError({ bad, status }: StoryLine): boolean {
  return bad || status === 'retried';
}

/** The words of `lineChoices` that choose a line. */
export function choicesOf(line: StoryLine): string[] {
  return lineChoices.filter((word) => (word === 'errors' ? isError(line) : kindsOf[word].includes(line.kind)));
}

/** The agent of a line, and the one it is about. */
export function agentsOf({ kind, name, agent, target }: StoryLine): readonly (string | null)[] {
  return kind === 'message' || kind === 'agent' ? [name, agent, target] : [name, agent];
}
