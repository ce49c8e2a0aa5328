import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { streamOf } from '../bench/data.js';
import { bytesOf, homes, type Input, sessions } from '../laws/inputs.js';

/** A made-up run with this many messages, fewer than 40. Its session and messages are found in no run of another seed. */
export function runOf(messages: number, seed: number): string {
  let text = '';
  for (const line of streamOf(4000 * (messages - 1) + 1, 'tools', seed)) {
    text += line;
    if (line.startsWith('{"type":"result"')) break;
  }
  return text.replaceAll('crew-00000001', `crew-${seed}`);
}

/** Real runs and so many made-up ones. What shares a session is in one entry of the folder. */
export function writeRuns(folder: string, { real, made }: { readonly real: boolean; readonly made: number }): void {
  const files = new Map<string, string | Buffer>();
  for (const group of groupsOf(real ? [...sessions, ...homes].filter(isReal) : []))
    for (const { name, parts } of group)
      for (const { path, bytes } of parts)
        files.set(join(nameOf(group[0]), nameOf({ name }), path ?? 'run.ndjson'), bytes);
  for (let seed = 1; seed <= made; seed++) {
    // Some rows are longer than what a pipe takes at once.
    const project = `/home/dev/${seed % 3 === 0 ? 'project/'.repeat(800) : ''}${seed % 5}`;
    files.set(`made-${seed}.ndjson`, runOf(1, seed).replaceAll('/home/dev/project"', `${project}"`));
  }
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** Files written by hand use the ids of messages again. */
function isReal(input: Input): boolean {
  return !/"id":"m\d+"/.test(bytesOf(input).toString());
}

function nameOf({ name }: Pick<Input, 'name'>): string {
  return basename(name, '.ndjson');
}

/** Inputs that have a session in common are in one group. */
function groupsOf(inputs: readonly Input[]): [Input, ...Input[]][] {
  let groups: { inputs: [Input, ...Input[]]; ids: Set<string> }[] = [];
  for (const input of inputs) {
    const found = bytesOf(input)
      .toString()
      .matchAll(/"session_?id":\s*"([^"]+)"/gi);
    const ids = new Set([...found].map(([, id = '']) => id));
    const same = groups.filter((group) => [...ids].some((id) => group.ids.has(id)));
    const all: (typeof groups)[number] = { inputs: [input], ids };
    for (const one of same) {
      all.inputs.push(...one.inputs);
      for (const id of one.ids) ids.add(id);
    }
    groups = [...groups.filter((group) => !same.includes(group)), all];
  }
  return groups.map((group) => group.inputs);
}
