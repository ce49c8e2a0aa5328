import { type CostSource, costSources } from '../event/usage-row.js';
import { MoneySum, usdOf } from '../prices/money.js';
import { once } from './once.js';
import type { Cost, Part, Unit } from './usage-part.js';
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
  cost_source: CostSource;
  unpriced_tokens: number;
}

/** What was paid, by how sure that is. */
export type Spending = ReadonlyMap<CostSource, number>;

/** Adds up parts. What it says of the money is the weakest of what its parts say, a whole report counting as one. */
export class Group {
  readonly #tokens = noTokens();
  #messages = 0;
  readonly #own = new Trust();
  readonly #units = new Map<Unit, Trust>();
  /** It has more to show than what a report leaves over when nothing is left. */
  isSolid = false;

  add(part: Part): void {
    const { tokens, cost, unit } = part;
    addTokens(this.#tokens, tokens);
    if (part.message !== null) this.#messages++;
    const trust = unit === null ? this.#own : once(this.#units, unit, newTrust);
    trust.parts++;
    if (isEmpty(part)) return;
    this.isSolid = true;
    if (cost === null) trust.unpriced += totalOf(tokens);
    else trust.pay(part.source, cost);
  }

  /** `incomplete`: somebody's usage is not in the input. */
  figures(incomplete = false): Figures {
    const tokens = this.#tokens;
    const all = this.#settled();
    const source = costSources.findLast((word) => all.sums.has(word)) ?? (all.unpriced > 0 ? 'unpriced' : 'calculated');
    return {
      messages: this.#messages,
      input_tokens: tokens.input_tokens,
      output_tokens: tokens.output_tokens,
      cache_write_5m_tokens: tokens.cache_write_5m_tokens,
      cache_write_1h_tokens: tokens.cache_write_1h_tokens,
      cache_read_tokens: tokens.cache_read_tokens,
      total_tokens: totalOf(tokens),
      web_search_requests: tokens.web_search_requests,
      cost_usd: source === 'unpriced' ? null : usdOf(all.total),
      cost_source: incomplete ? weaker(source, 'lower_bound') : source,
      unpriced_tokens: all.unpriced,
    };
  }

  get spending(): Spending {
    return new Map([...this.#settled().sums].map(([source, sum]) => [source, usdOf(sum.total)]));
  }

  #settled(): Trust {
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

class Trust {
  parts = 0;
  unpriced = 0;
  readonly sums = new Map<CostSource, MoneySum>();

  pay(source: CostSource, cost: NonNullable<Cost>): void {
    once(this.sums, source, newSum).add(cost);
  }

  include(other: Trust): void {
    for (const [source, sum] of other.sums) this.pay(source, sum.total);
    this.unpriced += other.unpriced;
  }

  get total(): bigint {
    return [...this.sums.values()].reduce((total, sum) => total + sum.total, 0n);
  }
}

const newTrust = () => new Trust();
const newSum = () => new MoneySum();

/** What a result leaves over, when nothing is left. */
function isEmpty({ result, tokens, cost }: Part): boolean {
  return result !== null && isNothing(tokens) && (cost === 0 || cost === 0n);
}

function weaker(a: CostSource, b: CostSource): CostSource {
  return costSources.indexOf(a) > costSources.indexOf(b) ? a : b;
}
