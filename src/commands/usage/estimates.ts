// Estimates output from the length of the content, for messages whose output count is still partial.
import type { Event } from '../../core/event/event.js';
import { costOf, type ModelPrice } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import type { MessageUse } from '../../core/tables/usage/messages.js';
import { sessionKey } from '../../core/tables/usage/usage.js';

/** Money in picodollars, and tokens. */
export interface Amount {
  readonly picos: number;
  readonly tokens: number;
}

export const noAmount: Amount = { picos: 0, tokens: 0 };

export function plus(a: Amount, b: Amount): Amount {
  return { picos: a.picos + b.picos, tokens: a.tokens + b.tokens };
}

/** By how much `now` is more than `old`, never less than nothing. */
export function growth(old: Amount, now: Amount): Amount {
  return { picos: Math.max(0, now.picos - old.picos), tokens: Math.max(0, now.tokens - old.tokens) };
}

/** Estimates need the length of what a message says. Nothing else needs these events. */
export const contentEvents = ['text:produced', 'thinking:produced', 'tool:called'] as const;

/** An estimate counts until the final count of its message or a result of its session comes. */
export class Estimates {
  /** The length of the content of each message, by its id. */
  readonly #bytes = new Map<string, number>();
  /** The content of a message without an id, which is in a single record. */
  #nameless = { line: -1, bytes: 0 };
  readonly #estimates = new Map<string, Estimate>();
  readonly #sessions = new Map<string, Reports>();

  note(event: Event): void {
    const content = contentOf(event);
    if (content === null) return;
    const bytes = bytesInText(content.text);
    if (content.id !== null) this.#bytes.set(content.id, (this.#bytes.get(content.id) ?? 0) + bytes);
    else if (this.#nameless.line === event.line) this.#nameless.bytes += bytes;
    else this.#nameless = { line: event.line ?? -1, bytes };
  }

  /** The estimate of a message that `event` has changed. Returns by how much it grew. */
  message(message: MessageUse, event: Event, price: ModelPrice | null): Amount {
    const { key, final, origin, output_tokens } = message;
    const known = this.#estimates.get(key);
    const tokens = final ? 0 : Math.max(0, Math.ceil(this.#length(message, event) / bytesPerToken) - output_tokens);
    if (final) {
      this.#bytes.delete(key);
      this.#estimates.delete(key);
    }
    if (tokens === 0 && (final || known === undefined)) return noAmount;
    const costWith = (output: number) =>
      price === null ? 0 : costOf(price, { ...message, output_tokens: output }, origin);
    const reports = getOrCreate(this.#sessions, sessionKey(origin.session_id), () => ({ count: 0 }));
    const estimate: Estimate = {
      amount: { tokens, picos: costWith(output_tokens + tokens) - costWith(output_tokens) },
      reported: known === undefined ? noAmount : reportedOf(known),
      reports,
      seen: reports.count,
    };
    this.#estimates.set(key, estimate);
    return growth(known === undefined ? noAmount : pendingOf(known), pendingOf(estimate));
  }

  /** A result of the session came. What was estimated is part of what it reports. */
  reported(session_id: string | null): void {
    getOrCreate(this.#sessions, sessionKey(session_id), () => ({ count: 0 })).count++;
  }

  /** The estimated part of each message, by its key. */
  *pending(): Generator<[key: string, amount: Amount]> {
    for (const [key, estimate] of this.#estimates) yield [key, pendingOf(estimate)];
  }

  #length({ key, origin }: MessageUse, { line }: Event): number {
    // An attempt inside a message has no content of its own.
    if (origin.iteration !== null) return 0;
    return this.#bytes.get(key) ?? (this.#nameless.line === line ? this.#nameless.bytes : 0);
  }
}

/** A token of English or code has 3 to 4 bytes. In other languages it has fewer letters, which have more bytes. */
const bytesPerToken = 3.5;

/** The length of a text in UTF-8. */
export function bytesInText(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair stands for two of its four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

function contentOf(event: Event): { readonly id: string | null; readonly text: string } | null {
  switch (event.event) {
    case 'text:produced':
    case 'thinking:produced':
      return { id: event.message_id, text: event.text ?? '' };
    case 'tool:called':
      return { id: event.message_id, text: `${event.tool ?? ''}${JSON.stringify(event.input ?? null)}` };
    default:
      return null;
  }
}

interface Estimate {
  /** What is missing from the message's output count. */
  readonly amount: Amount;
  /** How much of that results had already reported. */
  readonly reported: Amount;
  /** The results of its session, and how many there were when it was made. A later result reports all of it. */
  readonly reports: Reports;
  readonly seen: number;
}

interface Reports {
  count: number;
}

function reportedOf({ amount, reported, reports, seen }: Estimate): Amount {
  return reports.count === seen ? reported : amount;
}

/** The part that no result has reported. */
function pendingOf(estimate: Estimate): Amount {
  return growth(reportedOf(estimate), estimate.amount);
}
