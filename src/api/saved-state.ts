import { initialState, type State } from '../commands/reduce.js';
import { loadSlices, type SavedState, saveSlices } from '../core/state/save.js';

/** A state as plain JSON, to be continued later by loadState. */
export function saveState(state: State): SavedState {
  return saveSlices(state);
}

/** What saveState gave, parsed or as JSON text. Throws StateError for one that is newer, foreign or damaged. */
export function loadState(saved: unknown): State {
  return loadSlices(saved, initialState);
}
