import { cutsOf } from './cuts.js';
import { Shape } from './shape.js';

/** The shapes of the records seen so far, the last one first. */
export class Shapes {
  #known: Shape[] = [];

  /** The shape of a record, which is then matched; null when it has none. */
  match(line: Buffer, start: number, end: number): Shape | null {
    for (let index = 0; index < this.#known.length; index++) {
      const shape = this.#known[index];
      if (!shape?.match(line, start, end)) continue;
      if (index > 0) {
        this.#known.splice(index, 1);
        this.#known.unshift(shape);
      }
      return shape;
    }
    const cuts = cutsOf(line, start, end);
    const shape = cuts === null ? null : Shape.of(line, start, end, cuts);
    if (shape !== null) this.#known = [shape, ...this.#known.slice(0, most - 1)];
    return shape;
  }
}

const most = 16;
