import { builtInPrices } from './built-in.js';

/**
 * The name a model goes by in the price table, whatever spelling it comes in: dated, with [1m], of Bedrock, Vertex or a gateway,
 * or an alias of Claude Code. null for a model that is not in the table: an unlisted version is not its neighbour.
 */
export function canonicalModel(model: string): string | null {
  let name = canonical.get(model);
  if (name === undefined) {
    name = findCanonical(model);
    if (canonical.size < mostNames) canonical.set(model, name);
  }
  return name;
}
const canonical = new Map<string, string | null>();

/** A stream may name any number of models; the few that are real are found again. */
const mostNames = 1000;

function findCanonical(model: string): string | null {
  const id = plainModel(model);
  const alias = aliases.get(id);
  if (alias !== undefined) return alias;
  for (const name of names) {
    const rest = restAfter(id, name);
    if (rest === null) continue;
    if (isUnlistedVersion(name, rest)) return null;
    return withMinorVersion.get(name) ?? name;
  }
  return null;
}

/** One name for all spellings of a model, known or not: messages and reports join by it. */
export function modelKey(model: string): string {
  let key = keys.get(model);
  if (key === undefined) {
    key = canonicalModel(model) ?? plainModel(model);
    if (keys.size < mostNames) keys.set(model, key);
  }
  return key;
}
const keys = new Map<string, string>();

/** Lower case, dots read as dashes, no [1m]. */
export function plainModel(model: string): string {
  return model
    .toLowerCase()
    .replaceAll('.', '-')
    .replace(/\[1m\]$/, '');
}

const withMinorVersion = new Map([
  ['claude-opus-4', 'claude-opus-4-0'],
  ['claude-sonnet-4', 'claude-sonnet-4-0'],
]);

/** The most exact first: claude-opus-5-5 before claude-opus-5. */
const names = [...builtInPrices.models.keys(), ...withMinorVersion.keys()].sort((a, b) => parts(b) - parts(a));

function parts(name: string): number {
  return name.split('-').length;
}

/** The models Claude Code takes when a first-party key asks for these. */
const aliases = new Map([
  ['opus', 'claude-opus-5-5'],
  ['sonnet', 'claude-sonnet-5-5'],
  ['haiku', 'claude-haiku-5-5'],
  ['fable', 'claude-fable-5-2'],
  ['default', 'claude-opus-5-5'],
  ['best', 'claude-opus-5-5'],
  ['opusplan', 'claude-sonnet-5-5'],
]);

/** What stands after the name in an id; null where it is not in it. A digit more is another version. */
function restAfter(id: string, name: string): string | null {
  const at = id.indexOf(name);
  if (at === -1) return null;
  const rest = id.slice(at + name.length);
  return /^\d/.test(rest) ? null : rest;
}

/** claude-opus-5-1 is not claude-opus-5, but claude-opus-5-20261001 and claude-opus-4-5-6 are what they begin with. */
function isUnlistedVersion(name: string, rest: string): boolean {
  return /[a-z]-\d$/.test(name) && /^-\d{1,2}$/.test(rest);
}
