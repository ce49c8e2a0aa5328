// What is read: files that are named, sessions on disk, or stdin.
import { readDecoded } from '../../io/decode.js';
import type { Diagnostics } from '../../io/diagnostics.js';
import { UsageError } from '../../io/exit.js';
import { chunkSink, isStdin, sourcesFrom } from '../../io/sources.js';
import type { StdinStream, Streams } from '../../io/streams.js';
import { plural, whenText } from '../../view/text.js';
import type { Command, Options } from '../command.js';
import { flagOf, numberOf, textOf } from './flags.js';
import { shownZone } from './times.js';

/** The files to read: those named, those of --last or, at a terminal, what is on disk. Refuses flags that conflict. */
export async function filesOf(
  command: Command,
  named: readonly string[],
  options: Options,
  { env, stdin, stdout, clock }: Streams,
  diagnostics: Diagnostics,
): Promise<readonly string[]> {
  const last = numberOf(options, 'last');
  const [first] = named;
  if (flagOf(options, 'untilEnd') && !flagOf(options, 'follow'))
    throw new UsageError('--until-end works only with --follow; without it, input is read to its end anyway');
  if (last !== null && first !== undefined)
    throw new UsageError(
      `--last reads the newest session and cannot be used with the file '${first}'${/^\d+$/.test(first) ? `; did you mean --last=${first}?` : ''}`,
    );
  const isAnswered = first === undefined && last === null && stdin.isTTY && command.readsNothing?.(options) !== true;
  if (flagOf(options, 'follow') && last === null && !isAnswered && (first === undefined || named.some(isStdin)))
    throw new UsageError('--follow needs files, directories or --last; stdin is read to its end anyway');
  if (last === null && !isAnswered) return named;
  if (last !== null && !Number.isInteger(last)) throw new UsageError(`--last: '${last}' is not a whole number`);
  const { allSessions, homePath, lastSessions } = await import('./last.js');
  const { local } = shownZone(options);
  const now = stdout.isTTY ? local(new Date(clock.date()).toISOString()) : null;
  const shown = now === null ? {} : { shown: (time: string) => whenText(time, local, now) ?? time };
  if (!isAnswered) return lastSessions(last ?? 1, env, diagnostics, shown);
  const { folder, linked, count } = allSessions(env);
  if (count === 0)
    throw new UsageError(
      `${homePath(folder, env)} has no sessions to read; name files, or pipe a stream: ${producer} | cct ${command.name}`,
    );
  const session = textOf(options, 'session');
  const most = session === null ? 1 : Number.POSITIVE_INFINITY;
  if (session !== null || !command.readsAllSessions)
    return lastSessions(most, env, diagnostics, { ending: '; others: cct sessions', session, ...shown });
  diagnostics.warn(
    `reading ${plural(count, 'session')} of ${homePath(folder, env)}; name files or pipe a stream to read something else`,
  );
  // In a directory links are not followed, but a project that was moved to another disk is still one of them.
  return [folder, ...linked];
}

export const producer = 'claude -p "…" --output-format stream-json --verbose';

/** The text of a file that a flag names. */
export async function readWhole(flag: string, path: string, stdin: StdinStream): Promise<string> {
  const [source] = sourcesFrom([path], stdin);
  const opened = await source?.open();
  if (!opened?.ok) throw new UsageError(`${flag}: ${path}: ${opened?.problem ?? 'cannot be read'}`);
  const chunks: Buffer[] = [];
  const sink = chunkSink((chunk) => void chunks.push(chunk));
  const { problem } = await readDecoded(opened.bytes, sink, new AbortController().signal);
  if (problem !== null) throw new UsageError(`${flag}: ${path}: ${problem}`);
  // Drops the BOM.
  return new TextDecoder().decode(Buffer.concat(chunks));
}
