import { expect, test } from 'vitest';
import { fetchNode } from './fetch-node.js';
import { main } from './main.js';
import { smoke } from './smoke.js';

const major = process.versions.node.split('.')[0] ?? '';

test('every command of the smoke test says something, and ends as it should', () => {
  const codes = smoke(process.execPath).map(({ name, answer }) => {
    const [code, stdout, stderr] = JSON.parse(answer);
    expect(`${stdout}${stderr}`, name).not.toBe('');
    return code;
  });
  expect(codes).toEqual([0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0]);
});

test('a program that is not cct does not pass', () => {
  const [first] = smoke('false');
  expect(first?.answer).toBe('[1,"",""]');
});

test('the Node that runs is not fetched', async () => {
  expect(fetchNode(major, 0)).toEqual({ path: process.execPath, version: process.version });
  const said: string[] = [];
  expect(await main(['--versions', major], '', (text) => void said.push(text))).toBe(0);
  expect(said).toEqual([`node ${process.version}: this one, to compare the others with\n`]);
});
