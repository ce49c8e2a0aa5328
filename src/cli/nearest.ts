/** The candidate a mistyped word was most likely meant to be; null when none is close: `most` edits or fewer, by its length. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  most: number = Number.POSITIVE_INFINITY,
): string | null {
  const typed = word.slice(0, longestWord).toLowerCase();
  let best: string | null = null;
  let least = Math.min(most, Math.max(1, Math.floor(typed.length / 2.5))) + 1;
  for (const candidate of candidates) {
    const edits = distance(typed, candidate.toLowerCase());
    if (edits < least) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

/** `; did you mean x?`, or nothing. */
export function suggestion(word: string, candidates: Iterable<string>, most?: number): string {
  const near = nearest(word, candidates, most);
  return near === null ? '' : `; did you mean ${near}?`;
}

const longestWord = 64;

// Insertions, deletions, substitutions, and neighbours that changed places (optimal string alignment).
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(at(above, j) + 1, at(row, j - 1) + 1, at(above, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, at(before, j - 2) + 1);
      row.push(edits);
    }
    before = above;
    above = row;
  }
  return at(above, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
