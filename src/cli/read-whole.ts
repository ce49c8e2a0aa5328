import { UsageError } from '../io/exit.js';
import { sourcesFrom } from '../io/sources.js';
import type { StdinStream } from '../io/streams.js';
import { readTexts } from './lines.js';

/** The text of a file that a flag names. */
export async function readWhole(flag: string, path: string, stdin: StdinStream): Promise<string> {
  const [source] = sourcesFrom([path], stdin);
  const opened = await source?.open();
  if (!opened?.ok) throw new UsageError(`${flag}: ${path}: ${opened?.problem ?? 'cannot be read'}`);
  const lines: string[] = [];
  const { problem } = await readTexts(opened.bytes, (text) => lines.push(text));
  if (problem !== null) throw new UsageError(`${flag}: ${path}: ${problem}`);
  return lines.join('\n');
}
