import { defineConfig } from 'vitest/config';
import { markdown } from '../.build/markdown.js';

export default defineConfig({
  plugins: [markdown],
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    reporters: ['default'],
    // Only --update writes: a missing golden is a failure.
    update: 'none',
    testTimeout: 120_000,
    // A test that asserts nothing fails.
    expect: { requireAssertions: true },
    // Two processes that keep the modules they loaded: loading them again per file took longer than most files need.
    maxWorkers: 2,
    isolate: false,
    env: { TZ: 'UTC', LC_ALL: 'C', TERM: 'dumb', NO_COLOR: '1', FORCE_COLOR: '' },
    coverage: {
      provider: 'v8',
      include: ['src/core/**', 'src/commands/**'],
      reporter: ['html', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
});
