// Writes the log for GitHub Actions: a group for each turn, annotations for what failed. The runner obeys lines that
// begin with `::`, and `##[` anywhere in a line, so nothing that an agent wrote may look like that.
import type { StoryLine } from '../../core/story/line.js';
import { sanitize } from '../../view/text.js';
import { inOneLine, type LogLook, LogText } from './text.js';

export class GithubLog {
  readonly #text = new LogText();
  #isOpen = false;
  /** Began a turn, and waits for its prompt, which is the better title. */
  #held: { readonly title: string; readonly shown: string } | null = null;

  draw(line: StoryLine, look: LogLook): string {
    if (line.kind === 'session') {
      const before = this.end();
      this.#held = { title: plainWords(line, look), shown: this.#inertLines(line, look) };
      return before;
    }
    const isPrompt = line.kind === 'prompt' && line.status === null;
    const before = isPrompt ? this.#beginGroup(plainWords(line, look)) : this.#beginGroup();
    const close = line.kind === 'result' ? this.end() : '';
    return before + close + this.#inertLines(line, look) + annotation(line, look);
  }

  end(): string {
    const before = this.#beginGroup();
    if (!this.#isOpen) return before;
    this.#isOpen = false;
    return `${before}::endgroup::\n`;
  }

  /** Begins the group of a prompt, or that of what waits for one. */
  #beginGroup(prompt: string | null = null): string {
    const held = this.#held;
    this.#held = null;
    const title = prompt ?? held?.title;
    if (title === undefined) return '';
    const before = this.end();
    this.#isOpen = true;
    return `${before}::group::${commandData(title)}\n${held?.shown ?? ''}`;
  }

  #inertLines(line: StoryLine, look: LogLook): string {
    const lines = this.#text.draw(line, look).split('\n');
    return lines.map(inert).join('\n');
  }
}

/** A line that the runner does not obey. */
export function inert(line: string): string {
  return line.replace(/^(\s*)::/, '$1\\::').replaceAll('##[', '##\\[');
}

/** `::error title=writer::exit 1 …`, for what went wrong. */
function annotation(line: StoryLine, look: LogLook): string {
  const isWarning = line.status === 'retried' || (line.bad && (line.kind === 'call' || line.kind === 'message'));
  if (!line.bad && !isWarning) return '';
  const command = isWarning || line.status === 'hook' ? 'warning' : 'error';
  return `::${command} title=${commandProperty(sanitize(line.name))}::${commandData(plainWords(line, look))}\n`;
}

/** The words of a line in one line. */
function plainWords(line: StoryLine, { signs }: LogLook): string {
  const text = sanitize(inOneLine(line, signs).replace(/\s+/g, ' ').trim());
  return text.length <= longestTitle ? text : `${text.slice(0, longestTitle)}…`;
}
const longestTitle = 500;

/** As actions/toolkit writes what a command says. `##[` is escaped as well: it counts anywhere in a line. */
function commandData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('##[', '##\\[');
}

function commandProperty(text: string): string {
  return commandData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
