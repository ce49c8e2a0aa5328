// Describes JSON values as plain data. Each row and event is described once; its type, validation, zod schema, JSON
// Schema, columns and manual entry all come from that description. Does not load zod: rows do not need it.
import { isObject } from './json.js';

/** The values a field may have. `T` is their type; only the compiler uses it. */
export interface Field<T = unknown> {
  readonly kind:
    | 'text'
    | 'number'
    | 'flag'
    | 'json'
    | 'exactly'
    | 'oneOf'
    | 'list'
    | 'map'
    | 'object'
    | 'orNull'
    | 'optional';
  readonly means?: string;
  /** What a text or a number stands for, if it is more than a text or a whole number. */
  readonly holds?: 'time' | 'day' | 'money' | 'share';
  /** For exactly and oneOf. */
  readonly values?: readonly unknown[];
  /** The items of a list or a map, or the value that may also be null or absent. */
  readonly of?: Field;
  /** For an object. */
  readonly fields?: Shape;
  /** The object may have other fields too. */
  readonly isLoose?: boolean;
  /** For optional: the value of an absent field. */
  readonly fallback?: unknown;
  readonly type?: T;
}

export type Shape = Readonly<Record<string, Field>>;
type OptionalField<T> = Field<T> & { readonly kind: 'optional' };
export type ObjectField<S extends Shape> = Field<ObjectOf<S>> & { readonly fields: S };
type LooseField<S extends Shape> = Field<ObjectOf<S> & Record<string, unknown>> & { readonly fields: S };

export type ValueOf<F> = F extends Field<infer T> ? T : never;

type OptionalKeys<S extends Shape> = { [K in keyof S]: S[K] extends { kind: 'optional' } ? K : never }[keyof S];
type ObjectOf<S extends Shape> = Flat<
  { -readonly [K in Exclude<keyof S, OptionalKeys<S>>]: ValueOf<S[K]> } & {
    -readonly [K in OptionalKeys<S>]?: ValueOf<S[K]> | undefined;
  }
>;
/** One object type instead of an intersection, for readable error messages. */
type Flat<T> = { [K in keyof T]: T[K] };

export const text: Field<string> = { kind: 'text' };
export const number: Field<number> = { kind: 'number' };
export const flag: Field<boolean> = { kind: 'flag' };
export const json: Field<unknown> = { kind: 'json' };

/** Most fields are null when their value is not known. */
export const maybeText = orNull(text);
export const maybeNumber = orNull(number);
export const maybeFlag = orNull(flag);
/** ISO 8601 in UTC, with milliseconds. */
export const maybeTime: Field<string | null> = orNull({ kind: 'text', holds: 'time' });
/** A date such as 2026-11-17. */
export const maybeDay: Field<string | null> = orNull({ kind: 'text', holds: 'day' });
/** US dollars. */
export const maybeMoney: Field<number | null> = orNull({ kind: 'number', holds: 'money' });
/** A part of 1. */
export const maybeShare: Field<number | null> = orNull({ kind: 'number', holds: 'share' });
export const texts = listOf(text);

export function exactly<const V extends string | number>(value: V): Field<V> {
  return { kind: 'exactly', values: [value] };
}

export function oneOf<const V extends string>(values: readonly V[]): Field<V> {
  return { kind: 'oneOf', values };
}

export function listOf<T>(of: Field<T>): Field<T[]> {
  return { kind: 'list', of };
}

/** An object whose keys are data, not field names. */
export function mapOf<T>(of: Field<T>): Field<Record<string, T>> {
  return { kind: 'map', of };
}

/** An object; other fields are accepted but not described. */
export function object<S extends Shape>(fields: S): ObjectField<S> {
  return { kind: 'object', fields };
}

/** An object whose other fields are kept. */
export function loose<S extends Shape>(fields: S): LooseField<S> {
  return { kind: 'object', fields, isLoose: true };
}

/** The same object. Its other fields are kept when it is read, but nothing is known about them. */
export function keepingOthers<S extends Shape>(field: ObjectField<S>): ObjectField<S> {
  return { ...field, isLoose: true };
}

export function orNull<T>(of: Field<T>): Field<T | null> {
  return { kind: 'orNull', of };
}

/** A field that may be absent; it is then read as the fallback, if there is one. */
export function optional<T>(of: Field<T>): OptionalField<T>;
export function optional<T>(of: Field<T>, fallback: T): Field<T>;
export function optional<T>(of: Field<T>, fallback?: T): Field<T> {
  return fallback === undefined ? { kind: 'optional', of } : { kind: 'optional', of, fallback };
}

/** The same field with an explanation, for names that do not explain themselves. */
export function means<F extends Field>(field: F, meaning: string): F {
  return { ...field, means: meaning };
}

/** Where something happened. Most rows begin with it, and those of agents go on with whose they are. */
export const placeFields = { session_id: maybeText, team: maybeText };
export const agentFields = { ...placeFields, agent: maybeText, name: maybeText };

/** A kind of row for `cct schema NAME`, in one shape or several. */
export interface Described {
  readonly title: string;
  readonly means: string;
  readonly shapes: readonly Field[];
}

export function namesOf<S extends Shape>({ fields }: { readonly fields: S }): readonly (keyof S & string)[] {
  return Object.keys(fields);
}

export function fits<T>(field: Field<T>, value: unknown): value is T {
  const { kind, values = [], of = json, fields = {} } = field;
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return Number.isFinite(value);
    case 'flag':
      return typeof value === 'boolean';
    case 'json':
      return true;
    case 'exactly':
    case 'oneOf':
      return values.includes(value);
    case 'list':
      return Array.isArray(value) && value.every((item) => fits(of, item));
    case 'map':
      return isObject(value) && Object.values(value).every((item) => fits(of, item));
    case 'object':
      return isObject(value) && Object.entries(fields).every(([name, part]) => fits(part, value[name]));
    case 'orNull':
      return value === null || fits(of, value);
    case 'optional':
      return value === undefined || fits(of, value);
  }
}

/** The value in the order of the description, with fallbacks for absent fields; null if it does not match. */
export function readAs<T>(described: Field<T> & { readonly fields: Shape }, value: unknown): T | null {
  if (!isObject(value)) return null;
  const { fields, isLoose = false } = described;
  const own = Object.entries(fields).map(([name, { fallback }]): [string, unknown] => [
    name,
    value[name] === undefined ? fallback : value[name],
  ]);
  const others = Object.entries(value).filter(([name]) => isLoose && !Object.hasOwn(fields, name));
  const whole: unknown = Object.fromEntries([...own, ...others].filter(([, held]) => held !== undefined));
  return fits(described, whole) ? whole : null;
}
