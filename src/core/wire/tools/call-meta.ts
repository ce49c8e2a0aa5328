// Reads what records say about a call besides its blocks: its MCP server, a refused permission, how long it took.
import { countOf, type JsonObject, listOf, objectOf, textOf } from '../../record/json.js';
import { firstOf } from '../read.js';
import type { RecordView } from '../view.js';
import { isSpawnTool } from './table.js';
import { type ToolResult, usageInText } from './tool-result.js';

/** The MCP server of a call under its own name; inside tool names it has no spaces and dots. null for other tools. */
export function serverOf(tool: string, input: JsonObject, view: Pick<RecordView, 'pick'>): string | null {
  if (!tool.startsWith(ofServer)) return ofResources.test(tool) ? textOf(input.server) || null : null;
  const record = view.pick(serverFields);
  const shown = (listOf(record.tool_use_meta) ?? []).map((meta) => objectOf(meta)?.server_display_name);
  const names = [record.attributionMcpServer, objectOf(record.mcp_server)?.name, ...shown];
  // A record may be about several calls, and a server may be shown under another name.
  const own = names.map(textOf).find((name) => name && tool.startsWith(`${ofServer}${nameInTool(name)}__`));
  return own ?? (tool.slice(ofServer.length).split('__', 1)[0] || null);
}

/** How the name of a server is spelled in its tools' names. */
export function nameInTool(server: string): string {
  return server.replace(/[^\w-]/g, '_');
}

const ofServer = 'mcp__';
const serverFields = { tool_use_meta: true, attributionMcpServer: true, mcp_server: true } as const;

/** ListMcpResourcesTool, ReadMcpResourceTool, ReadMcpResourceDirTool: one tool for all servers. */
const ofResources = /^[A-Z][a-z]+Mcp[A-Z]/;

/** Whether a failed call was not allowed to run: a rule, a mode, a hook or a person refused it. */
export function isDenied(
  view: Pick<RecordView, 'pick'>,
  id: string | null,
  { text, error }: ToolResult,
  mode: string | null,
): boolean {
  const said = text || (error ?? '');
  // Interrupting a running call is not a refusal, although Claude Code begins with the same words.
  if (said.slice(0, 1000).includes('this call was stopped while running')) return false;
  const record = view.pick(permissionFields);
  const metas = (listOf(record.tool_result_meta) ?? []).map(objectOf);
  const own = metas.find((meta) => meta?.id === id);
  // It was allowed, so something else ended it.
  if (objectOf(own?.permission_decision ?? record.permissionDecision)?.decision === 'accept') return false;
  // Where nobody is asked, a person that rejects a call interrupts it.
  const isAsked =
    record.toolDenialBeforeRun === true || (mode !== 'bypassPermissions' && record.entrypoint !== inPrint);
  if (!isAsked && rejection.test(said.slice(0, 1000))) return false;
  const kind = firstOf(textOf, own?.non_execution_kind, record.toolDenialKind);
  return kind === null ? refusal.test(said.slice(0, 1000)) : !interruptedWords.has(kind);
}

const permissionFields = {
  tool_result_meta: true,
  permissionDecision: true,
  toolDenialKind: true,
  toolDenialBeforeRun: true,
  entrypoint: true,
} as const;
const inPrint = 'sdk-cli';
const rejection = /^\s*(?:Error: )?The user doesn't want to (?:proceed with this tool use|take this action right now)/;

/** Whether these are the words about a call that a person refused or interrupted, or that was cancelled with another. */
export function isWithdrawn(error: string | null): boolean {
  return withdrawal.test(error?.slice(0, 300) ?? '');
}

const withdrawal =
  /^\s*(?:<tool_use_error>)?(?:Error: )?(?:The user doesn't want to (?:proceed with this tool use|take this action right now)|User rejected tool use|\[Request interrupted by user|Cancelled: parallel tool call|Sibling tool call errored|(?:Tool call|Request) was (?:aborted|cancelled|interrupted))|this call was stopped while running/;

const interruptedWords = new Set(['interrupted', 'cancelled']);

/** The words of Claude Code, in all versions. */
const refusal =
  /^\s*(?:<tool_use_error>)?(?:Error: )?(?:The user doesn't want to (?:proceed with this tool use|take this action right now)|Claude requested permissions? to .*but you haven't granted it yet|Permission to (?:use|read|write|edit) .*(?:has been|was) denied|Permission for this (?:action|tool use) (?:has been|was) denied|This command requires approval|\w+ in '.*' (?:was blocked\. For security, Claude Code may only|needs approval\. )|PreToolUse:\S+ hook error: |Cannot write to .* while in plan mode\.|Exit plan mode\?\s*$)/s;

/** How long Claude Code itself says the call took, in milliseconds. What an MCP server answers does not count. */
export function reportedMs(tool: string | undefined, outcome: ToolResult): number | null {
  if (tool === undefined || tool.startsWith(ofServer)) return null;
  const said = outcome.timings();
  const seconds = countOf(said.durationSeconds);
  const ms =
    firstOf(countOf, said.totalDurationMs, said.durationMs) ??
    (seconds === null ? null : seconds * 1000) ??
    (isSpawnTool(tool) && !outcome.isStructured ? usageInText(outcome.text).duration_ms : null);
  return ms === null || !(ms >= 0 && ms < longest) ? null : Math.round(ms);
}

/** Longer than a month is not the duration of a call. */
const longest = 2 ** 32 - 1;
