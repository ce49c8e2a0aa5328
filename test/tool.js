// Node 20 does not run TypeScript: `node test/tool.js bench …` bundles test/bench/main.ts and runs it in the root.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { markdown } from '../.build/markdown.js';

const [, , name, ...words] = process.argv;
const folder = mkdtempSync(join(tmpdir(), `cct-${name}-`));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => process.exit(code));
process.chdir(new URL('..', import.meta.url).pathname);

const page = 'dist/page.html';
const file = join(folder, 'main.mjs');
await build({
  input: `test/${name}/main.ts`,
  platform: 'node',
  plugins: [markdown],
  // cct report has its page inside.
  transform: existsSync(page) ? { define: { builtPage: JSON.stringify(readFileSync(page, 'utf8')) } } : {},
  output: { dir: folder, entryFileNames: 'main.mjs' },
});
const { main } = await import(pathToFileURL(file).href);
process.exitCode = await main(words, folder, (text) => process.stdout.write(text));
