// Reads what a command writes, to watch its budget.

import type { PriceBook } from '../../core/prices/prices.js';
import { createReader } from '../../core/wire/reader.js';
import { nowhere } from '../../core/wire/sessions.js';
import { defaultMaxLineBytes, LineSplitter } from '../../io/lines.js';
import { initialState, reducerOf, settle } from '../reduce.js';
import { type Alarm, type Budget, createBudget, type Limits } from '../usage/budget.js';

export interface Guard {
  /** The alarm that the bytes raise; only the first is told. */
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
  const splitter = new LineSplitter(
    {
      line: (bytes, start, end, number) => reader.line(bytes.toString('utf8', start, end), number),
      tooLong: (number, bytes) => reader.tooLong(number, bytes),
    },
    defaultMaxLineBytes,
  );
  const tell = () => {
    if (isTold || alarm === null) return null;
    isTold = true;
    return alarm;
  };
  return {
    budget,
    push(bytes) {
      if (isTold) return null;
      splitter.push(bytes);
      return tell();
    },
    end() {
      if (isTold) return null;
      splitter.end();
      reader.end();
      alarm ??= budget.end(settle(state));
      return tell();
    },
  };
}

const follow = reducerOf({ usage: true });
