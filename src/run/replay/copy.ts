import { type ByteSource, readBytes } from '../../io/lines.js';
import type { Output } from '../../io/output.js';
import type { RawLine } from '../../io/raw-lines.js';
import { sanitize } from '../../view/text.js';
import type { Opening } from './open-sources.js';
import { type Stage, textOfLine } from './play.js';

/** Everything as it is, as fast as it goes: nothing is looked at. */
export async function copyAll(sources: Opening, out: Output, signal: AbortSignal): Promise<void> {
  const copy = async (bytes: ByteSource) => {
    let isEmpty = true;
    const chunk = (part: Buffer) => {
      isEmpty = false;
      return out.send(part);
    };
    const problem = await readBytes(bytes, { chunk, end() {} }, signal);
    return { problem, isEmpty };
  };
  while (await sources(signal, (_source, bytes) => copy(bytes)));
}

/** Writes lines byte for byte. On a terminal nothing in them may act on it. */
export function copyStage(out: Output, isTTY: boolean): Stage {
  if (isTTY) return { line: (line) => out.write(`${sanitize(textOfLine(line))}\n`), flush: () => out.flush() };
  let batch: RawLine[] = [];
  let bytes = 0;
  const flush = () => {
    const lines = batch;
    batch = [];
    bytes = 0;
    return lines.length === 0 ? undefined : out.send(Buffer.concat(lines.map((line) => line.bytes)));
  };
  return {
    line(line) {
      batch.push(line);
      bytes += line.bytes.length;
      return bytes < batchBytes ? undefined : flush();
    },
    flush,
  };
}

const batchBytes = 64 * 1024;
