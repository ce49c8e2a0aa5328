import type { Event } from '../../../../src/lib.js';
import type { JsonObject } from '../../../json.js';
import { readText } from '../../../laws/reading.js';
import { ndjson } from '../../../streams.js';

export const ok = { success: true, message: 'sent' };

export function sentBy(tool: string, input: JsonObject, data: unknown, text?: string) {
  return eventsOf(tool, input, data, false, text).filter(isMessage);
}

export function eventsOf(tool: string, input: JsonObject, data: unknown, isError = false, text?: string): Event[] {
  return readText(ndjson([call('call1', tool, input), result('call1', data, isError, text)])).events;
}

export function isMessage(event: Event) {
  return event.event === 'team:message:sent' || event.event === 'team:message:failed';
}

export function call(id: string, name: string, input: JsonObject): JsonObject {
  return {
    type: 'assistant',
    session_id: 's1',
    message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name, input }] },
  };
}

export function result(id: string, data: unknown, isError = false, text = JSON.stringify(data)): JsonObject {
  const block = { type: 'tool_result', tool_use_id: id, content: text, is_error: isError };
  return { type: 'user', session_id: 's1', message: { content: [block] }, tool_use_result: data };
}
