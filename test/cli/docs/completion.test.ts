import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { topics } from '../../../src/cli/docs/help.js';
import { longFlag, optionsOf } from '../../../src/cli/flags/flags.js';
import { loadAll } from '../../../src/cli/registry.js';
import { eventNames } from '../../../src/lib.js';
import { cct } from '../../run.js';

const commands = await loadAll();
const names = commands.map(({ name }) => name);
const home = mkdtempSync(join(tmpdir(), 'cct-completion-'));
afterAll(() => rmSync(home, { recursive: true }));

/** A line as it stands when Tab is pressed, and every word that is then offered. */
const lines: [line: string, words: readonly string[]][] = [
  ['cct ', [...names, 'help']],
  ['cct te', ['teams']],
  ['cct --v', ['--version']],
  ['cct help ', [...names, ...topics.map(({ name }) => name)]],
  ['cct help ex', ['exit-codes']],
  ['cct completion ', ['bash', 'zsh', 'fish']],
  ['cct completion f', ['fish']],
  ['cct tasks --kind ', ['board', 'todo', 'background']],
  ['cct tasks --kind todo,b', ['board', 'background']],
  ['cct tasks --kind todo,', ['board', 'background']],
  ['cct tasks --kind=todo,board,', ['background']],
  ['cct usage --fields session', ['session', 'session_id']],
  ['cct usage --sort=cost', ['cost_usd', 'cost_source']],
  ['cct teams --since ', ['today', 'yesterday']],
  ['cct teams --timezone lo', ['local']],
  ['cct tasks --kind=bo', ['board']],
  ['cct tasks --kind=todo,bo', ['board']],
  ['cct tasks -f m', ['md', 'mermaid']],
  ['cct usage --format pro', ['prometheus']],
  ['cct trace -f o', ['otlp']],
  ['cct trace --by ', ['span', 'agent']],
  ['cct teams --fields cost', ['cost_usd', 'cost_source']],
  ['cct teams --members --fields=team,cost', ['cost_usd', 'cost_source']],
  ['cct messages --type idle', ['idle_notification']],
  ['cct normalize --event ', eventNames()],
  ['cct normalize --event team:mes', ['team:message:sent', 'team:message:received', 'team:message:failed']],
  ['cct normalize --event unknown,team:mem', eventNames().filter((name) => name.startsWith('team:member:'))],
  ['cct teams --session ', []],
  ['cct teams --last=', []],
  ['cct teams --strict=', []],
  ['cct teams READM', ['README.md']],
  ['cct teams --strict READM', ['README.md']],
  ['cct teams - READM', ['README.md']],
  ['cct teams -- READM', ['README.md']],
  ['cct teams --state READM', ['README.md']],
  ['cct teams --nothing-like-it', []],
  ['cct teams -f j', ['json']],
  ...commands.map(({ name, ...command }): [string, string[]] => [
    `cct ${name} --`,
    [...optionsOf({ name, ...command }).map(longFlag), '--help'],
  ]),
];

describe.each(['bash', 'zsh', 'fish'])('%s', (shell) => {
  const isInstalled = spawnSync(shell, ['--version']).status === 0;
  if (!isInstalled) process.stderr.write(`\nNOT RUN: completion in ${shell}, because there is no ${shell} here\n\n`);

  const offered = async (): Promise<Map<string, string[]>> => {
    const { stdout: script, code } = await cct(['completion', shell]);
    expect(code).toBe(0);
    const [file, folder] = [join(home, shell), join(home, `${shell}-home`)];
    writeFileSync(file, script);
    mkdirSync(folder);
    const printed = execFileSync(shell, [`test/cli/docs/shells/complete.${shell}`, file, folder], {
      input: lines.map(([line]) => `${line}\n`).join(''),
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
    });
    const answers = printed.split(/^== /m).slice(1);
    return new Map(answers.map((answer) => [answer.slice(0, answer.indexOf('\n')), wordsOf(answer)]));
  };
  // One shell for all lines: starting zsh takes longest.
  let answers: Promise<Map<string, string[]>> | undefined;

  test.runIf(isInstalled).each(lines)('%s', async (line, words) => {
    answers ??= offered();
    expect((await answers).get(line)?.sort()).toEqual([...words].sort());
  });
});

/** Some shells repeat what stands before the last comma or behind the flag. */
function wordsOf(answer: string): string[] {
  const words = answer.split('\n').slice(1);
  return words.map((word) => word.replace(/^.*,|^--[a-z-]+=/, '')).filter((word) => word !== '');
}

describe('in bash, a word', () => {
  const script = cct(['completion', 'bash']);
  test.each([
    ['is cut at : where bash does so', ' \t\n=:', 'cct normalize --event team:mes', 'message:sent'],
    ['is whole where it does not', ' \t\n', 'cct normalize --event team:mes', 'team:message:sent'],
    ['has its flag before it where = does not cut', ' \t\n', 'cct tasks --kind=b', '--kind=board'],
  ])('%s', async (_name, breaks, line, first) => {
    const call = `COMP_WORDBREAKS=$1 COMP_LINE=$2 COMP_POINT=\${#2} COMP_WORDS=($2) COMP_CWORD=2; _cct; echo "$COMPREPLY"`;
    const text = `${(await script).stdout}\n${call}`;
    const printed = execFileSync('bash', ['--norc', '-c', text, 'bash', breaks, line], { encoding: 'utf8' });
    expect(printed).toBe(`${first}\n`);
  });
});
