import type { WriteStream } from './output.js';
import type { OutputStream } from './streams.js';

/** What can be said of the input. */
export interface Reports {
  /** Input that could not be read as it is. Shown up to ten times per kind, and counted for --strict. */
  damage(problem: Problem): void;
  /** Always shown: the reason for an exit code. */
  error(text: string): void;
  /** Not with --quiet. */
  warn(text: string): void;
}

/** What cct writes to stderr. Every line is `cct: place: what; what was done`. */
export interface Diagnostics extends Reports {
  /** Only with --verbose. */
  info(text: string): void;
  /** Says how many were left out. Call it once, after the last line of input. */
  finish(): void;
  readonly damaged: number;
  /**
   * Prints each line through `around`, so that whoever draws on the same terminal can make room for it. null ends that.
   */
  printVia(around: ((print: () => void) => void) | null): void;
}

export interface Problem {
  /** The kind, always in the same words: `not JSON`. */
  readonly what: string;
  /** What is particular to this case. It may come from the input. */
  readonly detail?: string;
  readonly source: string;
  readonly line?: number;
  /** `line skipped`, `rest of the line ignored`. */
  readonly done: string;
}

export type Verbosity = 'quiet' | 'normal' | 'verbose';

/**
 * The stream of stderr is asked for when something is said, because asking costs start-up time. `sanitize` makes text from the
 * input safe for a terminal, and puts it on one line.
 */
export function createDiagnostics(
  stderr: Pick<OutputStream, 'stream'>,
  verbosity: Verbosity,
  sanitize: (text: string) => string,
): Diagnostics {
  const kinds = new Map<string, Kind>();
  let damaged = 0;

  let via = (print: () => void) => print();
  let opened: WriteStream | null = null;
  const say = (text: string) =>
    via(() => {
      // If stderr is gone, nobody can be told. A file is written synchronously, and throws instead of emitting an error.
      opened ??= stderr.stream.on('error', () => {});
      try {
        opened.write(`cct: ${sanitize(text)}\n`);
      } catch {}
    });
  const warn = (text: string) => {
    if (verbosity !== 'quiet') say(text);
  };

  return {
    damage(problem) {
      damaged += 1;
      const { what, done } = problem;
      const key = `${what}; ${done}`;
      const kind = kinds.get(key) ?? { what, done, seen: 0, hiddenIn: new Set() };
      kinds.set(key, kind);
      kind.seen += 1;
      if (kind.seen <= shownOfAKind || verbosity === 'verbose') warn(describe(problem));
      else kind.hiddenIn.add(problem.source);
    },
    error: say,
    warn,
    info(text) {
      if (verbosity === 'verbose') say(text);
    },
    finish() {
      for (const kind of kinds.values()) {
        if (kind.hiddenIn.size > 0) warn(describeHidden(kind));
      }
      kinds.clear();
    },
    get damaged() {
      return damaged;
    },
    printVia(around) {
      via = around ?? ((print) => print());
    },
  };
}

const shownOfAKind = 10;

interface Kind {
  readonly what: string;
  readonly done: string;
  seen: number;
  readonly hiddenIn: Set<string>;
}

function describe({ source, line, what, detail, done }: Problem): string {
  const place = line === undefined ? source : `${source}:${line}`;
  return `${place}: ${what}${detail === undefined ? '' : ` (${detail})`}; ${done}`;
}

function describeHidden({ what, done, seen, hiddenIn }: Kind): string {
  const [first = ''] = hiddenIn;
  const place = hiddenIn.size === 1 ? first : `${hiddenIn.size} files`;
  return `${place}: ${seen - shownOfAKind} more like this: ${what}; ${done}`;
}

/** Compressed data that is cut off or damaged. */
export function readInPart(source: string, what: string): Problem {
  return { source, what, done: 'read as far as possible' };
}
