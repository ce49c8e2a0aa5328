import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Runs the commands in the ```console blocks of a Markdown text, and returns the text with what they really print:
 * stdout, then stderr, then `[n]` if the exit code is not 0. Everything outside these blocks is unchanged.
 */
export async function replay(markdown: string): Promise<string> {
  const parts = markdown.split(/(^```console\n[\s\S]*?^```$)/m);
  const replayed: string[] = [];
  for (const part of parts) replayed.push(part.startsWith('```console\n') ? await replayBlock(part) : part);
  return replayed.join('');
}

async function replayBlock(block: string): Promise<string> {
  const text: string[] = ['```console\n'];
  for (const command of commandsOf(block)) text.push(`$ ${command.replaceAll('\n', '\n> ')}\n`, await run(command));
  return `${text.join('')}\`\`\``;
}

/** A command is a line that begins with `$ ` and the lines after it that begin with `> `. */
function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let continues = false;
  for (const line of block.split('\n').slice(1, -1)) {
    if (line.startsWith('$ ')) commands.push(line.slice(2));
    else if (continues && line.startsWith('> ')) commands.push(`${commands.pop()}\n${line.slice(2)}`);
    continues = line.startsWith('$ ') || (continues && line.startsWith('> '));
  }
  return commands;
}

function run(command: string): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn('bash', ['--norc', '-c', command], {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Only for what waits for ever: a busy machine takes long for anything.
      timeout: 300_000,
    });
    const printed = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      printed.stderr += text;
    });
    child.on('error', fail);
    child.on('close', (code, signal) => {
      if (code === null) return fail(new Error(`ended by ${signal}: ${command}`));
      const end = code === 0 ? '' : `[${code}]\n`;
      done(`${endLine(printed.stdout)}${endLine(printed.stderr)}${end}`);
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

const environment: NodeJS.ProcessEnv = {
  PATH: `${scratch}:${process.env['PATH']}`,
  /** A folder for what a command has to keep. */
  SCRATCH: scratch,
  TZ: 'UTC',
  LC_ALL: 'C',
  TERM: 'dumb',
};
