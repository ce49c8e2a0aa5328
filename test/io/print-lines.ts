// A program over all of src/io, run as a child by process.test.ts: prints `name:number:text` for every line. STOP_AT=n
// stops reading at line n, like an exceeded budget; IDLE_MS=n after a silence, like --idle-timeout.
import { lineReader, openIndex } from '../../src/cli/lines.js';
import { createDiagnostics } from '../../src/io/diagnostics.js';
import { ExitCode } from '../../src/io/exit.js';
import { createOutput } from '../../src/io/output.js';
import { sourcesFrom } from '../../src/io/sources.js';
import { processStreams } from '../../src/io/streams.js';

const streams = processStreams();
const stopAt = Number(streams.env['STOP_AT']);
const idleMs = Number(streams.env['IDLE_MS']);
const controller = new AbortController();
const diagnostics = createDiagnostics(streams.stderr, 'normal', JSON.stringify);
const output = createOutput(streams.stdout.stream, () => controller.abort());
let exitCode: number = ExitCode.done;

for (const source of sourcesFrom(process.argv.slice(2), streams.stdin)) {
  const opened = await source.open();
  if (!opened.ok) {
    diagnostics.error(`${source.name}: ${opened.problem}`);
    exitCode = ExitCode.usage;
    continue;
  }
  const index = openIndex({
    line(entry) {
      output.write(`${source.name}:${index.number(entry)}:${index.lineText(entry)}\n`);
      if (index.number(entry) === stopAt) controller.abort();
    },
    tooLong: () => {},
  });
  const readLines = lineReader(index, {
    signal: controller.signal,
    chunkEnd() {
      if (idleMs > 0) setTimeout(() => controller.abort(), idleMs);
      return output.flush();
    },
  });
  await readLines(opened.bytes);
}
await output.flush();
if (output.problem !== null) {
  diagnostics.error(`stdout: ${output.problem}`);
  exitCode = ExitCode.usage;
}
process.exitCode = exitCode;
