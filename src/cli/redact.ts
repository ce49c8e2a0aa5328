import type { OptionSpec, Options } from './command.js';
import { flagOf } from './flags.js';

/** For commands that write nothing but what events say. */
export const redactOption: OptionSpec = {
  flags: '--redact',
  summary: 'replace what looks like a key, token or password; cct help secrets lists the shapes',
};

/** What replaces secrets, if the user wants it. Its many patterns cost time to make, so it is loaded only then. */
export async function redactorOf(options: Options) {
  return flagOf(options, 'redact') ? import('../core/event/redact.js') : null;
}
