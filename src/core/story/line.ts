// A line of the story of a run: one thing that happened, as data. Commands and the page draw it.
import type { ChangedLine } from '../wire/tools/about.js';

export const lineKinds = [
  'session',
  'prompt',
  'text',
  'thinking',
  'call',
  'message',
  'agent',
  'task',
  'notice',
  'result',
] as const;
export type LineKind = (typeof lineKinds)[number];

/** Figures beside a line; null and undefined if they are not known. */
export interface Facts {
  readonly exit?: Figure;
  readonly background?: Figure;
  readonly added?: Figure;
  readonly removed?: Figure;
  readonly lines?: Figure;
  readonly files?: Figure;
  readonly bytes?: Figure;
  readonly attempt?: Figure;
  readonly attempts?: Figure;
  readonly wait_ms?: Figure;
  readonly from_tokens?: Figure;
  readonly to_tokens?: Figure;
  /** The size of an agent's last context. What it spent, only its messages say. */
  readonly context?: Figure;
  readonly calls?: Figure;
  readonly cost_usd?: Figure;
  readonly ms?: Figure;
  readonly turns?: Figure;
  readonly agents?: Figure;
}
type Figure = number | null | undefined;

/** What belongs to a line and is shown only in full. */
export interface Part {
  readonly is: 'input' | 'output' | 'text' | 'change';
  readonly text: string;
  readonly changes?: readonly ChangedLine[];
}

/** What is known of a line before anybody knows who is who. */
export interface Draft {
  readonly kind: LineKind;
  /** How it ended, or what became of it; the words depend on the kind. */
  readonly status: string | null;
  /** Something went wrong. Such a line is never folded or left out. */
  readonly bad: boolean;
  readonly tool: string | null;
  /** What a call was about, who got a message, which agent was started, which task changed. */
  readonly target: string | null;
  readonly tool_use_id: string | null;
  /** What was said; of a call, why it failed. */
  readonly text: string | null;
  /** How many characters of the text were left out. */
  readonly left: number;
  readonly facts: Facts;
  readonly parts: readonly Part[];
  /** Left out unless everything is wanted. */
  readonly quiet: boolean;
  /** Whether it has what --grep looks for. */
  readonly found: boolean;
}

/** Where a line comes from. */
export interface Origin {
  readonly time: string | null;
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly line: number | null;
}

export interface StoryLine extends Origin, Omit<Draft, 'quiet' | 'found'> {
  readonly name: string;
  /** The colour Claude Code gave the agent. */
  readonly color: string | null;
  /** The folder its session works in. */
  readonly cwd: string | null;
  /** Calls that this line stands for, if it is several; `folder` is where all of them looked. */
  readonly folded: Folded | null;
}

export interface Folded {
  readonly reads: number;
  readonly searches: number;
  readonly folder: string | null;
}
