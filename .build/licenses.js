import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the licence of every package whose code is in a bundle. Given to several bundles, it writes those of all.
 *
 * @param {string} path
 * @returns {import('rolldown').Plugin}
 */
export function licenses(path) {
  /** @type {Set<string>} */
  const folders = new Set();
  return {
    name: 'licenses',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
      for (const folder of chunks.flatMap((chunk) => chunk.moduleIds).map(packageFolder))
        if (folder) folders.add(folder);
    },
    writeBundle() {
      const texts = [...folders].map(license).sort();
      writeFileSync(path, texts.join('\n'));
    },
  };
}

/** @param {string} module */
function packageFolder(module) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(module)?.[0];
}

/** @param {string} folder */
function license(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file === undefined) throw new Error(`${name} is in the bundle, but ${folder} has no licence`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}
