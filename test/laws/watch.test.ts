import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';
import { checkLater } from './check.js';
import { bytesOf, homes, sessions } from './inputs.js';

describe('the last of each row that --watch wrote is the row without it', () => {
  const commands: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['teams', [], ['team', 'session_id']],
    ['teams', ['--members'], ['team', 'session_id', 'agent_id']],
    ['tasks', ['--all'], ['kind', 'team', 'session_id', 'id', 'owner']],
    ['usage', [], ['model']],
    ['usage', ['--by', 'agent'], ['agent', 'name', 'agent_type']],
    ['calls', [], ['tool']],
    ['calls', ['--by', 'call'], ['tool_use_id']],
    ['usage', ['--by', 'message'], ['session_id', 'message_id', 'result_id', 'agent', 'model', 'reported.time']],
  ];
  const fixtures = [...sessions, ...homes].map((input) => bytesOf(input).toString());
  const texts = fc.oneof(
    streams({ sessions: 3 }).map(ndjson),
    fc.constantFrom(...fixtures).filter((text) => text.length < 300_000),
  );
  test.each(commands)('%s %j', async (command, words, keys) => {
    await checkLater(
      fc.asyncProperty(texts, fc.integer({ min: 200, max: 20_000 }), async (text, size) => {
        const watched = linesOf((await cct([command, ...words, '--watch'], pieces(text, size))).stdout);
        const last = new Map(watched.map((line) => [keyOf(line, keys), line]));
        for (const line of linesOf((await cct([command, ...words], text)).stdout))
          expect(last.get(keyOf(line, keys))).toBe(line);
      }),
      'watch: any stream',
    );
  });
});

function keyOf(line: string, keys: readonly string[]): string {
  const row = JSON.parse(line);
  return JSON.stringify(keys.map((key) => (key === 'reported.time' ? row.reported?.time : row[key])));
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function* pieces(text: string, size: number): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
