/**
 * A name with several meanings: one identifier that is declared in three or more files, with three or more different
 * kinds or signatures. Declarations are functions (local ones too), methods, and constants, classes, types and
 * interfaces at the top level. Properties and other local variables are not counted. Typescript 7 has no compiler API
 * for this, so a line is read as biome formats it: a declaration begins its line.
 */
export interface Name {
  readonly name: string;
  readonly meanings: readonly Meaning[];
}

export interface Meaning {
  /** `function (rows: Row[]): string`. */
  readonly signature: string;
  readonly files: readonly string[];
}

export function namesOf(texts: ReadonlyMap<string, string>): Name[] {
  const byName = new Map<string, Map<string, Set<string>>>();
  for (const [file, text] of texts)
    for (const { name, signature } of declarationsIn(text)) {
      const meanings = byName.get(name) ?? new Map<string, Set<string>>();
      byName.set(name, meanings.set(signature, (meanings.get(signature) ?? new Set()).add(file)));
    }
  return [...byName]
    .filter(
      ([, meanings]) => meanings.size >= 3 && new Set([...meanings.values()].flatMap((files) => [...files])).size >= 3,
    )
    .map(([name, meanings]) => ({
      name,
      meanings: [...meanings].map(([signature, files]) => ({ signature, files: [...files].sort() })),
    }))
    .sort((a, b) => b.meanings.length - a.meanings.length || (a.name < b.name ? -1 : 1));
}

interface Declaration {
  readonly name: string;
  readonly signature: string;
}

function declarationsIn(text: string): Declaration[] {
  const plain = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return kinds.flatMap(({ kind, pattern }) =>
    [...plain.matchAll(pattern)].flatMap(({ 1: name = '', index, 0: head }) => {
      if (words.has(name)) return [];
      const rest = plain.slice(index + head.length);
      return [{ name, signature: `${kind} ${kind.endsWith('function') ? signatureIn(rest) : lineIn(rest)}`.trim() }];
    }),
  );
}

const kinds: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: 'function', pattern: /^ *(?:export )?(?:default )?(?:async )?function\*? (\w+)/gm },
  { kind: 'function', pattern: /^ *(?:export )?const (\w+) = (?:async )?(?=\([^()\n]*\)(?:: [^=\n]+)? =>)/gm },
  {
    kind: 'method function',
    pattern: /^ +(?:static |async |override )*\*?#?(\w+)(?=\([^\n]*\)(?:: [^;\n]+)? \{$|\([^\n]*\): [^;\n]+;$)/gm,
  },
  { kind: 'class', pattern: /^(?:export )?(?:abstract )?class (\w+)/gm },
  { kind: 'interface', pattern: /^(?:export )?interface (\w+)/gm },
  { kind: 'type', pattern: /^(?:export )?type (\w+)/gm },
  { kind: 'const', pattern: /^(?:export )?(?:const|let) (\w+)(?! = (?:async )?\([^()\n]*\)(?:: [^=\n]+)? =>)/gm },
];

/** Words before a parenthesis that begins a line, which declare nothing. */
const words = new Set(
  'if for while switch catch return super constructor function await typeof new throw expect'.split(' '),
);

/** Parameters and result, up to the body. */
function signatureIn(rest: string): string {
  let depth = 0;
  let at = 0;
  for (; at < rest.length; at++) {
    const character = rest.charAt(at);
    if ('([<'.includes(character)) depth++;
    if (')]'.includes(character) || (character === '>' && rest.charAt(at - 1) !== '=')) depth--;
    if (depth <= 0 && /[{;=]/.test(character)) break;
    if (depth < 0) break;
  }
  return squeezed(rest.slice(0, at));
}

function lineIn(rest: string): string {
  return squeezed(rest.slice(0, rest.indexOf('\n') + 1));
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 120);
}
