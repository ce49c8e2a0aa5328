// Reads the events and settings that are embedded in the page.
import type { Event } from '../../../core/event/event.js';
import { isObject, parseJson } from '../../../core/record/json.js';
import type { FindingRow } from '../../audit/row.js';
import type { Settings } from './run.js';

export async function readEvents(): Promise<Event[]> {
  const bytes = Uint8Array.from(atob(contentOf('events')), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const text = await new Response(stream).text();
  return visible(text)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line))
    .filter(isEvent);
}

export function readSettings(): Settings {
  const said = parseJson(visible(contentOf('settings')));
  const settings = isObject(said) ? said : {};
  const findings = Array.isArray(settings['findings']) ? settings['findings'] : [];
  return {
    title: typeof settings['title'] === 'string' ? settings['title'] : '',
    compare: settings['compare'] === true,
    findings: findings.filter(isFinding),
  };
}

/** Shows characters that hide or reorder text by their code. In JSON they occur only in strings. */
function visible(json: string): string {
  return json.replace(
    /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (letter) => `\\\\u${letter.charCodeAt(0).toString(16)}`,
  );
}

/** cct wrote the page, so a value with an event name is an event. */
function isEvent(value: unknown): value is Event {
  return isObject(value) && typeof value['event'] === 'string';
}

/** The same holds for findings. Their description would make the page larger than all panels. */
function isFinding(value: unknown): value is FindingRow {
  return isObject(value) && typeof value['rule'] === 'string' && typeof value['detail'] === 'string';
}

function contentOf(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}
