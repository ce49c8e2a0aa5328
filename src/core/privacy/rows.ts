// Tables of patterns, written as text: a pattern needs no second backslash, and a row no brackets.

/** One row per line: words and, last, a pattern, which may contain blanks. Lines that begin with # say what follows. */
export function rowsOf(table: string): (readonly [name: string, pattern: string])[] {
  return table.split('\n').flatMap((line) => {
    const [, name, pattern] = /^([^\s#]{1,200}) {1,40}(.{1,4000})$/.exec(line) ?? [];
    return name === undefined || pattern === undefined ? [] : [[name, pattern] as const];
  });
}
