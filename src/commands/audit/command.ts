// The audit command: everything that went wrong, in one list.
import type { Command, Context } from '../../cli/command.js';
import { arrangementOf } from '../../cli/flags/arrange.js';
import { Matches, placeChoices, placeFilter } from '../../cli/flags/choice.js';
import { flagOf, listOf, outputWith, textOf } from '../../cli/flags/flags.js';
import { readWhole } from '../../cli/flags/operands.js';
import { timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { everyEvent } from '../../cli/fold.js';
import { jsonTextFor, openPrinter } from '../../cli/print.js';
import { lastTime } from '../../cli/rows.js';
import { nameOnly } from '../../core/privacy/content.js';
import { digest } from '../../core/tables/order.js';
import { Table } from '../../core/tables/table.js';
import { UsageError } from '../../io/exit.js';
import { version } from '../../version.js';
import { createAuditReader, denial, type Facts, findingsOf, limitOf, type OwnRule, readRules } from './audit.js';
import {
  type Audited,
  auditedSubjects,
  type FindingRow,
  findingFields,
  type RuleName,
  ruleNames,
  rules,
} from './row.js';

const ciFormats = ['junit', 'sarif'] as const;
type CiFormat = (typeof ciFormats)[number];

export const audit: Command = {
  name: 'audit',
  kind: 'fold',
  summary: 'list what went wrong in a run, and which limits it reached',
  description: [
    'Prints one row for each finding, in order of time. A finding is a problem or a note. With -e the exit code is 1 if there is a problem.',
    'It looks at the run itself (it failed, was stopped, or has no result; what was still open then; a context that was full), at teams and their agents, at tasks, at messages between agents, and at the calls of other tools. --of chooses some of these.',
    'Rules of your own: --deny forbids calls, --max-calls limits them, --rules reads both from a file (# begins a comment). A pattern is a tool, before it perhaps an agent and a colon, after it perhaps in brackets what the call is about: a path, a command, an address. * stands for any text. Of a shell command, each part counts: `cd build && sudo rm -rf .` is also `rm -rf .`.',
    '-f junit writes a test for each rule, which fails if there is a problem. -f sarif writes SARIF 2.1.0, as code scanning takes it.',
    'A transcript has no result. cct audit says what its rows show: an error at its end, an interruption, agents and calls that failed.',
    'The manual page cct-formats(7) explains every rule.',
  ],
  options: [
    {
      flags: '--of <subject,...>',
      summary: 'only findings about these',
      kind: 'list',
      choices: auditedSubjects,
    },
    {
      flags: '--deny <pattern>',
      summary: "a call like this is a problem: 'Bash(rm -rf *)', 'reviewer:Edit', 'mcp__*'; may be repeated",
      kind: 'texts',
    },
    {
      flags: '--max-calls <pattern=n>',
      summary: 'so are more than n such calls in a session: WebFetch=20; may be repeated',
      kind: 'texts',
    },
    {
      flags: '--rules <file>',
      summary: "such rules from a file: 'deny PATTERN' or 'max-calls PATTERN=N' on each line",
    },
    ...outputWith(ciFormats, 'junit and sarif are for CI'),
  ],
  shared: ['input', 'rows', 'time', 'privacy', 'general'],
  fields: findingFields,
  examples: [
    { does: 'What went wrong?', run: 'cct audit run.ndjson' },
    { does: 'Fail a CI job if anything did', run: 'cct audit -e run.ndjson' },
    {
      does: 'Fail a CI job if an agent did what it should not',
      run: "cct audit -e --deny 'Bash(git push*)' --deny 'reviewer:Edit' --max-calls WebFetch=20 run.ndjson",
    },
    { does: 'Show the findings as tests', run: 'cct audit -f junit run.ndjson > audit.xml' },
    { does: 'Did the messages of the team arrive?', run: 'cct audit --of messages run.ndjson' },
    { does: 'Which rules were broken most?', run: 'cct audit run.ndjson | jq -r .rule | sort | uniq -c | sort -rn' },
    {
      does: 'Only the problems of the last hour',
      run: `cct audit --since 1h run.ndjson | jq 'select(.severity == "problem")'`,
    },
  ],
  judgesContent: () => true,
  interest: () => everyEvent,
  async run(context) {
    const { input, operands, options, out, streams } = context;
    const chosen = listOf(options, 'of');
    const audited = auditedSubjects.filter((subject) => chosen.length === 0 || chosen.includes(subject));
    const ciFormat = ciFormats.find((name) => name === textOf(options, 'format'));
    if (ciFormat !== undefined && listOf(options, 'fields').length > 0)
      throw new UsageError(`--fields chooses columns, and --format ${ciFormat} has none`);
    const arrange = arrangementOf(options, { fields: findingFields });
    const printer = await openPrinter(context, {
      name: 'findings',
      fields: findingFields,
      tableFields: ['rule', 'severity', 'agent', 'task', 'line', 'time', 'detail'],
      columns: {
        severity: { rank: 1, says: (severity) => `all ${severity}s` },
        task: { rank: -2 },
        line: { rank: -1 },
        time: { rank: -1 },
        detail: { rank: 2, wraps: true, says: (detail) => detail },
      },
    });
    const rules = await rulesOf(context);
    const reader = createAuditReader();
    await input.each(reader.note);
    const facts = { ...reader.facts(), rules };
    const range = timeRange(options, lastTime(facts));
    const found = findingsOf(audited, flagOf(options, 'noContent') ? withoutTexts(facts) : facts)
      .filter(placeFilter(context))
      .filter(({ time }) => range.includes(time));
    const { rows, notShown } = arrange(found);
    if (ciFormat === undefined) {
      for (const row of rows) printer.row(row);
      printer.end(undefined, { notShown });
    } else out.write(jsonTextFor(streams.stdout.isTTY)(ciReport(ciFormat, rows, audited, sourceOf(operands))));
    new Matches(placeChoices(context, () => facts.agents)).say(context, 'findings', found.length, true);
    warnOfTimes(context, range, 'finding');
    return { rows: found.length, failed: found.some(({ severity }) => severity === 'problem') };
  },
};

/** The rules of --deny, --max-calls and --rules. */
async function rulesOf({ options, streams }: Context): Promise<OwnRule[]> {
  const given = (flag: string, name: string, example: string, read: (text: string) => OwnRule | null) =>
    listOf(options, name).map((text) => {
      const rule = read(text);
      if (rule === null) throw new UsageError(`${flag}: '${text}' is no rule, such as ${example}`);
      return rule;
    });
  const path = textOf(options, 'rules');
  const flagged = [
    ...given('--deny', 'deny', "'Bash(rm -rf *)'", denial),
    ...given('--max-calls', 'maxCalls', 'WebFetch=20', limitOf),
  ];
  if (path === null) return flagged;
  const text = await readWhole('--rules', path, streams.stdin);
  try {
    return [...flagged, ...readRules(text)];
  } catch (error) {
    throw new UsageError(`--rules: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function sourceOf(operands: readonly string[]): string | null {
  const [only] = operands;
  return operands.length !== 1 || only === undefined || only === '-' ? null : only;
}

/** Drops what findings would quote: error texts, subjects, and the descriptions that name agents. */
function withoutTexts(facts: Facts): Facts {
  const calls = [...facts.audit.calls].map(([id, call]) => [id, { ...call, error: null }] as const);
  const entries = facts.agents.entries
    .entries()
    .map(([key, agent]) => [key, { ...agent, name: nameOnly(agent.name), description: null }] as const);
  const agents = { ...facts.agents, entries: new Table(entries) };
  return { ...facts, agents, audit: { ...facts.audit, calls: new Map(calls) }, bare: true };
}

// Writes findings for CI: as JUnit XML, with a test for each rule, and as SARIF 2.1.0.

/** `source` is the file that lines are counted in, if it is only one. */
export function ciReport(
  format: CiFormat,
  found: readonly FindingRow[],
  audited: readonly Audited[],
  source: string | null,
): string {
  const checked = ruleNames.filter((rule) => rules[rule].of.some((subject) => audited.includes(subject)));
  return format === 'junit' ? junit(found, checked) : `${JSON.stringify(sarif(found, checked, source), null, 2)}\n`;
}

function junit(found: readonly FindingRow[], checked: readonly RuleName[]): string {
  const cases = checked.map((rule) => {
    const own = found.filter((finding) => finding.rule === rule);
    const problems = own.filter(({ severity }) => severity === 'problem');
    const notes = own.filter(({ severity }) => severity === 'note');
    const [first] = problems;
    const inside = [
      ...(first === undefined
        ? []
        : [
            `      <failure message="${xml(first.detail)}" type="${rule}">${xml(problems.map(told).join('\n'))}</failure>`,
          ]),
      ...(notes.length === 0 ? [] : [`      <system-out>${xml(notes.map(told).join('\n'))}</system-out>`]),
    ];
    const open = `    <testcase name="${rule}" classname="cct.audit.${rules[rule].of[0]}" time="0"`;
    const text = inside.length === 0 ? `${open}/>` : [`${open}>`, ...inside, '    </testcase>'].join('\n');
    return { text, isFailed: first !== undefined };
  });
  const failures = cases.filter(({ isFailed }) => isFailed).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="cct audit" ${counts} time="0">`,
    `  <testsuite name="cct audit" ${counts} skipped="0" time="0">`,
    ...cases.map(({ text }) => text),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** `line 12, writer, session 7b678677: Task not found` */
function told({ line, agent, session_id, detail }: FindingRow): string {
  const where = [
    ...(line === null ? [] : [`line ${line}`]),
    ...(agent === null ? [] : [agent]),
    ...(session_id === null ? [] : [`session ${session_id}`]),
  ];
  return `${where.join(', ')}${where.length === 0 ? '' : ': '}${detail}`;
}

/** XML 1.0 has no way to write most control characters, nor half a surrogate pair. */
function xml(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]|\p{Cs}/gu, '\ufffd')
    .replace(unsafe, (character) => `&#${character.codePointAt(0)};`);
}

/** Characters that mean something in XML, or that a terminal or a reader would be misled by. */
const unsafe = /[&<>"\r\n\t]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/gu;

function sarif(found: readonly FindingRow[], checked: readonly RuleName[], source: string | null): object {
  const levels = { problem: 'error', note: 'note' } as const;
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'cct audit',
            version,
            rules: checked.map((id) => ({
              id,
              shortDescription: { text: rules[id].means },
              defaultConfiguration: { level: levels[rules[id].severity] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: found.map(({ rule, severity, detail, line, ...about }) => ({
          ruleId: rule,
          ruleIndex: checked.indexOf(rule),
          level: levels[severity],
          message: { text: detail },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(source ?? 'stdin') },
                region: { startLine: Math.max(1, line ?? 1) },
              },
              ...(about.agent !== null && { logicalLocations: [{ name: about.agent }] }),
            },
          ],
          partialFingerprints: {
            'finding/v1': digest(JSON.stringify([rule, about.session_id, about.agent, about.tool_use_id, detail])),
          },
          properties: about,
        })),
      },
    ],
  };
}

/** A relative path stays relative. An absolute one, also of Windows, is a file: SARIF knows no path that begins with `/`. */
function uriOf(path: string): string {
  const isOfDrive = /^[a-z]:[\\/]/i.test(path);
  const plain = isOfDrive ? `/${path.replaceAll('\\', '/')}` : path;
  return `${plain.startsWith('/') ? 'file://' : ''}${encodeURI(plain).replace(/[?#]/g, encodeURIComponent)}`;
}
