import { isBare, type Line, lineOf, type Mutation } from './lines.js';
import type { Random } from './random.js';

/** The time that every wrapped line has. */
export const wrappedAt = '2026-11-14T10:00:00.123Z';
const nano = wrappedAt.replace('Z', '456789Z');
const epoch = Date.parse(wrappedAt);

/** Writes one line of a program as lines of a log. `length` is the length of its pieces. */
export const logs: Readonly<Record<string, (text: string, length: number) => string[]>> = {
  docker: (text, length) => piecesOf(`${text}\n`, length).map((log) => dockerLine(log, 'stdout')),
  kubernetes: (text, length) =>
    piecesOf(text, length).map(
      (piece, index, all) => `${nano} stdout ${index === all.length - 1 ? 'F' : 'P'} ${piece}`,
    ),
  journald: (text, length) => piecesOf(text, length).map((piece, index, all) => journalLine(piece, index, all)),
  'journald, as bytes': (text, length) =>
    piecesOf(text, length).map((piece, index, all) => journalLine([...Buffer.from(piece)], index, all)),
  message: (text) => [JSON.stringify({ timestamp: epoch, message: text, logStreamName: 'x' })],
  'a log in a log': (text) => [JSON.stringify({ '@timestamp': wrappedAt, message: dockerLine(`${text}\n`, 'stdout') })],
};

/** The same for logs that also say where their lines come from. */
const labelledLogs: typeof logs = {
  GitLab: (text, length) =>
    piecesOf(text, length).map((piece, index) => `${wrappedAt} 01O${index === 0 ? ' ' : '+'}${piece}`),
  'docker with labels': (text, length) =>
    piecesOf(`${text}\n`, length).map((log) => dockerLine(log, 'stdout', { attrs: { app: 'web' } })),
};

/** What the program writes to stderr meanwhile. */
export const errors: readonly string[] = [
  dockerLine('npm warn old\n', 'stderr'),
  dockerLine('{"type":"result"', 'stderr'),
  `${nano} stderr P {"type":"result"`,
];

/** Records in container logs. All are found at their first piece. */
export const wraps: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(
    Object.entries({ ...logs, ...labelledLogs }).map(([name, wrap]) => [`wrapped by ${name}`, wrappedBy(() => wrap)]),
  ),
  'wrapped by any log': wrappedBy((random) => random.pick(ways)),
};

const ways = Object.values(logs) as [Wrap, ...Wrap[]];
type Wrap = (typeof logs)[string];

function wrappedBy(choose: (random: Random) => Wrap): Mutation {
  return (lines, random) => {
    const length = random.pick([20, 500, 16384] as const);
    const isAll = random.below(2) === 0;
    return lines.map((line) => (isBare(line) && (isAll || random.below(3) > 0) ? wrapped(line, length) : line));

    function wrapped({ bytes, records }: Line, most: number): Line {
      const pieces = choose(random)(bytes.toString(), Math.max(most, Math.ceil(bytes.length / 50)));
      const among = pieces.flatMap((piece) => (random.below(4) === 0 ? [piece, random.pick(someErrors)] : [piece]));
      return { ...lineOf(''), bytes: Buffer.from(among.join('\n')), records };
    }
  };
}

const someErrors = errors as [string, ...string[]];

function dockerLine(log: string, stream: string, more: object = {}): string {
  return JSON.stringify({ log, stream, ...more, time: nano });
}

function journalLine(message: unknown, index: number, all: readonly string[]): string {
  const isCut = index < all.length - 1;
  const own = { __CURSOR: 's=1', __REALTIME_TIMESTAMP: `${epoch}456`, PRIORITY: '6', _PID: '12' };
  return JSON.stringify({ ...own, ...(isCut && { _LINE_BREAK: 'line-max' }), MESSAGE: message });
}

function piecesOf(text: string, length: number): string[] {
  const letters = [...text];
  const count = Math.max(1, Math.ceil(letters.length / length));
  return Array.from({ length: count }, (_, index) => letters.slice(index * length, (index + 1) * length).join(''));
}
