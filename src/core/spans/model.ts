// The shape of a trace: a run of one lead, its agents, and what each of them did when. Times are milliseconds.
import type { Member } from '../event/event.js';
import { hash, hashed } from '../record/hash.js';
import { getOrCreate } from '../record/json.js';
import type { CallDetails } from '../tables/calls/details.js';
import type { Account } from './accounts.js';
import type { MessageFact, RunFact } from './facts.js';

/** A call as spans show it. */
export interface CallFact extends CallDetails {
  readonly tool: string;
  readonly failed: boolean;
}

export const spanKinds = ['team', 'agent', 'turn', 'chat', 'call', 'wait'] as const;
export type SpanKind = (typeof spanKinds)[number];

export class Span {
  /** The team, the agent, `turn 2`, the model, the tool; for a wait, `agent` or `person`. */
  readonly name: string;
  readonly id: string;
  readonly kind: SpanKind;
  parent: string | null = null;
  /** null for the team. */
  actor: Actor | null = null;
  start = 0;
  end = 0;
  /** It had not ended when the input did. */
  open = false;
  failed = false;
  /** A record of it has no time of its own, so it is placed at the record before it; null for teams and agents. */
  readonly estimated: boolean | null = null;
  /** Whom the agent waits for meanwhile. */
  waits: 'agent' | 'person' | null = null;
  /** For a call that sends: the next message of each recipient. */
  readonly links: Span[] = [];
  readonly message: MessageFact | null = null;
  readonly call: CallFact | null = null;
  /** The number of its agent's turn, from 1. */
  turn: number | null = null;
  /** How much of it is on the critical path. */
  critical = 0;

  constructor(some: Partial<Span> & Pick<Span, 'id' | 'kind' | 'name'>) {
    ({ id: this.id, kind: this.kind, name: this.name } = some);
    Object.assign(this, some);
  }
}

/** An agent in a trace, under all its ids and in all its sessions. */
export interface Actor {
  /** `main` for the lead, else its id. */
  readonly key: string;
  /** Canonical id. */
  readonly agent: string;
  readonly name: string;
  readonly agent_type: string | null;
  readonly kind: Member['kind'];
  readonly team: string | null;
  readonly session_id: string | null;
  readonly isLead: boolean;
  readonly span: Span;
  readonly turns: Span[];
  readonly chats: Span[];
  readonly calls: Span[];
  readonly waits: Span[];
  /** Who started it, and by which call. */
  spawner: Actor | null;
  spawnCall: Span | null;
}

export interface Trace {
  readonly id: string;
  readonly session_id: string | null;
  readonly team: string | null;
  /** Which program wrote it: claude, codex, … */
  readonly program: string;
  readonly version: string | null;
  readonly run: RunFact | null;
  /** false if no record has a time: then times are places in the input. */
  readonly toScale: boolean;
  /** Whether a wait for a person would show in the input. */
  readonly asks: boolean;
  readonly root: Span;
  /** The lead first, then in the order in which they were started. */
  readonly actors: readonly Actor[];
  /** Where the time of each of them went. */
  readonly accounts: readonly Account[];
}

/** Every span of a trace, each after its parent, siblings ordered by time. */
export function spansOf({ root, actors }: Pick<Trace, 'root' | 'actors'>): Span[] {
  const all = [root, ...actors.flatMap((one) => [one.span, ...one.turns, ...one.chats, ...one.calls, ...one.waits])];
  const children = new Map<string | null, Span[]>();
  for (const span of all) getOrCreate(children, span.parent, () => []).push(span);
  for (const siblings of children.values()) siblings.sort(compareSpans);
  const ordered: Span[] = [];
  // No recursion: chains of agents may have any length.
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    ordered.push(next);
    for (const child of (children.get(next.id) ?? []).toReversed()) waiting.push(child);
  }
  return ordered;
}

function compareSpans(a: Span, b: Span): number {
  if (a.start !== b.start) return a.start - b.start;
  if (a.kind !== b.kind) return depths[a.kind] - depths[b.kind];
  return a.end - b.end || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
/** Of two spans at the same time, the outer one. */
export const depths: Readonly<Record<SpanKind, number>> = { team: 0, agent: 1, turn: 2, wait: 3, chat: 4, call: 5 };

// Ids of traces and spans, made from Claude Code's own ids, so that exporting again gives the same ids.

/** 16 hexadecimal digits, never all zero. */
export function spanId(...parts: (string | null)[]): string {
  return digits(JSON.stringify(parts), 0);
}

/** 32 hexadecimal digits. */
export function traceId(...parts: (string | null)[]): string {
  const text = JSON.stringify(parts);
  return digits(text, 1) + digits(text, 2);
}

function digits(text: string, seed: number): string {
  hash(text, seed);
  const { high, low } = hashed;
  return eight(high) + eight(high === 0 && low === 0 ? 1 : low);
}

function eight(half: number): string {
  return (half + 0x1_0000_0000).toString(16).slice(1);
}
