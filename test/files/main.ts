import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const fixture = 'fixtures/sessions/team-2.1.325.ndjson';

/** Who follows one of these through the house should not have to open more files. */
const wanted: readonly { readonly command: readonly string[]; readonly most: number }[] = [
  { command: ['usage', '--by', 'agent', fixture], most: 50 },
  { command: ['teams', fixture], most: 60 },
];

/** `node test/tool.js files`: says how many files of src a command runs, with --all which. 1 if they are too many. */
export async function main(words: readonly string[], scratch: string, print: (text: string) => void): Promise<number> {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  print(`src has ${sources.length} files\n`);
  const commands = wanted.map(({ command }) => command);
  let code = 0;
  for (const [at, ran] of filesRun(commands, scratch).entries()) {
    const { command = [], most = 0 } = wanted[at] ?? {};
    if (ran.length > most) code = 1;
    print(`cct ${command.slice(0, -1).join(' ')} runs ${ran.length} of them, at most ${most} are wanted\n`);
    if (words.includes('--all')) for (const { file, functions } of ran) print(`    ${file}: ${functions.join(' ')}\n`);
  }
  return code;
}

interface Ran {
  /** Its place in src, without its ending. */
  readonly file: string;
  /** Functions have no name where they need none. */
  readonly functions: readonly string[];
}

/** For each command the files of which a function runs. What runs while a file is loaded counts only in a function. */
export function filesRun(commands: readonly (readonly string[])[], scratch: string): Ran[][] {
  const built = join(scratch, 'apart');
  node(['test/files/apart.js', built]);
  return commands.map((command, at) => {
    const folder = join(scratch, `coverage-${at}`);
    node([join(built, 'main.js'), ...command], { NODE_V8_COVERAGE: folder });
    const [name = ''] = readdirSync(folder);
    const { result }: Coverage = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return result.flatMap(ranIn);
  });
}

interface Coverage {
  readonly result: readonly Script[];
}

interface Script {
  readonly url: string;
  /** The first stands for the whole file. */
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly [{ readonly count: number }];
  }[];
}

function ranIn({ url, functions: [, ...functions] }: Script): Ran[] {
  const [, file] = /\/apart\/(?!.*(?:node_modules|_virtual))(.*)\.js$/.exec(url) ?? [];
  const ran = functions.filter(({ ranges: [{ count }] }) => count > 0).map(({ functionName }) => functionName);
  return file === undefined || ran.length === 0 ? [] : [{ file, functions: ran }];
}

function node(words: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { status, stderr } = spawnSync(process.execPath, words, { env: { ...process.env, ...env }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
}
