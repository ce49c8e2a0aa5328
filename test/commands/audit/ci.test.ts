// What audit writes for CI: SARIF as its schema wants it, and JUnit XML that is well-formed whatever the input says.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { denial, limitOf, readRules } from '../../../src/commands/audit/audit.js';
import { ciReport } from '../../../src/commands/audit/command.js';
import { findingAt } from '../../../src/commands/audit/rows.js';
import { bytesOf, sessions } from '../../laws/inputs.js';
import { cct } from '../../run.js';

const text = { type: 'string' };
const message = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } };
const level = { enum: ['none', 'note', 'warning', 'error'] };
const list = (items: unknown) => ({ type: 'array', items });
const strict = (required: readonly string[], properties: object) => ({
  ...{ type: 'object', additionalProperties: false, required, properties },
});

/** The part of the schema of SARIF 2.1.0 (OASIS) that cct writes. The whole schema accepts the same reports. */
const sarif = strict(['version', 'runs'], {
  ...{ $schema: text, version: { const: '2.1.0' } },
  runs: list(
    strict(['tool', 'results'], {
      columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
      tool: strict(['driver'], {
        driver: strict(['name'], {
          ...{ name: text, version: text },
          rules: list(
            strict(['id'], {
              ...{ id: text, shortDescription: message, defaultConfiguration: strict([], { level }) },
            }),
          ),
        }),
      }),
      results: list(
        strict(['message'], {
          ...{ ruleId: text, ruleIndex: { type: 'integer', minimum: 0 }, level, message },
          locations: list(
            strict([], {
              physicalLocation: strict([], {
                artifactLocation: strict([], { uri: { type: 'string', pattern: '^[!-~]+$' } }),
                region: strict([], { startLine: { type: 'integer', minimum: 1 } }),
              }),
              logicalLocations: list(strict([], { name: text })),
            }),
          ),
          partialFingerprints: { type: 'object', additionalProperties: text },
          properties: { type: 'object' },
        }),
      ),
    }),
  ),
});
const isSarif = new Ajv2020().compile(sarif);

const attribute = / [a-z]+="(?:[^&<"\x00-\x1f]|&#\d+;)*"/.source;
/** A tag, a text or the head of a file, each as XML 1.0 wants it. */
const token = new RegExp(
  `<\\?xml version="1.0" encoding="UTF-8"\\?>|<[a-z-]+(?:${attribute})*/?>|</[a-z-]+>|(?:[^&<>]|&#\\d+;)+`,
  'y',
);

/** The part of junit-10.xsd of the xUnit plugin of Jenkins that cct writes: where an element stands, and its attributes. */
const junit: Readonly<Record<string, { inside: string | undefined; needs: string[]; may: string[] }>> = {
  testsuites: { inside: undefined, needs: [], may: ['name', 'tests', 'failures', 'errors', 'time'] },
  testsuite: { inside: 'testsuites', needs: ['name'], may: ['tests', 'failures', 'errors', 'skipped', 'time'] },
  testcase: { inside: 'testsuite', needs: ['name'], may: ['classname', 'time'] },
  failure: { inside: 'testcase', needs: [], may: ['message', 'type'] },
  'system-out': { inside: 'testcase', needs: [], may: [] },
};

function expectJunit(name: string, tag: string, inside: string | undefined): void {
  const rule = junit[name];
  const attributes = [...tag.matchAll(/ ([a-z]+)="/g)].map(([, key]) => key ?? '');
  expect(rule?.inside, name).toBe(inside);
  expect(attributes).toEqual(expect.arrayContaining(rule?.needs ?? []));
  expect(attributes.filter((key) => ![...(rule?.needs ?? []), ...(rule?.may ?? [])].includes(key))).toEqual([]);
  expect(new Set(attributes).size).toBe(attributes.length);
}

/** The names of all elements, or an error where the text is not XML or not JUnit's. */
function elementsOf(xml: string): string[] {
  const names: string[] = [];
  const open: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const [found] = token.exec(xml) ?? [];
    if (found === undefined) throw new Error(`no XML at ${at}: ${xml.slice(at, at + 40)}`);
    const name = /^<\/?([a-z-]+)/.exec(found)?.[1];
    if (name === undefined) continue;
    if (found.startsWith('</')) expect(open.pop()).toBe(name);
    else {
      expectJunit(name, found, open.at(-1));
      names.push(name);
      if (!found.endsWith('/>')) open.push(name);
    }
  }
  expect(open).toEqual([]);
  return names;
}

test.each(sessions)('$name', async (input) => {
  const stdin = bytesOf(input).toString();
  const rows = (await cct(['audit', '-q', '--deny', 'Bash'], stdin)).stdout.split('\n').filter(Boolean);
  const report: unknown = JSON.parse((await cct(['audit', '-q', '--deny', 'Bash', '-f', 'sarif'], stdin)).stdout);
  expect(isSarif(report), JSON.stringify(isSarif.errors)).toBe(true);
  expect(report).toMatchObject({ runs: [{ results: rows.map((row) => ({ ruleId: JSON.parse(row).rule })) }] });
  const { stdout } = await cct(['audit', '-q', '--deny', 'Bash', '-f', 'junit'], stdin);
  const problems = rows.filter((row) => JSON.parse(row).severity === 'problem').map((row) => JSON.parse(row).rule);
  const elements = elementsOf(stdout);
  expect(elements.filter((name) => name === 'failure')).toHaveLength(new Set(problems).size);
  expect(stdout).toContain(` failures="${new Set(problems).size}" `);
  expect(stdout).toContain(` tests="${elements.filter((name) => name === 'testcase').length}" `);
});

// SARIF's own validator refuses a path that begins with a slash (SARIF1004).
test.each([
  ['runs/one #1.ndjson', 'runs/one%20%231.ndjson'],
  ['/home/dev/run.ndjson', 'file:///home/dev/run.ndjson'],
  ['C:\\runs\\run.ndjson', 'file:///C:/runs/run.ndjson'],
  [null, 'stdin'],
])('the file %s is %s', (source, uri) => {
  const found = findingAt('no_result', { time: null, session_id: null, team: null, line: 3 }, { detail: 'cut' });
  const report = JSON.parse(ciReport('sarif', [found], ['run'], source));
  expect(isSarif(report)).toBe(true);
  expect(report.runs[0].results[0].locations[0].physicalLocation.artifactLocation).toEqual({ uri });
});

test('text of agents cannot leave its place', async () => {
  const command = 'x ]]> </failure><a b="c"> & \u0000\u001b[31m \ud800 \u202e';
  const lines = [
    { type: 'system', subtype: 'init', session_id: 's', tools: [] },
    ...[{ type: 'tool_use', id: 'c', name: 'Bash', input: { command } }].map((block) => ({
      ...{ type: 'assistant', session_id: 's', message: { id: 'm', content: [block] } },
    })),
  ];
  const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { stdout } = await cct(['audit', '-q', '--of', 'calls', '--deny', 'Bash', '-f', 'junit'], stdin);
  expect(elementsOf(stdout).filter((name) => name === 'failure')).toHaveLength(1);
  expect(stdout).not.toMatch(/[\x00-\x08\x0b-\x1f\u202e]|\p{Cs}/u);
});

test.each([
  ['cd build && rm -rf .', 1],
  ['sudo -n rm -rf /', 1],
  ['LANG=C env X=1 nohup rm -rf a', 1],
  ['(cd a; rm -rf b)', 1],
  ['echo $(rm -rf b) `date`', 1],
  ["bash -lc 'rm -rf build'", 1],
  ['git rm -rf x', 0],
  ['perform -rf x', 0],
])('a denied command is found in %s', async (command, count) => {
  const content = [{ type: 'tool_use', id: 'c', name: 'Bash', input: { command } }];
  const stdin = `${JSON.stringify({ type: 'assistant', session_id: 's', message: { id: 'm', content } })}\n`;
  const { stdout } = await cct(['audit', '-q', '--of', 'calls', '--deny', 'Bash(rm -rf *)'], stdin);
  expect(stdout.split('\n').filter((row) => row.includes('denied_call'))).toHaveLength(count);
});

test('a rule is read as it is written', () => {
  expect(denial('Bash(rm -rf *)')).toMatchObject({ agent: '*', tool: 'Bash', target: 'rm -rf *', most: 0 });
  expect(denial('the reviewer:mcp__*')).toMatchObject({ agent: 'the reviewer', tool: 'mcp__*', target: null });
  expect(denial('Bash(a:b (c))')).toMatchObject({ agent: '*', tool: 'Bash', target: 'a:b (c)' });
  expect(limitOf('Bash(curl *)=3')).toMatchObject({ tool: 'Bash', target: 'curl *', most: 3 });
  for (const bad of ['', 'Bash(', '(x)', 'a b', 'x:']) expect(denial(bad), bad).toBeNull();
  for (const bad of ['Bash', 'Bash=', 'Bash=x', '=3']) expect(limitOf(bad), bad).toBeNull();
  expect(readRules('# none\n\ndeny Bash\r\n  max-calls  Read=2')).toHaveLength(2);
});
