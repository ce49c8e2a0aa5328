import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';

const program = new URL('../../bin/cct.js', import.meta.url).pathname;
const megabyte = 1024 * 1024;
const news = '{"type":"news"}\n';
/** What the input would take if it were kept is several times as much. */
const mostMemory = 200 * megabyte;

interface Large {
  readonly what: string;
  readonly words: readonly string[];
  /** Pieces of input, and how often each comes. */
  readonly input: readonly (readonly [piece: string, times: number])[];
  readonly stdout: RegExp;
  readonly stderr: RegExp;
}

const deep = `{"type":"news","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`;

describe('memory follows what is wanted, not what comes', () => {
  test.each<Large>([
    {
      what: 'a line of 300 MB against --max-line-bytes',
      words: ['normalize', '--max-line-bytes', '1000000'],
      input: [
        ['x'.repeat(megabyte), 300],
        ['\n', 1],
        [news, 1],
      ],
      stdout: /^\{"cct":1,"seq":1,"event":"input:skipped".*"line":1,.*"bytes":314572800\}\n.*"event":"unknown".*\n$/,
      stderr: /^cct: stdin:1: line too long \(314572800 bytes\); line skipped\n$/,
    },
    {
      what: 'a document of 300 MB against --max-line-bytes',
      words: ['teams', '--max-line-bytes', '1000000'],
      input: [
        ['{\n', 1],
        [`  "key": "${'v'.repeat(megabyte / 10)}",\n`, 3000],
        [news, 1],
      ],
      stdout: /^$/,
      stderr: /^cct: stdin:1: document too long; document skipped\n$/,
    },
    {
      what: 'a million blank lines',
      words: ['normalize', '-v'],
      input: [
        ['\n'.repeat(100_000), 10],
        [news, 1],
      ],
      stdout: /"line":1000001,/,
      stderr:
        /^cct: stdin: 1000001 lines, 1 records, 1 parsed whole, \d+ bytes parsed, 0 noise, 0 damaged, 1 unknown\n$/,
    },
    {
      what: '300 MB of noise',
      words: ['messages', '-v'],
      input: [[`${'-'.repeat(megabyte / 8)}\n`, 2400]],
      stdout: /^$/,
      stderr:
        /^cct: stdin: none of the 2400 lines is Claude Code output; .*\ncct: stdin: 2400 lines, 0 records, 2400 parsed whole, \d+ bytes parsed, 2400 noise, 0 damaged, 0 unknown\n$/,
    },
    {
      what: '100,000 levels',
      words: ['normalize', '--redact'],
      input: [
        [deep, 3],
        [news, 1],
      ],
      stdout:
        /^(?:\{"cct":1,.*"raw":\{"type":"news","deep":\[+"\[nested too deep\]"\]+\}\}\n){3}\{.*"raw":\{"type":"news"\}\}\n$/,
      stderr: /^$/,
    },
    {
      what: 'ten thousand damaged lines',
      words: ['usage', '--by', 'total', '--strict'],
      input: [['{"type":"assistant",\n{"type":"news"}\n'.repeat(1000), 10]],
      stdout: /^\{"messages":0,.*\}\n$/,
      stderr:
        /^(?:cct: stdin:\d+: not JSON \(unexpected end\); line skipped\n){10}cct: stdin: 9990 more like this: .*\n$/,
    },
  ])('$what', async ({ words, input, stdout, stderr }) => {
    const ran = await run(words, input);
    expect(ran.stderr.slice(0, 2000)).toMatch(stderr);
    expect(ran.stdout.slice(0, 2000)).toMatch(stdout);
    expect(ran.memory).toBeLessThan(mostMemory);
  });
});

/** A real process, which says at its end what it took at most. */
async function run(words: readonly string[], input: Large['input']) {
  const preload = `data:text/javascript,import fs from 'node:fs';process.on('exit',()=>fs.writeSync(3,String(process.resourceUsage().maxRSS)))`;
  // By way of a shell: Linux counts to a process what its parent held when it was started, and this one may hold much.
  const shell = ['-c', '"$@"; exit $?', 'sh'];
  const child = spawn('sh', [...shell, process.execPath, '--import', preload, program, ...words], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const said = ['', '', ''];
  [child.stdout, child.stderr, child.stdio[3]].forEach((stream, at) => {
    stream?.on('data', (text) => {
      said[at] += text;
    });
  });
  const ended = once(child, 'close');
  if (child.stdin !== null) await pipeline(Readable.from(pieces(input)), child.stdin);
  await ended;
  const [stdout = '', stderr = '', kilobytes = ''] = said;
  return { stdout, stderr, memory: Number(kilobytes) * 1024 };
}

function* pieces(input: Large['input']): Generator<Buffer> {
  for (const [piece, times] of input) {
    const bytes = Buffer.from(piece);
    for (let left = times; left > 0; left--) yield bytes;
  }
}
