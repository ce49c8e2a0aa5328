import { describe, expect, test } from 'vitest';
import { RepeatedCalls } from '../../../src/core/tables/calls/repeated.js';
import { readText } from '../../laws/reading.js';

/** `a` fails with one input, `b` with another, `A` is the first again and goes well; each is a call, in this order. */
function found(story: string, order: 'at once' | 'at the end' = 'at once'): number[] {
  const lines: object[] = [{ type: 'system', subtype: 'init', session_id: 's' }];
  const answers: object[] = [];
  for (const [at, letter] of [...story].entries()) {
    const id = `toolu_${at}`;
    const input = { command: letter.toLowerCase() };
    const content = [{ type: 'tool_use', id, name: 'Bash', input }];
    lines.push({ type: 'assistant', session_id: 's', uuid: `c${at}`, message: { id: `m${at}`, content } });
    const result = { type: 'tool_result', tool_use_id: id, content: 'no', is_error: letter !== letter.toUpperCase() };
    const answer = { type: 'user', session_id: 's', uuid: `r${at}`, message: { content: [result] } };
    (order === 'at once' ? lines : answers).push(answer);
  }
  const ids = new Set<string>();
  const repeated = new RepeatedCalls((id) => ids.add(id));
  const text = [...lines, ...answers.reverse()].map((line) => JSON.stringify(line)).join('\n');
  for (const event of readText(text).events) repeated.note(event);
  return [...story].map((_, at) => at).filter((at) => ids.has(`toolu_${at}`));
}

describe('the same call with the same input, three times within ten calls', () => {
  test.each<[string, string, number[]]>([
    ['in a row', 'aaa', [0, 1, 2]],
    ['twice is no loop', 'aa', []],
    ['more than three', 'aaaaa', [0, 1, 2, 3, 4]],
    ['two that alternate', 'ababab', [0, 1, 2, 3, 4, 5]],
    ['three that alternate', 'abcabcabc', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['one of two goes well', 'aBaBa', [0, 2, 4]],
    ['calls that go well are no loop', 'AAAAAA', []],
    ['the third is the tenth call', 'aBCDEFGHaa', [0, 8, 9]],
    ['the third is the eleventh call', 'aBCDEFGHIaa', []],
    ['only those that are near', 'aBCDEFGHIJKaaa', [11, 12, 13]],
    ['a success between ends nothing', 'aaAa', [0, 1, 3]],
  ])('%s: %s', (_, story, ids) => {
    expect(found(story)).toEqual(ids);
    expect(found(story, 'at the end'), 'results in the other order').toEqual(ids);
  });
});

test('a loop that two files show is one', () => {
  const repeated = new RepeatedCalls();
  const envelope = { cct: 1, session_id: 's', team: null, agent: 'main', line: 1, time: null } as const;
  for (const source of ['a', 'b'])
    for (const at of [1, 2, 3]) {
      const call = { tool: 'Bash', tool_use_id: `t${at}` };
      const of = { ...envelope, seq: at, source };
      repeated.note({ ...of, event: 'tool:called', ...call, message_id: null, input: {}, message: null });
      const result = { is_error: true, success: false, result: null, line: 2 * at };
      repeated.note({ ...of, event: 'tool:returned', ...call, ...result });
    }
  expect(repeated.all).toMatchObject([{ tool: 'Bash', last: { tool_use_id: 't3', line: 6 } }]);
  expect(repeated.all[0]?.tool_use_ids.size).toBe(3);
});

test('inputs that were left out are not the same', () => {
  const repeated = new RepeatedCalls();
  const envelope = { cct: 1, session_id: 's', team: null, agent: 'main', line: 1, time: null, seq: 1 } as const;
  for (const at of [1, 2, 3]) {
    const call = { ...envelope, tool: 'Bash', tool_use_id: `t${at}` };
    repeated.note({ ...call, event: 'tool:called', message_id: null, input: null, input_bytes: 9, message: null });
    repeated.note({ ...call, event: 'tool:returned', is_error: true, success: false, result: null });
  }
  expect(repeated.all).toEqual([]);
});
