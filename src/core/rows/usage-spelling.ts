import { modelKey } from '../prices/model-name.js';

/** As reports spell models: results before messages, and of several spellings the first in the alphabet. */
export function createSpelling() {
  const names = new Map<string, string>();
  const isReported = new Set<string>();
  let changed = false;
  const set = (key: string, name: string) => {
    changed ||= names.has(key);
    names.set(key, name);
  };
  return {
    names,
    said(name: string): void {
      const key = modelKey(name);
      const known = names.get(key);
      if (known === undefined || (!isReported.has(key) && name < known)) set(key, name);
    },
    reported(key: string, name: string): void {
      const known = names.get(key);
      if (known === undefined || (known !== name && (!isReported.has(key) || name < known))) set(key, name);
      isReported.add(key);
    },
    /** A model that was spelled otherwise; says so once. */
    hasChanged(): boolean {
      const was = changed;
      changed = false;
      return was;
    },
  };
}
