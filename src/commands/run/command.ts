// The run command: starts a command, passes its output on, and stops it when a limit is exceeded.
import type { Command, Context, OptionSpec, Verdict } from '../../cli/command.js';
import { flagOf, labelsOf, longFlag, numberOf, sharedOptions, textOf } from '../../cli/flags.js';
import { createStamp } from '../../cli/run-command.js';
import { type Child, type ChildEnd, hasGroups, startChild } from '../../io/child.js';
import { ExitCode, UsageError } from '../../io/exit.js';
import { createFile } from '../../io/output.js';
import { onSignals, sendSignal, stopThisProcess } from '../../io/processes.js';
import { chunkSink, readBytes } from '../../io/sources.js';
import { startTimer, type Timer } from '../../io/timer.js';
import { visibleName } from '../../view/text.js';
import { alarmText, isLimited } from '../usage/budget.js';
import { budgetOptions, limitsOf, pricesOf } from '../usage/option.js';
import { createGuard, type Guard } from './guard.js';
import { Stamper } from './stamp.js';
import { nameOf, startedEvent } from './started.js';
import { createStopper } from './stopper.js';

const own: readonly OptionSpec[] = [
  ...budgetOptions.map((spec) =>
    longFlag(spec) === '--max-usd' ? { ...spec, summary: 'stop when it costs more' } : spec,
  ),
  { flags: '--prices <file>', summary: "take prices from a file, ours or LiteLLM's" },
  { flags: '--idle-timeout <seconds>', summary: 'stop when it wrote nothing for so long', kind: 'number' },
  { flags: '--grace <seconds>', summary: 'how long to wait before the next signal', kind: 'number', default: 10 },
  {
    flags: '--keep <file>',
    summary: 'write the stream to this file too, all of it, behind a line that says what ran where',
  },
  { flags: '--label <key=value>', summary: 'a label for that line; may be given several times', kind: 'texts' },
  { flags: '--stamp', summary: 'add the time to records that have none, as their last key' },
];

export const run: Command = {
  name: 'run',
  kind: 'map',
  summary: 'start a command and stop it when it costs too much',
  description:
    'Starts a command, in most cases claude, and writes its stdout on, unchanged and as it comes; stdin and stderr are left alone. It reads the stream meanwhile. When a limit is passed, or nothing came for --idle-timeout, it sends SIGINT to the process group of the command, after --grace seconds SIGTERM, after as many again SIGKILL, and says on stderr what it did and why. What the command started is noted before, also what has a session of its own as each Bash call of claude does; what is left behind is ended and named. Closing a pipe does not stop claude: it ignores that and goes on to its end, so a budget of cct usage behind a pipe only tells.\nA limit holds for what the stream shows, and that is known after it was spent: at most one message too late. Helper calls and agents that do not stream are only known from the result. --include-partial-messages --forward-subagent-text make claude show most of it, and its own --max-budget-usd is a second fence.\nThe command has a process group of its own. The first Ctrl-C is passed on as SIGINT, the second as SIGTERM, the third as SIGKILL. SIGTERM, SIGHUP and SIGQUIT are passed on. Ctrl-Z stops the command too, and it goes on with cct. run waits for the command and reads its output to the end. If the reader of the output goes away, the command runs on with --keep; without, it is stopped as by a limit. If cct itself is killed with SIGKILL the command goes on without it.',
  operand: {
    name: 'command',
    summary: 'the program to start, and its words; -- before it is needed only if its name begins with -',
    choices: [],
    isProgram: true,
  },
  options: [...own, ...sharedOptions.general.filter((spec) => longFlag(spec) !== '--exit-status')],
  shared: [],
  exitCodes: [
    ['the code of the command', 'it ended by itself, or after a signal that was passed on'],
    ['128 + n', 'signal n ended it, and cct did not send that for a reason of its own'],
    ['126, 127', 'it cannot be run; there is no such command'],
    [String(ExitCode.verdict), 'it was stopped because it wrote nothing for --idle-timeout'],
    [
      String(ExitCode.usage),
      'wrong command line; the output or the file of --keep cannot be written; the command ended with 0 but wrote no usage, so that the limit was not watched; not supported here (Windows)',
    ],
    [
      String(ExitCode.budget),
      'a limit was passed, or a model without a price was used under --max-usd; also when only the last result showed it',
    ],
    [String(ExitCode.bug), 'a bug in cct; CCT_DEBUG=1 shows where'],
  ],
  examples: [
    {
      does: 'No more than two dollars; the stream is kept, and shown while it comes',
      run: 'cct run --max-usd 2 --keep run.ndjson -- claude -p "…" --output-format stream-json --verbose --include-partial-messages --forward-subagent-text --max-budget-usd 2 | cct teams',
    },
    {
      does: 'Give up when nothing came for five minutes',
      run: 'cct run --idle-timeout 300 -- claude -p "…" --output-format stream-json --verbose > run.ndjson',
    },
    {
      does: 'With the time of each record, and a label to find it by',
      run: 'cct run --stamp --label ticket=123 --keep run.ndjson -- claude -p "…" --output-format stream-json --verbose',
    },
  ],
  handlesSignals: true,
  interest: () => ({ events: [] }),
  async run(context) {
    const { rest: words, diagnostics } = context;
    const [program] = words;
    if (!hasGroups) throw new UsageError('run: not supported on Windows; it works in WSL');
    if (program === undefined)
      throw new UsageError(
        'run: which command? as in: cct run --max-usd 2 -- claude -p "…" --output-format stream-json --verbose',
      );
    const guard = await guardOf(context);
    // Opened last, because that empties the file.
    const keep = openKeep(context);
    // A Ctrl-C during the start is meant for the command too.
    const early: NodeJS.Signals[] = [];
    const forget = onSignals(passedOn, (signal) => early.push(signal));
    const child = await startChild(words);
    if (child.ok) return guarded(context, child, { keep, guard, early }).finally(forget);
    forget();
    diagnostics.error(`${visibleName(program)}: ${child.problem}`);
    return { rows: 0, exitCode: child.code };
  },
};

async function guardOf({ options, streams }: Context): Promise<Guard | null> {
  const limits = limitsOf(options);
  if (textOf(options, 'prices') === '-') throw new UsageError('--prices: stdin belongs to the command');
  return isLimited(limits) ? createGuard(limits, await pricesOf({ options, streams })) : null;
}

/** Why the command was stopped. */
type Reason = 'limit' | 'silence' | 'no reader';

interface Guarding {
  readonly keep: Keep;
  readonly guard: Guard | null;
  /** Signals that came before they could be passed on. */
  readonly early: NodeJS.Signals[];
}

async function guarded(context: Context, child: Child, { keep, guard, early }: Guarding): Promise<Verdict> {
  const { options, out, diagnostics, signal: closed, rest } = context;
  const name = visibleName(nameOf(rest[0] ?? ''));
  const limits = limitsOf(options);
  const graceMs = (numberOf(options, 'grace') ?? 10) * 1000;
  const idleMs = (numberOf(options, 'idleTimeout') ?? 0) * 1000;
  const stopper = createStopper(child, name, graceMs, diagnostics.warn);
  const stamper = flagOf(options, 'stamp') ? new Stamper(createStamp(Date.now)) : null;
  const reading = new AbortController();
  let reason: Reason | null = null;
  let end: ChildEnd | null = null;
  let chunks = 0;

  const stop = (why: Reason, say: (text: string) => void, text: string) => {
    const isFirst = reason === null;
    // A limit counts even if something else came before it.
    if (isFirst || why === 'limit') reason = why;
    const hasEnded = end !== null;
    const isTold = stopper.isSignalled;
    const done = hasEnded ? 'has ended already' : isTold ? 'is being stopped already' : 'is told to stop (SIGINT)';
    say(`${text}; ${name} ${done}`);
    if (hasEnded && why === 'limit') return;
    if (isFirst) stopper.stop();
    // A process it left behind holds the output open.
    if (hasEnded) reading.abort();
  };
  const passed = (alarm: ReturnType<Guard['end']>) => {
    if (alarm !== null) stop('limit', diagnostics.error, alarmText(alarm, limits, ''));
  };

  // Time that passes while the reader is slow, or while cct is stopped, does not count as silence of the command.
  const silence =
    idleMs === 0
      ? null
      : startTimer(idleMs, () => {
          const before = chunks;
          setImmediate(() => {
            if (chunks !== before) silence?.refresh();
            else stop('silence', diagnostics.error, `${name} wrote nothing for ${idleMs / 1000} s`);
          });
        });
  let drain: Timer | null = null;
  const waiting = (act: 'stop' | 'refresh') => {
    if (reason === null) silence?.[act]();
    drain?.[act]();
  };

  const pass = async (bytes: Buffer) => {
    if (bytes.length > 0 && !out.closed) await out.send(bytes);
    waiting('refresh');
  };
  const chunk = (bytes: Buffer) => {
    chunks += 1;
    waiting('stop');
    const piece = stamper === null ? bytes : stamper.take(bytes);
    keep.write(piece);
    const passing = pass(piece);
    passed(guard?.push(bytes) ?? null);
    return passing;
  };
  const last = () => {
    const piece = stamper?.last() ?? Buffer.alloc(0);
    keep.write(piece);
    return pass(piece);
  };

  const onClosed = () => {
    const what = out.problem === null ? 'nobody reads the output any more' : 'the output cannot be written';
    if (keep.isOpen) diagnostics.info(`${what}; ${name} goes on`);
    else stop('no reader', diagnostics.warn, what);
  };
  closed.addEventListener('abort', onClosed, { once: true });

  let interrupts = 0;
  const heard = (signal: NodeJS.Signals) => {
    if (signal === 'SIGTSTP') {
      waiting('stop');
      // The group has lost its terminal, so SIGTSTP would do nothing.
      sendSignal(-child.pid, 'SIGSTOP');
      stopThisProcess();
      return;
    }
    if (signal === 'SIGCONT') {
      sendSignal(-child.pid, 'SIGCONT');
      waiting('refresh');
      return;
    }
    if (signal !== 'SIGINT') stopper.send(signal);
    else stopper.send(escalation[Math.min(interrupts++ + (reason === null ? 0 : 1), 2)] ?? 'SIGKILL');
    // Only processes it left behind could still write.
    if (end !== null) reading.abort();
  };
  const forget = onSignals([...passedOn, 'SIGTSTP', 'SIGCONT'], heard);
  for (const signal of early) heard(signal);

  try {
    const read = readBytes({ kind: 'stream', stream: child.stdout }, chunkSink(chunk, last), reading.signal);
    end = await child.ended;
    await stopper.finish();
    if (stopper.isSignalled)
      drain = startTimer(graceMs, () => {
        diagnostics.warn(`the output of ${name} is still held open; it is not waited for`);
        reading.abort();
      });
    const problem = await read;
    if (stopper.isSignalled) await stopper.finish();
    passed(guard?.end() ?? null);
    if (problem !== null) diagnostics.error(`${name}: ${problem}`);
    const isKept = keep.close();
    return verdictOn(context, name, guard, { reason, end, isLost: problem !== null || !isKept });
  } finally {
    forget();
    closed.removeEventListener('abort', onClosed);
    silence?.stop();
    drain?.stop();
    // After an error of our own, nobody else would stop it.
    if (end === null) sendSignal(-child.pid, 'SIGTERM');
  }
}

const passedOn: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** Sent at the first, second and third Ctrl-C. */
const escalation: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGKILL'];

interface Outcome {
  readonly reason: Reason | null;
  readonly end: ChildEnd;
  /** Some of the output was not read or not kept. */
  readonly isLost: boolean;
}

function verdictOn({ diagnostics }: Context, name: string, guard: Guard | null, outcome: Outcome): Verdict {
  const { reason, end, isLost } = outcome;
  for (const model of guard?.budget.unpriced ?? [])
    diagnostics.warn(`${visibleName(model)} has no price and counts as $0`);
  if (reason === 'limit') return { rows: 0, exitCode: ExitCode.budget, overBudget: true };
  if (isLost) return { rows: 0, exitCode: ExitCode.usage };
  if (reason === 'silence') return { rows: 0, exitCode: ExitCode.verdict };
  const code = end.code ?? 128 + (end.signal ?? 0);
  // cct sent that signal itself.
  if (reason === 'no reader') return { rows: 0, exitCode: end.signal === null ? code : ExitCode.done };
  if (guard === null || guard.budget.isWatching) return { rows: 0, exitCode: code };
  diagnostics.error(
    `the limit was not watched: ${name} wrote no usage; claude does with --output-format stream-json --verbose`,
  );
  return { rows: 0, exitCode: code === 0 ? ExitCode.usage : code };
}

/** The file of --keep. */
interface Keep {
  /** Whether it can still be written. */
  readonly isOpen: boolean;
  write(bytes: Buffer): void;
  /** Whether it has everything; true if nothing is kept. */
  close(): boolean;
}

function openKeep({ options, rest, streams, diagnostics }: Context): Keep {
  const path = textOf(options, 'keep');
  const labels = labelsOf(options);
  if (path === null && Object.keys(labels).length > 0) throw new UsageError('--label goes with --keep');
  if (path === null) return { isOpen: false, write() {}, close: () => true };
  const file = createFile(path);
  if (!file.ok) throw new UsageError(`--keep: ${path}: ${file.problem}`);
  let isOpen = true;
  const tell = (problem: string | null) => {
    if (problem === null || !isOpen) return;
    isOpen = false;
    diagnostics.error(`--keep: ${path}: ${problem}; the rest is not kept`);
  };
  const keep: Keep = {
    get isOpen() {
      return isOpen;
    },
    write(bytes) {
      if (isOpen) tell(file.write(bytes));
    },
    close() {
      tell(file.close());
      return isOpen;
    },
  };
  const started = startedEvent(rest, labels, streams.env, new Date(Date.now()).toISOString());
  keep.write(Buffer.from(`${JSON.stringify(started)}\n`));
  return keep;
}
