import type { Privacy as Doors } from '../../core/privacy/privacy.js';
import { defaultMaxLineBytes } from '../../core/record/line.js';
import { bareMemory } from '../../core/wire/bare-memory.js';
import type { Memory } from '../../core/wire/context.js';
import { UsageError } from '../../io/exit.js';
import { colorChoices } from '../../io/streams.js';
import { formatNames } from '../../view/formats.js';
import type { Command, OptionSpec, Options, OptionValue, SharedGroup } from '../command.js';
import { loadAll } from '../registry.js';

/** The flags that commands share. A flag means the same in every command that has it. */
export const sharedOptions: Readonly<Record<SharedGroup, readonly OptionSpec[]>> = {
  input: [
    {
      flags: '--last[=n]',
      summary:
        'read the newest session of the project in this directory, with its team; --last=3 reads the newest three',
      kind: 'number',
      bare: '1',
    },
    {
      flags: '-F, --follow',
      summary: 'keep reading as files grow and new files appear; Ctrl-C stops and prints what is known',
    },
    {
      flags: '--until-end',
      summary: 'with --follow, stop at a result, at the end of a session or when a team is cleaned up',
    },
    { flags: '--session <id>', summary: 'only this session; the start of its id is enough' },
    { flags: '--team <name>', summary: 'only this team' },
    { flags: '--strict', summary: 'parse every line completely, and exit with 4 if any line is damaged' },
    {
      flags: '--max-line-bytes <n>',
      summary: 'skip lines longer than this, without keeping them in memory',
      kind: 'number',
      default: defaultMaxLineBytes,
    },
    {
      flags: '--idle-timeout <seconds>',
      summary: 'give up after this many seconds without input, and exit with 1',
      kind: 'number',
    },
  ],
  output: [
    {
      flags: '-f, --format <format>',
      summary: 'output format; the default is table on a terminal, else ndjson',
      choices: formatNames,
      aliases: { jsonl: 'ndjson', markdown: 'md' },
    },
    { flags: '--json', summary: 'print one JSON array, same as --format json' },
    { flags: '--fields <name,...>', summary: 'only these fields, in this order', kind: 'list' },
    { flags: '--color <when>', summary: 'use colour', choices: colorChoices, default: 'auto' },
  ],
  rows: [
    {
      flags: '--sort <field,...>',
      summary: 'sort rows by these fields: numbers and times largest first, text from A to Z, missing values last',
      kind: 'list',
    },
    { flags: '--reverse', summary: 'reverse the order of rows' },
    { flags: '-n, --limit <n>', summary: 'print only the first n rows; totals still include all rows', kind: 'count' },
  ],
  time: [
    {
      flags: '--since <time>',
      summary:
        'only rows from this time on: a date or time (2026-11-16, 2026-11-16T14:30), today, yesterday, a time ago (90m, 2h30m), days ago (7d, 2w: from midnight of that day on), or 14:30, which means on the last day of the input',
      suggestions: () => ['today', 'yesterday'],
    },
    {
      flags: '--until <time>',
      summary: 'only rows before this time; same formats as --since',
      suggestions: () => ['today', 'yesterday'],
    },
    {
      flags: '--timezone <zone>',
      summary:
        'time zone for days, for times shown in tables, and for times given without one: local (the default at a terminal), UTC (elsewhere), a name such as Europe/Berlin, or +02:00',
      suggestions: () => ['local', 'UTC'],
    },
  ],
  privacy: [
    {
      flags: '--no-content',
      summary: 'leave out prompts, texts, tool inputs and results, and message bodies; keep the numbers',
    },
    {
      flags: '--redact',
      summary: 'replace everything that looks like a key, token or password; cct help secrets lists what is recognized',
    },
    {
      flags: '--anonymize',
      summary:
        'replace paths, users, hosts and repositories with stand-ins such as path-3fa2c1, the same one everywhere',
    },
    { flags: '--salt <text>', summary: 'with --anonymize, make stand-ins that nobody can guess without this text' },
  ],
  general: [
    {
      flags: '-e, --exit-status',
      summary:
        'exit with 1 if the run failed, its stream has no result, or nothing was printed; for audit, if there is a problem',
    },
    { flags: '-q, --quiet', summary: 'print no warnings on stderr' },
    { flags: '-v, --verbose', summary: 'print every warning on stderr, and what was read' },
  ],
};

/** The output flags of a command that has its own formats too. `words` describes those. */
export function outputWith(formats: readonly string[], words: string): readonly OptionSpec[] {
  return sharedOptions.output.map((spec) =>
    longFlag(spec) === '--format'
      ? { ...spec, summary: `${spec.summary}; ${words}`, choices: [...formatNames, ...formats] }
      : spec,
  );
}

/** Every flag of a command, its own first. */
export function optionsOf(command: Command): readonly OptionSpec[] {
  return [...command.options, ...command.shared.flatMap((group) => sharedOptions[group])];
}

/** Whether a flag asks to change what is read. */
export function wantsPrivacy(options: Options): boolean {
  return sharedOptions.privacy.some((spec) => options[optionName(spec)] !== undefined);
}

/** What --no-content, --redact and --anonymize change before any command sees it. */
export interface Privacy extends Doors {
  /** What the reader remembers, for a saved state. */
  memory(memory: Memory): Memory;
}

/** null if nothing is changed. The code is loaded only when needed, because its patterns take time to build. */
export async function privacyOf(options: Options, command: Pick<Command, 'judgesContent'>): Promise<Privacy | null> {
  if (!wantsPrivacy(options)) return null;
  const salt = textOf(options, 'salt');
  const anonymizes = flagOf(options, 'anonymize');
  if (salt !== null && !anonymizes) throw new UsageError('--salt works only with --anonymize');
  const [{ createPrivacy }, { shortHash }] = await Promise.all([
    import('../../core/privacy/privacy.js'),
    import('../../io/hash.js'),
  ]);
  const isBare = flagOf(options, 'noContent');
  const judgesContent = command.judgesContent?.(options) ?? false;
  const hash = anonymizes ? shortHash(salt ?? '') : null;
  return {
    ...createPrivacy({ isBare, judgesContent, redacts: flagOf(options, 'redact'), hash }),
    memory: (memory) => (isBare ? bareMemory(memory) : memory),
  };
}

/** `--max-line-bytes <n>` → `--max-line-bytes`. */
export function longFlag({ flags }: Pick<OptionSpec, 'flags'>): string {
  return /--[a-z0-9-]+/.exec(flags)?.[0] ?? flags;
}

/** `--max-line-bytes <n>` → `maxLineBytes`. */
function optionName(spec: OptionSpec): string {
  return longFlag(spec)
    .slice(2)
    .replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `maxLineBytes` → `--max-line-bytes`. */
export function flagNamed(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function valueKind(spec: OptionSpec): NonNullable<OptionSpec['kind']> {
  return spec.kind ?? (spec.flags.includes('<') ? 'text' : 'flag');
}

export function flagOf(options: Options, name: string): boolean {
  return options[name] === true;
}

export function textOf(options: Options, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}

export function numberOf(options: Options, name: string): number | null {
  const value = options[name];
  return typeof value === 'number' ? value : null;
}

/** The labels of --label, by key. */
export function labelsOf(options: Options): Record<string, string> {
  const given = listOf(options, 'label').map((label): [string, string] => {
    const equals = label.indexOf('=');
    if (equals < 1) throw new UsageError(`--label: '${label}' is not key=value, such as ticket=123`);
    return [label.slice(0, equals), label.slice(equals + 1)];
  });
  return Object.fromEntries(given);
}

/** Empty if the flag was not given. */
export function listOf(options: Options, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value : [];
}

export interface Arguments {
  readonly options: Options;
  readonly operands: readonly string[];
  /** The words of another program, after an option that ends ours. */
  readonly rest?: readonly string[];
}

/**
 * Parses the words after a command's name; 'help' if help was asked for. The parser is loaded only if there is
 * something to parse, because that costs start-up time.
 */
export async function readArguments(command: Command, words: readonly string[]): Promise<Arguments | 'help'> {
  if (command.operand === undefined && !words.some(isFlag)) return { options: defaultsOf(command), operands: words };
  const { parseArguments, UnknownOption } = await import('./arguments.js');
  try {
    return parseArguments(command, words);
  } catch (error) {
    if (!(error instanceof UnknownOption)) throw error;
    throw error.among(await loadAll());
  }
}

/** `-` is stdin, not a flag. */
export function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

function defaultsOf(command: Command): Options {
  const options: Record<string, OptionValue> = {};
  for (const spec of optionsOf(command)) if (spec.default !== undefined) options[optionName(spec)] = spec.default;
  return options;
}

/** The candidate that a mistyped word most likely means; null if none is within `most` edits. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  most: number = Number.POSITIVE_INFINITY,
): string | null {
  const typed = word.slice(0, longestWord).toLowerCase();
  let best: string | null = null;
  // The dashes of a flag are no letters that somebody could mistype.
  let least = Math.min(most, Math.max(1, Math.floor(typed.replace(/^-+/, '').length / 2.5))) + 1;
  for (const candidate of candidates) {
    const edits = distance(typed, candidate.toLowerCase());
    if (edits < least) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

/** `; did you mean x?`, or nothing. */
export function suggestion(word: string, candidates: Iterable<string>, most?: number): string {
  const near = nearest(word, candidates, most);
  return near === null ? '' : `; did you mean ${near}?`;
}

const longestWord = 64;

// Counts insertions, deletions, substitutions, and swaps of neighbours (optimal string alignment).
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(editsIn(above, j) + 1, editsIn(row, j - 1) + 1, editsIn(above, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, editsIn(before, j - 2) + 1);
      row.push(edits);
    }
    before = above;
    above = row;
  }
  return editsIn(above, b.length);
}

function editsIn(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
