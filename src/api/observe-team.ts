import { createParser, type ParserInput, type ParserOptions } from './parser.js';
import type { TeamEvent } from './team/team-event.js';
import { createTeamEvents } from './team-events.js';

export interface TeamObserver {
  /** The team that was last heard of; empty until there is one. */
  readonly teamName: string;
  /** To be iterated once. It reads the source as it is asked. */
  readonly teamEvents: AsyncIterable<TeamEvent>;
}

export interface ObserverOptions extends ParserOptions {
  /** Ends the events at once, without an error. */
  signal?: AbortSignal;
}

/** What happens in the team of a session: each message, request and change once, however often the source shows it. */
export function observeTeam(
  source: AsyncIterable<ParserInput> | Iterable<ParserInput>,
  { signal, ...options }: ObserverOptions = {},
): TeamObserver {
  const told = createTeamEvents(options.state);
  const parser = createParser(options);

  async function* teamEvents(): AsyncGenerator<TeamEvent> {
    for await (const input of until(source, signal)) {
      for (const event of parser.push(input).flatMap(told.read)) {
        if (signal?.aborted) return;
        yield event;
      }
    }
    if (!signal?.aborted) yield* parser.end().flatMap(told.read);
  }

  return {
    get teamName() {
      return told.teamName;
    },
    teamEvents: teamEvents(),
  };
}

/** A source that is silent cannot hold up the end. */
async function* until<T>(source: AsyncIterable<T> | Iterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  if (signal === undefined) return yield* source;
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let onAbort = () => {};
  const aborted = new Promise<null>((resolve) => {
    onAbort = () => resolve(null);
  });
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    for (;;) {
      const next = await Promise.race([aborted, iterator.next()]);
      if (next === null || next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs in next() would hang in return() too.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
