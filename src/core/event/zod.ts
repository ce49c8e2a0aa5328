// The only place that makes zod schemas: from descriptions. Commands load it when they need one, since zod takes longer to load than most files to read.
import * as z from 'zod';
import { type Field, json } from '../record/describe.js';

/** The zod schema of what a description describes; the same one whenever it is asked for. */
export function zodOf<T>(field: Field<T>): z.ZodType<T> {
  const known = made.get(field) ?? described(field, plain(field));
  made.set(field, known);
  // A description of T describes values of type T: describe.ts builds both together.
  return known as z.ZodType<T>;
}
const made = new WeakMap<Field, z.ZodType>();

function described({ means }: Field, schema: z.ZodType): z.ZodType {
  return means === undefined ? schema : schema.describe(means);
}

function plain({ kind, values = [], of = json, fields = {}, isLoose, fallback }: Field): z.ZodType {
  switch (kind) {
    case 'text':
      return z.string();
    case 'number':
      return z.number();
    case 'flag':
      return z.boolean();
    case 'json':
      return z.unknown();
    case 'exactly':
      return z.literal(values.filter(isLiteral));
    case 'oneOf':
      return z.enum(values.map(String));
    case 'list':
      return z.array(zodOf(of));
    case 'map':
      return z.record(z.string(), zodOf(of));
    case 'object': {
      const shape = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, zodOf(field)]));
      return isLoose ? z.looseObject(shape) : z.object(shape);
    }
    case 'orNull':
      return zodOf(of).nullable();
    case 'optional':
      return fallback === undefined ? zodOf(of).optional() : zodOf(of).default(fallback);
  }
}

function isLiteral(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
