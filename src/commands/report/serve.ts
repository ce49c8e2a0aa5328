// Serves the page of a run that still goes on. The page asks for what came since, and draws it.
import type { Context } from '../../cli/command.js';
import { flagOf } from '../../cli/flags/flags.js';
import type { Event } from '../../core/event/event.js';
import { toJson } from '../../core/record/json.js';
import { atFirstInterrupt } from '../../io/exit.js';
import { type Answer, createPacker, openInBrowser, readPageShell, serve } from '../../io/page.js';
import { createAuditReader, findingsOf } from '../audit/audit.js';
import { auditedSubjects } from '../audit/row.js';
import { documentOf, settingsOf } from './document.js';

/** Serves until Ctrl-C; `read` calls back for each event. */
export async function serveRun(context: Context, read: (onEvent: (event: Event) => void) => Promise<void>) {
  const { options, diagnostics, out } = context;
  const run = new GrowingRun();
  const { address, close } = await serve(async (path, query) => {
    if (path === '') return { type: 'text/html', text: [...(await run.page())].join('') };
    return path === 'events' ? run.since(Number(query.get('from'))) : null;
  });
  out.write(`${address}\n`);
  await out.flush();
  diagnostics.warn('served to browsers on this machine; Ctrl-C ends it');
  const problem = flagOf(options, 'browse') ? await openInBrowser(address) : null;
  if (problem !== null) diagnostics.error(`${address}: ${problem}`);
  await read((event) => run.addEvent(event));
  run.endRun();
  // Ctrl-C already ended a file that is followed.
  if (!flagOf(options, 'follow') || flagOf(options, 'untilEnd'))
    await new Promise<void>((resolve) => atFirstInterrupt(resolve));
  close();
}

class GrowingRun {
  readonly #events: Event[] = [];
  readonly #audit = createAuditReader();
  #isOver = false;
  #waiting: (() => void)[] = [];

  addEvent(event: Event): void {
    this.#events.push(event);
    this.#audit.note(event);
    this.#wake();
  }

  endRun(): void {
    this.#isOver = true;
    this.#wake();
  }

  async page(): Promise<Iterable<string>> {
    const packer = createPacker();
    for (const event of this.#events) packer.write(`${toJson(event)}\n`);
    return documentOf(readPageShell(), { ...this.#settings(), events: await packer.end(), tables: [] });
  }

  /** The settings in the first line, then the events after this many. Waits a while for one. */
  async since(from: number): Promise<Answer> {
    if (this.#events.length <= from && !this.#isOver) await this.#more();
    const lines = [settingsOf(this.#settings()), ...this.#events.slice(from).map(toJson)];
    return { type: 'application/x-ndjson', text: lines.join('\n') };
  }

  #settings() {
    const findings = findingsOf(auditedSubjects, this.#audit.facts());
    return { title: 'cct report', compare: false, live: !this.#isOver, findings, figures: null };
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, longestWaitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    for (const act of this.#waiting.splice(0)) act();
  }
}

const longestWaitMs = 20_000;
