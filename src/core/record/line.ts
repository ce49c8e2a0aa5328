import { stripColour, stripPrefix } from './prefix.js';
import { trimLine } from './trim.js';

/** A line of the input on its way to being records. */
export interface Line {
  number: number;
  raw: string;
  /** Without colours and without blanks at its ends, but indented as it was. */
  clean: string;
  /** What is left of the clean text behind a log's prefix. */
  body: string;
  isPrefixed: boolean;
  /** From the prefix. */
  time: string | null;
}

export function cleanLine(raw: string, number: number): Line {
  const clean = trimLine(stripColour(raw));
  return { number, raw, clean, body: clean, isPrefixed: false, time: null };
}

/** The same line without its prefix, or as it is when it has none. */
export function unprefixed(line: Line): Line {
  const bare = stripPrefix(line.clean.trimStart());
  return bare === null ? line : { ...line, body: bare.text, isPrefixed: true, time: bare.time };
}

/** The column of the first character of a text with which the line ends. */
export function columnOf(text: string, line: Line): number {
  return line.clean.length - text.length + 1;
}
