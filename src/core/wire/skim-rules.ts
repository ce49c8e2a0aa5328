// Works out once what an interest means for each record type, tool and kind of content block.
import { getOrCreate, parseJson } from '../record/json.js';
import type { LineIndex } from '../record/line-index.js';
import { isShell, type RecordRule, type Rules } from './interest.js';
import { isKnown } from './normalize.js';
import { memo, mostKnown } from './record-index.js';
import { isSendTool } from './tools/table.js';

export interface TypeRule {
  readonly type: string;
  readonly rule: RecordRule;
  /** Whether the type is known, in a stream or as a transcript row. Records of unknown types have no effect. */
  readonly isKnown: { readonly stream: boolean; readonly row: boolean };
  /** Only transcript rows have this type. */
  readonly isOfRows: boolean;
}

interface ToolRule {
  readonly name: string;
  readonly isFollowed: boolean;
  /** Only its result shows whether it matters: a shell that goes to the background, a message that wakes an agent. */
  readonly mayMatter: boolean;
}

type BlockKind = 'said' | 'call' | 'result' | 'other';

/** Each function takes a slot with the hash of a text. */
interface CompiledRules {
  types(at: number): TypeRule;
  tools(at: number): ToolRule;
  kinds(at: number): BlockKind;
  toolNamed(name: string): ToolRule;
}

export function compileRules(index: LineIndex, rules: Rules): CompiledRules {
  const byName = new Map<string, ToolRule>();

  function typeRule(text: string): TypeRule {
    const type = textIn(text);
    const isRow = isKnown('transcript', type, null);
    return {
      type,
      rule: rules.ruleFor(type),
      isKnown: { stream: isKnown('stream', type, null), row: isRow },
      isOfRows: type === 'summary' || (type.includes('-') && isRow),
    };
  }

  function toolNamed(name: string): ToolRule {
    // Hostile input may invent any number of names.
    if (byName.size >= mostKnown) byName.clear();
    return getOrCreate(byName, name, () => {
      const mayMatter = isShell(name) ? rules.shells : isSendTool(name) && rules.sends === 'if they wake';
      return { name, isFollowed: rules.follows(name) && !mayMatter, mayMatter };
    });
  }

  return {
    types: memo(index, typeRule),
    tools: memo(index, (text) => toolNamed(textIn(text))),
    kinds: memo(index, (text) => blockKind(textIn(text))),
    toolNamed,
  };
}

function blockKind(type: string): BlockKind {
  if (type === 'text' || type === 'thinking' || type === 'redacted_thinking') return 'said';
  if (type.endsWith('tool_use')) return 'call';
  return type === 'tool_result' ? 'result' : 'other';
}

/** The text of a JSON string; empty for any other value. */
function textIn(json: string): string {
  const value = parseJson(json);
  return typeof value === 'string' ? value : '';
}
