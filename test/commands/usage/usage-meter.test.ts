import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sessionKey } from '../../../src/commands/usage/fold.js';
import { Meter } from '../../../src/commands/usage/meter.js';
import { reportUsage } from '../../../src/commands/usage/rows.js';
import { builtInBook } from '../../../src/core/prices/prices.js';
import { initialState, reduce } from '../../../src/lib.js';
import { readText } from '../../laws/reading.js';
import { session } from './used.js';

const stories = readdirSync('fixtures/sessions')
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.slice(0, -'.ndjson'.length))
  // Its made-up results report less than its messages used, which the two settle in different ways.
  .filter((name) => name !== 'teammate-tool');

test.each(stories)('%s: the running total is that of the report after every record', (name) => {
  const meter = new Meter(builtInBook);
  let state = initialState;
  for (const event of readText(session(name)).events) {
    const before = state;
    state = reduce(state, event);
    if (before.usage === state.usage) continue;
    if (event.event === 'usage:recorded') {
      const id = event.message_id ?? '';
      const message = state.usage.messages.get(id);
      if (message !== undefined) meter.message(before.usage.messages.get(id), message);
    } else if (event.event === 'session:ended') {
      const result = state.usage.sessions.get(sessionKey(event.session_id))?.results.values().at(-1);
      if (result !== undefined) meter.result(event.session_id, result);
    }
    const { total } = reportUsage({ ...state, by: ['total'] });
    expect(meter.total.tokens, `line ${event.line}`).toBe(total.total_tokens);
    expect(meter.total.picos / 1e12, `line ${event.line}`).toBeCloseTo(total.cost_usd ?? 0, 9);
  }
});
