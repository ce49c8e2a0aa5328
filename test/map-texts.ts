import { isObject, parseJson } from './json.js';

/** The same records with every text in them changed, also those in JSON that is itself a text. */
export function mapTexts(ndjson: string, change: (text: string) => string): string {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return inside(value);
    if (Array.isArray(value)) return value.map(walk);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]));
  };
  const inside = (text: string): string => {
    const json = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
    return json === undefined ? change(text) : JSON.stringify(walk(json));
  };
  const lines = ndjson.split('\n').filter((line) => line !== '');
  return lines.map((line) => `${JSON.stringify(walk(parseJson(line)))}\n`).join('');
}
