/** Pairs what opens with what closes it, by id. It has no clock: ages are measured against the times it is given. */
export class CorrelationBuffer<T> {
  #open = new Map<string, { value: T; since: number }>();

  /** An id opened twice is the later one. */
  open(id: string, value: T, since = 0): void {
    this.#open.set(id, { value, since });
  }

  get(id: string): T | undefined {
    return this.#open.get(id)?.value;
  }

  close(id: string): T | undefined {
    const entry = this.#open.get(id);
    this.#open.delete(id);
    return entry?.value;
  }

  /** Forgets what was opened before a time; returns how many. */
  dropBefore(time: number): number {
    let dropped = 0;
    for (const [id, entry] of this.#open) {
      if (entry.since >= time) continue;
      this.#open.delete(id);
      dropped++;
    }
    return dropped;
  }

  get size(): number {
    return this.#open.size;
  }

  *values(): Generator<T> {
    for (const entry of this.#open.values()) yield entry.value;
  }
}
