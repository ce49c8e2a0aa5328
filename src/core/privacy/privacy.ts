// The one entrance to --no-content, --redact and --anonymize. Whatever leaves cct passes one of these doors.
import type { Event } from '../event/event.js';
import { isObject, parseJson, toJson, withoutDepths } from '../record/json.js';
import { createPartFinder, logPiece, textPiece } from '../record/log-line.js';
import { createAnonymizer } from './anonymize.js';
import { withoutContent, withoutText, withSizes } from './content.js';
import { redactSecrets } from './redact.js';

/** What is done to everything that is read. */
export interface Privacy {
  event(event: Event): Event;
  /** A line as it was read. null leaves it out, and so does undefined: it is a part of a line, in a log. */
  line(text: string): string | null | undefined;
  /** A text for people, such as a line on stderr. */
  text(text: string): string;
  /** A slice of a state. */
  saved(json: unknown): unknown;
}

interface PrivacyOptions {
  /** --no-content. */
  readonly isBare: boolean;
  /** Events keep their content, because the command judges it and leaves it out itself. */
  readonly judgesContent: boolean;
  readonly redacts: boolean;
  /** Makes six digits of a text, for --anonymize. */
  readonly hash: ((text: string) => string) | null;
}

export function createPrivacy({ isBare, judgesContent, redacts, hash }: PrivacyOptions): Privacy {
  const anonymize = hash === null ? null : createAnonymizer(hash);
  const isPart = createPartFinder();

  function value<T>(said: T): T {
    const safe = redacts ? redactSecrets(said) : said;
    return anonymize === null ? safe : anonymize(safe);
  }
  const changedEvent = shallow((said: Event) => value(isBare && !judgesContent ? withoutContent(said) : said));
  const changedJson = shallow((json: unknown) => value(isBare ? withoutText(json) : json));

  function changedLine(line: string): string | null | undefined {
    const whole = parseJson(line);
    const piece = isObject(whole) ? logPiece(whole) : textPiece(line);
    if (piece !== null && isPart(piece)) return undefined;
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
    if (read === undefined || (isBare && !isLogPrefix(before))) return isBare ? null : value(line);
    const changed = toJson(changedJson(read));
    // Text that was not changed keeps its spelling.
    return value(before) + (changed === toJson(read) ? line.slice(start) : changed);
  }

  return {
    event: (said) => withSizes(said, changedEvent(said)),
    line: changedLine,
    text: value,
    saved: shallow((json: unknown) => value(json)),
  };
}

/** A time, a service or a colour, but nothing that somebody said. */
function isLogPrefix(text: string): boolean {
  return text.length <= 100 && text.trim().split(/\s+/).length <= 3;
}

/** A change of a JSON value. What is nested too deep for recursion is left out. */
function shallow<T>(change: (value: T) => T): (value: T) => T;
function shallow(change: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => {
    try {
      return change(value);
    } catch {
      return change(withoutDepths(value));
    }
  };
}
