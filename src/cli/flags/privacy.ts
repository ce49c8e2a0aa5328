// --no-content, --redact and --anonymize: change what is read before any command sees it.
import type { Privacy as Doors } from '../../core/privacy/privacy.js';
import { bareMemory } from '../../core/wire/bare-memory.js';
import type { Memory } from '../../core/wire/context.js';
import { UsageError } from '../../io/exit.js';
import type { Command, Options } from '../command.js';
import { flagOf, textOf } from './flags.js';

export interface Privacy extends Doors {
  /** What the reader remembers, for a saved state. */
  memory(memory: Memory): Memory;
}

/** null if nothing is changed. The code is loaded only when needed, because its patterns take time to build. */
export async function privacyOf(options: Options, command: Pick<Command, 'judgesContent'>): Promise<Privacy | null> {
  const salt = textOf(options, 'salt');
  const anonymizes = flagOf(options, 'anonymize');
  if (salt !== null && !anonymizes) throw new UsageError('--salt works only with --anonymize');
  const isBare = flagOf(options, 'noContent');
  const redacts = flagOf(options, 'redact');
  if (!isBare && !redacts && !anonymizes) return null;
  const [{ createPrivacy }, { shortHash }] = await Promise.all([
    import('../../core/privacy/privacy.js'),
    import('../../io/hash.js'),
  ]);
  const judgesContent = command.judgesContent?.(options) ?? false;
  const hash = anonymizes ? shortHash(salt ?? '') : null;
  return {
    ...createPrivacy({ isBare, judgesContent, redacts, hash }),
    memory: (memory) => (isBare ? bareMemory(memory) : memory),
  };
}
