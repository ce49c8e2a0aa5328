// Which files a run edited: by whom, how often, and what changed.
import { mannerOf } from '../../core/wire/tools/about.js';
import type { Entry } from './story.js';
import { wordsOfEntry } from './story.js';

export interface EditedFile {
  readonly path: string;
  readonly edits: readonly Entry[];
  readonly added: number;
  readonly removed: number;
  readonly failed: number;
  /** Names of the agents that edited it, with how often. */
  readonly by: readonly (readonly [name: string, edits: number])[];
}

/** In order of the first edit. */
export function filesOf(entries: readonly Entry[]): EditedFile[] {
  const files = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (entry.line?.kind !== 'call' || mannerOf(entry.line.tool) !== 'edit') continue;
    const path = wordsOfEntry(entry).about || 'unknown';
    const known = files.get(path);
    if (known === undefined) files.set(path, [entry]);
    else known.push(entry);
  }
  return [...files].map(([path, edits]) => {
    const by = new Map<string, number>();
    for (const { line } of edits) by.set(line?.name ?? '', (by.get(line?.name ?? '') ?? 0) + 1);
    return {
      path,
      edits,
      added: edits.reduce((sum, { line }) => sum + (line?.facts.added ?? 0), 0),
      removed: edits.reduce((sum, { line }) => sum + (line?.facts.removed ?? 0), 0),
      failed: edits.filter(({ line }) => line?.bad).length,
      by: [...by],
    };
  });
}
