import type { Diagnostics } from '../../io/diagnostics.js';
import { UsageError } from '../../io/exit.js';
import type { ByteSource } from '../../io/lines.js';
import type { Source } from '../../io/sources.js';

/** Opens one source after the other and has it read; comes back with whether to do so again. */
export type Opening = (
  stopped: AbortSignal,
  read: (source: Source, bytes: ByteSource) => Promise<Reading>,
) => Promise<boolean>;

export interface Reading {
  /** Why it ended too early; null otherwise. */
  readonly problem: string | null;
  readonly isEmpty: boolean;
}

export interface OpenOptions {
  readonly loop: boolean;
  readonly diagnostics: Diagnostics;
  /** Nobody reads what is written any more. */
  readonly signal: AbortSignal;
  readonly onUnreadable: () => void;
}

export function openSources(
  sources: readonly Source[],
  { loop, diagnostics, signal, onUnreadable }: OpenOptions,
): Opening {
  const once = sources.find(({ path }) => path === null);
  if (loop && once !== undefined) throw new UsageError(`--loop: ${once.name} can be read only once; name a file`);
  let good = sources;
  return async (stopped, read) => {
    for (const source of good) {
      if (signal.aborted || stopped.aborted) break;
      const opened = await source.open();
      if (loop && opened.ok && opened.bytes.kind !== 'file')
        throw new UsageError(`--loop: ${source.name} is no regular file, and can be read only once`);
      const { problem, isEmpty } = opened.ok ? await read(source, opened.bytes) : { ...opened, isEmpty: true };
      if (problem !== null) {
        diagnostics.error(`${source.name}: ${problem}`);
        onUnreadable();
      }
      // An empty file would be read for ever.
      if (problem !== null || isEmpty) good = good.filter((other) => other !== source);
    }
    return loop && good.length > 0 && !signal.aborted;
  };
}
