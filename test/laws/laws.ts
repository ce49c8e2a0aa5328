import { isAll, runs, sample } from '../effort.js';

/** A law, and how many inputs it is tried with. `everyday` is of `npm test`, `all` of `npm run test:all`. */
interface Law {
  readonly says: string;
  /** In test, without .test.ts. */
  readonly file: string;
  readonly inputs: string;
  readonly everyday: number;
  readonly all: number | 'all';
}

/** The laws by the names by which their files ask for them. test/README.md shows the table; laws.test.ts compares. */
export const laws = {
  'strict: fixtures': {
    says: 'a report is the same with `--strict`, which parses every line',
    file: 'laws/strict',
    inputs: 'reports over each fixture, in turn',
    everyday: 1,
    all: 'all',
  },
  'strict: changed': {
    says: 'so it is for records that are written oddly, joined, damaged or contradict others',
    file: 'laws/strict',
    inputs: 'inputs for each kind of change (`fuzz/mutations.ts`)',
    everyday: 1,
    all: 12,
  },
  'strict: changed, reports': {
    says: 'the same',
    file: 'laws/strict',
    inputs: 'reports over each of these, in turn',
    everyday: 2,
    all: 'all',
  },
  'strict: joined': {
    says: 'so it is where a line was once read for what it is not',
    file: 'laws/strict',
    inputs: 'reports over each such line, in turn',
    everyday: 4,
    all: 'all',
  },
  'strict: pipes': {
    says: 'so it is for the built program on a pipe, in pieces of 1 to 65536 bytes',
    file: 'laws/strict',
    inputs: 'reports for each length, in turn',
    everyday: 1,
    all: 'all',
  },
  'commands: streams': {
    says: '`normalize` before a command changes nothing; nor does a stream sent twice, nor unknown records in it',
    file: 'laws/commands',
    inputs: 'fixtures for each command, in turn',
    everyday: 5,
    all: 'all',
  },
  'commands: homes': {
    says: '`normalize` before a command changes nothing; nor do files given twice or in reverse',
    file: 'laws/commands',
    inputs: 'homes for each command, in turn',
    everyday: 3,
    all: 'all',
  },
  'commands: any stream': {
    says: 'all of this holds for any stream',
    file: 'laws/commands',
    inputs: 'generated streams',
    everyday: 3,
    all: 150,
  },
  'commands: any stream, commands': {
    says: 'the same',
    file: 'laws/commands',
    inputs: 'commands over each of these, in turn',
    everyday: 5,
    all: 'all',
  },
  'commands: flags': {
    says: '`normalize` before a command with a flag changes nothing',
    file: 'laws/commands',
    inputs: 'fixtures with rows for each flag, in turn',
    everyday: 2,
    all: 'all',
  },
  'skipping: any stream': {
    says: 'an event is told alike to those who ask for little and for all',
    file: 'laws/skipping',
    inputs: 'generated streams for each interest',
    everyday: 3,
    all: 120,
  },
  'skipping: damaged stream': {
    says: 'so it is in a stream that was joined late, with a damaged line and keys in another order',
    file: 'laws/skipping',
    inputs: 'generated streams for each interest',
    everyday: 3,
    all: 120,
  },
  'skipping: fixtures': {
    says: 'so it is in every fixture',
    file: 'laws/skipping',
    inputs: 'interests in each fixture, in turn',
    everyday: 1,
    all: 'all',
  },
  'skipping: single events': {
    says: 'so it is for who asks for a single event',
    file: 'laws/skipping',
    inputs: 'events in each fixture, in turn',
    everyday: 1,
    all: 'all',
  },
  'missing: cuts': {
    says: 'every command says the same of what is missing, wherever the input is cut',
    file: 'laws/missing',
    inputs: 'cuts of each stream',
    everyday: 1,
    all: 'all',
  },
  'missing: interests': {
    says: 'the same',
    file: 'laws/missing',
    inputs: 'interests for each cut, in turn',
    everyday: 3,
    all: 'all',
  },
  'missing: any stream': {
    says: 'so it is in any stream',
    file: 'laws/missing',
    inputs: 'generated streams',
    everyday: 8,
    all: 150,
  },
  'missing: read back': {
    says: 'so it is in events that are read back',
    file: 'laws/missing',
    inputs: 'generated streams',
    everyday: 5,
    all: 60,
  },
  'determinism: chunks': {
    says: 'the same bytes give the same events, in whatever pieces they come',
    file: 'laws/determinism',
    inputs: 'ways to cut each fixture',
    everyday: 1,
    all: 5,
  },
  'determinism: bytes': {
    says: 'so it is byte by byte',
    file: 'laws/determinism',
    inputs: 'fixtures under 20 kB',
    everyday: 8,
    all: 'all',
  },
  'determinism: any stream': {
    says: 'so it is for any stream',
    file: 'laws/determinism',
    inputs: 'generated streams',
    everyday: 15,
    all: 100,
  },
  'idempotence: normalize': {
    says: '`normalize | normalize` is `normalize`',
    file: 'laws/idempotence',
    inputs: 'generated streams, and every fixture',
    everyday: 15,
    all: 100,
  },
  'idempotence: mixed': {
    says: 'events among records keep their numbers, and the records count on',
    file: 'laws/idempotence',
    inputs: 'generated streams',
    everyday: 15,
    all: 100,
  },
  'idempotence: twice': {
    says: 'a stream sent twice tells everything once',
    file: 'laws/idempotence',
    inputs: 'generated streams, and every fixture',
    everyday: 15,
    all: 100,
  },
  'idempotence: part': {
    says: 'so does a part that is sent again at any later place',
    file: 'laws/idempotence',
    inputs: 'generated streams',
    everyday: 15,
    all: 100,
  },
  'order: files': {
    says: 'files in any order, some twice or copied elsewhere, give the same rows',
    file: 'laws/order',
    inputs: 'orders of each home',
    everyday: 2,
    all: 12,
  },
  'order-messages: orders': {
    says: 'so they do for `messages --settled` and all audits',
    file: 'laws/order-messages',
    inputs: 'chosen orders of each home',
    everyday: 1,
    all: 'all',
  },
  'order-messages: any': {
    says: 'the same',
    file: 'laws/order-messages',
    inputs: 'any orders of each home',
    everyday: 1,
    all: 2,
  },
  'usage-order: orders': {
    says: 'so they do for every key of `usage`',
    file: 'laws/usage-order',
    inputs: 'orders of each home',
    everyday: 2,
    all: 20,
  },
  'pieces: cuts': {
    says: 'a stream in pieces, each read by a program that remembers the last, is the stream',
    file: 'laws/pieces',
    inputs: 'ways to cut each session and home',
    everyday: 2,
    all: 8,
  },
  'pieces: any stream': {
    says: 'so is any stream',
    file: 'laws/pieces',
    inputs: 'generated streams',
    everyday: 15,
    all: 200,
  },
  'pieces: overlap': {
    says: 'so is any stream whose pieces overlap',
    file: 'laws/pieces',
    inputs: 'generated streams',
    everyday: 15,
    all: 200,
  },
  'prefix: small': {
    says: 'cut anywhere, an input gives good events, and says that something is missing if it is',
    file: 'laws/prefix',
    inputs: 'cuts of each fixture under 450 bytes',
    everyday: 2,
    all: 'all',
  },
  'prefix: large': {
    says: 'the same',
    file: 'laws/prefix',
    inputs: 'cuts of each larger fixture',
    everyday: 1,
    all: 12,
  },
  'prefix: any stream': {
    says: 'the same',
    file: 'laws/prefix',
    inputs: 'generated streams',
    everyday: 15,
    all: 200,
  },
  'prefix: whole': {
    says: 'the beginning of a stream gives the beginning of its events',
    file: 'laws/prefix',
    inputs: 'cuts of each session',
    everyday: 2,
    all: 'all',
  },
  'privacy: inputs': {
    says: '`normalize --redact | X` prints what `X --redact` prints; so for `--anonymize` and `--no-content`',
    file: 'laws/privacy',
    inputs: 'fixtures for each flag',
    everyday: 12,
    all: 'all',
  },
  'privacy: commands': {
    says: 'the same',
    file: 'laws/privacy',
    inputs: 'commands over each of these, in turn',
    everyday: 3,
    all: 'all',
  },
  'privacy: homes': {
    says: 'with these flags the order of files changes nothing',
    file: 'laws/privacy',
    inputs: 'homes for each flag, in turn',
    everyday: 6,
    all: 'all',
  },
  'resume: stops': {
    says: 'a state goes on with a new parser as if it was the first',
    file: 'laws/resume',
    inputs: 'lines of each session',
    everyday: 3,
    all: 'all',
  },
  'resume: files': {
    says: 'so it does in a file of a home',
    file: 'laws/resume',
    inputs: 'lines of each file',
    everyday: 1,
    all: 6,
  },
  'resume: any stream': {
    says: 'so it does in any stream that stops a few times',
    file: 'laws/resume',
    inputs: 'generated streams',
    everyday: 12,
    all: 150,
  },
  'shape: any stream': {
    says: 'every event is as its schema says; every row, too',
    file: 'laws/shape',
    inputs: 'generated streams, and every fixture',
    everyday: 15,
    all: 100,
  },
  'shape: anything': {
    says: 'so it is whatever stands in a field',
    file: 'laws/shape',
    inputs: 'changes of each family of specimens',
    everyday: 2,
    all: 30,
  },
  'sources: directories': {
    says: 'a directory is its files',
    file: 'laws/sources',
    inputs: 'homes',
    everyday: 8,
    all: 'all',
  },
  'sources: compressed': {
    says: 'a compressed file is the file',
    file: 'laws/sources',
    inputs: 'homes',
    everyday: 4,
    all: 'all',
  },
  'sources: stdin': {
    says: 'so it is on stdin, in any chunks',
    file: 'laws/sources',
    inputs: 'sessions',
    everyday: 8,
    all: 'all',
  },
  'sources: turns': {
    says: 'files that take turns, cut anywhere, give the rows of whole files',
    file: 'laws/sources',
    inputs: 'ways to cut each home',
    everyday: 2,
    all: 20,
  },
  'terminal: stories': {
    says: 'a terminal is given nothing that it would obey, hide or turn around',
    file: 'laws/terminal',
    inputs: 'sessions for each place where it could stand',
    everyday: 1,
    all: 'all',
  },
  'terminal: commands': {
    says: 'the same',
    file: 'laws/terminal',
    inputs: 'command lines for each of these, in turn; all of them for texts',
    everyday: 15,
    all: 'all',
  },
  'unknowns: fixtures': {
    says: 'unknown records change nothing',
    file: 'laws/unknowns',
    inputs: 'ways to put some into each fixture',
    everyday: 1,
    all: 8,
  },
  'unknowns: any stream': {
    says: 'so it is in any stream',
    file: 'laws/unknowns',
    inputs: 'generated streams',
    everyday: 15,
    all: 300,
  },
  'unknowns: any record': {
    says: 'so it is with any strange record',
    file: 'laws/unknowns',
    inputs: 'generated records',
    everyday: 20,
    all: 100,
  },
  'watch: any stream': {
    says: 'the last of each row that `--watch` wrote is the row without it',
    file: 'laws/watch',
    inputs: 'streams for each command',
    everyday: 5,
    all: 40,
  },
  'wrapped: sessions': {
    says: 'a container log says what its lines say',
    file: 'laws/wrapped',
    inputs: 'sessions for each kind of log',
    everyday: 3,
    all: 'all',
  },
  'wrapped: reports': {
    says: 'the same',
    file: 'laws/wrapped',
    inputs: 'reports over each of these',
    everyday: 5,
    all: 'all',
  },
  'merge: homes': {
    says: 'two readers know together what one would know',
    file: 'laws/merge',
    inputs: 'homes with several files',
    everyday: 16,
    all: 'all',
  },
  'rows: commands': {
    says: 'every command says of a fixture what is written in `../fixtures/rows`',
    file: 'rows',
    inputs: 'commands over each fixture, in turn',
    everyday: 8,
    all: 'all',
  },
  'view: changed': {
    says: 'a line viewed through the index answers like the parsed record',
    file: 'core/wire/view',
    inputs: 'sessions for each way to write oddly, in turn; and every fixture',
    everyday: 3,
    all: 'all',
  },
} as const satisfies Readonly<Record<string, Law>>;

export type LawName = keyof typeof laws;

/** How many generated inputs a law is tried with. */
export function runsOf(name: LawName): number {
  const { everyday, all }: Law = laws[name];
  return runs(everyday, all === 'all' ? Number.POSITIVE_INFINITY : all);
}

/** The inputs of a law: some, spread evenly over the list; with EFFORT=all every one. */
export function inputsOf<T>(name: LawName, items: readonly T[]): readonly T[] {
  return sample(items, laws[name].everyday);
}

/**
 * The inputs of a law that tries pairs, such as commands and fixtures, for the `turn`th command. Every day each has
 * its share, another than the next; with EFFORT=all it has every one.
 */
export function shareOf<T>(name: LawName, items: readonly T[], turn: number): readonly T[] {
  if (isAll) return items;
  const step = Math.max(1, Math.round(items.length / laws[name].everyday));
  return items.filter((_, index) => (index + turn) % step === 0);
}
