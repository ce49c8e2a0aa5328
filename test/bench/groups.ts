import type { Files } from './files.js';
import { type Bar, type Case, isInstalled } from './measure.js';

/** Cases that answer the same question about the same input. */
export interface Group {
  readonly title: string;
  /** Of the input, in megabytes. */
  readonly size?: number;
  /** More rounds than asked for, where a run is short. */
  readonly times?: number;
  readonly cases: readonly Case[];
}

/** What --only accepts, and the groups it means at a size in megabytes. */
export const topics: Readonly<Record<string, (files: Files, size: number) => Group[]>> = {
  usage: (files, size) => {
    const file = files.stream('tools', size);
    return [
      group('usage, file', size, [
        cct(
          `usage ${usageFields} ${file}`,
          at(size, 1000, { faster: 9, than: 'jq', aim: 14 }, { slower: 6, than: 'wc -l', aim: 4 }, memory),
        ),
        jq(`-nc '${usageProgram}' ${file}`),
        { name: 'naive node', command: `node test/bench/naive.js <${file}` },
        lineCount(file),
      ]),
      group('usage, pipe', size, [
        { ...cct(`usage ${usageFields}`, at(size, 100, { faster: 3, than: 'jq', aim: 4.5 })), pipe: file },
        { ...jq(`-nc '${usageProgram}'`), pipe: file },
      ]),
    ];
  },
  messages: (files, size) => {
    const file = files.stream('tools', size);
    const bars = at(size, 1000, { faster: 11, than: 'jq', aim: 16 }, memory);
    return [
      group('messages, file', size, [
        cct(`messages --fields tool_use_id,to,summary ${file}`, bars),
        jq(`-c '${calls('SendMessage')} | {tool_use_id: .id, to: .input.recipient, summary: .input.summary}' ${file}`),
        lineCount(file),
      ]),
    ];
  },
  teams: (files, size) => {
    const file = files.stream('tools', size);
    const program = `(.session_id as $s | ${calls('TeamCreate')} | {team: .input.team_name, session_id: $s})`;
    return [
      group('teams, file', size, [
        cct(`teams --fields team,session_id ${file}`, at(size, 1000, { faster: 4, than: 'jq', aim: 8 }, memory)),
        jq(`-c '${program}' ${file}`),
      ]),
    ];
  },
  tasks: (files, size) => {
    const file = files.stream('tools', size);
    return [
      group('tasks, file', size, [
        cct(`tasks --fields subject ${file}`, at(size, 1000, { faster: 8, than: 'jq', aim: 12 }, memory)),
        jq(`-c '${calls('TaskCreate')} | {subject: .input.subject}' ${file}`),
      ]),
    ];
  },
  normalize: (files, size) => {
    const file = files.stream('tools', size);
    return [
      group('normalize, file', size, [
        { ...cct(`normalize ${file}`, at(size, 100, { faster: 1, than: 'jq' })), answer: null },
        { ...jq(`-c . ${file}`), answer: null },
      ]),
    ];
  },
  assistant: (files, size) => [
    mixGroup('usage, the assistant talks', files.stream('assistant', size), size, { faster: 3, than: 'jq', aim: 5 }),
  ],
  tiny: (files, size) => [
    mixGroup('usage, tiny partial lines', files.stream('tiny', size), size, { faster: 4, than: 'jq', aim: 6 }),
  ],
  transcripts: (files, size) => {
    const home = files.transcripts(size);
    const list = `${home}/projects/*/*.jsonl`;
    const cases: Case[] = [
      {
        ...cct(`usage --by total -f json ${list}`, at(size, 100, { faster: 0.7, than: 'ccusage', aim: 1.2 })),
        answer: ourTotals,
      },
      { ...jq(`-nc '${usageProgram}' ${list}`), answer: jqTotals },
    ];
    if (isInstalled('ccusage')) {
      const command = `env CLAUDE_CONFIG_DIR=${home} ccusage claude daily --json --offline`;
      cases.push({ name: 'ccusage', command, answer: theirTotals });
    }
    const whole = `${home}/all.jsonl`;
    const bar = (faster: number, aim: number) => at(size, 100, { faster, than: 'jq', aim });
    return [
      group('usage, transcripts in hundreds of files', size, cases),
      group('transcripts in one file', size, [
        { ...cct(`usage --by total -f json ${whole}`, bar(4, 6)), answer: ourTotals },
        { ...cct(`teams ${whole}`, bar(2.5, 5)), name: 'teams', answer: null },
        { ...jq(`-nc '${usageProgram}' ${whole}`), answer: jqTotals },
      ]),
    ];
  },
  repeated: (files, size) => {
    const file = files.repeated(size);
    const part = files.repeated(size / 4);
    const bar = (faster: number, aim: number) => at(size, 100, { faster, than: 'jq', aim });
    const growth = at(size, 100, { slower: 4.5, than: 'a quarter of it', aim: 4.1 });
    const group4 = (words: string) =>
      group(`${words}, four times as many runs`, size, [
        { ...cct(`${words} ${file}`, growth), answer: null },
        { ...cct(`${words} ${part}`), name: 'a quarter of it', answer: null },
      ]);
    return [
      group('real runs repeated', size, [
        { ...cct(`usage ${file}`, bar(2, 4)), answer: null },
        { ...cct(`teams ${file}`, bar(1, 2.5)), name: 'teams', answer: null },
        { ...jq(`-nc '${usageProgram}' ${file}`), answer: null },
      ]),
      ...['usage', 'teams', 'tasks', 'messages'].map(group4),
    ];
  },
  directory: (files, size) => {
    const folder = files.runs(size);
    const words = 'usage --by project,week --sort project,week';
    const bars = at(size, 1000, { slower: 1.3, than: 'one file', by: 'cpu', aim: 1.15 });
    return [
      group('usage, a directory of files of 100 KB', size, [
        cct(`${words} ${folder}`, bars),
        { ...cct(`${words} ${folder}.ndjson`), name: 'one file' },
      ]),
    ];
  },
};

/** Topics with limits at 1 GB. The others take long there and show nothing new. */
export const large: readonly string[] = ['usage', 'messages', 'teams', 'tasks', 'transcripts', 'directory'];

const memory: Bar = { most: 110, of: 'memory', aim: 90 };

const usageFields = '--fields model,input_tokens,output_tokens,cache_read_tokens';

const usageProgram = `reduce (inputs | select(.type == "assistant") | .message) as $m ({}; .[$m.id] = {model: $m.model, usage: $m.usage})
  | [.[]] | group_by(.model)[] | {model: .[0].model, input_tokens: (map(.usage.input_tokens) | add),
  output_tokens: (map(.usage.output_tokens) | add), cache_read_tokens: (map(.usage.cache_read_input_tokens) | add)}`;

function calls(tool: string): string {
  return `select(.type == "assistant") | .message.content[] | select(.type == "tool_use" and .name == "${tool}")`;
}

export function cct(words: string, bars: readonly Bar[] = []): Case {
  return { name: 'cct', command: `node bin/cct.js ${words}`, bars };
}

function jq(words: string): Case {
  return { name: 'jq', command: `jq ${words}` };
}

function lineCount(file: string): Case {
  return { name: 'wc -l', command: `wc -l ${file}`, answer: null };
}

function mixGroup(title: string, file: string, size: number, bar: Bar): Group {
  return group(title, size, [
    cct(`usage ${usageFields} ${file}`, at(size, 100, bar)),
    jq(`-nc '${usageProgram}' ${file}`),
    { name: 'naive node', command: `node test/bench/naive.js <${file}` },
  ]);
}

function group(title: string, size: number, cases: readonly Case[]): Group {
  return { title, size, cases };
}

/** Limits are set for a size: they apply there and above. */
function at(size: number, least: number, ...bars: Bar[]): Bar[] {
  return size >= least ? bars : [];
}

interface Tokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
}

function ourTotals(text: string): string {
  const [row]: Tokens[] = JSON.parse(text);
  return totals(row === undefined ? [] : [row]);
}

function jqTotals(text: string): string {
  return totals(text.split('\n').flatMap((line): Tokens[] => (line === '' ? [] : [JSON.parse(line)])));
}

function theirTotals(text: string): string {
  const { inputTokens, outputTokens, cacheReadTokens } = JSON.parse(text).totals;
  return totals([{ input_tokens: inputTokens, output_tokens: outputTokens, cache_read_tokens: cacheReadTokens }]);
}

function totals(rows: readonly Tokens[]): string {
  const sum = (field: keyof Tokens) => rows.reduce((all, row) => all + row[field], 0);
  return `${sum('input_tokens')} ${sum('output_tokens')} ${sum('cache_read_tokens')}`;
}
