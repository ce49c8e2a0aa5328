import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/**
 * What is bundled is not installed, yet our types name its types: it lays those beside ours in `folder` and lets ours point there.
 *
 * @param {string} name
 * @param {string} folder
 * @returns {import('rolldown').Plugin}
 */
export function ownTypes(name, folder) {
  return {
    name: 'own-types',
    writeBundle() {
      const from = resolve('node_modules', name);
      const to = join(folder, name);
      for (const file of declarations(join(from, 'index.d.ts'))) {
        const copy = join(to, relative(from, file));
        mkdirSync(dirname(copy), { recursive: true });
        cpSync(file, copy);
      }
      const named = new RegExp(`(from |import\\()['"](${name}[^'"]*)['"]`, 'g');
      for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!file.endsWith('.d.ts') || file.startsWith(name + sep)) continue;
        const path = join(folder, file);
        const up = relative(dirname(path), folder).replaceAll(sep, '/') || '.';
        writeFileSync(path, readFileSync(path, 'utf8').replace(named, `$1'${up}/$2/index.js'`));
      }
    },
  };
}

/**
 * The file, and every one that it names, directly or not.
 *
 * @param {string} file
 * @param {Set<string>} seen
 */
function declarations(file, seen = new Set()) {
  if (seen.has(file) || !existsSync(file)) return seen;
  seen.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*["'](\.[^"']+)\.js["']/g))
    declarations(resolve(dirname(file), `${name}.d.ts`), seen);
  return seen;
}
