// Descriptions of JSON values as plain data. A row or an event is described once; its type, the check of one that is read back, its zod schema,
// its JSON Schema, its columns and its manual come from that description. Nothing here needs zod: rows are made without it.

/** What a field may hold. `T` is the type of its values and exists for the compiler only. */
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
  /** Of exactly and oneOf. */
  readonly values?: readonly unknown[];
  /** What a list or a map holds, or what may also be null or absent. */
  readonly of?: Field;
  /** Of an object. */
  readonly fields?: Shape;
  /** An object that may have other fields besides. */
  readonly isLoose?: boolean;
  /** Of optional: what an absent field stands for. */
  readonly fallback?: unknown;
  readonly type?: T;
}

export type Shape = Readonly<Record<string, Field>>;
export type OptionalField<T> = Field<T> & { readonly kind: 'optional' };
export type ObjectField<S extends Shape, T = ObjectOf<S>> = Field<T> & { readonly fields: S };

/** The type of the values that a description describes. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

type OptionalKeys<S extends Shape> = { [K in keyof S]: S[K] extends { kind: 'optional' } ? K : never }[keyof S];
type ObjectOf<S extends Shape> = Flat<
  { -readonly [K in Exclude<keyof S, OptionalKeys<S>>]: ValueOf<S[K]> } & {
    -readonly [K in OptionalKeys<S>]?: ValueOf<S[K]> | undefined;
  }
>;
/** One object type instead of an intersection, so that error messages can be read. */
type Flat<T> = { [K in keyof T]: T[K] };

export const text: Field<string> = { kind: 'text' };
export const number: Field<number> = { kind: 'number' };
export const flag: Field<boolean> = { kind: 'flag' };
export const json: Field<unknown> = { kind: 'json' };

/** What most fields are: null where it is not known. */
export const maybeText = orNull(text);
export const maybeNumber = orNull(number);
export const maybeFlag = orNull(flag);
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

/** An object whose keys are data. */
export function mapOf<T>(of: Field<T>): Field<Record<string, T>> {
  return { kind: 'map', of };
}

/** An object; what it has besides these fields is let pass. */
export function object<S extends Shape>(fields: S): ObjectField<S> {
  return { kind: 'object', fields };
}

/** An object that shows other fields too. */
export function loose<S extends Shape>(fields: S): ObjectField<S, ObjectOf<S> & Record<string, unknown>> {
  return { kind: 'object', fields, isLoose: true };
}

export function orNull<T>(of: Field<T>): Field<T | null> {
  return { kind: 'orNull', of };
}

/** It may be absent. With a fallback it is then read as that. */
export function optional<T>(of: Field<T>): OptionalField<T>;
export function optional<T>(of: Field<T>, fallback: T): Field<T>;
export function optional<T>(of: Field<T>, fallback?: T): Field<T> {
  return fallback === undefined ? { kind: 'optional', of } : { kind: 'optional', of, fallback };
}

/** The same field, with what it means where its name does not say it. */
export function means<F extends Field>(field: F, meaning: string): F {
  return { ...field, means: meaning };
}

/** What `cct schema NAME` describes: a kind of row, in one shape or several. */
export interface Described {
  readonly title: string;
  readonly means: string;
  readonly shapes: readonly Field[];
}

/** The names of its fields, in their order. */
export function namesOf<S extends Shape>({ fields }: ObjectField<S, unknown>): readonly (keyof S & string)[] {
  return Object.keys(fields);
}

/** Whether a value is what the description says. */
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
      return isRecord(value) && Object.values(value).every((item) => fits(of, item));
    case 'object':
      return isRecord(value) && Object.entries(fields).every(([name, part]) => fits(part, value[name]));
    case 'orNull':
      return value === null || fits(of, value);
    case 'optional':
      return value === undefined || fits(of, value);
  }
}

/** The value with the fallbacks of absent fields, in the order of the description; null when it is not what the description says. */
export function readAs<S extends Shape, T>(described: ObjectField<S, T>, value: unknown): T | null {
  if (!isRecord(value)) return null;
  const { fields, isLoose = false } = described;
  const own = Object.entries(fields).map(([name, { fallback }]): [string, unknown] => [
    name,
    value[name] === undefined ? fallback : value[name],
  ]);
  const others = Object.entries(value).filter(([name]) => isLoose && !Object.hasOwn(fields, name));
  const whole: unknown = Object.fromEntries([...own, ...others].filter(([, held]) => held !== undefined));
  return fits(described, whole) ? whole : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
