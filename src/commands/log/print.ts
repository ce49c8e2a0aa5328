// Writes lines of the log in the format the user wants.
import type { Context } from '../../cli/command.js';
import { flagOf, textOf } from '../../cli/flags/flags.js';
import { shownZone } from '../../cli/flags/times.js';
import { jsonTextFor, paintOf, signsOf } from '../../cli/print.js';
import type { StoryLine } from '../../core/story/line.js';
import { ndjson } from '../../view/formats.js';
import { noPaint } from '../../view/signs.js';
import { GithubLog } from './github.js';
import { MarkdownLog } from './markdown.js';
import { logRowOf } from './rows.js';
import { type LogLook, LogText } from './text.js';

/** Where lines go, and what it needs of them. */
export interface LogSink {
  readonly whole: boolean;
  readonly parts: boolean;
  readonly folds: boolean;
  readonly everything: boolean;
  readonly turns: boolean;
  line(line: StoryLine): void;
  /** What is open after a chunk of input. */
  open(lines: () => readonly StoryLine[]): void;
  while(reading: () => Promise<void>): Promise<void>;
  end(): void;
  readonly rows: number;
}

/** Turns lines into text. */
interface LogWriter {
  draw(line: StoryLine, look: LogLook): string;
  end?(): string;
}

export async function openLog(context: Context): Promise<LogSink> {
  const { options, out, streams } = context;
  const { stdout, env } = streams;
  const format = textOf(options, 'format');
  const full = flagOf(options, 'full');
  const paint = format === 'text' ? await paintOf(context) : noPaint;
  const look: LogLook = {
    // A terminal may change its width.
    get width() {
      return full || format === 'md' ? Number.POSITIVE_INFINITY : stdout.isTTY ? (stdout.columns ?? 80) : pipeWidth;
    },
    paint,
    signs: signsOf(streams),
    local: shownZone(options).local,
    full,
  };
  const toText = jsonTextFor(stdout.isTTY && (format === 'ndjson' || format === 'md'));
  const writer = writerOf(format, options['noContent'] === true);
  const isData = format === 'ndjson';
  const live =
    format === 'text' && stdout.isTTY && env['TERM'] !== 'dumb' && !isData
      ? await (await import('./live.js')).openLiveLog(context, (line) => writer.draw(line, look))
      : null;
  let rows = 0;
  return {
    whole: full || isData || format === 'md',
    parts: full || format === 'md',
    folds: !full && !isData,
    everything: full,
    turns: format === 'md' || format === 'github',
    line(line) {
      rows += 1;
      const text = toText(writer.draw(line, look));
      if (live === null) out.write(text);
      else live.write(text);
    },
    open: (lines) => live?.open(lines()),
    while: (reading) => live?.while(reading) ?? reading(),
    end: () => out.write(writer.end?.() ?? ''),
    get rows() {
      return rows;
    },
  };
}

function writerOf(format: string | null, isBare: boolean): LogWriter {
  if (format === 'ndjson') {
    const writer = ndjson();
    return { draw: (line) => writer.row({ ...logRowOf(line) }) };
  }
  if (format === 'md') return new MarkdownLog(isBare);
  return format === 'github' ? new GithubLog() : new LogText();
}

/** CI logs show long lines badly. */
const pipeWidth = 200;
