// A program that uses the library stops at some line, saves its state, and goes on later with a new parser.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createParser,
  type Event,
  initialState,
  loadState,
  reduce,
  type State,
  saveState,
  selectTasks,
  selectTeams,
  selectUsage,
} from '../../src/lib.js';
import { ndjson, streams } from '../streams.js';
import { check } from './check.js';
import { bytesOf, homes, sessions } from './inputs.js';
import { inputsOf } from './laws.js';

describe('a state goes on with a new parser as if it was the first', () => {
  test.each(sessions)('$name, stopped behind its lines', (input) => {
    const lines = linesOf(bytesOf(input).toString());
    const whole = rowsOf(read(initialState, lines).state);
    const stops = new Set(inputsOf('resume: stops', [...lines.keys()]));
    const parser = createParser();
    let state = initialState;
    for (const [at, line] of lines.entries()) {
      for (const event of parser.push(line)) state = reduce(state, event);
      if (!stops.has(at)) continue;
      expect(rowsOf(read(saved(state), lines.slice(at + 1)).state), `stopped behind line ${at + 1}`).toEqual(whole);
    }
  });

  const files = homes.flatMap(({ name, parts }) =>
    parts.map(({ path, bytes }) => ({ name: `${name}/${path}`, path: path ?? '', lines: linesOf(bytes.toString()) })),
  );
  test.each(files.filter(({ lines }) => lines.length > 1 && lines.every(isRecord)))('$name', ({ path, lines }) => {
    const whole = rowsOf(read(initialState, lines, path).state);
    check(
      fc.property(fc.nat(lines.length), (at) => {
        const half = read(initialState, lines.slice(0, at), path).state;
        expect(rowsOf(read(saved(half), lines.slice(at), path).state)).toEqual(whole);
      }),
      'resume: files',
    );
  });

  test('what a log says about its sessions is told once', () => {
    const log = sessions.find(({ name }) => name.includes('compose-two-runs'));
    const lines = linesOf(log === undefined ? '' : bytesOf(log).toString());
    const whole = toldBy(read(initialState, lines).events);
    expect(whole.filter((event) => JSON.stringify(event).includes('session:labelled'))).toHaveLength(2);
    for (const at of lines.keys()) {
      const half = read(initialState, lines.slice(0, at));
      expect(toldBy([...half.events, ...read(saved(half.state), lines.slice(at)).events])).toEqual(whole);
    }
  });

  test('any stream, stopped a few times, saved or not: the same events and rows', () => {
    const stops = fc.array(fc.nat(60), { minLength: 1, maxLength: 3 });
    check(
      fc.property(streams(), stops, fc.boolean(), (records, stops, saves) => {
        // Of a message that streams, no event tells before one of its records came.
        const lines = linesOf(ndjson(records.filter(({ type }) => type !== 'stream_event')));
        const ends = [...stops.filter((stop) => stop < lines.length).sort((a, b) => a - b), lines.length];
        const events: Event[] = [];
        let state = initialState;
        let from = 0;
        for (const end of ends) {
          const piece = read(saves ? saved(state) : state, lines.slice(from, end));
          events.push(...piece.events);
          state = piece.state;
          from = end;
        }
        const whole = read(initialState, lines);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        expect(toldBy(events)).toEqual(toldBy(whole.events));
        expect(rowsOf(state)).toEqual(rowsOf(whole.state));
      }),
      'resume: any stream',
    );
  });
});

interface Piece {
  readonly events: Event[];
  readonly state: State;
}

function read(from: State, lines: readonly string[], path?: string): Piece {
  const parser = createParser({ state: from });
  const events = path === undefined ? [] : parser.begin(path);
  for (const line of lines) events.push(...parser.push(line));
  events.push(...parser.end());
  return { events, state: events.reduce(reduce, from) };
}

function saved(state: State): State {
  return loadState(JSON.stringify(saveState(state)));
}

/** Lines are counted anew. A state does not keep the lists of session:started, so it is told again when they come. */
function toldBy(events: readonly Event[]): unknown[] {
  return events.filter(({ event }) => event !== 'session:started').map(({ seq: _seq, line: _line, ...event }) => event);
}

function rowsOf(state: State): unknown {
  return {
    teams: selectTeams(state),
    ended: selectTeams(state, { ended: true }),
    tasks: selectTasks(state, { all: true }),
    usage: selectUsage(state, { by: ['session', 'turn', 'agent', 'model'] }),
  };
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function isRecord(line: string): boolean {
  return /^\{.*\}\s*$/.test(line);
}
