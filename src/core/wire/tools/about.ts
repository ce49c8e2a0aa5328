// Says what a call was about and what came back, for people. One table for all tools; cards, rows and stories ask here.
import { countOf, idOf, isObject, type JsonObject, listOf, objectOf, textOf } from '../../record/json.js';
import type { Picked } from '../../record/pick.js';
import { lineCount } from '../view.js';
import { type ToolResult, textOfContent } from './tool-result.js';

/** How a call is told. `read` and `search` may be folded; `quiet` calls only find out what the program itself knows. */
type Manner = 'shell' | 'edit' | 'read' | 'search' | 'quiet' | 'other';

interface Telling {
  readonly manner: Manner;
  /** Inputs that say what it is about, in order of preference. */
  readonly about: readonly string[];
}

const tellings: ReadonlyMap<string, Telling> = new Map(
  Object.entries({
    Bash: telling('shell', 'command'),
    PowerShell: telling('shell', 'command'),
    Monitor: telling('other', 'command', 'description'),
    Edit: telling('edit', 'file_path'),
    MultiEdit: telling('edit', 'file_path'),
    Write: telling('edit', 'file_path'),
    NotebookEdit: telling('edit', 'notebook_path', 'file_path'),
    Read: telling('read', 'file_path'),
    NotebookRead: telling('read', 'notebook_path', 'file_path'),
    LS: telling('search', 'path'),
    Grep: telling('search', 'pattern'),
    Glob: telling('search', 'pattern'),
    WebFetch: telling('other', 'url'),
    WebSearch: telling('other', 'query'),
    Agent: telling('other', 'name', 'description', 'subagent_type'),
    Task: telling('other', 'name', 'description', 'subagent_type'),
    Workflow: telling('other', 'description', 'name'),
    TeamCreate: telling('other', 'team_name', 'name'),
    TeamDelete: telling('other', 'team_name', 'name'),
    SendMessage: telling('other', 'to', 'recipient', 'request_id'),
    TaskCreate: telling('other', 'subject'),
    TaskUpdate: telling('other', 'taskId', 'task_id', 'id'),
    TaskGet: telling('quiet', 'taskId', 'task_id', 'id'),
    TaskList: telling('quiet'),
    TaskStop: telling('other', 'task_id', 'shell_id', 'taskId'),
    TaskOutput: telling('other', 'task_id', 'taskId'),
    BashOutput: telling('other', 'bash_id', 'shell_id'),
    KillShell: telling('other', 'shell_id'),
    KillBash: telling('other', 'shell_id'),
    ToolSearch: telling('quiet', 'query'),
    ListAgents: telling('quiet'),
    Skill: telling('other', 'skill', 'command'),
    SlashCommand: telling('other', 'command'),
    ExitPlanMode: telling('other', 'plan'),
    AskUserQuestion: telling('other', 'question'),
  }),
);

function telling(manner: Manner, ...about: string[]): Telling {
  return { manner, about };
}

const anyTool = telling(
  'other',
  ...['file_path', 'filePath', 'notebook_path', 'command', 'pattern', 'url', 'query', 'to', 'recipient', 'path', 'uri'],
  ...['operation', 'subject', 'name', 'description', 'skill', 'team_name', 'taskId', 'task_id', 'summary'],
);

export function mannerOf(tool: string | null): Manner {
  return tellings.get(tool ?? '')?.manner ?? 'other';
}

/** The path, command, pattern, address or task that a call is about, as written; else its first short text, or null. */
export function targetOf(tool: string | null, input: unknown): string | null {
  if (!isObject(input)) return null;
  const known = tellings.get(tool ?? '');
  if (known === undefined) return firstText(input, anyTool.about) ?? firstShortText(input);
  // What it is for is no command.
  if (known.manner === 'shell') return firstText(input, known.about);
  return firstText(input, known.about) ?? firstText(input, anyTool.about) ?? askedIn(input);
}

function firstText(input: JsonObject, fields: readonly string[]): string | null {
  for (const field of fields) {
    const value = Object.hasOwn(input, field) ? idOf(input[field]) : null;
    if (value !== null && value.trim() !== '') return value;
  }
  return null;
}

function firstShortText(input: JsonObject): string | null {
  for (const value of Object.values(input))
    if (typeof value === 'string' && value.trim() !== '' && value.length <= longestFirst) return value;
  return null;
}
const longestFirst = 200;

/** The question to a person. */
function askedIn(input: JsonObject): string | null {
  return textOf(objectOf(listOf(input.questions)?.[0])?.question);
}

/** Where a search looked; null for everywhere. */
export function searchPlace(tool: string | null, input: unknown): string | null {
  if (mannerOf(tool) !== 'search' || !isObject(input) || tool === 'LS') return null;
  return textOf(input.path) || null;
}

/** The name of a tool for people: `mcp__lab__slow` is `lab slow`. */
export function shownTool(tool: string): string {
  const [prefix, server = '', ...name] = tool.split('__');
  return prefix === 'mcp' && name.length > 0 ? `${server} ${name.join('__')}` : tool;
}

/** How much came back. */
export interface Amount {
  readonly lines?: number;
  readonly files?: number;
  readonly bytes?: number;
  /** It goes on in the background. */
  readonly background?: true;
}

export function amountOf(tool: string | null, result: unknown): Amount {
  const data = objectOf(result);
  const manner = mannerOf(tool);
  if (isLaunched(manner, data)) return { background: true };
  if (manner === 'read') return counted('lines', countOf(objectOf(data?.file)?.numLines) ?? linesIn(result));
  if (tool === 'WebFetch') return counted('bytes', countOf(data?.bytes));
  if (manner !== 'search') return {};
  const files = countOf(data?.numFiles) ?? listOf(data?.filenames)?.length ?? null;
  return data?.mode === 'content' || files === null
    ? counted('lines', countOf(data?.numLines) ?? linesIn(result))
    : { files };
}

function isLaunched(manner: Manner, data: JsonObject | null): boolean {
  return manner === 'shell' ? idOf(data?.backgroundTaskId) !== null : data?.status === 'async_launched';
}

/** Of a result that nobody wants to read: what the functions here need of it to say how much came back and changed. */
export function briefResult(tool: string | null, outcome: ToolResult): unknown {
  if (!outcome.success) return null;
  const manner = mannerOf(tool);
  if (!outcome.isStructured) return manner === 'read' || manner === 'search' ? withLines(manner, outcome.lines) : null;
  const wanted = tool === 'WebFetch' ? { bytes: true as const } : toldOf[manner];
  if (wanted !== null) return outcome.pick(wanted);
  const field = manner === 'shell' ? 'backgroundTaskId' : 'status';
  return { [field]: outcome.field(field) };
}

/** What `amountOf` needs of a text that was read or found. */
function withLines(manner: 'read' | 'search', lines: number): JsonObject | null {
  if (lines === 0) return null;
  return manner === 'read' ? { file: { numLines: lines } } : { mode: 'content', numLines: lines };
}

/** The fields that `amountOf` and `changesOf` ask for. */
const toldOf: Readonly<Record<Manner, Picked | null>> = {
  read: { file: { numLines: true } },
  search: { numFiles: true, filenames: true, mode: true, numLines: true },
  edit: { structuredPatch: true },
  shell: null,
  quiet: null,
  other: null,
};

function counted(unit: 'lines' | 'bytes', count: number | null): Amount {
  return count === null ? {} : { [unit]: count };
}

function linesIn(result: unknown): number | null {
  const text = isObject(result) ? '' : textOfContent(result);
  return text === '' ? null : lineCount(text);
}

/** A result as text: what a shell printed, what a file contains, what a tool answered. */
export function resultText(tool: string | null, result: unknown): string {
  const data = objectOf(result);
  if (data === null) return textOfContent(result);
  if (mannerOf(tool) === 'shell') return [textOf(data.stdout), textOf(data.stderr)].filter(Boolean).join('\n');
  const said =
    textOf(objectOf(data.file)?.content) ?? textOf(data.content) ?? textOf(data.result) ?? textOf(data.message);
  if (said !== null) return said;
  const names = listOf(data.filenames);
  return names === null ? textOfContent(data.content) : names.map(idOf).join('\n');
}

/** How a shell failed, and what it printed: `Exit code 1\nFAIL …`. */
export function failureIn(tool: string | null, error: string): { exit: number | null; text: string } {
  const [said, code] = (mannerOf(tool) === 'shell' ? /^Exit code (\d{1,10})(?:\n|$)/.exec(error) : null) ?? [''];
  return { exit: code === undefined ? null : Number(code), text: error.slice(said.length) };
}

/** One line of a change. */
export interface ChangedLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** What an edit changed, line by line. Claude Code's own account is used where the result has one. */
export function changesOf(tool: string | null, input: unknown, result: unknown): ChangedLine[] | null {
  if (mannerOf(tool) !== 'edit') return null;
  const hunks = listOf(objectOf(result)?.structuredPatch) ?? [];
  const said = hunks.flatMap((hunk) => (listOf(objectOf(hunk)?.lines) ?? []).flatMap(patchLine));
  if (said.length > 0) return said;
  if (!isObject(input)) return null;
  const edits = listOf(input.edits)?.map(objectOf) ?? [input];
  const changes = edits.flatMap((edit) => {
    const before = textOf(edit?.old_string);
    const after = textOf(edit?.new_string) ?? textOf(edit?.content) ?? textOf(edit?.new_source);
    return before === null && after === null ? [] : [changedLines(before ?? '', after ?? '')];
  });
  // Codex says only which file it was.
  return changes.length === 0 ? null : changes.flat();
}

/** How many lines an edit added and removed; null if it is none. */
export function changeCounts(
  tool: string | null,
  input: unknown,
  result: unknown,
): { readonly added: number; readonly removed: number } | null {
  if (mannerOf(tool) !== 'edit') return null;
  let [added, removed, same] = [0, 0, 0];
  for (const hunk of listOf(objectOf(result)?.structuredPatch) ?? [])
    for (const line of listOf(objectOf(hunk)?.lines) ?? []) {
      const sign = typeof line === 'string' ? line[0] : undefined;
      if (sign === '+') added += 1;
      else if (sign === '-') removed += 1;
      else if (sign === ' ') same += 1;
    }
  if (added + removed + same > 0) return { added, removed };
  const changes = changesOf(tool, input, result);
  return changes === null ? null : countsOf(changes);
}

export function countsOf(changes: readonly ChangedLine[]): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  for (const { sign } of changes) {
    if (sign === '+') added += 1;
    else if (sign === '-') removed += 1;
  }
  return { added, removed };
}

function patchLine(line: unknown): ChangedLine[] {
  const text = textOf(line);
  const sign = signs.find((one) => one === text?.[0]);
  return text === null || sign === undefined ? [] : [{ sign, text: text.slice(1) }];
}
const signs = ['+', '-', ' '] as const;

/** The lines that differ, between those that both texts begin and end with. Linear, unlike the shortest difference. */
export function changedLines(before: string, after: string): ChangedLine[] {
  const [old, now] = [splitLines(before), splitLines(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return [
    ...old.slice(start, old.length - end).map((text): ChangedLine => ({ sign: '-', text })),
    ...now.slice(start, now.length - end).map((text): ChangedLine => ({ sign: '+', text })),
  ];
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
