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
