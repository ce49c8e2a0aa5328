// What `npm publish` would send, and what `npm install` makes of it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const project = resolve(import.meta.dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'cct-tarball-'));
const unpacked = join(home, 'unpacked');
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
let packed: { filename: string; size: number; unpackedSize: number; files: { path: string }[] };

function npm(words: readonly string[], cwd: string): string {
  return execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  [packed] = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', home], project));
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', join(home, packed.filename), '-C', unpacked, '--strip-components=1']);
}, 120_000);

afterAll(() => rmSync(home, { recursive: true }));

describe('the tarball', () => {
  const paths = () => packed.files.map(({ path }) => path);

  test('holds what is needed, and nothing else', () => {
    const needed =
      /^(bin\/(cct\.js|package\.json)|dist\/cli\/[\w-]+\.cjs|dist\/(lib|node)\.js|dist\/chunks\/[\w-]+\.js|dist\/licenses\.txt|dist\/types\/((core\/.*|io\/[\w-]+|lib|node)\.d\.ts)|man\/cct[\w-]*\.[17]|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
    expect(paths().filter((path) => !needed.test(path))).toEqual([]);
    const named = [
      manifest.bin.cct,
      ...manifest.man,
      manifest.main,
      manifest.types,
      'dist/lib.js',
      'README.md',
      'LICENSE',
    ];
    expect(named.map((path) => path.replace('./', '')).filter((path) => !paths().includes(path))).toEqual([]);
  });

  test('is small', () => {
    expect(packed.size).toBeLessThan(450_000);
    expect(packed.unpackedSize).toBeLessThan(1_900_000);
  });

  test('has every type that a type in it names', () => {
    const seen = new Set<string>();
    const visit = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      if (!existsSync(path)) return;
      for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.js['"]/g))
        visit(resolve(dirname(path), `${from}.d.ts`));
    };
    for (const entry of ['lib', 'node']) visit(join(unpacked, `dist/types/${entry}.d.ts`));
    expect([...seen].filter((path) => !existsSync(path))).toEqual([]);
    expect(seen.size).toBeGreaterThan(20);
  });

  test('publint has nothing to say', async () => {
    const { messages } = await publint({ pkgDir: unpacked, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test('does not say where it was built', () => {
    const texts = paths().map((path) => [path, readFileSync(join(unpacked, path), 'utf8')]);
    const named = texts.filter(([, text]) => text?.includes(project));
    expect(named.map(([path]) => path)).toEqual([]);
  });
});

describe('what it depends on', () => {
  interface Locked {
    readonly dev?: boolean;
    readonly license?: string;
    readonly integrity?: string;
    readonly resolved?: string;
    readonly hasInstallScript?: boolean;
  }
  const lock: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync(join(project, 'package-lock.json'), 'utf8'),
  );
  const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
  const shipped = locked.filter(([, { dev }]) => dev !== true);

  test('is little', () => {
    expect(shipped.length).toBeGreaterThan(0);
    expect(shipped.length).toBeLessThanOrEqual(30);
  });

  test.each(shipped)('%s runs nothing when installed, and is free to use', (_path, { license, hasInstallScript }) => {
    expect(hasInstallScript).toBeUndefined();
    expect(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD']).toContain(license);
  });

  test('has its licences in the tarball, since its code is in the bundle', () => {
    const text = readFileSync(join(unpacked, 'dist/licenses.txt'), 'utf8');
    for (const [path] of shipped) expect(text).toMatch(new RegExp(`^${path.slice('node_modules/'.length)}\\n\\n`, 'm'));
    expect(text.match(/Permission/g)?.length).toBeGreaterThanOrEqual(shipped.length);
  });

  test('is locked by content, wherever it comes from', () => {
    expect(locked.filter(([, { integrity, resolved }]) => integrity === undefined || resolved !== undefined)).toEqual(
      [],
    );
  });

  test('cct itself runs nothing when installed', () => {
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
  });
});

describe('installed in an empty folder', () => {
  const prefix = join(home, 'prefix');

  beforeAll(() => {
    // The commands are one bundle: without its dependencies the package installs with no registry in reach.
    const alone = join(home, 'alone');
    execFileSync('cp', ['-r', unpacked, alone]);
    writeFileSync(join(alone, 'package.json'), JSON.stringify({ ...manifest, dependencies: {}, devDependencies: {} }));
    mkdirSync(prefix);
    const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--install-links'];
    npm(['install', '--global', '--prefix', prefix, ...quiet, alone], home);
  }, 120_000);

  test('cct works', () => {
    const run = join(project, 'fixtures/sessions/team-2.1.325.ndjson');
    const words = ['teams', '--members', '--fields', 'name,status', '-f', 'csv', run];
    const printed = execFileSync(join(prefix, 'bin/cct'), words, { cwd: home, encoding: 'utf8' });
    expect(printed).toBe('name,status\nmain,finished\nresearcher,finished\nwriter,finished\n');
  });

  test('npx finds it', () => {
    const words = ['exec', '--offline', '--yes', '--cache', join(home, 'cache'), `--package=${join(home, 'alone')}`];
    expect(npm([...words, '--', 'cct', '--version'], home)).toBe(`${manifest.version}\n`);
  });

  test.each<string>(manifest.man)('man finds %s', (page) => {
    const [name = '', part = ''] = page.replace('./man/', '').split('.');
    expect(readFileSync(join(prefix, `share/man/man${part}/${name}.${part}`), 'utf8')).toContain('.SH NAME');
  });
});
