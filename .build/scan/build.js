// Compiles scan.ts to WebAssembly, as base64 in a module of src. `node .build/scan/build.js` writes the module.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const target = join(root, 'src/core/record/scan-wasm.ts');

/** The text of the module. */
export function buildScan() {
  const folder = mkdtempSync(join(tmpdir(), 'cct-scan-'));
  try {
    const compiled = join(folder, 'scan.wasm');
    // Shared memory, so that another thread can scan ahead; src/core/record/scan-engine.ts makes it.
    const memory = ['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '32768'];
    const flags = [
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--enable',
      'simd,bulk-memory,threads',
      '--converge',
      ...memory,
    ];
    const words = ['node_modules/assemblyscript/bin/asc.js', '.build/scan/scan.ts', '-o', compiled, ...flags];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return moduleWith(readFileSync(compiled).toString('base64'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function moduleWith(base64) {
  const lines = base64.match(/.{1,110}/g) ?? [];
  const head =
    '/** Made from .build/scan/scan.ts by `npm run build:scan`; a test compares. WebAssembly with SIMD, in base64. */';
  return `${head}\nexport const scanWasm = \`\n${lines.join('\n')}\n\`;\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, buildScan());
