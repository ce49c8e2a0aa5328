// Reads the output of a command, to watch its budget.

import { openIndex } from '../../cli/lines.js';
import type { PriceBook } from '../../core/prices/prices.js';
import { createReader } from '../../core/wire/reader.js';
import { nowhere } from '../../core/wire/sessions.js';
import { initialState, reducerOf } from '../reduce.js';
import { type Alarm, type Budget, createBudget, type Limits } from '../usage/budget.js';

export interface Guard {
  /** The alarm raised by these bytes. Only the first is reported. */
  push(bytes: Buffer): Alarm | null;
  end(): Alarm | null;
  readonly budget: Budget;
}

export function createGuard(limits: Limits, prices: PriceBook): Guard {
  const budget = createBudget(limits, prices);
  let state = initialState;
  let alarm: Alarm | null = null;
  let isTold = false;
  const reader = createReader({
    emit(event) {
      const before = state;
      state = follow(state, event);
      alarm ??= budget.next({ event, before, after: state });
    },
  });
  reader.begin(nowhere);
  const lines = openIndex({
    line: (entry) => reader.line(lines.lineText(entry), lines.number(entry)),
    tooLong: (number, bytes) => reader.tooLong(number, bytes),
  });
  const tell = () => {
    if (isTold || alarm === null) return null;
    isTold = true;
    return alarm;
  };
  return {
    budget,
    push(bytes) {
      if (isTold) return null;
      lines.write(bytes);
      return tell();
    },
    end() {
      if (isTold) return null;
      lines.end();
      reader.end();
      alarm ??= budget.end(follow.settle(state));
      return tell();
    },
  };
}

const follow = reducerOf({ usage: true });
