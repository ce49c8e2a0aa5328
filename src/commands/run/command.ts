// The run command: starts a command, passes its output on, and stops it when a limit is exceeded.
import type { Command, Context, OptionSpec, Verdict } from '../../cli/command.js';
import { flagOf, labelsOf, longFlag, numberOf, sharedOptions, textOf } from '../../cli/flags/flags.js';
import { ExitCode, UsageError } from '../../io/exit.js';
import { createFile } from '../../io/output.js';
import {
  type Child,
  type ChildEnd,
  hasGroups,
  onSignals,
  sendSignal,
  startChild,
  stopThisProcess,
} from '../../io/processes.js';
import { chunkSink, readBytes } from '../../io/sources.js';
import { createStamp, startTimer, type Timer } from '../../io/streams.js';
import { visibleName } from '../../view/text.js';
import { alarmText, isLimited } from '../usage/budget.js';
import { budgetOptions, limitsOf, pricesOf } from '../usage/option.js';
import {
  afterAlarm,
  afterSignal,
  afterSilence,
  flagValue,
  programName,
  readerLeft,
  type StopReason,
  startedEvent,
  stoppedEvent,
} from './events.js';
import { createGuard, type Guard, Stamper } from './guard.js';
import { createStopper } from './stopper.js';

const own: readonly OptionSpec[] = [
  ...budgetOptions.map((spec) =>
    longFlag(spec) === '--max-usd' ? { ...spec, summary: 'stop when the cost passes this' } : spec,
  ),
  { flags: '--prices <file>', summary: 'take prices from this file, in our format or that of LiteLLM' },
  { flags: '--unwatched', summary: 'start claude under a limit although its output will not show what it spends' },
  { flags: '--idle-timeout <seconds>', summary: 'stop after this many seconds without output', kind: 'number' },
  { flags: '--grace <seconds>', summary: 'wait this long before the next signal', kind: 'number', default: 10 },
  {
    flags: '--keep <file>',
    summary: 'also write the whole stream to this file, after a first line that says what ran where',
  },
  { flags: '--label <key=value>', summary: 'add a label to that first line; can be repeated', kind: 'texts' },
  { flags: '--stamp', summary: 'add the time to records without one, as their last key' },
];

export const run: Command = {
  name: 'run',
  kind: 'map',
  summary: 'run a command and stop it when it costs too much',
  description: [
    'Starts a command, usually claude, and passes its stdout on unchanged, as it arrives. stdin and stderr are left alone. Meanwhile run reads the stream.',
    'When a limit is passed, or nothing arrives for --idle-timeout seconds, run sends SIGINT to the process group of the command. After --grace seconds it sends SIGTERM, and after as many again SIGKILL. It says on stderr what it did and why.',
    'Then run ends and names all processes that the command has left behind, including those in a session of their own, such as what a Bash call of claude started in the background. It finds them by the variable CCT_RUN, which it adds to the environment of the command, by the output they hold open, on Linux by a limit that they inherit (prlimit), and by what it notes while the command runs.',
    'The last line of stdout, and of a --keep file, is then an event run:stopped, which says why: cct teams, usage, audit and report show it, behind the pipe and later. It is not written to stdout if the command has --output-format json.',
    'A shell gives a pipeline the exit code of its last command. So in `cct run … | cct teams` the exit code of run is lost, unless the script says `set -o pipefail` or looks at PIPESTATUS; or give the last command -e, which fails if the run was stopped.',
    'A closed pipe does not stop claude: it runs to its end. So a budget of cct usage after a pipe can only report; cct run can stop the command.',
    'A limit applies to what the stream shows, and the stream shows a cost only after it was spent. So run stops at most one message too late. Helper calls and agents that do not stream are known only from the result. To see most of it earlier, run claude with --include-partial-messages --forward-subagent-text. As a second safeguard, use its own --max-budget-usd.',
    'The command has a process group of its own. The first Ctrl-C is passed on as SIGINT, the second as SIGTERM, the third as SIGKILL. SIGTERM, SIGHUP and SIGQUIT are passed on. Ctrl-Z suspends the command too, and it continues together with cct.',
    'run waits for the command and reads its output to the end. If the reader of the output goes away, the command keeps running with --keep; without --keep it is stopped, as by a limit. If cct itself is killed with SIGKILL, the command runs on without it.',
  ],
  operand: {
    name: 'command',
    summary: 'the program to start, and its arguments; it needs -- before it only if its name starts with -',
    choices: [],
    isProgram: true,
  },
  options: [...own, ...sharedOptions.general.filter((spec) => longFlag(spec) !== '--exit-status')],
  shared: [],
  exitCodes: [
    ['the code of the command', 'the command ended by itself, or after a signal that was passed on'],
    ['128 + n', 'signal n ended the command, and cct had no reason of its own to send it'],
    ['126, 127', 'the command cannot be run (126), or there is no such command (127)'],
    [String(ExitCode.verdict), 'the command was stopped because it wrote nothing for --idle-timeout seconds'],
    [
      String(ExitCode.usage),
      'wrong command line; a limit that the output of claude will not show; the output or the --keep file cannot be written; the command ended with 0 but wrote no usage, so the limit could not be checked; not supported on this system (Windows)',
    ],
    [
      String(ExitCode.budget),
      'a limit was passed, or a model without a price was used under --max-usd; also if only the last result showed it',
    ],
    [String(ExitCode.bug), 'a bug in cct; set CCT_DEBUG=1 to see where'],
  ],
  examples: [
    {
      does: 'Spend at most two dollars, keep the stream, and watch it',
      run: 'cct run --max-usd 2 --keep run.ndjson -- claude -p "…" --output-format stream-json --verbose --include-partial-messages --forward-subagent-text --max-budget-usd 2 | cct teams',
    },
    {
      does: 'Give up after five minutes without output',
      run: 'cct run --idle-timeout 300 -- claude -p "…" --output-format stream-json --verbose > run.ndjson',
    },
    {
      does: 'Add the time to each record, and a label to find the run by',
      run: 'cct run --stamp --label ticket=123 --keep run.ndjson -- claude -p "…" --output-format stream-json --verbose',
    },
  ],
  handlesSignals: true,
  interest: () => ({ events: [] }),
  async run(context) {
    const { rest: words, diagnostics } = context;
    const [program] = words;
    if (!hasGroups) throw new UsageError('run: not supported on Windows; use it in WSL');
    if (program === undefined)
      throw new UsageError(
        'run: expected a command, for example: cct run --max-usd 2 -- claude -p "…" --output-format stream-json --verbose',
      );
    refuseBlind(context);
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

/** A limit that cannot be watched is better known before the money is spent. */
function refuseBlind({ options, rest }: Context): void {
  const limits = limitsOf(options);
  if (!isLimited(limits) || flagOf(options, 'unwatched') || programName(rest[0] ?? '') !== 'claude') return;
  const format = flagValue(rest, '--output-format');
  if (format === 'stream-json' || format === 'json') return;
  const flag = limits.usd === null ? '--max-tokens' : '--max-usd';
  throw new UsageError(
    `${flag} cannot be watched: claude shows what it spends only with --output-format stream-json --verbose; add these flags, or --unwatched to start it anyway`,
  );
}

async function guardOf({ options, streams }: Context): Promise<Guard | null> {
  const limits = limitsOf(options);
  if (textOf(options, 'prices') === '-')
    throw new UsageError('--prices: cannot read prices from stdin, because it belongs to the command; use a file');
  return isLimited(limits) ? createGuard(limits, await pricesOf({ options, streams })) : null;
}

interface Guarding {
  readonly keep: Keep;
  readonly guard: Guard | null;
  /** Signals that came before they could be passed on. */
  readonly early: NodeJS.Signals[];
}

interface Why {
  first: StopReason | null;
  /** Why it was told to end while it was running, also by a signal that was passed on. */
  told: StopReason | null;
}

async function guarded(context: Context, child: Child, { keep, guard, early }: Guarding): Promise<Verdict> {
  const { options, out, diagnostics, signal: closed, rest } = context;
  const name = visibleName(programName(rest[0] ?? ''));
  const limits = limitsOf(options);
  const graceMs = (numberOf(options, 'grace') ?? 10) * 1000;
  const idleMs = (numberOf(options, 'idleTimeout') ?? 0) * 1000;
  const stopper = createStopper(child, name, graceMs, diagnostics.warn);
  const stamper = flagOf(options, 'stamp') ? new Stamper(createStamp(Date.now)) : null;
  const reading = new AbortController();
  const why: Why = { first: null, told: null };
  let isLineOpen = false;
  let end: ChildEnd | null = null;
  let chunks = 0;

  const stop = (reason: StopReason, say: (text: string) => void, text: string) => {
    const isFirst = why.first === null;
    const isLimit = reason.reason === 'budget';
    // A limit counts even if something else came before it.
    if (isFirst || isLimit) why.first = reason;
    const hasEnded = end !== null;
    if (!hasEnded && (why.told === null || isLimit)) why.told = reason;
    const isTold = stopper.isSignalled;
    const done = hasEnded ? 'has already ended' : isTold ? 'is already being stopped' : 'is being stopped (SIGINT)';
    say(`${text}; ${name} ${done}`);
    if (hasEnded && isLimit) return;
    if (isFirst) stopper.stop();
    // A process it left behind holds the output open.
    if (hasEnded) reading.abort();
  };
  const passed = (alarm: ReturnType<Guard['end']>) => {
    if (alarm !== null) stop(afterAlarm(alarm, limits), diagnostics.error, alarmText(alarm, limits, ''));
  };

  // Time that passes while the reader is slow, or while cct is stopped, does not count as silence of the command.
  const silence =
    idleMs === 0
      ? null
      : startTimer(idleMs, () => {
          const before = chunks;
          setImmediate(() => {
            if (chunks !== before) silence?.refresh();
            else stop(afterSilence(idleMs / 1000), diagnostics.error, `${name} wrote nothing for ${idleMs / 1000} s`);
          });
        });
  let drain: Timer | null = null;
  const waiting = (act: 'stop' | 'refresh') => {
    if (why.first === null) silence?.[act]();
    drain?.[act]();
  };

  const pass = async (bytes: Buffer) => {
    if (bytes.length > 0) isLineOpen = bytes.at(-1) !== newline;
    if (bytes.length > 0 && !out.closed) await out.send(bytes);
    waiting('refresh');
  };
  const chunk = (bytes: Buffer) => {
    chunks += 1;
    waiting('stop');
    const piece = stamper === null ? bytes : stamper.take(bytes);
    keep.write(piece);
    const passing = pass(piece);
    const isKnown = guard === null || guard.late !== null;
    passed(guard?.push(bytes) ?? null);
    if (!isKnown && guard.late !== null)
      diagnostics.warn(`${guard.late} says what it used only when it ends; the limit cannot stop it before`);
    return passing;
  };
  const lastLine = () => {
    const piece = stamper?.rest() ?? Buffer.alloc(0);
    keep.write(piece);
    return pass(piece);
  };

  const onClosed = () => {
    const what = out.problem === null ? 'the reader of the output went away' : 'the output cannot be written';
    if (keep.isOpen) diagnostics.info(`${what}; ${name} keeps running`);
    else stop(readerLeft, diagnostics.warn, what);
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
    if (end === null) why.told ??= afterSignal(signal);
    if (signal !== 'SIGINT') stopper.send(signal);
    else stopper.send(escalation[Math.min(interrupts++ + (why.first === null ? 0 : 1), 2)] ?? 'SIGKILL');
    // Only processes it left behind could still write.
    if (end !== null) reading.abort();
  };
  const forget = onSignals([...passedOn, 'SIGTSTP', 'SIGCONT'], heard);
  for (const signal of early) heard(signal);

  try {
    const read = readBytes({ kind: 'stream', stream: child.stdout }, chunkSink(chunk, lastLine), reading.signal);
    end = await child.ended;
    await stopper.finish();
    if (stopper.isSignalled)
      drain = startTimer(graceMs, () => {
        diagnostics.warn(`another process still holds the output of ${name} open; not waiting for it`);
        reading.abort();
      });
    const problem = await read;
    if (stopper.isSignalled) await stopper.finish();
    passed(guard?.end() ?? null);
    if (problem !== null) diagnostics.error(`${name}: ${problem}`);
    if (why.told !== null) {
      const event = JSON.stringify(stoppedEvent(why.told, stopper.ended, new Date(Date.now()).toISOString()));
      const line = Buffer.from(`${isLineOpen ? '\n' : ''}${event}\n`);
      keep.write(line);
      // It would not be one JSON text any more.
      if (flagValue(rest, '--output-format') !== 'json') await pass(line);
    }
    const isKept = keep.close();
    return verdictOn(context, name, guard, {
      reason: why.first?.reason ?? null,
      end,
      isLost: problem !== null || !isKept,
    });
  } finally {
    forget();
    closed.removeEventListener('abort', onClosed);
    silence?.stop();
    drain?.stop();
    // After an error of our own, nobody else would stop it.
    if (end === null) sendSignal(-child.pid, 'SIGTERM');
  }
}

const newline = 10;

const passedOn: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** Sent at the first, second and third Ctrl-C. */
const escalation: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGKILL'];

interface Outcome {
  readonly reason: StopReason['reason'] | null;
  readonly end: ChildEnd;
  /** Some of the output was not read or not kept. */
  readonly isLost: boolean;
}

function verdictOn({ diagnostics, options }: Context, name: string, guard: Guard | null, outcome: Outcome): Verdict {
  const { reason, end, isLost } = outcome;
  for (const model of guard?.budget.unpriced ?? [])
    diagnostics.warn(`${visibleName(model)} has no price and is counted as $0`);
  if (reason === 'budget') return { rows: 0, exitCode: ExitCode.budget, overBudget: true };
  if (isLost) return { rows: 0, exitCode: ExitCode.usage };
  if (reason === 'idle') return { rows: 0, exitCode: ExitCode.verdict };
  const code = end.code ?? 128 + (end.signal ?? 0);
  // cct sent that signal itself.
  if (reason === 'reader_left') return { rows: 0, exitCode: end.signal === null ? code : ExitCode.done };
  if (guard === null || guard.budget.isWatching) return { rows: 0, exitCode: code };
  const who = telling.has(name) ? name : 'claude';
  const needed = guard.late === null ? `; ${who} needs ${telling.get(who)}` : '';
  diagnostics.error(`the limit was not watched: ${name} wrote no usage${needed}`);
  return { rows: 0, exitCode: code === 0 && !flagOf(options, 'unwatched') ? ExitCode.usage : code };
}

/** How programs are told to say what they use. cursor-agent may still not say it. */
const telling: ReadonlyMap<string, string> = new Map([
  ['claude', '--output-format stream-json --verbose'],
  ['codex', 'exec --json'],
  ['cursor-agent', '--output-format stream-json'],
  ['gemini', '--output-format stream-json'],
  ['opencode', 'run --format json'],
  ['qwen', '--output-format stream-json'],
]);

/** The file of --keep. */
interface Keep {
  readonly isOpen: boolean;
  write(bytes: Buffer): void;
  /** Whether it has everything; true if nothing is kept. */
  close(): boolean;
}

function openKeep({ options, rest, streams, diagnostics }: Context): Keep {
  const path = textOf(options, 'keep');
  const labels = labelsOf(options);
  if (path === null && Object.keys(labels).length > 0) throw new UsageError('--label works only with --keep');
  if (path === null) return { isOpen: false, write() {}, close: () => true };
  const file = createFile(path);
  if (!file.ok) throw new UsageError(`--keep: ${path}: ${file.problem}`);
  let isOpen = true;
  const tellStop = (problem: string | null) => {
    if (problem === null || !isOpen) return;
    isOpen = false;
    diagnostics.error(`--keep: ${path}: ${problem}; the rest of the stream is not kept`);
  };
  const keep: Keep = {
    get isOpen() {
      return isOpen;
    },
    write(bytes) {
      if (isOpen) tellStop(file.write(bytes));
    },
    close() {
      tellStop(file.close());
      return isOpen;
    },
  };
  const started = startedEvent(rest, labels, streams.env, new Date(Date.now()).toISOString());
  keep.write(Buffer.from(`${JSON.stringify(started)}\n`));
  return keep;
}
