import { flat } from './flat.js';
import { sanitizeData } from './text.js';
import { fieldOf, type Writer } from './writer.js';

/** RFC 4180, but lines end in LF, as the next program in a pipe expects. No cell is a formula to a spreadsheet. */
export function csv(): Writer {
  let fields: readonly string[] = [];
  const line = (cells: readonly string[]): string => {
    const text = cells.map(quote).join(',');
    // A lone empty cell would be a blank line, which readers skip.
    return `${text === '' ? '""' : text}\n`;
  };
  return {
    head(chosen) {
      fields = chosen;
      return line(fields);
    },
    row: (row) => line(fields.map((field) => flat(field, fieldOf(row, field)))),
    tail: () => '',
  };
}

function quote(text: string): string {
  const cell = sanitizeData(startsFormula(text) ? `'${text}` : text);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

// Spreadsheets trim before they look, and read the full-width signs as well.
function startsFormula(text: string): boolean {
  return (
    /^(?:[\s\u200C\u200D]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/.test(text) &&
    !/^-\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)
  );
}
