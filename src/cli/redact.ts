import type { OptionSpec, Options } from './command.js';
import { flagOf } from './flags.js';
import type { InputOptions } from './input.js';

/** For commands that write nothing but what events say. */
export const redactOption: OptionSpec = {
  flags: '--redact',
  summary: 'replace what looks like a key, token or password; cct help secrets lists the shapes',
};

/** Secrets go before a command sees them, so that no row or picture can have any. */
export async function redaction(options: Options): Promise<Pick<InputOptions, 'redact'>> {
  if (!flagOf(options, 'redact')) return {};
  // Its many patterns cost time to make, so they are made only when they are used.
  const { redactEvent } = await import('../core/event/redact.js');
  return { redact: redactEvent };
}

/** A state also holds what is needed to go on: the calls that were not answered yet. */
export async function stateRedaction(options: Options): Promise<((json: unknown) => unknown) | undefined> {
  return flagOf(options, 'redact') ? (await import('../core/event/redact.js')).redactSecrets : undefined;
}
