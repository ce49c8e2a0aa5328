import { describe, expect, test } from 'vitest';
import { createFramer } from '../../../src/core/record/frame.js';
import { stripPrefix } from '../../../src/core/record/line.js';
import { labelsOf, logLabels } from '../../../src/core/record/log-line.js';

const line = '{"type":"result","session_id":"s"}';
const time = '2026-11-14T10:00:00.123456Z';
const ticks = '2026-11-14T10:00:00.1234567Z';
const wrapped = (key: string, more: object) => JSON.stringify({ [key]: line, time, ...more });

const none = { ci: null, labels: {} };

/** What is known about each record of a log. */
function labelsIn(...lines: readonly string[]) {
  const found: unknown[] = [];
  const framer = createFramer({
    record: (_record, _line, log) => found.push(log === null ? none : labelsOf(log)),
    damaged() {},
    noise() {},
  });
  lines.forEach((text, index) => {
    framer.push(text, index + 1);
  });
  framer.end();
  return found;
}

const known: readonly [string, string, object, string?][] = [
  ['compose', `web-1  | ${line}`, { service: 'web-1' }],
  ['compose in colour', `\u001b[36mweb-1  | \u001b[0m${line}`, { service: 'web-1' }],
  ['docker service logs', `web.1.x7k2p@node-7    | ${line}`, { service: 'web.1.x7k2p@node-7' }],
  ['foreman', `10:00:00 web.1  | ${line}`, { service: 'web.1' }],
  ['gh', `test (20)\tRun claude\t${ticks} ${line}`, { job: 'test (20)', step: 'Run claude' }, 'github-actions'],
  ['gh, first line of a step', `test\tRun\t\ufeff${ticks} ${line}`, { job: 'test', step: 'Run' }, 'github-actions'],
  ['gh that does not know the step', `test\tUNKNOWN STEP\t${ticks} ${line}`, { job: 'test' }, 'github-actions'],
  ['gh around compose', `t\tx\t${ticks} web-1  | ${line}`, { job: 't', step: 'x', service: 'web-1' }, 'github-actions'],
  ['GitLab', `${time} 01O ${line}`, {}, 'gitlab'],
  [
    'docker',
    wrapped('log', { attrs: { tag: 'web', 'com.example/team': 'a' } }),
    { tag: 'web', 'com.example/team': 'a' },
  ],
  [
    'journald',
    JSON.stringify({
      ...{ MESSAGE: line, __REALTIME_TIMESTAMP: '1794650400123456', SYSLOG_IDENTIFIER: 'claude' },
      ...{ _HOSTNAME: 'build-7', _SYSTEMD_UNIT: 'user@1000.service', _SYSTEMD_USER_UNIT: 'review.service' },
    }),
    { host: 'build-7', unit: 'review.service', tag: 'claude' },
  ],
];

describe('a log says where its lines come from', () => {
  test.each(known)('%s', (_name, text, labels, ci = undefined) => {
    expect(labelsIn(text)).toEqual([{ ci: ci ?? null, labels }]);
  });

  test('the manual lists every label with a short name', () => {
    const said = logLabels.flatMap(([names]) => names.split(', '));
    const found = known.flatMap(([, , labels]) => Object.keys(labels)).filter((name) => !/^com\./.test(name));
    expect(new Set([...found, 'others'])).toEqual(new Set(said));
  });
});

describe('what is not clearly such a log says nothing', () => {
  test.each([
    ['a line that is in no log', line],
    ['a time, as of GitHub Actions or Azure Pipelines', `${ticks} ${line}`],
    ['a name in brackets', `[web] ${line}`],
    ['a level', `INFO ${line}`],
    ['words', `worker 7 says ${line}`],
    ['two words and another time', `a\tb\t2026-11-14T10:00:00Z ${line}`],
    ['cat -n', `     1\t${line}`],
    ['kubectl logs --prefix', `[pod/web-7d9f-x7k2p/claude] ${line}`],
    ['parallel --tag', `docs/a b.md\t${line}`],
    ['syslog', `Nov  4 10:00:00 build-7 claude[812]: ${line}`],
    ['syslog with an ISO time', `2026-11-15T23:25:11.123456+00:00 build-7 claude[812]: ${line}`],
    ['Buildkite', `\u001b_bk;t=1794650400123\u0007${line}`],
    [
      'a collector of container logs',
      wrapped('log', { stream: 'stdout', kubernetes: { pod_name: 'p', labels: { a: 'b' } } }),
    ],
    ['another collector', wrapped('message', { host: 'h', container_name: 'c', labels: { a: 'b' } })],
    ['a number and a bar', `1 | ${line}`],
    ['an epoch and a tab', `1731672311.123\t${line}`],
    ['a date and a tab', `11/15/2026 10:00:00\t${line}`],
    ['a time and two words', `2026-11-15T23:25:11Z worker started: ${line}`],
    ['two tabs', `a\tb\t${line}`],
    ['kubernetes', `${time} stdout F ${line}`],
    ['docker without labels', wrapped('log', { stream: 'stdout' })],
    ['labels that are no texts', wrapped('log', { attrs: { a: 1, b: null, c: {}, d: '' }, labels: ['x'], host: 7 })],
    ['labels that are too long', wrapped('log', { attrs: { [`a${'x'.repeat(300)}`]: 'y', b: 'x'.repeat(301) } })],
  ])('%s', (_name, text) => {
    expect(labelsIn(text)).toEqual([none]);
  });

  test('a table with JSON in it is no log', () => {
    expect(stripPrefix('name\t{"a":1}')).toBeNull();
  });
});

test('the log nearest to the line counts', () => {
  const docker = wrapped('log', { attrs: { tag: 'near', near: '1' } });
  const outer = JSON.stringify({ log: `${docker}\n`, time, attrs: { tag: 'far', far: '1' } });
  expect(labelsIn(`far-1  | ${outer}`)).toEqual([
    { ci: null, labels: { tag: 'near', near: '1', far: '1', service: 'far-1' } },
  ]);
});

test('names are data', () => {
  const attrs = '{"__proto__":"x","constructor":"y","toString":"z"}';
  const [found] = labelsIn(wrapped('log', { attrs: 0 }).replace('"attrs":0', `"attrs":${attrs}`));
  expect(JSON.stringify(found)).toBe(`{"ci":null,"labels":${attrs}}`);
});
