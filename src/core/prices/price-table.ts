/** Dollars per million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cache_write_5m: number;
  readonly cache_write_1h: number;
  readonly cache_read: number;
}

export interface ModelPrice extends Rates {
  readonly web_search_per_1000: number;
  /** What speed "fast" multiplies every kind of token by; 1 where it changes nothing. */
  readonly fast_multiplier: number;
  /** The same for inference_geo "us". */
  readonly us_geo_multiplier: number;
  readonly tiers: readonly Tier[];
}

/** Prices of a whole request whose prompt (input, cache reads and writes) is longer than this. */
export interface Tier extends Rates {
  readonly above_input_tokens: number;
}

export interface PriceTable {
  /** Where the prices come from. */
  readonly source: string;
  /** The day they were taken; null when the file does not say. */
  readonly as_of: string | null;
  readonly models: ReadonlyMap<string, ModelPrice>;
}
