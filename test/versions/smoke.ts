import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Answer {
  readonly name: string;
  /** stdout, stderr and exit code. */
  readonly answer: string;
}

/** What the built cct prints on this Node, for a dozen command lines. */
export function smoke(node: string): Answer[] {
  return commands.map(({ words, stdin }) => {
    const input = stdin === undefined ? '' : readFileSync(stdin);
    const env = { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C', TERM: 'dumb' };
    const how = { input, env, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 60_000 } as const;
    const ran = spawnSync(node, ['bin/cct.js', ...words], how);
    return { name: words.join(' '), answer: JSON.stringify([ran.status, ran.stdout, ran.stderr]) };
  });
}

const team = 'fixtures/sessions/team-2.1.140.ndjson';
const agents = 'fixtures/sessions/team-2.1.325.ndjson';

const commands: readonly { readonly words: readonly string[]; readonly stdin?: string }[] = [
  { words: ['--version'] },
  { words: ['--help'] },
  { words: ['help', 'exit-codes'] },
  { words: ['no-such-command'] },
  { words: ['teams', team] },
  { words: ['teams', '-f', 'table'], stdin: agents },
  { words: ['audit', '--of', 'messages', team] },
  { words: ['tasks', '-f', 'csv'], stdin: team },
  { words: ['tasks', '--board', team] },
  { words: ['messages', '-f', 'md', agents] },
  { words: ['messages', '--settled'], stdin: team },
  { words: ['usage', '--by', 'agent,model', team, agents] },
  { words: ['usage', '--max-tokens', '5'], stdin: agents },
  { words: ['normalize', '--raw'], stdin: agents },
  { words: ['normalize', '--strict', 'fixtures/broken/not-json.ndjson'] },
  { words: ['replay', '--no-wait', '--states'], stdin: team },
  { words: ['schema', 'event'] },
];
