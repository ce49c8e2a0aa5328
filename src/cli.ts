import type { Command, Options } from './cli/command.js';
import { flagOf, readArguments, suggestion, wantsPrivacy } from './cli/flags.js';
import { loadAll, loadCommand, registry } from './cli/registry.js';
import { runCommand } from './cli/run-command.js';
import { createDiagnostics, type Diagnostics, type Verbosity } from './io/diagnostics.js';
import { ExitCode, UsageError } from './io/exit.js';
import { createOutput } from './io/output.js';
import type { OutputStream, Streams } from './io/streams.js';
import { version } from './version.js';
import { sanitize } from './view/text.js';

/** Carries out one command line. Never rejects and never ends the process. `onCommand` hears which command it is, before it runs. */
export async function cli(
  words: readonly string[],
  streams: Streams,
  onCommand: (command: Command) => void = () => {},
): Promise<number> {
  const [first, ...rest] = words;
  try {
    if (first === undefined) return await help([], streams.stderr, ExitCode.usage);
    if (helpWords.has(first)) return await help(rest, streams.stdout, ExitCode.done);
    if (versionWords.has(first)) return await print(`${version}\n`, streams.stdout, ExitCode.done);
    const named = await commandNamed(first);
    onCommand(named);
    return await command(named, rest, streams);
  } catch (error) {
    return report(error, streams);
  }
}

const helpWords: ReadonlySet<string> = new Set(['help', '-h', '--help']);
const versionWords: ReadonlySet<string> = new Set(['-V', '--version']);

async function help(words: readonly string[], to: OutputStream, code: ExitCode): Promise<ExitCode> {
  const { answer } = await import('./cli/docs/help.js');
  const width = Math.max(40, Math.min(to.columns ?? 80, 100));
  return print(answer(await loadAll(), words, width), to, code);
}

async function print(text: string, to: OutputStream, code: ExitCode): Promise<ExitCode> {
  const out = createOutput(to.stream);
  out.write(text);
  await out.finish();
  if (out.problem === null) return code;
  throw new UsageError(`stdout: ${out.problem}`);
}

async function command(named: Command, words: readonly string[], streams: Streams): Promise<number> {
  const parsed = await readArguments(named, words);
  if (parsed === 'help') return help([named.name], streams.stdout, ExitCode.done);
  const { options } = parsed;
  const privacy = wantsPrivacy(options) ? await (await import('./cli/privacy.js')).privacyOf(options, named) : null;
  const safe = (text: string) => sanitize(privacy?.text(text) ?? text);
  try {
    return await runCommand(named, parsed, streams, diagnosticsOf(streams, verbosityOf(options), safe), privacy);
  } catch (error) {
    return report(error, streams, safe);
  }
}

async function commandNamed(word: string): Promise<Command> {
  const found = await loadCommand(word);
  if (found !== null) return found;
  const flags = ['--help', '--version'];
  if (word.startsWith('-'))
    throw new UsageError(
      `'${word}' stands where the command should${suggestion(word, flags) || '; options come after it'}`,
    );
  const known = [...Object.keys(registry), 'help'];
  if (/[./]/.test(word))
    throw new UsageError(
      `'${word}' stands where the command should, one of ${known.join(', ')}; files come after it, as in: cct teams ${word}`,
    );
  throw new UsageError(`'${word}' is not one of ${known.join(', ')}${suggestion(word, [...known, ...flags])}`);
}

function verbosityOf(options: Options): Verbosity {
  if (flagOf(options, 'verbose')) return 'verbose';
  return flagOf(options, 'quiet') ? 'quiet' : 'normal';
}

function diagnosticsOf({ stderr }: Streams, verbosity: Verbosity, safe = sanitize): Diagnostics {
  return createDiagnostics(stderr.stream, { verbosity, sanitize: safe });
}

/** Says what went wrong: the user's mistake in one line, ours too unless CCT_DEBUG=1. */
export function report(error: unknown, streams: Streams, safe = sanitize): ExitCode {
  const diagnostics = diagnosticsOf(streams, 'normal', safe);
  const isUsage = error instanceof UsageError;
  if (isUsage) diagnostics.error(error.message);
  else
    diagnostics.error(
      `a bug, sorry: ${error instanceof Error ? error.message : String(error)}; CCT_DEBUG=1 shows where`,
    );
  const cause = isUsage ? error.cause : error;
  if (streams.env['CCT_DEBUG'] === '1' && cause instanceof Error)
    streams.stderr.stream.write(`${(cause.stack ?? '').split('\n').map(safe).join('\n')}\n`);
  return isUsage ? ExitCode.usage : ExitCode.bug;
}
