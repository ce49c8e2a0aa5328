import { fstatSync, statSync, writeSync } from 'node:fs';
import { describeSystemError, ExitCode, interrupt } from './io/exit.js';
import { version } from './version.js';

const typed = process.argv.slice(2);
let interrupts = 0;
let endsAtOnce = false;

if (typed.length === 1 && (typed[0] === '--version' || typed[0] === '-V')) {
  // Nothing else is loaded.
  process.stdout.on('error', cannotWrite);
  process.stdout.write(`${version}\n`);
} else {
  process.on('SIGINT', onInterrupt);
  run();
}

async function run(): Promise<void> {
  const [{ cli, report }, { processStreams }] = await Promise.all([import('./cli.js'), import('./io/streams.js')]);
  const programs = import.meta.dirname;
  const streams = processStreams({ reader: `${programs}/reader.cjs`, scanner: `${programs}/scanner.cjs` });
  process.on('uncaughtException', (error) => process.exit(report(error, streams)));
  // If nothing is left to wait for, Node exits with 0, even if a promise never resolved.
  const onceIdle = () => {
    process.exitCode = report(new Error('it stopped before the work was done'), streams);
  };
  process.once('beforeExit', onceIdle);
  process.exitCode = await cli(typed, streams, (command) => {
    endsAtOnce = command.endsAtOnce === true;
    if (command.handlesSignals) process.off('SIGINT', onInterrupt);
  });
  process.off('beforeExit', onceIdle);
}

function cannotWrite(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.exitCode = ExitCode.usage;
  try {
    writeSync(2, `cct: stdout: ${describeSystemError(error)}\n`);
  } catch {}
}

// In a pipe the first Ctrl-C is for the producer. Its last output is still read.
function onInterrupt(): void {
  interrupts += 1;
  if (interrupt()) return;
  if (interrupts > 1 || endsAtOnce || !isFedByPipe()) process.exit(ExitCode.interrupted);
}

function isFedByPipe(): boolean {
  return isPipe(() => fstatSync(0)) || typed.some((word) => isPipe(() => statSync(word)));
}

function isPipe(stat: () => ReturnType<typeof fstatSync>): boolean {
  try {
    const stats = stat();
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
