// Builds the command with a file for each file of src, into the folder that is named. Rolldown cannot be bundled, so it runs here.
import { writeFileSync } from 'node:fs';
import { build } from 'rolldown';
import { markdown } from '../../.build/markdown.js';

const [, , dir] = process.argv;
await build({
  input: 'src/main.ts',
  platform: 'node',
  plugins: [markdown],
  transform: { define: { builtPage: '""' } },
  output: { dir, format: 'esm', preserveModules: true, preserveModulesRoot: 'src' },
});
writeFileSync(`${dir}/package.json`, '{"type":"module"}');
