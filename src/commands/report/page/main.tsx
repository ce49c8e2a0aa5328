// Opens the page: reads what is embedded in it, draws it, and draws it again when there is more.
import { render } from 'preact';
import type { Event } from '../../../core/event/event.js';
import type { Settings } from '../document.js';
import { App } from './app.js';
import { followRun, readEvents, readSettings } from './data.js';
import { openReport } from './run.js';

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
