// Writes the log for GitHub: as a Markdown document, with a heading for each prompt, what agents said, calls folded and
// changes as diffs, and below as a log of Actions. The document can be pasted into a pull request: what agents wrote cannot
// break out of its place, load anything or call anybody.
import type { Part, StoryLine } from '../../core/story/line.js';
import type { Signs } from '../../view/signs.js';
import { sanitize, sanitizeData } from '../../view/text.js';
import { type Words, wordsOf } from './rows.js';
import { inOneLine, type LogLook, LogText } from './text.js';

export class MarkdownLog {
  #speaker: string | null = null;
  #isList = false;
  /** A turn that has no heading yet. */
  #turn: string | null = null;

  /** `isBare`: there are no texts. */
  constructor(private readonly isBare: boolean) {}

  draw(line: StoryLine, look: LogLook): string {
    // A prompt is the better heading of its turn.
    const isTurn = this.#turn !== null && line.kind !== 'prompt';
    const before = isTurn ? this.#block(turnHead(this.#turn)) : '';
    this.#turn = null;
    return before + this.#drawn(line, look);
  }

  #drawn(line: StoryLine, look: LogLook): string {
    switch (line.kind) {
      case 'session':
        if (line.status !== 'turn') return this.#block(sessionHead(line, look));
        this.#turn = line.text;
        return '';
      case 'prompt':
        return this.#prompt(line);
      case 'text':
        return this.#speech(line, look, safeMarkdown(line.text ?? '…'));
      case 'thinking':
        return this.#speech(line, look, details('<em>thinking</em>', fenced(line.text ?? '')));
      case 'result':
        return this.#block(
          `---\n\n**${oneLine(line, look)}**${line.text === null ? '' : `\n\n${safeMarkdown(line.text)}`}`,
        );
      case 'call':
      case 'message':
      case 'agent':
      case 'task':
      case 'notice':
        return this.#happened(line, look);
    }
  }

  end(): string {
    const turn = this.#turn === null ? '' : this.#block(turnHead(this.#turn));
    return this.#isList ? '\n' : turn;
  }

  #prompt(line: StoryLine): string {
    const text = line.text ?? '';
    const [first = ''] = text.trim().split('\n', 1);
    const isShort = first.length <= longestHeading;
    const title = this.isBare || first === '' ? 'Prompt' : isShort ? first : `${first.slice(0, longestHeading)}…`;
    const isWhole = isShort && first === text.trim();
    const quoted = isWhole ? '' : `\n\n${quoteBlock(safeMarkdown(text))}`;
    return this.#block(`## ${inline(title)}${quoted}`);
  }

  #speech(line: StoryLine, look: LogLook, text: string): string {
    return `${this.#speak(line, look)}${text}\n\n`;
  }

  /** One line, or a fold with what belongs to it. */
  #happened(line: StoryLine, look: LogLook): string {
    const head = this.#speak(line, look);
    const words = oneLine(line, look);
    const body = line.parts.map(partText).join('\n\n');
    if (body !== '') return `${this.#block('')}${head}${details(summaryText(line, look), body)}\n\n`;
    this.#isList = true;
    return `${head}- ${words}\n`;
  }

  /** Names the agent when another one goes on. */
  #speak(line: StoryLine, { local }: LogLook): string {
    const isSame = this.#speaker === line.name;
    this.#speaker = line.name;
    const before = this.#isList && (!isSame || line.kind === 'text' || line.parts.length > 0) ? '\n' : '';
    if (before !== '') this.#isList = false;
    if (isSame) return before;
    const time = line.time === null ? '' : ` <sub>${local(line.time).slice(11, 19)}</sub>`;
    return `${before}**${inline(line.name)}**${time}\n\n`;
  }

  #block(text: string): string {
    const before = this.#isList ? '\n' : '';
    this.#isList = false;
    if (text === '') return before;
    this.#speaker = null;
    return `${before}${text}\n\n`;
  }
}

const longestHeading = 100;

function sessionHead({ session_id, text, time }: StoryLine, { local }: LogLook): string {
  const day = time === null ? null : local(time).slice(0, 10);
  const about = [text, day].filter((one) => one !== null).map(inline);
  return `# Session ${inline(session_id?.slice(0, 8) ?? '')}${about.length === 0 ? '' : `\n\n${about.join(' · ')}`}`;
}

/** `## Turn 2`. */
function turnHead(turn: string | null): string {
  return `## ${inline(turn ?? '').replace(/^t/, 'T')}`;
}

/** Words in place of signs that Markdown itself shows: a triangle before what is folded, a dot before what is listed. */
function wordsFor(line: StoryLine, signs: Signs): Words {
  const { kind, status } = line;
  const words = wordsOf(line, { ...signs, starts: status === 'resumed' ? '' : 'started' });
  const isWord = kind === 'task' && status !== null && status !== 'completed';
  const mark = isWord ? status : kind === 'notice' ? (teamWords.get(status) ?? words.mark) : words.mark;
  return { ...words, mark };
}
const teamWords: ReadonlyMap<string | null, string> = new Map([
  ['team_created', 'created team'],
  ['team_deleted', 'deleted team'],
]);

/** What stands before what was said. */
function gapBefore({ kind }: StoryLine, { mark, about, said, facts }: Words, { wrong }: Signs): string {
  // What went wrong speaks for itself.
  const isAlone = mark === wrong && about === '' && facts.length === 0;
  return isAlone || (kind === 'agent' && said.startsWith('(')) ? '' : '· ';
}

function oneLine(line: StoryLine, { signs }: LogLook): string {
  const words = wordsFor(line, signs);
  const { mark, about, facts } = words;
  const what = line.kind === 'call' && about !== '' ? codeSpan(firstLineOf(about)) : inline(about);
  // A result has its text below.
  const said = line.kind === 'result' ? '' : inline(shortOf(words.said));
  const parts = [inline(mark), what, ...facts.map((one) => `· ${inline(one)}`)];
  return [...parts, said === '' ? '' : gapBefore(line, words, signs) + said].filter((one) => one !== '').join(' ');
}

/** Inside a summary, Markdown is not read: HTML is written. */
function summaryText(line: StoryLine, { signs }: LogLook): string {
  const words = wordsFor(line, signs);
  const { mark, about, facts } = words;
  const what = line.kind === 'call' ? `<code>${html(firstLineOf(about))}</code>` : plainHtml(firstLineOf(about));
  const said = words.said === '' ? '' : gapBefore(line, words, signs) + plainHtml(shortOf(words.said));
  const parts = [plainHtml(mark), about === '' ? '' : what, ...facts.map((one) => `· ${html(one)}`)];
  return [...parts, said].filter((one) => one !== '').join(' ');
}

function firstLineOf(text: string): string {
  const [first = ''] = text.trim().split('\n', 1);
  return first.length > longestLine ? `${first.slice(0, longestLine)}…` : first;
}

function shortOf(text: string): string {
  const flat = text
    .trim()
    .slice(0, 4 * longestLine)
    .replace(/\s+/g, ' ');
  return flat.length > longestLine ? `${flat.slice(0, longestLine)}…` : flat;
}
const longestLine = 200;

function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

function partText({ is, text, changes }: Part): string {
  if (changes !== undefined) return fenced(changes.map((one) => `${one.sign}${one.text}`).join('\n'), 'diff');
  // Quoted, so that one sees where it ends.
  return is === 'text' ? quoteBlock(safeMarkdown(text)) : fenced(text);
}

/** A code block that no text can end. */
export function fenced(text: string, language = ''): string {
  const lines = text.replace(/\r\n/g, '\n');
  let end = lines.length;
  // Not with a pattern: it would try each line end to the end of its run.
  while (lines[end - 1] === '\n') end--;
  const safe = sanitizeData(lines.slice(0, end));
  const longest = (safe.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${safe}\n${fence}`;
}

/** GitHub would make a box of a quote that begins with `[!NOTE]`. */
function quoteBlock(text: string): string {
  return text.replace(/^\[!/, '\\[!').replace(/^/gm, '> ');
}

function html(text: string): string {
  return sanitizeData(text)
    .replace(/[\n\t]/g, ' ')
    .replace(/[^\p{L}\p{N} .,;'/_+=%()$…·→✗✓▸■−-]/gu, (letter) => `&#${letter.codePointAt(0)};`)
    .replace(/\/\/|www\./gi, (mark) => [...mark].map((letter) => `&#${letter.codePointAt(0)};`).join(''));
}

/** Outside of code. GitHub looks for people and issues in what the entities say, but not across a space of no width. */
function plainHtml(text: string): string {
  return html(text).replace(/&#(?:64|35);|\bGH-(?=\d)/gi, `$&${apart}`);
}
const apart = '&#8203;';

/** Plain words in a line of Markdown. */
export function inline(text: string): string {
  return plainHtml(text).replace(/^[-+]|_/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** Code inside a line: longer marks than any inside, and no line end. */
function codeSpan(text: string): string {
  const safe = sanitizeData(text).replace(/[\n\t]/g, ' ');
  const longest = (safe.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const marks = '`'.repeat(longest + 1);
  const space = longest > 0 || safe.startsWith(' ') ? ' ' : '';
  return safe.trim() === '' ? '' : `${marks}${space}${safe}${space}${marks}`;
}

/**
 * What an agent wrote, as Markdown without raw HTML, images, mentions and addresses that would become links. Code
 * blocks are written anew, at the left edge, where nothing above can change what they are.
 */
export function safeMarkdown(text: string): string {
  const out: string[] = [];
  let code: { lines: string[]; fence: string; language: string } | null = null;
  for (const line of text.replace(/\r\n/g, '\n').split('\n')) {
    if (code !== null) {
      if (isClosing(line, code.fence)) {
        out.push(fenced(code.lines.join('\n'), code.language));
        code = null;
      } else code.lines.push(line);
      continue;
    }
    const [, fence, info = ''] = fenceOpening.exec(line) ?? [];
    if (fence === undefined || (fence.startsWith('`') && info.includes('`'))) out.push(safeLine(line));
    else code = { lines: [], fence, language: languageIn(info) };
  }
  if (code !== null) out.push(fenced(code.lines.join('\n'), code.language));
  return out.join('\n').trim();
}

/** Not one that GitHub runs instead of showing it. */
function languageIn(info: string): string {
  const name = /^[\w+#.-]{1,20}/.exec(info.trim())?.[0] ?? '';
  return /^(?:mermaid|math|geojson|topojson|stl)$/i.test(name) ? 'text' : name;
}

const fenceOpening = /^[ \t]*(`{3,}|~{3,})(.*)$/;

function isClosing(line: string, fence: string): boolean {
  const bare = line.trim();
  return bare.length >= fence.length && bare === (fence[0] ?? '').repeat(bare.length);
}

/** One line outside code blocks. Headings become small ones, so that no text can look like a prompt. */
function safeLine(line: string): string {
  const text = sanitizeData(line);
  const [, space = '', marks] = /^( {0,3})(#{1,6})(?=[ \t]|$)/.exec(text) ?? [];
  if (marks !== undefined)
    return `${'#'.repeat(Math.min(6, marks.length + 3))}${safeInline(text.slice(space.length + marks.length))}`;
  // An underline would make a heading of the line above.
  if (/^[\s>]*(?:=+|-+)\s*$/.test(text)) return text.replace(/[=-]/, '\\$&');
  // A code block by indentation would show what is escaped.
  return safeInline(text.replace(/^(?:\t| {4,})(?![-*+\d ])/, '   '));
}

/** Code spans end in their line: marks without a partner are escaped. Everything else is scanned once. */
function safeInline(text: string): string {
  const runs = [...text.matchAll(/\\[\s\S]|`+|[^\\`]+|\\$/g)].map(([piece]) => piece);
  const partners = partnersOf(runs);
  let out = '';
  for (let at = 0; at < runs.length; at++) {
    const piece = runs[at] ?? '';
    const end = partners[at] ?? -1;
    if (end > at) {
      out += runs.slice(at, end + 1).join('');
      at = end;
    } else if (piece.startsWith('`')) out += piece.replaceAll('`', '\\`');
    else if (/^\\[<@!:#&]/.test(piece)) out += entity(piece.slice(1));
    else out += piece.startsWith('\\') ? piece : prose(piece);
  }
  return out;
}

/** For each mark of code, the next one of the same length; -1 for none. */
function partnersOf(runs: readonly string[]): number[] {
  const next = new Map<number, number>();
  const partners = new Array<number>(runs.length).fill(-1);
  for (let at = runs.length - 1; at >= 0; at--) {
    const run = runs[at] ?? '';
    if (!run.startsWith('`')) continue;
    partners[at] = next.get(run.length) ?? -1;
    next.set(run.length, at);
  }
  return partners;
}

/** Text outside of code. What would be HTML, an image, a mention, a reference or a link by itself is only shown. */
function prose(text: string): string {
  return text.replace(active, (found) => {
    if (found === '![') return '!\\[';
    if (found === '](') return ']\\(';
    return found.endsWith('~~~') ? found.replaceAll('~', '\\~') : entity(found);
  });
}

const active = new RegExp(
  [
    '[<&@]',
    '!\\[|!$',
    // Only what leads to the web or to a file is a link.
    '\\]\\((?!\\s*(?:https?://|#|\\.{0,2}/|[\\w-]+[/.)]))',
    '(?<=\\]):|(?<=:)//|(?<=www)\\.',
    '#(?=\\d)|(?<=\\bGH)-(?=\\d)',
    '^\\s*~~~',
  ].join('|'),
  'gi',
);

function entity(text: string): string {
  const spelled = [...text].map((letter) => `&#x${letter.codePointAt(0)?.toString(16)};`).join('');
  return /[@#-]$/.test(text) ? spelled + apart : spelled;
}

// Writes the log for GitHub Actions: a group for each turn, annotations for what failed. The runner obeys lines that
// begin with `::`, and `##[` anywhere in a line, so nothing that an agent wrote may look like that.
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
