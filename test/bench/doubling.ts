// Does anything take more than linear time over a text? Doubles the texts of an input and measures how CPU time grows.
import { readFileSync } from 'node:fs';
import { wrap } from '../../src/cli/docs/help.js';
import { nearest } from '../../src/cli/flags/flags.js';
import { fenced, inert, inline, safeMarkdown } from '../../src/commands/log/markdown.js';
import { fitted, textLines } from '../../src/commands/log/text.js';
import { canonicalModel, plainModel } from '../../src/core/prices/models.js';
import { createFramer } from '../../src/core/record/frame.js';
import { leadingJson, timeOf } from '../../src/core/record/json.js';
import { cleanLine, stripColour, stripPrefix, unprefixed } from '../../src/core/record/line.js';
import { recordBehind, recover } from '../../src/core/record/recover.js';
import { plainName } from '../../src/core/tables/order.js';
import { readEnvelopes } from '../../src/core/wire/dialects/deliveries.js';
import { promptText } from '../../src/core/wire/dialects/telling.js';
import { matches } from '../../src/core/wire/interest.js';
import { changesOf, targetOf } from '../../src/core/wire/tools/about.js';
import { errorCode, labelled, saysFailure, usageInText } from '../../src/core/wire/tools/tool-result.js';
import { csv, markdown, tsv } from '../../src/view/formats.js';
import { clip, displayWidth, sanitize, sanitizeData, visibleName } from '../../src/view/text.js';
import { isObject } from '../json.js';
import { cct, type World } from '../run.js';

/** Something that is done with a text. */
export interface Work {
  readonly name: string;
  run(text: string): unknown;
}

/** How the CPU time of a work grew when its text was doubled, and doubled again. */
export interface Growth {
  readonly name: string;
  readonly length: number;
  /** Milliseconds for a quarter of the length, a half, and all of it. */
  readonly ms: readonly [number, number, number];
  /** Clearly more than linear: 9 times for two doublings, confirmed by measuring again. */
  readonly isSteep: boolean;
}

/** Doubles until it can be measured. A text of length `most` that takes less than that is fast enough. */
export async function growthOf(work: Work, text: (length: number) => string, most: number): Promise<Growth> {
  let length = Math.min(most, shortest);
  // Twice, because the first run includes one-time work such as compiling a pattern.
  while (length < most && (await least(2, () => cpuMs(work, text(length)))) < measurable) length *= 2;
  const measured = async (times: number): Promise<[number, number, number]> => [
    await least(times, () => cpuMs(work, text(length / 4))),
    await least(times, () => cpuMs(work, text(length / 2))),
    await least(times, () => cpuMs(work, text(length))),
  ];
  let ms = await measured(2);
  if (isSteep(ms)) ms = await measured(4);
  return { name: work.name, length, ms, isSteep: isSteep(ms) };
}

const shortest = 4096;
const measurable = 100;

function isSteep([quarter, half, whole]: readonly [number, number, number]): boolean {
  return whole > measurable && whole > 9 * quarter && whole > 2.5 * half;
}

async function cpuMs(work: Work, text: string): Promise<number> {
  const before = process.cpuUsage();
  await work.run(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function least(times: number, measure: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let left = times; left > 0; left--) best = Math.min(best, await measure());
  return best;
}

/** What texts are made of: each one repeated, alone and between letters. */
export const atoms: readonly string[] = [
  ...[' ', '\t', '\n', '\r\n', ' \n', 'a', 'word ', '1', '1.', '-', '_', '=', '+', '@', ';', ',', ':', '/', '.', '*'],
  ...['"', "'", '`', '\\', '\\"', '<', '>', '&', '|', '[', ']', '{', '}', '(', ')', '{"', '"}', '}{', '[{', '#', '$'],
  ...[
    '✅',
    '👩‍💻',
    '🇩🇪',
    '👍🏽',
    'e\u0301',
    '\u0301',
    '測',
    'е',
    '한',
    '\u200d',
    '\u200b',
    '\ufe0f',
    '\u00a0',
    '\ud83d',
  ],
  ...['\x1b', '\x1b[', '\x1b[31m', '\x1b]', '\x1b]0;x\x07', '\x9b', '\0', '\x7f', '\ufeff', '\u2028', '\u202e'],
  ...[
    '{"type":"',
    '{"type":"user"}',
    '{"cct":1',
    '{"a":',
    'data: ',
    '[x] ',
    'a | ',
    '10:00:00 ',
    '2026-01-01T00:00:00Z ',
  ],
  ...['agentId: ', '\nagentId:', 'agentId:\n', 'total_tokens: ', '<total_tokens>', '<usage>', '<status>', 'Error: '],
  ...[
    '<teammate-message teammate_id="a">',
    '<teammate-message ',
    ' a="b"',
    '</teammate-message>',
    '<task-notification>',
  ],
  ...['task not found ', 'agent ', '"x" ', "it's ", 'claude-', 'claude-opus-4-', 'anthropic.', '[1m]', 'www.', '://'],
  ...['&amp;', '__', '**', '~~', '```', '![](', 'aB', 'ABa', '=1;', '; ', ';\t', 'main@', '@main', '1e9', '٣'],
];

/** One of each kind, for whole commands, which have the text in twenty fields. */
export const fewAtoms: readonly string[] = [
  ...[
    ' ',
    '\n',
    'word ',
    '1',
    '=',
    '@',
    ';',
    ',',
    '*',
    '"',
    '\\',
    '<',
    '|',
    '[',
    '{"',
    '✅',
    'e\u0301',
    '\u200b',
    '\x1b[',
  ],
  ...['{"type":"user"}', 'a | ', '<teammate-message teammate_id="a">', 'agentId: ', ':// '],
];

export function textsOf(atom: string): ((length: number) => string)[] {
  const filled = (length: number) => atom.repeat(Math.ceil(length / atom.length)).slice(0, length);
  return [(length) => filled(length), (length) => `x${filled(length)}x`];
}

const column = (make: typeof csv) => (text: string) =>
  make(['x', 'name', 'content']).row({ x: [text], name: text, content: text });

/** The functions that read or write prose. */
export const functions: readonly Work[] = [
  { name: 'labelled', run: (text) => labelled(text, 'agentId') },
  { name: 'usageInText', run: usageInText },
  { name: 'saysFailure', run: (text) => saysFailure(text, 'program') },
  { name: 'errorCode', run: (text) => errorCode(null, text) },
  { name: 'targetOf', run: (text) => targetOf('Bash', { command: text }) },
  { name: 'changesOf', run: (text) => changesOf('Edit', { old_string: text, new_string: `x${text}` }, null) },
  { name: 'safeMarkdown', run: safeMarkdown },
  { name: 'fenced', run: fenced },
  { name: 'inline', run: inline },
  { name: 'fitted', run: (text) => fitted(text, 80) },
  { name: 'textLines', run: textLines },
  { name: 'inert', run: inert },
  { name: 'promptText', run: promptText },
  { name: 'readEnvelopes', run: (text) => readEnvelopes(text, null) },
  { name: 'readEnvelopes, in one', run: (text) => readEnvelopes(`<teammate-message teammate_id="a">${text}`, null) },
  { name: 'readEnvelopes, in its head', run: (text) => readEnvelopes(`<teammate-message ${text}`, null) },
  { name: 'leadingJson', run: (text) => leadingJson(`{"a":"${text}`) },
  { name: 'stripPrefix', run: stripPrefix },
  { name: 'stripColour', run: stripColour },
  { name: 'cleanLine', run: (text) => unprefixed(cleanLine(text, 1)) },
  { name: 'recover', run: (text) => recover(`{"type":${text}`, 1) },
  { name: 'recover, in a string', run: (text) => recover(`{"type":"user","a":"${text}`, 1) },
  { name: 'recordBehind', run: recordBehind },
  { name: 'frame, one line', run: (text) => framed([text]) },
  { name: 'frame, line by line', run: (text) => framed(text.match(/.{1,40}/gs) ?? []) },
  { name: 'timeOf', run: timeOf },
  { name: 'timeOf, a time first', run: (text) => timeOf(`2026-01-01T00:00:00${text}`) },
  { name: 'plainModel', run: plainModel },
  { name: 'canonicalModel', run: (text) => canonicalModel(`${text}${Math.random()}`) },
  { name: 'plainName', run: plainName },
  { name: 'matches', run: (text) => matches(text, 'team:member:joined') || matches('*:*joined', text) },
  { name: 'nearest', run: (text) => nearest(text, ['team:created', 'teams']) },
  { name: 'wrap', run: (text) => wrap(text, 60, '  ') },
  { name: 'sanitize', run: sanitize },
  { name: 'sanitizeData', run: sanitizeData },
  { name: 'visibleName', run: visibleName },
  { name: 'displayWidth', run: displayWidth },
  { name: 'clip', run: (text) => clip(text, text.length / 2) },
  { name: 'csv', run: column(csv) },
  { name: 'tsv', run: column(tsv) },
  { name: 'markdown', run: column(markdown) },
];

function framed(lines: readonly string[]): void {
  const framer = createFramer({ record() {}, damaged() {}, noise() {} });
  for (const [index, line] of lines.entries()) framer.push(line, index + 1);
  framer.end();
}

const terminal: World = { tty: true, columns: 100, rows: 40 };

/** Every command in every format, on a pipe and on a terminal. */
const commandLines: readonly [string, World?][] = [
  ...['normalize', 'normalize --no-content --raw', 'normalize --event *:*', 'audit --of teams', 'audit --of tasks'],
  ...[
    'audit --of messages',
    'tasks --all --board',
    'tasks --all -f mermaid',
    'tasks --all -f dot',
    'messages --settled',
  ],
  ...['log', 'log --full', 'log -f md', 'log -f github', 'log -f ndjson', 'log --grep a -i'],
  ...[
    'usage --by agent,model -f github',
    'usage --by agent -f prometheus',
    'usage --by message',
    'teams --live always',
  ],
  ...['replay --no-wait', 'replay --speed 1000', 'replay --states --no-wait', 'replay --at 1h'],
  'replay --as-claude -',
  ...['teams', 'teams --members', 'tasks --all', 'messages', 'usage --by agent,model'].flatMap((words) =>
    ['table', 'ndjson', 'json', 'csv', 'tsv', 'md'].map((format) => `${words} -f ${format}`),
  ),
].flatMap((words): [string, World?][] =>
  /table|always|board|as-claude|^log$/.test(words) ? [[words], [words, terminal]] : [[words]],
);

export const commands: readonly Work[] = commandLines.map(([words, world]) => ({
  name: `cct ${words}${world === undefined ? '' : ', terminal'}`,
  run: (text) => runWith(words.split(' '), storyWith(text), world),
}));

/** Arguments of the command line itself. */
export const wordings: readonly Work[] = [
  ...['normalize --event', 'teams --fields', 'teams --session', 'teams --team', 'teams --since', 'teams --timezone'],
  ...['usage --by', 'tasks --status', 'tasks --owner', 'messages --type', 'replay --at', 'replay --no-wait --since'],
  ...['usage --max-usd', 'teams --idle-timeout', 'teams', 'help', 'schema', 'completion', ''],
].map((words) => ({
  name: `cct ${words} TEXT`,
  run: (text: string) => runWith([...words.split(' ').filter(Boolean), text.replaceAll('\0', '0')], ''),
}));

async function runWith(words: readonly string[], input: string, world?: World): Promise<void> {
  const { code, stderr } = await cct(words, input, world);
  if (code === 70) throw new Error(`cct ${words.join(' ').slice(0, 80)}: ${stderr.slice(0, 300)}`);
}

const story = readFileSync('fixtures/sessions/hostile-text.ndjson', 'utf8').split('\n').filter(Boolean);

/** A run of a team with the text in every field that people can write. */
function storyWith(text: string): string {
  const lines = story.map((line) => JSON.stringify(withText(JSON.parse(line), '', text)));
  return `${lines.join('\n')}\n${text}\n{"type":"user","message":"${text}\n`;
}

function withText(value: unknown, key: string, text: string): unknown {
  if (typeof value === 'string') return free.has(key) ? value + text : value;
  if (Array.isArray(value)) return value.map((item) => withText(item, key, text));
  if (!isObject(value)) return value;
  const isCall = value['type'] === 'tool_use';
  return Object.fromEntries(
    Object.entries(value).map(([inner, item]) => [
      inner,
      isCall && inner === 'name' ? item : withText(item, inner, text),
    ]),
  );
}

const free: ReadonlySet<string> = new Set([
  ...['cwd', 'team_name', 'description', 'content', 'name', 'prompt', 'teammate_id', 'agent_id', 'lead_agent_id'],
  ...['subject', 'owner', 'recipient', 'summary', 'result', 'target', 'sender', 'model', 'subagent_type', 'message'],
]);

/** Tries every work with every text, and yields the steepest text of each. Does not stop at a failure. */
export async function* doubling(
  works: readonly Work[],
  some: readonly string[],
  most: number,
): AsyncGenerator<Doubled> {
  for (const work of works) {
    let worst: Doubled | null = null;
    for (const atom of some)
      for (const text of textsOf(atom)) {
        const growth = { ...(await growthOf(work, text, most)), atom };
        if (worst === null || rank(growth) > rank(worst)) worst = growth;
      }
    if (worst !== null) yield worst;
  }
}

export interface Doubled extends Growth {
  readonly atom: string;
}

function rank({ isSteep, ms: [, half, whole] }: Growth): number {
  return (isSteep ? 1e6 : 0) + (whole < measurable ? 0 : whole / half);
}
