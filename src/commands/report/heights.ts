// The heights of the rows of a long list, of which only a few are drawn. A row that was never drawn has a guess.
export class Heights {
  readonly #rows: Float64Array;
  /** Sums over ranges of rows (a Fenwick tree): a change and a search take a few steps, however long the list. */
  readonly #sums: Float64Array;

  constructor(guesses: readonly number[]) {
    const count = guesses.length;
    this.#rows = Float64Array.from(guesses);
    this.#sums = new Float64Array(count + 1);
    for (let at = 1; at <= count; at++) {
      this.#sums[at] = (this.#sums[at] ?? 0) + (guesses[at - 1] ?? 0);
      const up = at + (at & -at);
      if (up <= count) this.#sums[up] = (this.#sums[up] ?? 0) + (this.#sums[at] ?? 0);
    }
  }

  get total(): number {
    return this.top(this.#rows.length);
  }

  heightOf(row: number): number {
    return this.#rows[row] ?? 0;
  }

  /** Where a row begins. */
  top(row: number): number {
    let sum = 0;
    for (let at = Math.min(row, this.#rows.length); at > 0; at -= at & -at) sum += this.#sums[at] ?? 0;
    return sum;
  }

  /** Returns by how much the row changed. */
  setHeight(row: number, height: number): number {
    const change = height - (this.#rows[row] ?? 0);
    if (change === 0 || row >= this.#rows.length) return 0;
    this.#rows[row] = height;
    for (let at = row + 1; at < this.#sums.length; at += at & -at) this.#sums[at] = (this.#sums[at] ?? 0) + change;
    return change;
  }

  /** The row at this height; the last one below the end. */
  rowAt(y: number): number {
    const count = this.#rows.length;
    let place = 0;
    let left = Math.max(0, y);
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, count))); step >= 1; step /= 2) {
      const next = place + step;
      if (next > count || (this.#sums[next] ?? 0) > left) continue;
      place = next;
      left -= this.#sums[next] ?? 0;
    }
    return Math.max(0, Math.min(place, count - 1));
  }
}
