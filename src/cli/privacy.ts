// --no-content, --redact and --anonymize: change what is read before any command sees it.
import { withoutContent, withoutText, withSizes } from '../core/event/content.js';
import type { Event } from '../core/event/event.js';
import { isObject, parseJson, toJson, withoutDepths } from '../core/record/json.js';
import { createPartFinder, logPiece, textPiece } from '../core/record/log-line.js';
import { bareMemory } from '../core/wire/bare-memory.js';
import type { Memory } from '../core/wire/context.js';
import { UsageError } from '../io/exit.js';
import type { Command, Options } from './command.js';
import { flagOf, textOf } from './flags.js';

/** What is done to everything that is read. */
export interface Privacy {
  event(event: Event): Event;
  /** A line as it was read. null leaves it out, and so does `part`: it is a part of a line, in a log. */
  line(text: string): string | null | typeof part;
  /** A line on stderr. */
  text(text: string): string;
  /** A slice of a state. */
  saved(json: unknown): unknown;
  memory(memory: Memory): Memory;
}

export const part = Symbol('part of a line');

/** null if nothing is changed. The code is loaded only when needed, because its patterns take time to build. */
export async function privacyOf(options: Options, command: Pick<Command, 'judgesContent'>): Promise<Privacy | null> {
  if (textOf(options, 'salt') !== null && !flagOf(options, 'anonymize'))
    throw new UsageError('--salt works only with --anonymize');
  const isBare = flagOf(options, 'noContent');
  const redactor = flagOf(options, 'redact') ? await import('../core/event/redact.js') : null;
  const anonymizer = flagOf(options, 'anonymize') ? await openAnonymizer(textOf(options, 'salt') ?? '') : null;
  if (!isBare && redactor === null && anonymizer === null) return null;

  const value = (said: unknown): unknown => {
    const safe = redactor === null ? said : redactor.redactSecrets(said);
    return anonymizer === null ? safe : anonymizer.value(safe);
  };
  const text = (said: string): string => {
    const safe = redactor === null ? said : redactor.redactSecrets(said);
    return anonymizer === null ? safe : anonymizer.text(safe);
  };
  const judgesContent = command.judgesContent?.(options) ?? false;
  const isPart = createPartFinder();

  const changedJson = (read: unknown) => shallow((json) => value(isBare ? withoutText(json) : json), read);

  function changedLine(line: string): string | null | typeof part {
    const whole = parseJson(line);
    const piece = isObject(whole) ? logPiece(whole) : textPiece(line);
    if (piece !== null && isPart(piece)) return part;
    if (piece?.key && isObject(whole) && typeof piece.text === 'string') {
      const end = piece.text.endsWith('\n') ? '\n' : '';
      const inner = changedLine(piece.text.slice(0, piece.text.length - end.length));
      const outer = changedJson({ ...whole, [piece.key]: null });
      if (typeof inner !== 'string' || !isObject(outer)) return null;
      const changed = toJson({ ...outer, [piece.key]: inner + end });
      return changed === toJson(whole) ? line : changed;
    }
    // The JSON after a log prefix.
    const start = whole === undefined ? Math.max(0, line.indexOf('{')) : 0;
    const read = whole ?? parseJson(line.slice(start));
    const before = line.slice(0, start);
    if (read === undefined || (isBare && !isLogPrefix(before))) return isBare ? null : text(line);
    const changed = toJson(changedJson(read));
    // Text that was not changed keeps its spelling.
    return text(before) + (changed === toJson(read) ? line.slice(start) : changed);
  }

  return {
    event(said) {
      const bare = isBare && !judgesContent ? bareEvent(said) : said;
      const safe = redactor?.redactEvent(bare) ?? bare;
      return withSizes(said, anonymizer?.event(safe) ?? safe);
    },
    line: changedLine,
    text,
    saved: (json) => shallow(value, json),
    memory: (memory) => (isBare ? bareMemory(memory) : memory),
  };
}

/** A time, a service or a colour, but nothing that somebody said. */
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

/** Changes a JSON value. What is nested too deep for recursion is left out. */
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
