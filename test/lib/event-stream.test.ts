import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type Event, eventStream } from '../../src/node.js';
import { eventsOf, sessions, textOf } from './read-fixture.js';

async function streamed(text: string, options = {}): Promise<Event[]> {
  const source = Readable.from([Buffer.from(text)], { objectMode: false });
  const events: Event[] = [];
  for await (const event of source.pipe(eventStream(options))) events.push(event);
  return events;
}

test.each(sessions)('%s gives the events of the parser', async (session) => {
  expect(await streamed(textOf(session))).toEqual(eventsOf(session));
});

test('a line that is too long is an event, and line numbers stay true', async () => {
  const line = (text: string) => `{"type":"user","message":{"content":"${text}"}}\n`;
  const events = await streamed(line('a') + line('x'.repeat(200)) + line('b'), { maxLineBytes: 100 });
  expect(events).toMatchObject([
    { event: 'prompt:received', line: 1 },
    { event: 'input:skipped', reason: 'line too long', bytes: 240, line: 2 },
    { event: 'prompt:received', text: 'b', line: 3 },
  ]);
});

test('damage ends nothing', async () => {
  const events = await streamed('{"type":\nnot json\n{"type":"user","message":{"content":"b"}}\n');
  expect(events.map(({ event }) => event)).toEqual(['input:skipped', 'prompt:received']);
});
