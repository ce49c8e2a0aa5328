import type { CostSource, Tokens } from '../event/usage-row.js';
import type { PriceBook } from '../prices/price-book.js';
import type { ModelPrice } from '../prices/price-table.js';
import type { MessageUse, Origin, Who } from '../state/usage/message-use.js';
import type { ResultUse } from '../state/usage/result-use.js';

export const modes = ['auto', 'reported', 'calculated'] as const;
/** Where money comes from; tokens are the same in all of them. */
export type Mode = (typeof modes)[number];

/** In picodollars; null where there is no price. */
export type Cost = number | bigint | null;

/** One piece of usage that no report divides further: an API message, or what a result leaves over of a model. */
export interface Part {
  readonly session_id: string | null;
  /** Whose it is; an agent null is nobody's. */
  readonly who: Who;
  readonly model: string | null;
  readonly time: string | null;
  readonly turn: number | null;
  readonly tokens: Tokens;
  readonly cost: Cost;
  readonly source: CostSource;
  /** What the program reported as one; null for what it did not report. */
  readonly unit: Unit | null;
  readonly message: MessageUse | null;
  readonly result: ResultUse | null;
  /** The model by its own name: of a result as it spells it, of a message that joined another as its answer does. */
  readonly named: string | null;
  readonly place: number;
  /** An agent of its session has no usage in the input. */
  readonly incomplete: boolean;
}

/** An attempt inside a message is no message of its own. */
export function countsAsMessage({ message }: Part): boolean {
  return message !== null && message.origin.iteration === null;
}

/**
 * An attempt that may not be charged: an answer that was declined, or a compaction by the API. The program charges neither;
 * it does charge an advisor.
 */
export function isUnsure({ origin }: MessageUse): boolean {
  return origin.iteration !== null && origin.iteration !== 'advisor_message';
}

/** Parts that add up to one figure of the program: a group that has them all is as good as that figure. */
export interface Unit {
  parts: number;
  readonly source: CostSource;
  /** Tokens beyond what was reported that have no price. */
  readonly unpriced: number;
}

/** A message, with what is the same for all of its origin. */
export interface Told {
  readonly message: MessageUse;
  readonly view: OriginView;
}

/** What is the same for all messages of one origin. */
export interface OriginView {
  /** Worked out when it is asked for: most reports do not ask whose a message is. */
  readonly who: Who;
  readonly key: string;
  /** As the program spells it. */
  readonly model: string | null;
  readonly price: ModelPrice | null;
}

export interface Pricing {
  readonly book: PriceBook;
  readonly mode: Mode;
  /** modelKey → the spelling of reports, else of messages. */
  readonly spelling: ReadonlyMap<string, string>;
  viewOf(origin: Origin): OriginView;
}
