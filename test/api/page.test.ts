import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as library from '../../src/node.js';

const page = 'src/api/README.md';

// Like a transcript: behind each program stands what it prints, and vitest -u writes it anew.
test('every example of the API page runs and prints what stands below it', async () => {
  const text = readFileSync(page, 'utf8');
  await expect(await withOutputs(text)).toMatchFileSnapshot(`../../${page}`);
});

test('every export of the library that is a value stands on the API page', () => {
  const text = readFileSync(page, 'utf8');
  expect(Object.keys(library).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

async function withOutputs(markdown: string): Promise<string> {
  const parts = markdown.split(/(^```js\n[\s\S]*?^```\n)(?:\n```text\n[\s\S]*?^```\n)?/m);
  const outputs = await Promise.all(
    parts.map((part) => (part.startsWith('```js\n') ? printed(part.slice('```js\n'.length, -'```\n'.length)) : null)),
  );
  return parts
    .map((part, index) => (outputs[index] === null ? part : `${part}\n\`\`\`text\n${outputs[index]}\`\`\`\n`))
    .join('');
}

/** stdin as a module: `cct-toolkit` is then the package around it, as built. */
function printed(program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-'], { env: { NO_COLOR: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${program}\n${output}`))));
    child.stdin.end(program);
  });
}
