import type { Command, Options } from './cli/command.js';
import { exitCodeOf } from './cli/counts.js';
import { divide } from './cli/division.js';
import { SessionChoice } from './cli/flags/choice.js';
import {
  type Arguments,
  flagOf,
  numberOf,
  type Privacy,
  privacyOf,
  readArguments,
  suggestion,
  textOf,
} from './cli/flags/flags.js';
import { filesOf, producer } from './cli/flags/operands.js';
import { resolveTimes } from './cli/flags/times.js';
import { type InputOptions, openInput } from './cli/input.js';
import { openProgress } from './cli/progress.js';
import { loadAll, loadCommand, registry, synonymOf } from './cli/registry.js';
import { createDiagnostics, type Diagnostics } from './io/diagnostics.js';
import { atFirstInterrupt, ExitCode, UsageError } from './io/exit.js';
import { createOutput } from './io/output.js';
import { inputSources, isStdin, mostLineBytes } from './io/sources.js';
import { createStamp, type OutputStream, type Streams } from './io/streams.js';
import { version } from './version.js';
import { sanitize } from './view/text.js';

/** Carries out one command line. Never rejects, never ends the process. `onCommand` gets the command before it runs. */
export async function cli(
  words: readonly string[],
  streams: Streams,
  onCommand: (command: Command) => void = () => {},
): Promise<number> {
  const [first, ...rest] = words;
  try {
    if (first === undefined) return await help([], streams.stderr, ExitCode.usage);
    if (helpWords.has(first)) return await help(rest, streams.stdout, ExitCode.done);
    if (versionWords.has(first)) return await writeText(`${version}\n`, streams.stdout, ExitCode.done);
    const named = await commandNamed(words);
    onCommand(named);
    return await command(named, rest, streams);
  } catch (error) {
    return report(error, streams);
  }
}

const helpWords: ReadonlySet<string> = new Set(['help', '-h', '--help']);
const versionWords: ReadonlySet<string> = new Set(['-V', '--version']);

async function help(words: readonly string[], to: OutputStream, code: ExitCode): Promise<ExitCode> {
  const { helpFor: answer } = await import('./cli/docs/help.js');
  const width = Math.max(40, Math.min(to.columns ?? 80, 100));
  return writeText(answer(await loadAll(), words, width), to, code);
}

async function writeText(text: string, to: OutputStream, code: ExitCode): Promise<ExitCode> {
  const out = createOutput(to.stream);
  out.write(text);
  await out.finish();
  if (out.problem === null) return code;
  throw new UsageError(`stdout: ${out.problem}`);
}

async function command(named: Command, words: readonly string[], streams: Streams): Promise<number> {
  const parsed = await readArguments(named, words);
  if (parsed === 'help') return help([named.name], streams.stdout, ExitCode.done);
  const options = resolveTimes(named, parsed.options, streams);
  const privacy = await privacyOf(options, named);
  const safe = (text: string) => sanitize(privacy?.text(text) ?? text);
  const verbosity = flagOf(options, 'verbose') ? 'verbose' : flagOf(options, 'quiet') ? 'quiet' : 'normal';
  const diagnostics = createDiagnostics(streams.stderr, verbosity, safe);
  try {
    return await runCommand(named, { ...parsed, options }, streams, diagnostics, privacy);
  } catch (error) {
    return report(error, streams, safe);
  }
}

async function commandNamed(words: readonly string[]): Promise<Command> {
  const [word = '', ...rest] = words;
  const found = await loadCommand(word);
  if (found !== null) return found;
  const flags = ['--help', '--version'];
  const known = [...Object.keys(registry), 'help'];
  if (word.startsWith('-') || /[./]/.test(word)) {
    const near = word.startsWith('--') ? suggestion(word, flags) : '';
    // The command may come after its flags, as in `cct -f table teams`.
    const at = rest.findIndex((each) => Object.hasOwn(registry, each));
    const meant = at === -1 ? ['teams', ...words] : [rest[at], word, ...rest.filter((_, place) => place !== at)];
    throw new UsageError(
      `expected a command before '${word}'${near || `, for example: ${['cct', ...meant].join(' ')}; cct help lists them`}`,
    );
  }
  const line = synonymOf(word);
  const hint = line === null ? suggestion(word, [...known, ...flags]) : `; try cct ${line}`;
  throw new UsageError(`'${word}' is not a command${hint || `; commands: ${known.join(', ')}`}`);
}

/** Reports an error: a user's mistake in one line, and our own too unless CCT_DEBUG=1. */
export function report(error: unknown, streams: Streams, safe = sanitize): ExitCode {
  const diagnostics = createDiagnostics(streams.stderr, 'normal', safe);
  const isUsage = error instanceof UsageError;
  if (isUsage) diagnostics.error(error.message);
  else
    diagnostics.error(
      `a bug, sorry: ${error instanceof Error ? error.message : String(error)}; set CCT_DEBUG=1 to see where`,
    );
  const cause = isUsage ? error.cause : error;
  if (streams.env['CCT_DEBUG'] === '1' && cause instanceof Error)
    streams.stderr.stream.write(`${(cause.stack ?? '').split('\n').map(safe).join('\n')}\n`);
  return isUsage ? ExitCode.usage : ExitCode.bug;
}

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
  const operands = command.operand === undefined ? await filesOf(command, words, options, streams, diagnostics) : words;
  const files = command.operand === undefined ? operands : [];
  const follows = flagOf(options, 'follow');
  const { name } = command;
  const announce = () =>
    diagnostics.warn(`${name} is waiting for records on stdin, for example from: ${producer} | cct ${name}`);
  const sources = follows ? [] : inputSources(files, streams.stdin, announce);
  const progress = follows ? null : openProgress(command, options, sources, streams);
  if (progress !== null)
    diagnostics.printVia((print) => {
      progress.hide();
      print();
    });
  const division = follows ? null : divide(command, options, sources, streams, reading.signal);
  const input = openInput({
    sources,
    division,
    ...(numberOf(options, 'jobs') !== 1 && { scanner: streams.scanner }),
    session: new SessionChoice(textOf(options, 'session'), command.kind === 'map'),
    ...(progress !== null && { onBytes: progress.read }),
    interest: command.interest(options, { operands, streams }),
    out,
    diagnostics,
    signal: reading.signal,
    ...readingOptions(options),
    ...placeOfFiles(files, follows),
    ...(follows && { follow: { operands, untilEnd: flagOf(options, 'untilEnd') } }),
    // Before a command sees the events, so that no row or picture can contain a secret.
    ...(privacy !== null && { redact: privacy.event }),
  });
  const forget = follows ? atFirstInterrupt(input.stop) : () => {};
  const { signal } = reading;
  const context = { input, options, operands, rest, sources, division, signal, out, streams, diagnostics, privacy };
  const verdict = await command.run(context).finally(() => {
    forget();
    progress?.hide();
  });
  await out.finish();
  diagnostics.finish();
  if (out.problem !== null) diagnostics.error(`stdout: ${out.problem}`);
  return exitCodeOf({ command, options, verdict, out, seen: input.seen, damaged: diagnostics.damaged });
}

/** The name of the whole input in messages, where it is not that of the sources. */
function placeOfFiles(files: readonly string[], follows: boolean): { place?: string } {
  const [first = '-', ...others] = files;
  if (isStdin(first)) return {};
  if (others.length === 0) return { place: first };
  return follows ? { place: `${files.length} files` } : {};
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
