import { closeSync, existsSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { longLine, type Mix, streamOf, transcriptOf } from './data.js';
import { repeatedRuns } from './repeated.js';

/** Input files in a folder, created on first use. Sizes are megabytes of 1e6 bytes. */
export interface Files {
  stream(mix: Mix, size: number): string;
  /** A folder like ~/.claude, with transcripts of one session each; all.jsonl there has all of them. */
  transcripts(size: number): string;
  /** A folder of transcripts of about 100 KB, ten for each megabyte. Beside it, as .ndjson, one file with all of them. */
  runs(size: number): string;
  /** Streams of the real program, repeated with new ids. */
  repeated(size: number): string;
  line(size: number): string;
  /** This many lines, as short as a record can be. */
  lines(count: number): string;
  empty(): string;
}

export function createFiles(folder: string): Files {
  const made = (name: string, make: (path: string) => void): string => {
    const path = join(folder, name);
    if (!existsSync(path)) make(path);
    return path;
  };
  return {
    stream: (mix, size) => made(`${mix}-${size}.ndjson`, (path) => write(path, streamOf(size * 1e6, mix))),
    transcripts: (size) => made(`transcripts-${size}`, (path) => writeTranscripts(path, size * 1e6)),
    runs: (size) => made(`runs-${size}`, (path) => writeRuns(path, size * 1e6)),
    repeated: (size) => made(`repeated-${size}.ndjson`, (path) => write(path, repeatedRuns(size * 1e6))),
    line: (size) => made(`line-${size}.ndjson`, (path) => writeFileSync(path, longLine(size * 1e6))),
    lines: (count) => made(`lines-${count}.ndjson`, (path) => writeFileSync(path, '{}\n'.repeat(count))),
    empty: () => made('empty.ndjson', (path) => writeFileSync(path, '')),
  };
}

function writeTranscripts(folder: string, bytes: number): void {
  mkdirSync(folder);
  const all = openSync(join(folder, 'all.jsonl'), 'w');
  for (let seed = 1, left = bytes; left > 0; seed++) {
    const project = join(folder, 'projects', `-home-dev-project-${seed % 8}`);
    mkdirSync(project, { recursive: true });
    const lines = [...transcriptOf(Math.min(left, bytes / 50), seed)];
    left -= write(join(project, `session-${seed}.jsonl`), lines);
    writeSync(all, lines.join(''));
  }
  closeSync(all);
}

function writeRuns(folder: string, bytes: number): void {
  const all = openSync(`${folder}.ndjson`, 'w');
  for (let seed = 1, left = bytes; left > 0; seed++) {
    const project = join(folder, `project-${seed % 20}`);
    mkdirSync(project, { recursive: true });
    const lines = [...transcriptOf(14_000, seed)];
    left -= write(join(project, `session-${seed}.jsonl`), lines);
    writeSync(all, lines.join(''));
  }
  closeSync(all);
}

/** Returns how many bytes it wrote. */
function write(path: string, lines: Iterable<string>): number {
  const file = openSync(path, 'w');
  let [batch, written] = ['', 0];
  for (const line of lines) {
    batch += line;
    if (batch.length < 1 << 20) continue;
    written += writeSync(file, batch);
    batch = '';
  }
  written += batch === '' ? 0 : writeSync(file, batch);
  closeSync(file);
  return written;
}
