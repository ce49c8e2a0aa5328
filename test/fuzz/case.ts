import { broken, bytesOf, homes, type Input, sessions, specimens } from '../laws/inputs.js';
import { readText } from '../laws/reading.js';
import { type Door, doors, reports } from './differential.js';
import { joined, type Line, lineOf, linesOf } from './lines.js';
import { mutations } from './mutations.js';
import { Random } from './random.js';
import { type Way, ways } from './ways.js';

/** One damaged input and the command lines that read it, all determined by the seed. */
export interface Case {
  readonly seed: number;
  /** `sessions/one-shot.ndjson: cut line, CRLF`. */
  readonly title: string;
  readonly lines: readonly Line[];
  readonly bytes: Buffer;
  readonly ways: readonly Way[];
  /** Read twice: as it is, and with --strict. */
  readonly report: string;
  readonly door: Door;
}

// Most fixtures are specimens of one line, but most of what can go wrong is between lines.
const kinds: readonly [Fixture[], ...Fixture[][]] = [
  sessions.map(fixture),
  sessions.map(eventsOf),
  specimens.map(fixture),
  [...homes, ...broken].map(fixture),
];
// Odd values in fields are the widest group.
const names = [
  ...Object.keys(mutations),
  ...Array.from({ length: 8 }, () => 'odd values'),
  ...Array.from({ length: 4 }, () => 'odd numbers'),
];

export function caseOf(seed: number): Case {
  const random = new Random(seed);
  const input = random.one(random.pick(kinds)) ?? { name: 'nothing', lines: [] };
  const chosen = Array.from({ length: 1 + random.below(3) }, () => random.one(names) ?? '');
  const lines = chosen.reduce<readonly Line[]>((so, name) => mutations[name]?.(so, random) ?? so, input.lines);
  return {
    seed,
    title: `${input.name}: ${chosen.join(', ')}`,
    lines,
    bytes: joined(lines),
    ways: [random.pick(ways), random.pick(ways)],
    report: random.pick(reports),
    door: random.pick(doors),
  };
}

interface Fixture {
  readonly name: string;
  readonly lines: readonly Line[];
}

/** What `cct normalize` writes, which every command reads too. */
function eventsOf(input: Input): Fixture {
  const { events } = readText(bytesOf(input).toString());
  return { name: `events of ${input.name}`, lines: events.map((event) => lineOf(JSON.stringify(event))) };
}

function fixture(input: Input): Fixture {
  return { name: input.name, lines: linesOf(bytesOf(input)) };
}
