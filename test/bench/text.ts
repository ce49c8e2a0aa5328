import { Random } from './random.js';

/** Pieces of a long text: what tools print, with quotes, tabs, escapes and a tenth of it beyond ASCII. */
export function textOf(random: Random, length: number): string {
  const size = Math.min(length, pool.length / 2);
  const start = random.between(0, pool.length - size);
  const piece = pool.slice(start, start + size);
  return length > size ? piece.repeat(Math.ceil(length / size)).slice(0, length) : piece;
}

export function wordOf(random: Random): string {
  return random.pick(words);
}

const words: readonly [string, ...string[]] = [
  'parse',
  'stream',
  'buffer',
  'reader',
  'table',
  'column',
  'record',
  'branch',
  'merge',
  'docs',
  'cache',
  'token',
  'lexer',
  'queue',
  'socket',
  'timer',
  'layout',
  'schema',
  'filter',
  'signal',
  'border',
  'prompt',
  'review',
  'deploy',
];

const kinds: readonly [(random: Random) => string, ...((random: Random) => string)[]] = [
  (r) => `  const ${wordOf(r)} = ${wordOf(r)}("${wordOf(r)}", { ${wordOf(r)}: ${r.between(0, 9999)} });`,
  (r) => `\tif (${wordOf(r)} === '${wordOf(r)}') return \`\${${wordOf(r)}}\\n\`;`,
  (r) => `${r.between(1, 2000)}→  ${wordOf(r)} ${wordOf(r)} ${wordOf(r)}`,
  (r) => `src/${wordOf(r)}/${wordOf(r)}.ts:${r.between(1, 900)}:${r.between(1, 80)}: ${wordOf(r)} ${wordOf(r)}`,
  (r) => `{"type":"${wordOf(r)}","usage":{"input_tokens":${r.between(0, 9999)}},"path":"C:\\\\${wordOf(r)}"}`,
  (r) => `✓ ${wordOf(r)} ${wordOf(r)} (${r.between(1, 999)} ms)`,
  (r) => `\u001b[32m+ ${wordOf(r)} ${wordOf(r)}\u001b[39m`,
  (r) => `// 行の${wordOf(r)} déjà über ${wordOf(r)}`,
  (r) => Array.from({ length: 12 }, () => wordOf(r)).join(' '),
  () => '',
];

const pool = makePool(1 << 22);

function makePool(length: number): string {
  const random = new Random(7);
  const lines: string[] = [];
  for (let made = 0; made < length; ) {
    const line = random.pick(kinds)(random);
    lines.push(line);
    made += line.length + 1;
  }
  return lines.join('\n');
}
