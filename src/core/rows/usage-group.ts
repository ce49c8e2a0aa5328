import { type CostSource, costSources, type Tokens } from '../event/usage-row.js';
import { MoneySum, usdOf } from '../prices/money.js';
import { once } from './once.js';
import { type Cost, countsAsMessage, type Part, type Unit } from './usage-part.js';
import { addTokens, isNothing, noTokens, totalOf } from './usage-tokens.js';

export interface Figures {
  messages: number;
  input_tokens: number;
  output_tokens: number;
  cache_write_5m_tokens: number;
  cache_write_1h_tokens: number;
  cache_read_tokens: number;
  total_tokens: number;
  web_search_requests: number;
  cost_usd: number | null;
  /** null where nothing was read. */
  cost_source: CostSource | null;
  unpriced_tokens: number;
}

/** What was paid, by how sure that is. */
export type Spending = ReadonlyMap<CostSource, number>;

/** What parts come to: whole reports count as one, and nothing refers to a single part any more. */
export interface Settled {
  readonly tokens: Tokens;
  readonly messages: number;
  /** How many have more to show than what a report leaves over when nothing is left. */
  readonly solid: number;
  readonly unpriced: number;
  /** In picodollars. */
  readonly sums: ReadonlyMap<CostSource, bigint>;
}

/** Adds up parts. What it says of the money is the weakest of what its parts say, a whole report counting as one. */
export class Group {
  readonly #tokens = noTokens();
  #messages = 0;
  #solid = 0;
  readonly #own = new Trust();
  readonly #units = new Map<Unit, Trust>();

  add(part: Part): void {
    this.#count(part, 1);
  }

  /** One that was added, and that no report holds. */
  remove(part: Part): void {
    this.#count(part, -1);
  }

  get isSolid(): boolean {
    return this.#solid > 0;
  }

  /** `incomplete`: somebody's usage is not in the input. */
  figures(incomplete = false): Figures {
    return figuresOf(this.settled(), incomplete);
  }

  get spending(): Spending {
    return new Map([...this.settled().sums].map(([source, sum]) => [source, usdOf(sum)]));
  }

  settled(): Settled {
    const all = this.#units.size === 0 ? this.#own : this.#together();
    const sums = new Map<CostSource, bigint>();
    for (const [source, { sum }] of all.sums) sums.set(source, sum.total);
    return {
      tokens: { ...this.#tokens },
      messages: this.#messages,
      solid: this.#solid,
      unpriced: all.unpriced,
      sums,
    };
  }

  #count(part: Part, times: 1 | -1): void {
    const { tokens, cost, unit } = part;
    addTokens(this.#tokens, tokens, times);
    if (countsAsMessage(part)) this.#messages += times;
    let trust = this.#own;
    if (unit !== null) trust = once(this.#units, unit, newTrust);
    trust.parts += times;
    if (isEmpty(part)) return;
    this.#solid += times;
    if (cost === null) trust.unpriced += times * totalOf(tokens);
    else if (times === 1) trust.pay(part.source, cost);
    else trust.repay(part.source, cost);
  }

  #together(): Trust {
    const all = new Trust();
    all.include(this.#own);
    for (const [unit, trust] of this.#units) {
      if (trust.parts < unit.parts) all.include(trust);
      else {
        all.pay(unit.source, trust.total);
        all.unpriced += unit.unpriced;
      }
    }
    return all;
  }
}

export function figuresOf({ tokens, messages, unpriced, sums }: Settled, incomplete: boolean): Figures {
  const source = costSources.findLast((word) => sums.has(word)) ?? (unpriced > 0 ? 'unpriced' : 'calculated');
  let total = 0n;
  for (const sum of sums.values()) total += sum;
  return {
    messages,
    input_tokens: tokens.input_tokens,
    output_tokens: tokens.output_tokens,
    cache_write_5m_tokens: tokens.cache_write_5m_tokens,
    cache_write_1h_tokens: tokens.cache_write_1h_tokens,
    cache_read_tokens: tokens.cache_read_tokens,
    total_tokens: totalOf(tokens),
    web_search_requests: tokens.web_search_requests,
    cost_usd: source === 'unpriced' ? null : usdOf(total),
    cost_source: incomplete ? weaker(source, 'lower_bound') : source,
    unpriced_tokens: unpriced,
  };
}

class Trust {
  parts = 0;
  unpriced = 0;
  readonly sums = new Map<CostSource, { count: number; readonly sum: MoneySum }>();

  pay(source: CostSource, cost: NonNullable<Cost>): void {
    const paid = once(this.sums, source, newSum);
    paid.count++;
    paid.sum.add(cost);
  }

  repay(source: CostSource, cost: NonNullable<Cost>): void {
    const paid = once(this.sums, source, newSum);
    paid.count--;
    paid.sum.add(-cost);
    if (paid.count === 0) this.sums.delete(source);
  }

  include(other: Trust): void {
    for (const [source, { sum }] of other.sums) this.pay(source, sum.total);
    this.unpriced += other.unpriced;
  }

  get total(): bigint {
    let total = 0n;
    for (const { sum } of this.sums.values()) total += sum.total;
    return total;
  }
}

const newTrust = () => new Trust();
const newSum = () => ({ count: 0, sum: new MoneySum() });

/** What a result leaves over, when nothing is left. */
function isEmpty({ result, tokens, cost }: Part): boolean {
  return result !== null && isNothing(tokens) && (cost === 0 || cost === 0n);
}

function weaker(a: CostSource, b: CostSource): CostSource {
  return costSources.indexOf(a) > costSources.indexOf(b) ? a : b;
}
