// Opens the page: reads what is embedded in it, draws it, and draws it again when there is more.
import { render } from 'preact';
import type { Event } from '../../../core/event/event.js';
import { isObject, parseJson } from '../../../core/record/json.js';
import type { Settings } from '../document.js';
import { App } from './app.js';
import { openReport } from './run.js';

async function readEvents(): Promise<Event[]> {
  const letters = atob(embeddedText('events'));
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return eventsIn((await new Response(stream).text()).split('\n'));
}

function eventsIn(lines: readonly string[]): Event[] {
  return lines.map((line) => parseJson(visible(line))).filter(isEvent);
}

/** Calls back whenever there is more, until the run is over. */
async function followRun(
  known: readonly Event[],
  settings: Settings,
  show: (events: readonly Event[], settings: Settings) => void,
): Promise<void> {
  let [events, now] = [known, settings];
  while (now.live) {
    const answer = await fetch(`events?from=${events.length}`, { cache: 'no-store' }).catch(() => null);
    if (answer === null || !answer.ok) break;
    const [first = '', ...lines] = (await answer.text()).split('\n');
    now = readSettings(first);
    events = [...events, ...eventsIn(lines)];
    const began = performance.now();
    show(events, now);
    // A long run takes time to draw: most of the time is the reader's.
    await new Promise((resolve) => setTimeout(resolve, Math.max(calmMs, restShare * (performance.now() - began))));
  }
  // Whoever served it has ended.
  if (now.live) show(events, { ...now, live: false });
}

const calmMs = 300;
const restShare = 4;

function readSettings(json = embeddedText('settings')): Settings {
  const said = parseJson(visible(json));
  return isSettings(said) ? said : { title: '', compare: false, live: false, findings: [], figures: null };
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

/** The same holds for settings. A description of what they hold would make the page larger than all panels. */
function isSettings(value: unknown): value is Settings {
  return isObject(value) && Array.isArray(value['findings']);
}

function embeddedText(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}

const root = document.getElementById('page');
if (root !== null) {
  const showRun = (events: readonly Event[], settings: Settings) =>
    render(<App report={openReport(events, settings)} />, root);
  const settings = readSettings();
  // A list of runs is there before any of them is read.
  const isList = !settings.compare && (settings.figures?.length ?? 0) > 1 && !location.hash.includes('run=');
  if (isList) {
    document.documentElement.classList.add('live');
    showRun([], settings);
    await new Promise((resolve) => setTimeout(resolve));
  }
  const events = await readEvents();
  document.documentElement.classList.add('live');
  showRun(events, settings);
  await followRun(events, settings, showRun);
}
