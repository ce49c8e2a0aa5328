import { describe, expect, test } from 'vitest';
import { endAfter, endingIn, endingText, noEnd } from '../../../src/core/tables/outcome.js';
import { readText } from '../../laws/reading.js';
import { ndjson } from '../../streams.js';

const init = { type: 'system', subtype: 'init', session_id: 's1' };
const result = (fields: object) => ({ type: 'result', session_id: 's1', uuid: 'r1', ...fields });
const row = (fields: object) => ({
  ...{ sessionId: 's1', cwd: '/home/dev', version: '2', timestamp: '2026-11-15T12:00:00.000Z' },
  ...fields,
});
const prompt = row({ type: 'user', uuid: 'u1', message: { content: 'Do it.' } });
const answer = (stop_reason: string) =>
  row({
    type: 'assistant',
    uuid: `a ${stop_reason}`,
    message: { id: stop_reason, model: 'claude-opus-4-6', stop_reason, usage: { output_tokens: 1 }, content: [] },
  });
const error = (fields: object, message: object = {}) =>
  row({
    ...{ type: 'assistant', uuid: 'e1', isApiErrorMessage: true, ...fields },
    message: {
      id: 'e',
      model: '<synthetic>',
      content: [{ type: 'text', text: 'API Error: 529 Overloaded' }],
      ...message,
    },
  });
const interrupted = row({ type: 'user', uuid: 'i1', message: { content: '[Request interrupted by user]' } });
const stop = (fields: object) => ({
  ...{ cct: 1, seq: 0, event: 'run:stopped', time: null, session_id: null, team: null, agent: null, line: null },
  ...{ reason: 'budget', limit: 2, unit: 'usd', spent: 2.1, signal: null, ended: [], ...fields },
});
const costState = { type: 'cost-state', sessionId: 's1', totalCostUSD: 1, modelUsage: {} };

function textOf(records: readonly object[]): string {
  return endingText(endingIn(readText(ndjson([...records])).events.reduce(endAfter, noEnd)));
}

describe('how a result ended', () => {
  test.each<[string, object]>([
    ['finished', { subtype: 'success', is_error: false }],
    ['finished', { is_error: false }],
    ['finished', { subtype: 'success', is_error: false, terminal_reason: 'completed', stop_reason: 'end_turn' }],
    ['finished: hook', { subtype: 'success', is_error: false, terminal_reason: 'stop_hook_prevented' }],
    ['finished: tool deferred', { subtype: 'success', is_error: false, terminal_reason: 'tool_deferred' }],
    [
      'failed: API error 529',
      { subtype: 'success', is_error: true, terminal_reason: 'api_error', api_error_status: 529 },
    ],
    ['failed: API error 400', { subtype: 'success', is_error: true, result: 'API Error: 400 {"type":"error"}' }],
    ['failed: API error', { subtype: 'success', is_error: true, result: 'Invalid API key' }],
    ['failed: refused', { subtype: 'success', is_error: true, terminal_reason: 'api_error', stop_reason: 'refusal' }],
    ['failed: max turns', { subtype: 'error_max_turns', is_error: false }],
    ['failed: max turns', { subtype: 'error_max_turns', is_error: true, terminal_reason: 'max_turns' }],
    ['failed: max budget', { subtype: 'error_max_budget_usd', is_error: true, terminal_reason: 'budget_exhausted' }],
    ['stopped: interrupted', { subtype: 'error_during_execution', is_error: false }],
    ['stopped: interrupted', { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' }],
    ['failed: model error', { subtype: 'error_during_execution', is_error: true, terminal_reason: 'model_error' }],
    ['failed: something new', { subtype: 'success', is_error: true, terminal_reason: 'something_new' }],
    ['failed: error new', { subtype: 'error_new' }],
    ['failed', { is_error: true }],
  ])('%s: %j', (text, fields) => {
    expect(textOf([init, result(fields)])).toBe(text);
  });
});

describe('how a session ended', () => {
  test.each<[string, string, object[]]>([
    ['unfinished: no result', 'a stream that was cut', [init]],
    ['unfinished: no result', 'a stream that was cut in its second turn', [init, result({ subtype: 'success' }), init]],
    ['unknown', 'a transcript', [prompt, answer('end_turn')]],
    ['finished', 'a transcript with its last row', [prompt, answer('end_turn'), costState]],
    ['unknown', 'a transcript that ends in the middle of the work', [prompt, answer('tool_use'), costState]],
    [
      'unknown',
      'a transcript whose last prompt has no answer',
      [prompt, answer('end_turn'), { ...prompt, uuid: 'u2' }, costState],
    ],
    ['failed: API error 529', 'an error at the end', [prompt, error({}), costState]],
    ['failed: API error 500', 'an error that names its status', [prompt, error({ apiErrorStatus: 500 })]],
    ['failed: refused', 'a refusal', [prompt, error({}, { stop_reason: 'refusal' }), costState]],
    ['unknown', 'an error, and another prompt', [prompt, error({}), { ...prompt, uuid: 'u2' }]],
    ['unknown', 'an error of an agent', [prompt, error({ isSidechain: true, agentId: 'a1' })]],
    ['stopped: interrupted', 'an interruption', [prompt, interrupted, costState]],
    ['finished', 'a result, and its transcript', [init, result({ subtype: 'success' }), prompt, interrupted]],
    ['finished', 'a transcript, and its result', [prompt, interrupted, init, result({ subtype: 'success' })]],
  ])('%s: %s', (text, _story, records) => {
    expect(textOf(records)).toBe(text);
  });
});

describe('how cct run stopped it', () => {
  const silence = { reason: 'idle', limit: 300, unit: 'seconds', spent: null };
  test.each<[string, string, object[]]>([
    ['stopped by cct: passed $2', 'in a turn', [init, stop({})]],
    [
      'stopped by cct: passed 9000 tokens',
      'where nothing but an answer is seen',
      [stop({ limit: 9000, unit: 'tokens' })],
    ],
    ['stopped by cct: a model has no price', 'by a model', [init, stop({ spent: null })]],
    ['stopped by cct: nothing came for 300 s', 'by silence', [init, stop(silence)]],
    ['stopped by cct: SIGTERM', 'by a signal', [init, stop({ reason: 'signal', signal: 'SIGTERM' })]],
    ['stopped by cct: passed $2', 'after a result', [init, result({ subtype: 'error_during_execution' }), stop({})]],
    ['stopped by cct: passed $2', 'whatever its transcript says', [init, stop({}), prompt, interrupted]],
    ['unfinished: no result', 'before it was resumed', [init, stop({}), init]],
    ['finished', 'before it was resumed and ended well', [init, stop({}), init, result({ subtype: 'success' })]],
  ])('%s: %s', (text, _story, records) => {
    expect(textOf(records)).toBe(text);
  });
});
