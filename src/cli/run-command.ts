import type { Diagnostics } from '../io/diagnostics.js';
import { createOutput } from '../io/output.js';
import { inputSources, isStdin, mostLineBytes } from '../io/sources.js';
import type { Streams } from '../io/streams.js';
import { createStamp } from '../io/streams.js';
import { atFirstInterrupt } from '../io/termination.js';
import type { Command, Options } from './command.js';
import { exitCodeOf } from './counts.js';
import { divide } from './division.js';
import { SessionChoice } from './flags/choice.js';
import { type Arguments, flagOf, numberOf, textOf } from './flags/flags.js';
import { announced, filesOf } from './flags/operands.js';
import type { Privacy } from './flags/privacy.js';
import { type InputOptions, openInput } from './input.js';
import { openProgress } from './progress.js';

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
  const sources = follows ? [] : inputSources(files, announced(streams.stdin, command, diagnostics));
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
