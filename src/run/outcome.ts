import { ExitCode } from '../io/exit.js';
import type { Output } from '../io/output.js';
import type { Command, Options, Verdict } from './command.js';
import type { Seen } from './input.js';
import { flagOf } from './options.js';

export interface Outcome {
  readonly command: Pick<Command, 'kind'>;
  readonly options: Options;
  readonly verdict: Verdict | undefined;
  readonly out: Pick<Output, 'closed' | 'problem'>;
  readonly seen: Pick<Seen, 'unreadable' | 'idle'> & {
    readonly account: Pick<Seen['account'], 'results' | 'failed' | 'unfinished'>;
  };
  readonly damaged: number;
}

/** The one place where a run becomes an exit code: first what kept cct from its work, then what the user asked about. */
export function exitCodeOf({ command, options, verdict, out, seen, damaged }: Outcome): ExitCode {
  if (out.problem !== null) return ExitCode.usage;
  if (verdict?.overBudget) return ExitCode.budget;
  if (out.closed) return ExitCode.done;
  if (seen.unreadable > 0) return ExitCode.usage;
  if (flagOf(options, 'strict') && damaged > 0) return ExitCode.damage;
  if (seen.idle) return ExitCode.verdict;
  if (verdict?.recorded !== undefined) return verdict.recorded === 'well' ? ExitCode.done : ExitCode.verdict;
  if (!flagOf(options, 'exitStatus')) return ExitCode.done;
  // An audit answers for itself: no finding is good news, and files have no result.
  if (verdict?.failed !== undefined) return verdict.failed ? ExitCode.verdict : ExitCode.done;
  const { results, failed, unfinished } = seen.account;
  const nothing = verdict?.rows === 0;
  const runFailed = command.kind !== 'text' && (results === 0 || failed > 0 || unfinished > 0);
  return nothing || runFailed ? ExitCode.verdict : ExitCode.done;
}
