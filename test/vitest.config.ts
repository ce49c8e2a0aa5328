import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { markdown } from '../.build/markdown.js';

/** Whatever takes longest begins first, so that both processes end at about the same time. */
const longest =
  /test\/(?:transcripts|rows|ci-action|commands\/run\/run|laws\/(?:commands|strict)|core\/privacy\/secrets\/linear)\.test/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const isUpdate = process.argv.some((word) => /^(?:-u|--update)\b/.test(word));

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
    expect: { requireAssertions: true, poll: { timeout: 30_000 } },
    // Two processes that keep the modules they loaded: loading them again per file took longer than most files need.
    maxWorkers: 2,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    env: { TZ: 'UTC', LC_ALL: 'C', TERM: 'dumb', NO_COLOR: '1', FORCE_COLOR: '', UPDATE: isUpdate ? 'yes' : 'no' },
    coverage: {
      provider: 'v8',
      include: ['src/core/**', 'src/commands/**'],
      reporter: ['html', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
});
