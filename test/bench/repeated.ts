import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the real program wrote (fixtures/sessions), again and again, each time with new ids: many short sessions. */
export function* repeatedRuns(bytes: number): Generator<string> {
  const folder = 'fixtures/sessions';
  const names = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
  const runs = names.map((name) => readFileSync(join(folder, name), 'utf8')).filter(isReadByJq);
  for (let copy = 0, left = bytes; left > 0; copy++) {
    const run = withNewIds(runs[copy % runs.length] ?? '', copy);
    left -= run.length;
    yield run.endsWith('\n') ? run : `${run}\n`;
  }
}

/** Whole, and of Claude Code: jq stops at a damaged line, and other programs name no models. */
function isReadByJq(run: string): boolean {
  try {
    const records = run
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return records.some((record) => record.type === 'assistant' && record.message?.usage !== undefined);
  } catch {
    return false;
  }
}

function withNewIds(run: string, copy: number): string {
  const made = new Map<string, string>();
  return run.replace(ids, (id) => {
    const known = made.get(id) ?? newId(id, copy);
    made.set(id, known);
    return known;
  });
}

/** Keeps its prefix and its hyphens. */
function newId(id: string, copy: number): string {
  const digits = createHash('sha256').update(`${copy} ${id}`).digest('hex');
  const start = /^(?:[a-z]+_|a(?=[0-9a-f]{16}$))/.exec(id)?.[0].length ?? 0;
  let at = 0;
  return id.slice(0, start) + id.slice(start).replace(/[0-9A-Za-z]/g, () => digits[at++ % digits.length] ?? '0');
}

/** Uuids, ids of messages, requests and calls, and ids of agents. */
const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?:toolu|msg|req)_[A-Za-z0-9_]+|\ba[0-9a-f]{16}\b/g;
