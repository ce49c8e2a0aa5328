import type { TeamCategory } from '../../core/event/event.js';
import { idOf, listOf, objectOf, textOf } from '../../core/record/fields.js';
import { categoryOf, isSpawnTool, isUnknownTeamTool, missingInputs } from '../../core/wire/tools/table.js';

export interface RecognizedTeamToolUse {
  toolName: string;
  toolUseId: string;
  category: TeamCategory;
  input: Record<string, unknown>;
  /** Name of the agent that made the call, where it is known. */
  sender?: string;
}

export interface RecognizerOptions {
  /** Hears of calls that were skipped and of tools that look like team tools and are not known. */
  onWarning?(text: string): void;
}

/** The team calls in anything that has content blocks, itself or in its `message`. */
export function recognizeTeamToolUses(message: unknown, options: RecognizerOptions = {}): RecognizedTeamToolUse[] {
  const outer = objectOf(message);
  const blocks = listOf(outer?.content) ?? listOf(objectOf(outer?.message)?.content) ?? [];
  return blocks.map((block) => recognizeTeamToolUse(block, options)).filter((use) => use !== null);
}

/** The same for one block; null for one that is no team call. */
export function recognizeTeamToolUse(
  item: unknown,
  { onWarning }: RecognizerOptions = {},
): RecognizedTeamToolUse | null {
  const block = objectOf(item);
  const toolName = textOf(block?.name);
  if (block === null || toolName === null || !textOf(block.type)?.endsWith('tool_use')) return null;
  const input = objectOf(block.input) ?? {};
  const toolUseId = idOf(block.id);
  const category = categoryOf(toolName, input);
  if (category === null) {
    if (isUnknownTeamTool(toolName)) onWarning?.(`${toolName} looks like a team tool but is not known`);
    return null;
  }
  // A plain subagent: it may have a name, but no team.
  if (isSpawnTool(toolName) && idOf(input.team_name) === null) return null;
  const missing = [...(toolUseId === null ? ['id'] : []), ...missingInputs(toolName, input)];
  if (toolUseId === null || missing.length > 0) {
    const call = toolUseId === null ? toolName : `${toolName} ${toolUseId}`;
    onWarning?.(`${call} skipped: it has no ${missing.join(' and no ')}`);
    return null;
  }
  return { toolName, toolUseId, category, input };
}

/** A tool_result block. `tool_use_result` is what its record may say beside it, in fields instead of text. */
export type ToolResultContent = {
  tool_use_id: string;
  type?: string;
  content?: unknown;
  is_error?: boolean;
  tool_use_result?: unknown;
};

export interface PendingToolUse {
  recognized: RecognizedTeamToolUse;
  receivedAt: number;
}

export interface CorrelatedToolUse {
  recognized: RecognizedTeamToolUse;
  /** Also when it is an error: whoever uses the pair looks. */
  result?: ToolResultContent;
}

/** Milliseconds: `Date`, `performance`, or any function. */
export type Clock = { now(): number } | (() => number);

/** Holds team calls until their results come. Ages are measured by `Date`, unless another clock is given. */
export class TeamToolCorrelationBuffer {
  readonly #pending = new Map<string, PendingToolUse>();
  readonly #now: () => number;

  constructor(clock: Clock = Date) {
    // Date is a function and a clock.
    this.#now = 'now' in clock ? () => clock.now() : clock;
  }

  /** A call with an id that is already waiting takes its place. */
  onToolUse(recognized: RecognizedTeamToolUse): void {
    this.#pending.set(recognized.toolUseId, { recognized, receivedAt: this.#now() });
  }

  /** The pair, or undefined when nobody waits for this result. */
  onToolResult(result: ToolResultContent): CorrelatedToolUse | undefined {
    const pending = this.#pending.get(result.tool_use_id);
    this.#pending.delete(result.tool_use_id);
    return pending === undefined ? undefined : { recognized: pending.recognized, result };
  }

  /** Forgets calls that have waited longer than this; returns how many. */
  flush(maxAgeMs = 30_000): number {
    const oldest = this.#now() - maxAgeMs;
    const late = [...this.#pending].filter(([, { receivedAt }]) => receivedAt < oldest);
    for (const [id] of late) this.#pending.delete(id);
    return late.length;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }
}
