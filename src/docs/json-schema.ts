/** As much of JSON Schema as `cct schema` prints. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

export interface Field {
  /** `worktree.path` is the path in worktree. */
  readonly name: string;
  /** `string or null`, `list of strings`, `active, idle or null`. */
  readonly type: string;
  readonly meaning: string;
}

/** The fields of an object and, one step down, of the objects in it; a whole row in an event has its own place. */
export function fieldsOf(schema: JsonSchema, depth = 1): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    {
      name,
      type: `${typeOf(field)}${schema.required?.includes(name) === false ? ', not always there' : ''}`,
      meaning: field.description ?? '',
    },
    ...(depth === 0
      ? []
      : fieldsOf(objectIn(field), depth - 1).map((part) => ({ ...part, name: `${name}.${part.name}` }))),
  ]);
}

/** What a value may be, in words. */
export function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '');
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined) return either(schema.enum.map(String));
  if (schema.anyOf !== undefined) return either(schema.anyOf.map(typeOf).flatMap((words) => words.split(/, | or /)));
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.length === 0 ? 'anything' : either(types.map((type) => plainType(type, schema)));
}

function plainType(type: string, { items, additionalProperties }: JsonSchema): string {
  if (type === 'array') return items === undefined ? 'list' : `list of ${plural(typeOf(items))}`;
  if (type === 'object' && typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
    return `object of ${plural(typeOf(additionalProperties))}`;
  return type;
}

function plural(type: string): string {
  return ['string', 'number', 'boolean', 'object'].includes(type) ? `${type}s` : type;
}

/** `a, b or c` */
function either(words: readonly string[]): string {
  const all = [...new Set(words)];
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

function objectIn(schema: JsonSchema): JsonSchema {
  const object = schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema;
  return Object.keys(object.properties ?? {}).length > mostFields ? {} : object;
}

const mostFields = 20;
