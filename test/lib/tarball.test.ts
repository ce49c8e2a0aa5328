// What `npm publish` would send, and what `npm install` makes of it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const project = resolve(import.meta.dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'cct-tarball-'));
const unpacked = join(home, 'unpacked');
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
let packed: { filename: string; size: number; unpackedSize: number; files: { path: string; size: number }[] };

function npm(words: readonly string[], cwd: string): string {
  return execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  [packed] = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', home], project));
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', join(home, packed.filename), '-C', unpacked, '--strip-components=1']);
}, 120_000);

afterAll(() => rmSync(home, { recursive: true }));

function gzipped(files: readonly string[]): number {
  return files.reduce((sum, path) => sum + gzipSync(readFileSync(join(unpacked, path))).length, 0);
}

function paths(): string[] {
  return packed.files.map(({ path }) => path);
}

describe('the tarball', () => {
  test('holds what is needed, and nothing else', () => {
    const needed =
      /^(bin\/((cct|load)\.js|package\.json)|dist\/cli\/[\w-]+\.cjs|dist\/cli\/code-[\w.-]+\.bin|dist\/cli\/page\.html|dist\/(lib|node)\.js|dist\/chunks\/[\w-]+\.js|dist\/licenses\.txt|dist\/node\.d\.ts|src\/api\/README\.md|fixtures\/(sessions\/[\w.-]+\.ndjson|library\/watch-run\.mjs)|man\/cct[\w-]*\.[17]|package\.json|README\.md|LICENSE)$/;
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

  test('has every file that the API page names', () => {
    const page = readFileSync(join(unpacked, 'src/api/README.md'), 'utf8');
    const named = [...page.matchAll(/\b(?:fixtures|man)\/[\w/.-]+\w/g)].map(([path]) => path);
    expect(named.length).toBeGreaterThan(0);
    expect([...new Set(named)].filter((path) => !paths().includes(path))).toEqual([]);
  });

  test('is small', () => {
    // Most of an install is the making of files.
    expect(packed.files.length).toBeLessThan(84);
    const code = packed.files.filter(({ path }) => path.endsWith('.bin'));
    const codeSize = code.reduce((sum, { size }) => sum + size, 0);
    expect(packed.unpackedSize - codeSize).toBeLessThan(2_650_000);
    expect(packed.size - gzipped(code.map(({ path }) => path))).toBeLessThan(800_000);
    // Half of a file of code is gone when it is compressed.
    expect(codeSize / code.length).toBeLessThan(1_500_000);
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

describe('what it is made of', () => {
  interface Locked {
    readonly license?: string;
    readonly integrity?: string;
    readonly resolved?: string;
    readonly hasInstallScript?: boolean;
  }
  const lock: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync(join(project, 'package-lock.json'), 'utf8'),
  );
  const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
  const bundled = [...packagesOf(join(project, 'src'))].sort();

  test('is all in it: nothing else is fetched', () => {
    const { dependencies, optionalDependencies, peerDependencies, bundleDependencies } = manifest;
    expect([dependencies, optionalDependencies, peerDependencies, bundleDependencies]).toEqual(
      Array(4).fill(undefined),
    );
    const texts = paths()
      .filter((path) => /\.(c?js|d\.ts)$/.test(path) && path.startsWith('dist/'))
      .map((path) => readFileSync(join(unpacked, path), 'utf8').replaceAll(/\/\*\*.*?\*\//gs, ''));
    const names = texts.flatMap((text) => [
      ...text.matchAll(/(?:\bfrom\s*|\bimport\(|require\()["']([\w@][\w@:/.-]*)["']/g),
    ]);
    expect(names.map(([, name = '']) => name).filter((name) => !isBuiltin(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(0);
  });

  test('is little', () => {
    expect(bundled.length).toBeGreaterThan(0);
    expect(bundled.length).toBeLessThanOrEqual(30);
  });

  test.each(bundled)('%s runs nothing when installed, and is free to use', (name) => {
    const { license, hasInstallScript } = lock.packages[`node_modules/${name}`] ?? {};
    expect(hasInstallScript).toBeUndefined();
    expect(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD']).toContain(license);
  });

  // The build takes the names from the bundles, the test from what src imports and what that depends on.
  test('has the licences of all of it in the tarball, and the versions', () => {
    const text = readFileSync(join(unpacked, 'dist/licenses.txt'), 'utf8');
    const versions = bundled.map((name) => `${name} ${read(join(project, 'node_modules', name)).version}`);
    expect(text.match(/^(@[\w-]+\/)?[\w.-]+ \d+\.\d+\.\d+$/gm)).toEqual(versions);
    expect(text.match(/^Permission|^Redistribution and use/gm)?.length).toBeGreaterThanOrEqual(bundled.length);
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

function read(folder: string): { version: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** What pbf needs to compile schemas, and not to write. */
const compilerOnly = 'resolve-protobuf-schema';

/** The packages that the files of a folder import, and all that those depend on. */
function packagesOf(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  const imports = texts.flatMap((text) => [...text.matchAll(/(?:\bfrom |\bimport\()'([a-z@][^':]*)'/g)]);
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const needed = Object.keys(read(join(project, 'node_modules', name)).dependencies ?? {});
    needed.filter((other) => other !== compilerOnly).forEach(add);
  };
  // `preact/hooks` is a part of preact.
  for (const [, name = ''] of imports) add(name.split('/')[0] ?? name);
  return found;
}

describe('installed in an empty folder, with no registry in reach', () => {
  const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--cache', join(home, 'cache')];
  const tarball = () => join(home, packed.filename);
  const prefix = join(home, 'prefix');

  beforeAll(() => {
    mkdirSync(prefix);
    npm(['install', '--global', '--prefix', prefix, ...quiet, tarball()], home);
  }, 120_000);

  test('cct works', () => {
    const run = join(project, 'fixtures/sessions/team-2.1.325.ndjson');
    const words = ['teams', '--members', '--fields', 'name,status', '-f', 'csv', run];
    const printed = execFileSync(join(prefix, 'bin/cct'), words, { cwd: home, encoding: 'utf8' });
    expect(printed).toBe('name,status\nmain,finished\nresearcher,finished\nwriter,finished\n');
  });

  test('it is one package, and it can be imported', () => {
    const folder = join(home, 'empty');
    mkdirSync(folder);
    npm(['install', ...quiet, tarball()], folder);
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['cct-toolkit']);
    const script =
      "import('cct-toolkit').then(({ memberRowSchema, eventStream }) => console.log(typeof memberRowSchema.parse, typeof eventStream().pipe))";
    const printed = execFileSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
    expect(printed).toBe('function function\n');
  });

  test('npx finds it', () => {
    const words = ['exec', '--offline', '--yes', '--cache', join(home, 'cache'), `--package=${tarball()}`];
    expect(npm([...words, '--', 'cct', '--version'], home)).toBe(`${manifest.version}\n`);
  });

  test.each<string>(manifest.man)('man finds %s', (page) => {
    const [name = '', part = ''] = page.replace('./man/', '').split('.');
    expect(readFileSync(join(prefix, `share/man/man${part}/${name}.${part}`), 'utf8')).toContain('.SH NAME');
  });
});
