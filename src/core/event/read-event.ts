import type { JsonObject } from '../record/json.js';
import { type Event, eventSchema, isEventName } from './event.js';

/** An event of our own read back, exactly as it was written; null when it is not one after all. */
export function readEvent(record: JsonObject): Event | null {
  const name = record.event;
  if (typeof name !== 'string' || !isEventName(name)) return null;
  return fits(record, name) ? record : null;
}

function fits(record: JsonObject, name: Event['event']): record is JsonObject & Event {
  return eventSchema(name).safeParse(record).success;
}
