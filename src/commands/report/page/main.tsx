// Opens the page: reads what is embedded in it, draws it, and draws it again when there is more.
import { render } from 'preact';
import type { Event } from '../../../core/event/event.js';
import type { Settings } from '../document.js';
import { App } from './app.js';
import { followRun, readEvents, readSettings } from './data.js';
import { openRun } from './run.js';

const root = document.getElementById('page');
if (root !== null) {
  const showRun = (events: readonly Event[], settings: Settings) =>
    render(<App run={openRun(events, settings)} />, root);
  const [events, settings] = [await readEvents(), readSettings()];
  document.documentElement.classList.add('live');
  showRun(events, settings);
  await followRun(events, settings, showRun);
}
