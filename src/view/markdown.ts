import { columnFor } from './column.js';
import { flat } from './flat.js';
import { sanitizeData } from './text.js';
import { fieldOf, type Writer } from './writer.js';

/** A GitHub table. Cells are text and nothing else: no markup, no HTML, no further column. */
export function markdown(): Writer {
  let fields: readonly string[] = [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return {
    head(chosen) {
      fields = chosen;
      return (
        line(fields.map(escapeCell)) +
        line(fields.map((field) => (columnFor(field).align === 'right' ? '---:' : '---')))
      );
    },
    row: (row) => line(fields.map((field) => escapeCell(flat(field, fieldOf(row, field))))),
    tail: () => '',
  };
}

function escapeCell(text: string): string {
  return (
    sanitizeData(text)
      .replace(/[\\|`*_[\]~]/g, '\\$&')
      .replace(/[&<>]/g, (character) => entities[character] ?? character)
      // GitHub calls people and makes links also where there is no markup.
      .replaceAll('@', '&#64;')
      .replace(/:\/\/|(?<=\bwww)\./gi, (mark) => (mark === '.' ? '&#46;' : ':&#47;&#47;'))
      .replace(/\r?\n/g, '<br>')
      .replaceAll('\t', ' ')
  );
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
