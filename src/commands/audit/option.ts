// --audit: findings in the place of rows, for every command that has it.

import type { Context, OptionSpec, Options, Verdict } from '../../cli/command.js';
import { flagOf } from '../../cli/flags.js';
import type { Interest } from '../../core/wire/interest.js';
import type { Subject } from './row.js';

export const auditOption: OptionSpec = {
  flags: '--audit',
  summary: 'findings instead of rows: what went wrong, and which limits were passed; with -e, exit with 1 on a problem',
};

/** An audit looks at everything that happened; null without --audit. */
export function auditInterest(options: Options): Interest | null {
  return flagOf(options, 'audit') ? { events: ['*:*'] } : null;
}

/** Reads the input to its end and prints what is wrong with it. Few runs do, so what it needs is loaded then. */
export async function audit(context: Context, subject: Subject): Promise<Verdict> {
  const { runAudit } = await import('./run.js');
  return runAudit(context, subject);
}
