// A program over the whole of src/io, run as a child by process.test.ts: prints `name:number:text` for every line.
// STOP_AT=n stops reading at line n, as a passed budget does; IDLE_MS=n after a silence, as --idle-timeout does.
import { createDiagnostics } from '../../src/io/diagnostics.js';
import { ExitCode } from '../../src/io/exit.js';
import { readLines } from '../../src/io/lines.js';
import { createOutput } from '../../src/io/output.js';
import { sourcesFrom } from '../../src/io/sources.js';
import { processStreams } from '../../src/io/streams.js';

const streams = processStreams();
const stopAt = Number(streams.env['STOP_AT']);
const idleMs = Number(streams.env['IDLE_MS']);
const controller = new AbortController();
const diagnostics = createDiagnostics(streams.stderr.stream, { verbosity: 'normal', sanitize: JSON.stringify });
const output = createOutput(streams.stdout.stream, () => controller.abort());
let exitCode: number = ExitCode.done;

for (const source of sourcesFrom(process.argv.slice(2), streams.stdin)) {
  const opened = await source.open();
  if (!opened.ok) {
    diagnostics.error(`${source.name}: ${opened.problem}`);
    exitCode = ExitCode.usage;
    continue;
  }
  await readLines(
    opened.bytes,
    {
      line(bytes, start, end, number) {
        output.write(`${source.name}:${number}:${bytes.toString('utf8', start, end)}\n`);
        if (number === stopAt) controller.abort();
      },
      tooLong: () => {},
      chunkEnd() {
        if (idleMs > 0) setTimeout(() => controller.abort(), idleMs);
        return output.flush();
      },
    },
    { signal: controller.signal },
  );
}
await output.flush();
if (output.problem !== null) {
  diagnostics.error(`stdout: ${output.problem}`);
  exitCode = ExitCode.usage;
}
process.exitCode = exitCode;
