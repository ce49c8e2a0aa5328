// What was read, and what is said about it at the end: in words, and as exit code.
import { type PackedSummary, RunSummary } from '../core/tables/run-summary.js';
import type { OpenCall } from '../core/wire/context.js';
import type { Diagnostics } from '../io/diagnostics.js';
import { ExitCode } from '../io/exit.js';
import type { Output } from '../io/output.js';
import type { Source } from '../io/sources.js';
import { visibleName } from '../view/text.js';
import type { Command, Options, Verdict } from './command.js';
import { flagOf } from './flags/flags.js';

export type InputCounts = ReturnType<typeof newCounts>;

export function newCounts() {
  return {
    lines: 0,
    records: 0,
    /** Records that were parsed whole; of the others only what was asked for. */
    parsed: 0,
    /** Bytes that went through JSON.parse. */
    parsedBytes: 0,
    noise: 0,
    unreadable: 0,
    /** Some file has records of Claude Code. */
    recognized: false,
    /** --idle-timeout ran out. */
    idle: false,
    /** Lines were read, and Claude Code wrote none of them. */
    isForeign: false,
    account: new RunSummary(),
  };
}

/** Counts as they are sent to another thread. */
export type PackedCounts = Omit<InputCounts, 'account' | 'idle'> & { readonly account: PackedSummary };

export function packCounts({ account, idle: _idle, ...counts }: InputCounts): PackedCounts {
  return { ...counts, account: account.pack() };
}

/** Adds what another reader saw of other files. */
export function addCounts(seen: InputCounts, others: PackedCounts): void {
  seen.account.merge(others.account);
  seen.recognized ||= others.recognized;
  seen.isForeign ||= others.isForeign;
  for (const name of ['lines', 'records', 'parsed', 'parsedBytes', 'noise', 'unreadable'] as const)
    seen[name] += others[name];
}

interface Reading {
  readonly sources: readonly Source[];
  /** The name of the whole input, if it is not the file or the number of files. */
  readonly place?: string;
  readonly idleTimeoutMs?: number;
  readonly follow?: unknown;
  /** Somebody ended the reading before the input ended. */
  readonly wasStopped: boolean;
}

/** Says what is still open, or why there is nothing to show. */
export function sayMissing(
  seen: InputCounts,
  calls: readonly OpenCall[],
  diagnostics: Diagnostics,
  reading: Reading,
): void {
  const { sources, place = placeNameOf(sources), idleTimeoutMs = 0, follow, wasStopped } = reading;
  const { account, lines } = seen;
  const missing = account.missing(calls);
  if (seen.idle) {
    const waited = `no record for ${idleTimeoutMs / 1000} s`;
    diagnostics.error(`${place}: ${waited}; ${missing ?? 'nothing was open'}; reading stopped`);
    for (const text of account.open(calls, visibleName)) diagnostics.warn(`${place}: ${text}`);
  } else if (missing !== null && !wasStopped) diagnostics.warn(`${place}: ${missing}`);
  else if (sources.some(({ found }) => !found) && isForeign(seen, diagnostics.damaged) && !seen.isForeign) {
    seen.isForeign = true;
    const none = lines === 1 ? 'the only line is not' : `none of the ${lines} lines is`;
    diagnostics.warn(`${place}: ${none} Claude Code output; run claude with ${recordFlags}`);
  } else if (sources.every(({ found }) => found) && !seen.recognized && follow === undefined) {
    seen.isForeign = true;
    const none = sources.length === 0 ? noFiles : `none of the ${sources.length} files is Claude Code output`;
    diagnostics.warn(`${place}: ${none}`);
  }
  diagnostics.info(
    `${place}: ${lines} lines, ${seen.records} records, ${seen.parsed} parsed whole, ${seen.parsedBytes} bytes parsed, ${seen.noise} noise, ${diagnostics.damaged} damaged, ${account.unknown} unknown`,
  );
}

/** Whether there is something, and Claude Code wrote none of it. */
function isForeign({ noise, records, account }: InputCounts, damaged: number): boolean {
  return noise + account.foreign > 0 && records === account.foreign && damaged === 0;
}

/** The name of the whole input in messages. */
export function placeNameOf(sources: readonly Source[]): string {
  return sources.length === 1 ? (sources[0]?.name ?? 'stdin') : `${sources.length} files`;
}

const noFiles = 'contains no .jsonl, .ndjson or .json file';
const recordFlags = '--output-format stream-json --verbose';

export interface Outcome {
  readonly command: Pick<Command, 'kind'>;
  readonly options: Options;
  readonly verdict: Verdict | undefined;
  readonly out: Pick<Output, 'closed' | 'problem'>;
  readonly seen: Pick<InputCounts, 'unreadable' | 'idle'> & {
    readonly account: Pick<InputCounts['account'], 'failed'>;
  };
  readonly damaged: number;
}

/** The only place where a run becomes an exit code: first what kept cct from its work, then what the user asked about. */
export function exitCodeOf({ command, options, verdict, out, seen, damaged }: Outcome): number {
  if (verdict?.overBudget && verdict.exitCode !== undefined) return ExitCode.budget;
  if (out.problem !== null) return ExitCode.usage;
  if (verdict?.exitCode !== undefined) return verdict.exitCode;
  if (verdict?.overBudget) return ExitCode.budget;
  if (out.closed) return ExitCode.done;
  if (seen.unreadable > 0) return ExitCode.usage;
  if (flagOf(options, 'strict') && damaged > 0) return ExitCode.damage;
  if (seen.idle) return ExitCode.verdict;
  if (verdict?.recorded !== undefined) return verdict.recorded === 'well' ? ExitCode.done : ExitCode.verdict;
  if (!flagOf(options, 'exitStatus')) return ExitCode.done;
  // An audit decides for itself: having no findings is good news, and files have no result.
  if (verdict?.failed !== undefined) return verdict.failed ? ExitCode.verdict : ExitCode.done;
  const isBad = verdict?.rows === 0 || (command.kind !== 'text' && seen.account.failed);
  return isBad ? ExitCode.verdict : ExitCode.done;
}
