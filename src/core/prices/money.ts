/**
 * Money is whole picodollars (1e-12 $): prices of a token are whole numbers of them, so sums do not depend on their order.
 * A message's cost fits a number; sums are bigint.
 */
export function picosOf(usd: number): number {
  return Math.round(usd * 1e12);
}

export function usdOf(picos: bigint): number {
  return Number(picos) / 1e12;
}

/** Adds whole picodollars. Small ones are gathered in a number, which is some ten times faster than bigint. */
export class MoneySum {
  #large = 0n;
  #small = 0;

  add(picos: number | bigint): void {
    if (typeof picos === 'bigint') {
      this.#large += picos;
      return;
    }
    const sum = this.#small + picos;
    if (Number.isSafeInteger(sum)) {
      this.#small = sum;
      return;
    }
    this.#large += BigInt(this.#small) + BigInt(picos);
    this.#small = 0;
  }

  get total(): bigint {
    return this.#large + BigInt(this.#small);
  }
}
