import { describe, expect, test } from 'vitest';
import { descendantsOf, fromPs, listProcesses, type Process, stillRunning } from '../../src/io/processes.js';

function one(pid: number, parent: number, session = 1): Process {
  return { pid, parent, group: session, session, started: '5', name: `p${pid}` };
}

describe('descendants', () => {
  test.each<[string, readonly Process[], readonly Process[], readonly number[]]>([
    ['none', [one(1, 0), one(10, 1), one(11, 1)], [], []],
    [
      'children and theirs, in any order',
      [one(13, 12, 10), one(12, 11, 10), one(11, 10, 10), one(20, 1)],
      [],
      [11, 12, 13],
    ],
    ['one in a session of its own', [one(11, 10, 11), one(12, 11, 11)], [], [11, 12]],
    ['of such a session also who has lost its parent', [one(11, 10, 11), one(12, 1, 11)], [], [11, 12]],
    ['of the first’s own session too', [one(12, 1, 10)], [], [12]],
    ['of a session that was known before', [one(12, 1, 11)], [one(11, 10, 11)], [11, 12]],
  ])('%s', (_, all, known, expected) => {
    const found = descendantsOf(10, [one(10, 2, 10), ...all], known);
    expect(found.map(({ pid }) => pid).sort((a, b) => a - b)).toEqual(expected);
  });
});

test('this process is listed, by the system and by ps', () => {
  const { pid, ppid } = process;
  expect(listProcesses().find((each) => each.pid === pid)).toMatchObject({ pid, parent: ppid });
  expect(fromPs().find((each) => each.pid === pid)).toMatchObject({ pid, parent: ppid });
  const own = listProcesses().filter((each) => each.pid === pid);
  expect(stillRunning(own)).toEqual(own);
  expect(stillRunning(own.map((each) => ({ ...each, started: 'another time' })))).toEqual([]);
});
