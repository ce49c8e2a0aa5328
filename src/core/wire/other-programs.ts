// Recognizes the output of other agents by its records. Some of them write records that look like Claude Code's.
import { idOf, isObject, type JsonObject, textOf } from '../record/json.js';

interface Program {
  readonly name: string;
  /** Whether only this program writes such a record. */
  wrote(record: JsonObject, type: string): boolean;
}

const programs: readonly Program[] = [
  // codex exec --json
  { name: 'Codex', wrote: (_, type) => /^(?:thread|turn|item)\.[a-z]+$/.test(type) },
  // gemini --output-format stream-json
  { name: 'Gemini CLI', wrote: (record, type) => type === 'init' && idOf(record.session_id) !== null },
  // opencode run --format json
  { name: 'opencode', wrote: ({ sessionID, part }) => idOf(sessionID) !== null && isObject(part) },
  // qwen --output-format stream-json
  { name: 'Qwen Code', wrote: (record) => isInit(record) && idOf(record.qwen_code_version) !== null },
  // cursor-agent --output-format stream-json: every init of Claude Code lists its tools.
  {
    name: 'Cursor',
    wrote: (record) =>
      isInit(record) && textOf(record.apiKeySource) !== null && !('tools' in record) && !('uuid' in record),
  },
];

/** Whether another program begins here, or Claude Code; undefined if the record does not show it. */
export function programOf(record: JsonObject): string | null | undefined {
  const type = textOf(record.type) ?? '';
  return programs.find(({ wrote }) => wrote(record, type))?.name ?? (isInit(record) ? null : undefined);
}

function isInit({ type, subtype }: JsonObject): boolean {
  return type === 'system' && subtype === 'init';
}
