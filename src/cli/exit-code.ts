import { ExitCode } from '../io/exit.js';
import type { Output } from '../io/output.js';
import type { Command, Options, Verdict } from './command.js';
import type { InputCounts } from './counts.js';
import { flagOf } from './flags/flags.js';

export interface Outcome {
  readonly command: Pick<Command, 'kind'>;
  readonly options: Options;
  readonly verdict: Verdict | undefined;
  readonly out: Pick<Output, 'closed' | 'problem'>;
  readonly seen: Pick<InputCounts, 'unreadable' | 'idle'> & {
    readonly account: Pick<InputCounts['account'], 'failed'>;
  };
  readonly damaged: number;
}

/** The only place where a run becomes an exit code: first what kept cct from its work, then what the user asked about. */
export function exitCodeOf({ command, options, verdict, out, seen, damaged }: Outcome): number {
  if (verdict?.overBudget && verdict.exitCode !== undefined) return ExitCode.budget;
  if (out.problem !== null) return ExitCode.usage;
  if (verdict?.exitCode !== undefined) return verdict.exitCode;
  if (verdict?.overBudget) return ExitCode.budget;
  if (out.closed) return ExitCode.done;
  if (seen.unreadable > 0) return ExitCode.usage;
  if (flagOf(options, 'strict') && damaged > 0) return ExitCode.damage;
  if (seen.idle) return ExitCode.verdict;
  if (verdict?.recorded !== undefined) return verdict.recorded === 'well' ? ExitCode.done : ExitCode.verdict;
  if (!flagOf(options, 'exitStatus')) return ExitCode.done;
  // An audit decides for itself: having no findings is good news, and files have no result.
  if (verdict?.failed !== undefined) return verdict.failed ? ExitCode.verdict : ExitCode.done;
  const isBad = verdict?.rows === 0 || (command.kind !== 'text' && seen.account.failed);
  return isBad ? ExitCode.verdict : ExitCode.done;
}
