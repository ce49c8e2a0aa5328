// --no-content, --redact and --anonymize, for every command that reads: what is read is changed before anybody sees it.
import { withoutContent, withoutText, withSizes } from '../core/event/content.js';
import type { Event } from '../core/event/event.js';
import { parseJson, toJson, withoutDepths } from '../core/record/json.js';
import { bareMemory } from '../core/wire/bare-memory.js';
import type { Memory } from '../core/wire/context.js';
import { UsageError } from '../io/exit.js';
import type { Command, Options } from './command.js';
import { flagNamed, flagOf, textOf } from './flags.js';

/** What is done to everything that is read. */
export interface Privacy {
  event(event: Event): Event;
  /** A line as it was read; null leaves it out. */
  line(text: string): string | null;
  /** A line on stderr. */
  text(text: string): string;
  /** A slice of a state. */
  saved(json: unknown): unknown;
  memory(memory: Memory): Memory;
  /** What was replaced so far. */
  counts(): readonly { readonly kind: string; readonly names: number; readonly places: number }[];
}

/** null where nothing is changed. What does it is loaded only then: its patterns cost time to make. */
export async function privacyOf(options: Options, command: Pick<Command, 'judgesContent'>): Promise<Privacy | null> {
  const lone = ['salt', 'dryRun'].find((name) => options[name] !== undefined);
  if (lone !== undefined && !flagOf(options, 'anonymize'))
    throw new UsageError(`${flagNamed(lone)} goes with --anonymize`);
  const isBare = flagOf(options, 'noContent');
  const redactor = flagOf(options, 'redact') ? await import('../core/event/redact.js') : null;
  const anonymizer = flagOf(options, 'anonymize') ? await openAnonymizer(textOf(options, 'salt') ?? '') : null;
  if (!isBare && redactor === null && anonymizer === null) return null;

  const value = (said: unknown): unknown => {
    const safe = redactor === null ? said : redactor.redactSecrets(said);
    return anonymizer === null ? safe : anonymizer.value(safe);
  };
  // What is said on stderr does not count as replaced.
  const speaker = anonymizer === null ? null : await openAnonymizer(textOf(options, 'salt') ?? '');
  const text = (said: string, by = speaker): string => {
    const safe = redactor === null ? said : redactor.redactSecrets(said);
    return by === null ? safe : by.text(safe);
  };
  const judgesContent = command.judgesContent?.(options) ?? false;
  return {
    event(said) {
      const event = withSizes(said);
      const bare = isBare && !judgesContent ? bareEvent(event) : event;
      const safe = redactor?.redactEvent(bare) ?? bare;
      return anonymizer?.event(safe) ?? safe;
    },
    line(line) {
      // Behind what a log puts before it.
      const whole = parseJson(line);
      const start = whole === undefined ? Math.max(0, line.indexOf('{')) : 0;
      const read = whole ?? parseJson(line.slice(start));
      const before = line.slice(0, start);
      if (read === undefined || (isBare && !isLogPrefix(before))) return isBare ? null : text(line, anonymizer);
      const changed = toJson(shallow((json) => value(isBare ? withoutText(json) : json), read));
      // What was not changed stays as it was spelled.
      return text(before, anonymizer) + (changed === toJson(read) ? line.slice(start) : changed);
    },
    text: (said) => text(said),
    saved: (json) => shallow(value, json),
    memory: (memory) => (isBare ? bareMemory(memory) : memory),
    counts: () => anonymizer?.counts() ?? [],
  };
}

/** A time, a service, a colour: nothing that somebody said. */
function isLogPrefix(text: string): boolean {
  return text.length <= 100 && text.trim().split(/\s+/).length <= 3;
}

function bareEvent(event: Event): Event {
  try {
    return withoutContent(event);
  } catch {
    return withoutContent(withoutDepths(event));
  }
}

/** Changes a JSON value, without what is nested too deep for recursion. */
function shallow(change: (value: unknown) => unknown, read: unknown): unknown {
  try {
    return change(read);
  } catch {
    return change(withoutDepths(read));
  }
}

async function openAnonymizer(salt: string) {
  const [{ createAnonymizer }, { shortHash }] = await Promise.all([
    import('../core/event/anonymize.js'),
    import('../io/hash.js'),
  ]);
  return createAnonymizer(shortHash(salt));
}
