import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesOf } from './names.js';

/** `node test/tool.js names`: lists names with several meanings in src (names.ts defines them) and counts them. */
export async function main(words: readonly string[], _scratch: string, print: (text: string) => void): Promise<number> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const names = namesOf(new Map(files.map((file) => [file, readFileSync(join('src', file), 'utf8')])));
  for (const { name, meanings } of names) {
    print(`${name}: ${meanings.length} meanings\n`);
    if (words.includes('--all'))
      for (const { signature, files: places } of meanings) print(`    ${signature}  (${places.join(', ')})\n`);
  }
  // A method is called on something that shows which one is meant, and an interface repeats the methods of its class.
  const free = names.filter(({ meanings }) => {
    const own = meanings.filter(({ signature }) => !signature.startsWith('method'));
    return own.length >= 3 && new Set(own.flatMap(({ files: places }) => places)).size >= 3;
  });
  print(
    `${names.length} names have three or more meanings, ${free.length} of them without methods; --all shows them\n`,
  );
  return 0;
}
