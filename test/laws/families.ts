import type { Event } from '../../src/lib.js';
import { broken, bytesOf, homes, type Input, sessions, specimens } from './inputs.js';
import { readAll } from './reading.js';

/** Specimens of one family, joined into one stream in which each gives the events it gives alone. */
export interface Family extends Input {
  readonly specimens: readonly Input[];
}

export const families: readonly Family[] = [...byFamily()].flatMap(([name, members]) =>
  apart(members).map((together, index) => joined(`${name}, stream ${index + 1}`, together)),
);

/** Every fixture there is, specimens by family. */
export const everything: readonly Input[] = [...sessions, ...homes, ...families, ...broken];

export function joined(name: string, members: readonly Input[]): Family {
  return { name, parts: [{ path: null, bytes: Buffer.concat(members.map(endedBytes)) }], specimens: members };
}

/** The families, without specimens that a law is not about. */
export function familiesOf(isMeant: (specimen: Input) => boolean): Family[] {
  return families
    .map((family) => joined(family.name, family.specimens.filter(isMeant)))
    .filter((family) => family.specimens.length > 0);
}

function byFamily(): Map<string, Input[]> {
  const members = new Map<string, Input[]>();
  for (const specimen of specimens) {
    const family = specimen.name.replace(/\/[^/]+$/, '');
    members.set(family, [...(members.get(family) ?? []), specimen]);
  }
  return members;
}

/**
 * Most specimens are cut from the same few sessions, and the second that starts an agent gives fewer events than the
 * first. Each goes to the first stream in which it gives the events it gives alone. A file of a home is not a stream:
 * it does not say what it is about, so one file would be taken for part of the next.
 */
function apart(members: readonly Input[]): Input[][] {
  if (members.some(({ name }) => name.startsWith('specimens/files/'))) return members.map((member) => [member]);
  const streams: { members: Input[]; bytes: Buffer; events: number }[] = [];
  for (const member of members) {
    const alone = eventsIn(endedBytes(member));
    const fits = streams.find(({ bytes, events }) => {
      const said = eventsIn(Buffer.concat([bytes, endedBytes(member)])).slice(events);
      return said.map(bare).join() === alone.map(bare).join();
    });
    const stream = fits ?? { members: [], bytes: Buffer.alloc(0), events: 0 };
    if (fits === undefined) streams.push(stream);
    stream.members.push(member);
    stream.bytes = Buffer.concat([stream.bytes, endedBytes(member)]);
    stream.events += alone.length;
  }
  return streams.map((stream) => stream.members);
}

function eventsIn(bytes: Buffer): Event[] {
  return readAll([{ path: null, bytes }]).events;
}

function endedBytes(input: Input): Buffer {
  const bytes = bytesOf(input);
  return bytes.at(-1) === 0x0a ? bytes : Buffer.concat([bytes, Buffer.from('\n')]);
}

function bare({ seq: _seq, line: _line, ...event }: Event): string {
  return JSON.stringify(event);
}
