import { byteLength } from './byte-length.js';
import type { FrameSink } from './frame-sink.js';
import { isObject, parseJson } from './json.js';
import { cleanLine, type Line, unprefixed } from './line.js';
import {
  completeHead,
  type Head,
  isJson,
  type OpenDocument,
  readJson,
  readPieces,
  type Target,
  type Unfinished,
} from './read-json.js';
import { recordBehind, standsAlone } from './record-start.js';
import { skipBlanks, skipSeparators } from './trim.js';

export type { FrameSink };

export interface Framer {
  push(text: string, line: number): void;
  end(): void;
  /** The next line may belong to what an earlier one began. */
  readonly isPending: boolean;
}

/** Lines in, records out: one a line, several a line, one over several lines, or behind a prefix. It never throws. */
export function createFramer(sink: FrameSink, mostHeld = 256 * 1024 * 1024): Framer {
  const target = { sink, mostHeld };
  let pending: Pending | null = null;
  return {
    push(text, number) {
      const value = pending === null && text.charCodeAt(0) === openBrace ? parseJson(text) : undefined;
      if (isObject(value)) return sink.record(value, number, null);
      pending = readLine(cleanLine(text, number), pending, target);
    },
    end() {
      if (pending?.kind === 'document') pending.document.giveUp('cut off at the end of input');
      if (pending?.kind === 'head') loseHead(pending, 'cut off at the end of input', sink);
      pending = null;
    },
    get isPending() {
      return pending !== null;
    },
  };
}

const openBrace = 0x7b;

type Pending = Unfinished | Ruins;

/** The lines of a document that was given up. */
interface Ruins {
  kind: 'ruins';
  column: number;
  isPrefixed: boolean;
}

function readLine(line: Line, pending: Pending | null, target: Target): Pending | null {
  if (line.clean === '') return pending;
  if (pending === null) return judge(line, target);
  const bare = pending.isPrefixed ? unprefixed(line) : line;
  if (bare.body === '') return pending;
  if (pending.kind === 'document') return continueDocument(pending, bare, line, target);
  if (pending.kind === 'ruins') return passRuins(pending, bare, line, target);
  const next = isObject(parseJson(bare.body)) ? undefined : completeHead(pending, bare, target);
  if (next !== undefined) return next;
  loseHead(pending, 'not JSON (unexpected end)', target.sink);
  return judge(line, target);
}

/** A line that stands for itself. */
function judge(line: Line, target: Target): Unfinished | null {
  if (isJson(line)) return readJson(line, target);
  const bare = unprefixed(line);
  if (bare.isPrefixed && isJson(bare)) return readJson(bare, target);
  const record = recordBehind(line.clean);
  if (record === null) target.sink.noise(line.number);
  else target.sink.record(record, line.number, bare.time);
  return null;
}

function continueDocument(open: OpenDocument, bare: Line, line: Line, target: Target): Pending | null {
  const { document, isPrefixed } = open;
  const { state, end } = document.read(bare.body, bare.number, bare.time);
  if (state === 'open') return open;
  const rest = bare.body.slice(skipSeparators(bare.body, end));
  if (state === 'closed') return readPieces(rest, bare, false, target);
  document.giveUp(state === 'refused' ? 'unfinished document' : 'document too long');
  const ruins: Ruins = { kind: 'ruins', column: document.column, isPrefixed };
  if (end === 0) return passRuins(ruins, bare, line, target);
  return readPieces(rest, bare, false, target) ?? ruins;
}

// Whatever stands further right than the objects of a broken document is the inside of one of them, and no record;
// unless a producer that was started again wrote behind the place where the old one had stopped.
function passRuins(ruins: Ruins, bare: Line, line: Line, target: Target): Pending | null {
  if (skipBlanks(bare.body, 0) <= ruins.column) return judge(line, target);
  const record = recordBehind(bare.body);
  if (record === null || !standsAlone(record)) {
    target.sink.noise(bare.number);
    return ruins;
  }
  target.sink.record(record, bare.number, bare.time);
  return null;
}

function loseHead(head: Head, reason: string, sink: FrameSink): void {
  sink.damaged(head.number, reason, byteLength(head.text), 'start of line skipped');
}
