import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { bareLines, commandLines } from '../oracle/command-lines.js';
import type { Runtime } from './fetch.js';

export interface Answer {
  readonly name: string;
  /** stdout, stderr and exit code. */
  readonly answer: string;
}

/** What the built cct prints there: every command in every format, each over one of the inputs in turn; of `every` one. */
export function smoke({ words }: Pick<Runtime, 'words'>, every = 1): Answer[] {
  const [program = '', ...before] = words;
  return asked
    .filter((_, at) => at % every === 0)
    .map(({ line, stdin }) => {
      const input = stdin === undefined ? '' : readFileSync(stdin);
      const env = {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        TZ: 'UTC',
        LC_ALL: 'C',
        TERM: 'dumb',
        NO_COLOR: '1',
      };
      const how = { input, env, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 60_000 } as const;
      const ran = spawnSync(program, [...before, 'bin/cct.js', ...line.split(' ')], how);
      return { name: line, answer: JSON.stringify([ran.status, inflated(ran.stdout ?? ''), ran.stderr]) };
    });
}

/** The data of a page of cct report is compressed, by each runtime in its own way. */
function inflated(text: string): string {
  return text.replace(/[\w+/]{200,}={0,2}/g, (data) => {
    try {
      return inflateSync(Buffer.from(data, 'base64')).toString();
    } catch {
      return data;
    }
  });
}

const team = 'fixtures/sessions/team-2.1.140.ndjson';
const agents = 'fixtures/sessions/team-2.1.325.ndjson';
const inputs = [
  team,
  agents,
  'fixtures/files/team-2.1.325',
  'fixtures/specimens/codex/team.ndjson',
  'fixtures/broken/not-json.ndjson',
];

/** First a few of every kind, then everything. */
const asked: readonly { readonly line: string; readonly stdin?: string }[] = [
  { line: '--version' },
  { line: 'no-such-command' },
  { line: 'teams -f table', stdin: agents },
  { line: 'usage --max-tokens 5', stdin: agents },
  { line: `normalize --strict fixtures/broken/not-json.ndjson` },
  { line: `run -- cat ${agents}` },
  { line: `report ${agents}` },
  ...bareLines.map((line) => ({ line })),
  ...commandLines.map((line, at) => ({ line: `${line} ${inputs[at % inputs.length]}` })),
];
