export type JsonObject = { [key: string]: unknown };

/** What a JSON text says, undefined when it is no JSON; never throws. The program's only JSON.parse. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
