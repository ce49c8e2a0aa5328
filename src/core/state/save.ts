// A state as plain JSON, and back. The file says which version wrote it and vouches for what is in it.
import * as z from 'zod';
import { isObject, parseJson } from '../record/json.js';
import { lazily } from '../record/lazily.js';
import { digest } from './digest.js';
import { decode, encode } from './state-codec.js';
import { Table } from './table.js';

/** Changes whenever a slice keeps something else than before: an older state cannot be continued. A test notices when it has to. */
export const stateVersion = 2;

export const savedSlices = lazily(() =>
  z.object({
    cct_state: z.literal(stateVersion).describe('version of what is kept'),
    digest: z.string().describe('of the slices, so that damage is noticed'),
    slices: z.record(z.string(), z.unknown()).describe('what is known; for cct alone to read'),
  }),
);
export type SavedState = z.infer<ReturnType<typeof savedSlices>>;

/** A state that cannot be continued; the message says why. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

/** A state of slices as plain JSON; `change` may change its texts. */
export function saveSlices(state: object, change = (json: unknown) => json): SavedState {
  const slices = Object.fromEntries(Object.entries(state).map(([name, slice]) => [name, change(encode(slice))]));
  return { cct_state: stateVersion, digest: digestOf(slices), slices };
}

/** A saved state, as JSON text or parsed. `initial` is the empty state: what it has the saved one must have. Throws StateError. */
export function loadSlices<S extends object>(saved: unknown, initial: S): S {
  const value = typeof saved === 'string' ? parseJson(saved) : saved;
  const version = isObject(value) ? value.cct_state : undefined;
  if (typeof version !== 'number') throw new StateError('this is not a state of cct');
  if (version > stateVersion)
    throw new StateError(`the state was saved by a newer cct (version ${version}, this one reads ${stateVersion})`);
  if (version < stateVersion)
    throw new StateError(
      `the state was saved by an older cct (version ${version}, this one reads ${stateVersion}); to make a new one, remove it and read the whole input again`,
    );
  const read = savedSlices().safeParse(value);
  if (!read.success || read.data.digest !== digestOf(read.data.slices)) throw new StateError('the state is damaged');
  const state = decode(read.data.slices);
  if (!isLike(state, initial)) throw new StateError('the state was saved by another build of cct');
  return state;
}

/** Stores may hand JSON back with its keys in another order. */
function digestOf(slices: unknown): string {
  return digest(JSON.stringify(slices, (_, value) => (isObject(value) ? sorted(value) : value)));
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The digest vouches for the values; this for the slices being those of this build. */
function isLike<T>(value: unknown, model: T): value is T {
  if (model instanceof Table) return value instanceof Table;
  if (model === null) return true;
  if (!isObject(model)) return typeof value === typeof model && Array.isArray(value) === Array.isArray(model);
  if (!isObject(value)) return false;
  const names = Object.keys(model);
  return names.length === Object.keys(value).length && names.every((name) => isLike(value[name], model[name]));
}
