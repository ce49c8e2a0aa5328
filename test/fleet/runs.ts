// Makes many small runs out of recorded ones: new ids, other days, other projects.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs that end well and badly, with and without agents, at known, unknown and missing prices. */
const stories = [
  ...['subagent', 'two-teams', 'seed-000-swarm', 'parallel-subagents-2.1.39', 'tool-use', 'one-shot', 'resume-2'],
  ...['billing-unknown-2.1.140', 'billing-search-2.1.325', 'max-turns', 'budget-exceeded', 'api-error'],
  ...['refused-shutdown', 'interrupted', 'stop-int-2.1.39', 'loop-same-2.1.325', 'results-out-of-order'],
];

const day = 86_400_000;
const days = 70;

/** Writes that many runs into a folder, one file each, and returns the names of the files. */
export function writeRuns(folder: string, count: number): string[] {
  const texts = stories.map((story) => readFileSync(`fixtures/sessions/${story}.ndjson`, 'utf8'));
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: count }, (_, number) => {
    const file = join(folder, `run-${String(number).padStart(5, '0')}.ndjson`);
    writeFileSync(file, runText(texts[number % texts.length] ?? '', number));
    return file;
  });
}

function runText(text: string, number: number): string {
  const own = number.toString(16).padStart(8, '0');
  return text
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g, `${own}$1`)
    .replace(/\b(?:msg|toolu|req)_\w+/g, `$&${own}`)
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) =>
      new Date(Date.parse(time) + (number % days) * day).toISOString(),
    )
    .replaceAll('/home/dev/project', `/home/dev/project-${number % 5}`);
}
