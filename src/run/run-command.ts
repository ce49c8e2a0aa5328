import type { Diagnostics } from '../io/diagnostics.js';
import type { ExitCode } from '../io/exit.js';
import { createOutput } from '../io/output.js';
import { sourcesFrom } from '../io/sources.js';
import type { StdinStream, Streams } from '../io/streams.js';
import type { Arguments } from './arguments.js';
import type { Command, Options } from './command.js';
import { type InputOptions, openInput } from './input.js';
import { flagOf, numberOf } from './options.js';
import { exitCodeOf } from './outcome.js';
import { redaction } from './redact.js';
import { createStamp } from './stamp.js';

/** Runs a command with what it needs of the world, and says what came of it. */
export async function runCommand(
  command: Command,
  { options, operands }: Arguments,
  streams: Streams,
  diagnostics: Diagnostics,
): Promise<ExitCode> {
  const reading = new AbortController();
  const out = createOutput(streams.stdout.stream, () => reading.abort());
  const files = command.operand === undefined ? operands : [];
  const input = openInput({
    sources: sourcesFrom(files, announced(streams.stdin, command, diagnostics)),
    interest: command.interest(options),
    out,
    diagnostics,
    signal: reading.signal,
    ...readingOptions(options),
    ...(await redaction(options)),
  });
  const verdict = await command.run({ input, options, operands, out, streams, diagnostics });
  await out.flush();
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

function readingOptions(options: Options): Partial<InputOptions> {
  const maxLineBytes = numberOf(options, 'maxLineBytes');
  const idleTimeout = numberOf(options, 'idleTimeout');
  return {
    strict: flagOf(options, 'strict'),
    raw: flagOf(options, 'raw'),
    ...(flagOf(options, 'stamp') && { stamp: createStamp(Date.now) }),
    ...(maxLineBytes !== null && { maxLineBytes }),
    ...(idleTimeout !== null && { idleTimeoutMs: idleTimeout * 1000 }),
  };
}

/** A terminal on stdin: nobody should have to guess what cct waits for. */
function announced(stdin: StdinStream, command: Command, diagnostics: Diagnostics): StdinStream {
  return {
    isTTY: stdin.isTTY,
    open() {
      if (stdin.isTTY)
        diagnostics.warn(`${command.name} waits for records on stdin, as from: ${producer} | cct ${command.name}`);
      return stdin.open();
    },
  };
}

const producer = 'claude -p "…" --output-format stream-json --verbose';
