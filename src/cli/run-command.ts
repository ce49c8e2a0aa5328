import type { Diagnostics } from '../io/diagnostics.js';
import { ExitCode, UsageError } from '../io/exit.js';
import { createOutput, type Output } from '../io/output.js';
import { inputSources, isStdin, mostLineBytes, type Source } from '../io/sources.js';
import { createTerminalLine, type StdinStream, type Streams, type TerminalLine } from '../io/streams.js';
import { atFirstInterrupt } from '../io/termination.js';
import { bytes as bytesText } from '../view/text.js';
import { SessionChoice } from './choice.js';
import type { Command, Options, Verdict } from './command.js';
import { type Arguments, flagOf, numberOf, textOf } from './flags.js';
import { type InputCounts, type InputOptions, openInput } from './input.js';
import type { Privacy } from './privacy.js';

/** Runs a command with everything it needs, and returns the exit code. */
export async function runCommand(
  command: Command,
  { options, operands: words, rest = [] }: Arguments,
  streams: Streams,
  diagnostics: Diagnostics,
  privacy: Privacy | null,
): Promise<number> {
  const reading = new AbortController();
  const out = createOutput(streams.stdout.stream, () => reading.abort());
  const operands = command.operand === undefined ? await filesOf(words, options, streams, diagnostics) : words;
  const files = command.operand === undefined ? operands : [];
  const follows = flagOf(options, 'follow');
  const sources = follows ? [] : inputSources(files, announced(streams.stdin, command, diagnostics));
  const progress = follows ? null : openProgress(command, options, sources, streams);
  if (progress !== null)
    diagnostics.printVia((print) => {
      progress.hide();
      print();
    });
  const [operand = '-'] = files;
  const place = isStdin(operand)
    ? undefined
    : files.length === 1
      ? operand
      : follows
        ? `${files.length} files`
        : undefined;
  const input = openInput({
    sources,
    session: new SessionChoice(textOf(options, 'session'), command.kind === 'map'),
    ...(progress !== null && { onBytes: progress.read }),
    interest: command.interest(options, { operands, streams }),
    out,
    diagnostics,
    signal: reading.signal,
    ...readingOptions(options),
    ...(place !== undefined && { place }),
    ...(follows && { follow: { operands, untilEnd: flagOf(options, 'untilEnd') } }),
    // Before a command sees the events, so that no row or picture can contain a secret.
    ...(privacy !== null && { redact: privacy.event }),
  });
  const forget = follows ? atFirstInterrupt(input.stop) : () => {};
  const context = {
    input,
    options,
    operands,
    rest,
    sources,
    signal: reading.signal,
    out,
    streams,
    diagnostics,
    privacy,
  };
  const verdict = await command.run(context).finally(() => {
    forget();
    progress?.hide();
  });
  await out.finish();
  diagnostics.finish();
  if (out.problem !== null) diagnostics.error(`stdout: ${out.problem}`);
  return exitCodeOf({
    command,
    options,
    verdict,
    out,
    seen: input.seen,
    damaged: diagnostics.damaged,
  });
}

/** The files to read: those named, or those of --last. Refuses flags that conflict. */
async function filesOf(
  named: readonly string[],
  options: Options,
  { env }: Streams,
  diagnostics: Diagnostics,
): Promise<readonly string[]> {
  const last = numberOf(options, 'last');
  const [first] = named;
  if (flagOf(options, 'untilEnd') && !flagOf(options, 'follow'))
    throw new UsageError('--until-end works only with --follow; without it, input is read to its end anyway');
  if (last !== null && first !== undefined)
    throw new UsageError(
      `--last reads the newest session and cannot be used with the file '${first}'${/^\d+$/.test(first) ? `; did you mean --last=${first}?` : ''}`,
    );
  if (flagOf(options, 'follow') && last === null && (first === undefined || named.some(isStdin)))
    throw new UsageError('--follow needs files, directories or --last; stdin is read to its end anyway');
  if (last === null) return named;
  if (!Number.isInteger(last)) throw new UsageError(`--last: '${last}' is not a whole number`);
  const { lastSessions } = await import('./last.js');
  return lastSessions(last, env, diagnostics);
}

function readingOptions(options: Options): Partial<InputOptions> {
  const maxLineBytes = numberOf(options, 'maxLineBytes');
  const idleTimeout = numberOf(options, 'idleTimeout');
  return {
    strict: flagOf(options, 'strict'),
    raw: flagOf(options, 'raw'),
    ...(flagOf(options, 'stamp') && { stamp: createStamp(Date.now) }),
    ...(maxLineBytes !== null && { maxLineBytes: Math.min(maxLineBytes, mostLineBytes) }),
    ...(idleTimeout !== null && { idleTimeoutMs: idleTimeout * 1000 }),
  };
}

/** Announces that cct waits for a terminal on stdin, so that nobody has to guess. */
function announced(stdin: StdinStream, command: Command, diagnostics: Diagnostics): StdinStream {
  return {
    // Asked only where stdin is read, because it costs start-up time.
    get isTTY() {
      return stdin.isTTY;
    },
    get isFile() {
      return stdin.isFile;
    },
    size: () => stdin.size?.() ?? null,
    open() {
      if (stdin.isTTY)
        diagnostics.warn(
          `${command.name} is waiting for records on stdin, for example from: ${producer} | cct ${command.name}`,
        );
      return stdin.open();
    },
  };
}

const producer = 'claude -p "…" --output-format stream-json --verbose';

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

/**
 * --stamp: the current time. If the clock is set back, the stamp stands still until the clock catches up: later records
 * must not look older, or last-writer-wins would keep the older state.
 */
export function createStamp(now: () => number): () => string {
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    latest = Math.max(latest, now());
    return new Date(latest).toISOString();
  };
}

/** A line on stderr that shows how far the reading of long files has come. */
export interface Progress {
  /** 0 at the end of a file, and at the end of reading. */
  read(bytes: number): void;
  /** Removes the line to make room for a message. The next bytes may bring it back. */
  hide(): void;
}

/** null unless somebody at a terminal reads files: otherwise nobody would see it, or it would be mixed with rows. */
function openProgress(
  command: Command,
  options: Options,
  sources: readonly Source[],
  { stdout, stderr, env, clock }: Streams,
): Progress | null {
  if (!stderr.isTTY || env['TERM'] === 'dumb' || flagOf(options, 'quiet')) return null;
  const waits = command.kind === 'fold' && !flagOf(options, 'watch') && textOf(options, 'live') !== 'always';
  if (command.kind === 'text' || (!waits && stdout.isFile !== true)) return null;
  return createProgress(
    () => totalSize(sources),
    createTerminalLine(stderr),
    () => clock.now(),
  );
}

/** null if the size is unknown. */
function totalSize(sources: readonly Source[]): number | null {
  const sizes = sources.map((source) => source.size?.() ?? null);
  return sizes.includes(null) ? null : sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
}

/** The total is computed only when it is shown: there may be many files, and most are read in a moment. */
export function createProgress(total: () => number | null, line: TerminalLine, now: () => number): Progress {
  const started = now();
  let size: number | null | undefined;
  let read = 0;
  let next = started + quietMs;
  return {
    read(bytes) {
      read += bytes;
      if (bytes === 0 || read >= (size ?? Number.POSITIVE_INFINITY)) return line.clear();
      const time = now();
      if (time < next) return;
      next = time + redrawMs;
      if (size === undefined) size = total();
      if (size === null || read >= size) return line.clear();
      line.show(progressText(read, size, time - started));
    },
    hide: () => line.clear(),
  };
}

/** Nothing is shown for the first second. */
const quietMs = 1000;
const redrawMs = 200;

/** `cct: 412 MB of 1.0 GB, 210 MB/s, 3 s left` */
export function progressText(read: number, total: number, elapsedMs: number): string {
  const rate = read / (elapsedMs / 1000);
  return `cct: ${bytesText(read)} of ${bytesText(total)}, ${bytesText(rate)}/s, ${timeLeft((total - read) / rate)} left`;
}

function timeLeft(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'some time';
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
