// The story on paper: every line, open.
import { wordsOfEntry } from '../story.js';
import { Prose } from './parts.js';
import type { Run } from './run.js';
import { Opened } from './story.js';
import { clock, count } from './text.js';

export function Printed({ run }: { run: Run }) {
  const { entries } = run.story();
  return (
    <section>
      <h2>Story</h2>
      {entries.slice(0, mostPrinted).map((entry) => {
        const { mark, about, said, facts } = wordsOfEntry(entry);
        const { line } = entry;
        const isProse = line?.kind === 'text' || line?.kind === 'prompt' || line?.kind === 'result';
        return (
          <div key={entry.index} class="row">
            <span class="time">{clock(entry.at, run.playback.length)}</span>
            <span class="who">{line?.name ?? 'audit'}</span>
            <div class="what">
              <div>
                <b>{mark}</b> {about.trim().split('\n', 1)[0]} <span class="note">{facts.join(' · ')}</span>{' '}
                {isProse || line?.kind === 'thinking' ? null : said.trim().split('\n', 1)[0]}
              </div>
              {isProse ? <Prose text={said} whole /> : <Opened entry={entry} whole />}
            </div>
          </div>
        );
      })}
      {entries.length > mostPrinted ? (
        <p class="note">{count(entries.length - mostPrinted)} more lines are not printed.</p>
      ) : null}
    </section>
  );
}

const mostPrinted = 3000;
