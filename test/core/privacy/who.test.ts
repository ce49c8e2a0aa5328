// A run that is shared says nobody's name.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createAnonymizer } from '../../../src/core/privacy/anonymize.js';
import { shortHash } from '../../../src/io/hash.js';

const anonymized = createAnonymizer(shortHash(''));
const somebody = /lovelace|enigmabox|acmecorp|widgetshop|babbage|crmserver|projectx/i;
const lines = readFileSync(new URL('who.txt', import.meta.url), 'utf8').split('\n');
const contexts = lines
  .filter((line) => line !== '' && !line.startsWith('== '))
  .map((line) => line.replaceAll('␤', '\n').replaceAll('␉', '\t'));

test.each(contexts)('nobody is named in %j, and a second time nothing changes', (said) => {
  expect(said).toMatch(somebody);
  const safe = anonymized(said);
  expect(safe).not.toMatch(somebody);
  expect(anonymized(safe)).toBe(safe);
});

const records: readonly unknown[] = [
  {
    git_branch: 'lovelace/babbage-fix',
    gitBranch: 'babbage-fix',
    headRefName: 'babbage-fix',
    worktree_branch: 'babbage',
  },
  { mcp_servers: [{ name: 'crmserver', status: 'connected' }], tools: ['Bash', 'mcp__crmserver__query'] },
  { mcpServers: { crmserver: { command: 'npx' } } },
  { attributionMcpServer: 'crmserver' },
  { author: { name: 'Ada Lovelace', email: 'lovelace@corp.test' } },
  { author: 'Ada Lovelace', login: 'lovelace', username: 'lovelace', hostname: 'enigmabox' },
  { full_name: 'acmecorp/widgetshop', cwd: '/Users/Ada Lovelace/projectx' },
];

test.each(records)('nor in the fields of %j', (record) => {
  const safe = anonymized(record);
  expect(JSON.stringify(safe)).not.toMatch(somebody);
  expect(anonymized(safe)).toEqual(safe);
});

test('a server has one stand-in, in its own name and in those of its tools', () => {
  const safe = JSON.stringify(
    anonymized({ mcp_servers: [{ name: 'my.crm server' }], tools: ['mcp__my_crm_server__query'] }),
  );
  expect(new Set(safe.match(/server-[0-9a-f]{6}/g)).size).toBe(1);
});

const kept: readonly string[] = [
  'On branch main; git checkout master; git push origin main; origin/main; (HEAD -> main)',
  'git checkout 9fceb02d0ae598e95dc970b74767f19372d61af8',
  'the git branch of the session',
  'root:x:0:0:root:/root:/bin/bash'.slice(0, 15),
  'drwxr-xr-x 2 root root 4096 Nov 16 12:00',
  '"\\\\ud800-\\\\udfff" "\\\\nfoo\\\\nbar" \\\\d+\\\\w+',
  'fix #12, see a/b/c#x and C#7',
  'a -> b, f(x) -> y',
  '/* eslint-disable ts/ban-ts-comment */',
  '/** Runtime message from/to plain objects. */',
  'cct tasks --owner researcher',
];

test.each(kept)('stays: %s', (said) => {
  expect(anonymized(said)).toBe(said);
});
