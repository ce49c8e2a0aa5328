// Makes one line of several that follow each other: reads and searches, new tasks.
import { mannerOf } from '../wire/tools/about.js';
import type { Folded, StoryLine } from './line.js';

export function foldedLine(lines: readonly StoryLine[]): StoryLine {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) throw new Error('nothing was held');
  if (lines.length === 1) return first;
  if (first.kind === 'task')
    return { ...first, text: lines.map(taskWords).join(' · '), parts: lines.flatMap(({ parts }) => parts) };
  const read = lines.filter(({ tool }) => mannerOf(tool) === 'read');
  const files = targetsOf(read);
  const folded: Folded = {
    reads: files.size,
    searches: lines.length - read.length,
    folder: commonFolder([...(read.length === 0 ? targetsOf(lines) : files)]),
  };
  const sum = lines.reduce((total, { facts }) => total + (facts.lines ?? 0), 0);
  const facts = sum > 0 && read.length === lines.length ? { lines: sum } : {};
  return { ...last, target: folded.folder, text: null, facts, parts: [], tool_use_id: null, folded };
}

function targetsOf(lines: readonly StoryLine[]): Set<string> {
  return new Set(lines.flatMap(({ target }) => target ?? []));
}

/** `1 Survey the sources`; the first one begins with the word task. */
function taskWords({ target, text }: StoryLine, index: number): string {
  const id = target?.replace(/^(?:task|todo) ?/, '') ?? '';
  return index === 0 ? (text ?? '') : [id, text].filter(Boolean).join(' ');
}

/** The folder that all paths are in; null if there is none. */
export function commonFolder(paths: readonly string[]): string | null {
  const [first = ''] = paths;
  let parts = first.split('/').slice(0, -1);
  for (const path of paths) {
    const other = path.split('/').slice(0, -1);
    let same = 0;
    while (same < parts.length && parts[same] === other[same]) same += 1;
    parts = parts.slice(0, same);
  }
  return parts.join('/') || null;
}
