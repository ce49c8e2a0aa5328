import { expect, test } from 'vitest';
import { fetchRuntime } from './fetch.js';
import { main } from './main.js';
import { smoke } from './smoke.js';

const major = process.versions.node.split('.')[0] ?? '';

test('every command of the smoke test ends as it should, and nearly all say something', () => {
  const answers = smoke({ words: [process.execPath] }, 12).map(({ answer }) => JSON.parse(answer));
  const silent = answers.filter(([, stdout, stderr]) => `${stdout}${stderr}` === '');
  expect(answers.length).toBeGreaterThan(20);
  expect(silent.length).toBeLessThan(5);
  expect(answers.map(([code]) => code).filter((code) => code !== 0)).toEqual([2]);
});

test('a program that is not cct does not pass', () => {
  const [first] = smoke({ words: ['false'] }, 50);
  expect(first?.answer).toBe('[1,"",""]');
});

test('the Node that runs is not fetched, and what nobody knows is named', async () => {
  expect(fetchRuntime(major, 0)).toEqual({ name: `node ${process.version}`, words: [process.execPath] });
  expect(fetchRuntime('perl', 0)).toEqual({ problem: 'nobody knows perl' });
  const said: string[] = [];
  expect(await main(['--versions', major], '', (text) => void said.push(text))).toBe(0);
  expect(said).toEqual([`node ${process.version}: this one, to compare the others with\n`]);
});
