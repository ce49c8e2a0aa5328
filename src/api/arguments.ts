// Checks what callers pass. TypeScript does that for those who use it; the others get a sentence instead of a crash
// somewhere inside.

import type { Event } from '../core/event/event.js';
import { isObject } from '../core/record/json.js';
import { zoneNamed } from '../core/record/zone.js';
import { HashTable } from '../core/tables/hash-table.js';
import type { State } from '../core/tables/reduce.js';

/** `what`: what was expected, as `selectTeams: the first argument has to be …`. */
export function refuse(what: string, given: unknown): never {
  throw new TypeError(`${what}, not ${shown(given)}`);
}

export function checkState(caller: string, state: unknown): void {
  if (!isState(state))
    refuse(`${caller}: the state has to come from initialState, reduce or loadState${hintFor(state)}`, state);
  if (isObject(state) && usedUp.has(state))
    throw new TypeError(
      `${caller}: reduce went on from this state and changed it; use what reduce returned, or keep a copy with copyState`,
    );
}

/** Notes that a state was handed on, so that nobody takes it for what it was. */
export function useUp(state: State): void {
  usedUp.add(state);
}
const usedUp = new WeakSet<object>();

/** A copy made by JSON or structuredClone has no tables. Whether a state is whole is known to those who save and load it. */
export function isState(value: unknown): value is State {
  return isObject(value) && isObject(value.agents) && isObject(value.usage) && value.facts instanceof HashTable;
}

function hintFor(value: unknown): string {
  if (isObject(value) && typeof value.cct_state === 'number') return ' (a saved state has to be loaded first)';
  return isObject(value) && value.cct === 1 ? ' (in events.reduce(reduce, initialState), too)' : '';
}

/** The same events, each of them checked when it is asked for. */
export function checkEvents(caller: string, events: Iterable<Event>): Iterable<Event> {
  if (!isIterable(events) || typeof events === 'string')
    refuse(`${caller}: the events have to be a list or another iterable, such as what a parser returns`, events);
  return checked(caller, events);
}

function* checked(caller: string, events: Iterable<Event>): Generator<Event> {
  for (const event of events) {
    checkEvent(caller, event);
    yield event;
  }
}

export function checkEvent(caller: string, event: unknown): void {
  if (!isObject(event) || typeof event.event !== 'string')
    refuse(`${caller}: the event has to come from a parser`, event);
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return value !== null && value !== undefined && typeof Object(value)[Symbol.iterator] === 'function';
}

export function checkSource(caller: string, source: unknown): void {
  const isAsync = isObject(source) && Symbol.asyncIterator in source;
  if (!isAsync && !isIterable(source))
    refuse(`${caller}: the source has to be an iterable or async iterable of text, bytes or records`, source);
}

/** Says what is wrong with a value, or returns. */
type Check = (caller: string, option: string, given: unknown) => void;

/** The options of a function: an object with nothing in it that the function does not know. Absent ones are not checked. */
export function checkOptions(caller: string, options: unknown, checks: Readonly<Record<string, Check>>): void {
  if (!isObject(options)) refuse(`${caller}: the options have to be an object`, options);
  for (const [name, given] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name))
      throw new TypeError(`${caller}: there is no option '${name}'; ${choices(Object.keys(checks))}`);
    if (given !== undefined) checks[name]?.(caller, name, given);
  }
}

function hasToBe(what: string, isFine: (given: unknown) => boolean): Check {
  return (caller, option, given) => {
    if (!isFine(given)) refuse(`${caller}: ${option} has to be ${what}`, given);
  };
}

/** What an option may be. */
export const is = {
  flag: hasToBe('true or false', (given) => typeof given === 'boolean'),
  function: hasToBe('a function', (given) => typeof given === 'function'),
  /** A name or an id; null for any. */
  text: hasToBe('a text', (given) => given === null || typeof given === 'string'),
  /** A number of bytes or milliseconds. */
  amount: hasToBe('a number that is not negative', (given) => typeof given === 'number' && given >= 0),
  signal: hasToBe('an AbortSignal', (given) => hasMethod(given, 'addEventListener')),
  prices: hasToBe('an object with a function priceOf', (given) => hasMethod(given, 'priceOf')),
  zone: hasToBe('UTC, +02:00 or a name such as Europe/Paris', isZoneName),
  state: ((caller, _, given) => checkState(caller, given)) satisfies Check,
  oneOf,
  listOf: (known: readonly string[]): Check => {
    return (caller, option, given) => {
      if (!Array.isArray(given)) refuse(`${caller}: ${option} has to be a list of ${known.join(', ')}`, given);
      for (const word of given) oneOf(known)(caller, option, word);
    };
  },
};

function oneOf(known: readonly string[]): Check {
  return (caller, option, given) => {
    if (!known.some((word) => word === given))
      throw new TypeError(`${caller}: ${option} cannot be ${shown(given)}; ${choices(known)}`);
  };
}

function hasMethod(given: unknown, name: string): boolean {
  return isObject(given) && typeof given[name] === 'function';
}

function isZoneName(given: unknown): boolean {
  try {
    return typeof given === 'string' && zoneNamed(given) !== null;
  } catch {
    return false;
  }
}

function choices(known: readonly string[]): string {
  return known.length === 0 ? 'it has none' : `there are ${known.join(', ')}`;
}

/** Short, because it may be anything. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  if (!isObject(value)) return String(value);
  const names = Object.keys(value).slice(0, 3).join(', ');
  return names === '' ? 'an empty object' : `an object with ${names}`;
}
