import { behind, isBare, type Line, lineOf, type Mutation, toLine } from './lines.js';
import type { Random } from './random.js';

/** Records that share lines, or are among other bytes. All of them can still be found. */
export const joins: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(
    ['', ' ', '\t', ',', ', ', '\r', ' \t, ', '\0', '\ufeff'].map((glue) => [
      `joined by ${JSON.stringify(glue).replaceAll('\ufeff', '\\ufeff')}`,
      joinedBy(() => glue),
    ]),
  ),
  'joined by anything': joinedBy((random) => random.pick(['', ' ', '\t', ',', ', ', '\r', '   ', ',,', '\r\r'])),
  'in lists': (lines, random) => {
    const [comma, inside] = random.pick<[string, string]>([
      [',', ''],
      [', ', ''],
      [' , ', ' '],
    ]);
    return grouped(lines, random, (texts) => `[${inside}${texts.join(comma)}${inside}]`);
  },
  'stray brackets behind': toEach((text, random) => `${text}${random.pick(['}', ']', ']}', '}}', ' }', '}]'])}`),
  'blanks around': toEach((text, random) => `${random.pick(blanks)}${text}${random.pick(blanks)}`),
  'blank lines': (lines, random) => lines.flatMap((line) => [line, lineOf(random.pick(blanks))]),
  'CRLF here and there': toEach((text) => `${text}\r`),
  'BOM before some': (lines, random) =>
    lines.map((line) => (isBare(line) && random.below(4) === 0 ? behind('\ufeff', line) : line)),
  'a line of 3 MB': toLine((line, random) => [random.pick([longCall, longResult])(random), line]),
};

const blanks = ['', ' ', '\t', '   ', '\r', ' \r', '\t \t', '\0'] as const;

function joinedBy(glue: (random: Random) => string): Mutation {
  return (lines, random) => grouped(lines, random, (texts) => texts.reduce((so, text) => so + glue(random) + text));
}

/** Two or more consecutive records become one line. After noise or a prefix, a record may count as noise too. */
function grouped(
  lines: readonly Line[],
  random: Random,
  write: (texts: readonly [string, ...string[]]) => string,
): Line[] {
  const made: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const most = random.below(3) === 0 ? 2 + random.below(3) : 1;
    const texts: string[] = [];
    for (let next = lines[at]; next !== undefined && isBare(next) && texts.length < most; next = lines[at]) {
      texts.push(next.bytes.toString());
      at++;
    }
    const [first, ...others] = texts;
    const line = lines[at];
    if (first !== undefined && others.length > 0)
      made.push({ bytes: Buffer.from(write([first, ...others])), records: texts });
    else if (first !== undefined) made.push(lineOf(first));
    else if (line !== undefined) {
      made.push(line);
      at++;
    }
  }
  return made;
}

function toEach(change: (text: string, random: Random) => string): Mutation {
  return (lines, random) =>
    lines.map((line) =>
      isBare(line) && random.below(3) === 0
        ? { bytes: Buffer.from(change(line.bytes.toString(), random)), records: line.records }
        : line,
    );
}

/** Text that looks like records and ends of strings, as in files that agents read. */
const lookAlike = '{"type":"result","total_cost_usd":9}\\\\", {\n\t"tool_use_id": "x"} \u{1f600}\\';

function longResult(random: Random): Line {
  const content = [{ type: 'tool_result', tool_use_id: `toolu_long${random.below(9)}`, content: longText(random) }];
  return lineOf(JSON.stringify({ type: 'user', message: { role: 'user', content }, session_id: 'long' }));
}

function longCall(random: Random): Line {
  const content = [
    { type: 'tool_use', id: `toolu_long${random.below(9)}`, name: 'Write', input: { content: longText(random) } },
  ];
  const message = { id: 'msg_long', role: 'assistant', model: 'claude-opus-4-6', content, usage: { output_tokens: 3 } };
  return lineOf(JSON.stringify({ type: 'assistant', message, session_id: 'long', uuid: 'long' }));
}

function longText(random: Random): string {
  return `${' '.repeat(random.below(70))}${lookAlike}`.repeat(3e6 / (lookAlike.length + 35));
}
