import { Writable } from 'node:stream';
import xterm from '@xterm/headless';

/** A terminal as a stream to write to. It carries out the escape sequences, and keeps the raw text too. */
export class Terminal extends Writable {
  readonly isTTY = true;
  readonly #screen: InstanceType<typeof xterm.Terminal>;
  raw = '';
  /** The text of each write. */
  readonly writes: string[] = [];

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false });
    // A real terminal turns line feeds into line ends.
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

  /** Everything on it, including what scrolled away, after all writes were processed. */
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

/** The text without the escape sequences that cct itself writes. */
export function withoutOwnSequences(raw: string): string {
  // Colours; cursor to a line, its start or up; erase; cursor hidden and shown; frame begun and ended; screen taken and left.
  return raw.replaceAll(/\x1b\[(?:\d*m|\d+;1H|\d*A|1G|2?[JK]|\?25[hl]|\?2026[hl]|\?1049[hl])/g, '');
}
