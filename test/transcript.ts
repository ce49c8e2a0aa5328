import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isAll } from './effort.js';
import { cct } from './run.js';

/**
 * Runs the commands in the ```console blocks of a Markdown text, and returns the text with what they really print:
 * stdout, then stderr, then `[n]` if the exit code is not 0. Everything outside these blocks is unchanged. So is what a
 * command printed that pipes into a program that is `missing` here.
 */
export async function replay(markdown: string, missing: readonly string[] = absent): Promise<string> {
  const parts = markdown.split(/(^```console\n[\s\S]*?^```$)/m);
  const replayed: string[] = [];
  for (const part of parts) replayed.push(part.startsWith('```console\n') ? await replayBlock(part, missing) : part);
  return replayed.join('');
}

/** Programs that examples use and a machine may not have. */
const absent = ['jq'].filter((program) => spawnSync(program, ['--version']).error !== undefined);
for (const program of absent)
  process.stderr.write(`\nNOT RUN: examples that pipe into ${program}, because there is no ${program} here\n\n`);

async function replayBlock(block: string, missing: readonly string[]): Promise<string> {
  const text: string[] = ['```console\n'];
  for (const { command, printed } of commandsOf(block)) {
    const isLeftOut = missing.some((program) => command.includes(`| ${program} `));
    text.push(`$ ${command.replaceAll('\n', '\n> ')}\n`, isLeftOut ? printed : await run(command));
  }
  return `${text.join('')}\`\`\``;
}

/** A command is a line that begins with `$ ` and the lines after it that begin with `> `; then comes what it printed. */
function commandsOf(block: string): { command: string; printed: string }[] {
  const commands: { command: string; printed: string }[] = [];
  let continues = false;
  for (const line of block.split('\n').slice(1, -1)) {
    const last = commands.at(-1);
    if (line.startsWith('$ ')) commands.push({ command: line.slice(2), printed: '' });
    else if (last !== undefined && continues && line.startsWith('> ')) last.command += `\n${line.slice(2)}`;
    else if (last !== undefined) last.printed += `${line}\n`;
    continues = line.startsWith('$ ') || (continues && line.startsWith('> '));
  }
  return commands;
}

function run(command: string): Promise<string> {
  const words = isAll ? null : wordsOf(command.replaceAll('$SCRATCH', scratch));
  return words === null ? inShell(command) : inProcess(words);
}

/**
 * The words of a command line of cct alone, in which a shell would find nothing to do; null for any other. Every day
 * such a line runs in this process, which takes a tenth of the time.
 */
function wordsOf(command: string): string[] | null {
  if (!/^cct(?: (?:[\w./:,=@%+-]+|'[^'\n]*'))+$/.test(command) || /^cct (?:run|--version)\b/.test(command)) return null;
  return [...command.matchAll(/ (?:'([^']*)'|(\S+))/g)].map(([, quoted, bare = '']) => quoted ?? bare);
}

async function inProcess(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cct(words, '', { env: environment });
  return printed(stdout, stderr, code);
}

function printed(stdout: string, stderr: string, code: number): string {
  return `${endLine(stdout)}${endLine(stderr)}${code === 0 ? '' : `[${code}]\n`}`;
}

function inShell(command: string): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn('bash', ['--norc', '-c', command], {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Only for what waits for ever: a busy machine takes long for anything.
      timeout: 300_000,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', fail);
    child.on('close', (code, signal) => {
      if (code === null) return fail(new Error(`ended by ${signal}: ${command}`));
      done(printed(stdout, stderr, code));
    });
  });
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

const root = resolve(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'cct-'));
symlinkSync(join(root, 'bin/cct.js'), join(scratch, 'cct'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const environment = {
  PATH: `${scratch}:${process.env['PATH']}`,
  /** A folder for what a command has to keep. */
  SCRATCH: scratch,
  TZ: 'UTC',
  // Letters sort by their codes, and a terminal can show all of them.
  LC_ALL: 'C.UTF-8',
  TERM: 'dumb',
};
