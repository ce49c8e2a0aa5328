// Writes findings for CI: as JUnit XML, with a test for each rule, and as SARIF 2.1.0.
import { digest } from '../../core/tables/order.js';
import { version } from '../../version.js';
import { type Audited, type FindingRow, type RuleName, ruleNames, rules } from './row.js';

export const ciFormats = ['junit', 'sarif'] as const;
type CiFormat = (typeof ciFormats)[number];

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
