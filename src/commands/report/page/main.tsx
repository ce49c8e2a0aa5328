// Opens the page: reads what is embedded in it, and draws it.
import { render } from 'preact';
import { App } from './app.js';
import { readEvents, readSettings } from './data.js';
import { openRun } from './run.js';

const root = document.getElementById('page');
if (root !== null) {
  const run = openRun(await readEvents(), readSettings());
  document.documentElement.classList.add('live');
  render(<App run={run} />, root);
}
