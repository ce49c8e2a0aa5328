// Describes the file of --state. It is not in save.ts, because that loads zod, which is slow.
import { type Described, exactly, json, mapOf, means, object, text, type ValueOf } from '../record/describe.js';

/**
 * Increase it whenever a slice keeps other things than before, because older states cannot be continued then. A test
 * fails when it has to be increased.
 */
export const stateVersion = 7;

export const savedState = object({
  cct_state: means(exactly(stateVersion), 'version of the state format'),
  digest: means(text, 'checksum of the slices, to detect damage'),
  slices: means(mapOf(json), 'what cct knows; only for cct, and different in every version'),
});
export type SavedState = ValueOf<typeof savedState>;

export const describedSavedState: Described = {
  title: 'state',
  means: 'the --state file',
  shapes: [savedState],
};
