import { Writable } from 'node:stream';
import xterm from '@xterm/headless';

/** A terminal as a stream to write to: it does what the sequences say, and keeps the raw text too. */
export class Terminal extends Writable {
  readonly isTTY = true;
  readonly #screen: InstanceType<typeof xterm.Terminal>;
  raw = '';
  /** What each write brought. */
  readonly writes: string[] = [];

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false });
    // A real one makes line ends of line feeds on its way in.
    this.#screen = new xterm.Terminal({
      cols: columns,
      rows,
      convertEol: true,
      allowProposedApi: true,
      scrollback: 1000,
    });
  }

  get columns(): number {
    return this.#screen.cols;
  }

  get rows(): number {
    return this.#screen.rows;
  }

  resize(columns: number, rows = this.rows): void {
    this.#screen.resize(columns, rows);
    this.emit('resize');
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.raw += String(chunk);
    this.writes.push(String(chunk));
    this.#screen.write(String(chunk));
    done();
  }

  /** Everything on it, also what scrolled away, once what was written is there. */
  async text(): Promise<string> {
    await new Promise<void>((done) => this.#screen.write('', done));
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
    return `${lines.join('\n').trimEnd()}\n`;
  }

  get showsCursor(): boolean {
    return this.raw.lastIndexOf('\x1b[?25l') <= this.raw.lastIndexOf('\x1b[?25h');
  }
}

/** What is left of the text when everything cct itself tells a terminal is taken away. */
export function withoutOwnSequences(raw: string): string {
  // Colours; cursor up, down and to the left margin; erase in line; the cursor hidden and shown; a frame begun and ended.
  return raw.replaceAll(/\x1b\[(?:\d*m|\d*[ABG]|\d*K|\?25[hl]|\?2026[hl])/g, '');
}
