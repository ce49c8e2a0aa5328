import { flat } from './flat.js';
import { sanitizeData } from './text.js';
import { fieldOf, type Writer } from './writer.js';

/** One line a row whatever the cells hold: tab, line ends and the backslash itself are written `\t`, `\n`, `\r`, `\\`. */
export function tsv(): Writer {
  let fields: readonly string[] = [];
  const line = (cells: readonly string[]): string => `${cells.map(escapeCell).join('\t')}\n`;
  return {
    head(chosen) {
      fields = chosen;
      return line(fields);
    },
    row: (row) => line(fields.map((field) => flat(field, fieldOf(row, field)))),
    tail: () => '',
  };
}

function escapeCell(text: string): string {
  return sanitizeData(text.replaceAll('\\', '\\\\'))
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}
