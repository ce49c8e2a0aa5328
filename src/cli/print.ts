import { UsageError } from '../io/exit.js';
import type { Output } from '../io/output.js';
import { colorChoices, colorLevel } from '../io/streams.js';
import { type FormatName, formatNames, openWriter, type Row } from '../view/formats.js';
import type { Column } from '../view/table.js';
import { noPaint, type Paint } from '../view/text.js';
import type { Context, OtherFields } from './command.js';
import { listOf, suggestion, textOf } from './flags.js';

export interface RowPrinter {
  row(row: Row): void;
  /** Ends the output. A total, and how many rows are not shown, are said in tables only. */
  end(total?: Row, notShown?: number): void;
  readonly rows: number;
}

export interface PrintedRows {
  /** What one row is called, in the plural: `tasks`. */
  readonly name: string;
  readonly fields: readonly string[];
  /** What other rows of the command have. */
  readonly otherFields?: readonly OtherFields[] | undefined;
  /** What a table shows unless --fields says otherwise. */
  readonly tableFields?: readonly string[];
  readonly columns?: Readonly<Record<string, Partial<Column>>>;
  /** Rows are written while input is still coming. */
  readonly streaming?: boolean;
}

/** Writes rows in the format the user wants: a table on a terminal, NDJSON otherwise. */
export async function openPrinter(context: Context, shown: PrintedRows): Promise<RowPrinter> {
  return (await preparePrinter(context, shown))(context.out);
}

/** The same for whoever prints more than once, each time for the width there is then. */
export async function preparePrinter(context: Context, shown: PrintedRows): Promise<(out: Output) => RowPrinter> {
  const { streams, diagnostics } = context;
  const { stdout, stderr } = streams;
  const { fields: all, tableFields: table, columns, streaming } = shown;
  const format = formatOf(context);
  const chosen = chosenFields(context, shown);
  const paint = format === 'table' ? await paintOf(context) : noPaint;
  const toText = jsonTextFor(stdout.isTTY && (format === 'ndjson' || format === 'json'));

  return (out) => {
    const width = stdout.columns ?? Number.POSITIVE_INFINITY;
    const writer = openWriter(format, { all, table, chosen }, { width, paint, columns, streaming });
    let rows = 0;
    const begin = () => {
      if (rows === 0) out.write(writer.head);
    };
    return {
      row(row) {
        begin();
        rows += 1;
        out.write(toText(writer.row(row)));
      },
      end(total, notShown = 0) {
        // A table of nothing has no head either: wc -l then says the same as the eye.
        if (rows === 0 && format === 'table') {
          if (stderr.isTTY) diagnostics.warn(`no ${shown.name}`);
          return;
        }
        begin();
        out.write(writer.tail(total));
        if (format === 'table' && notShown > 0)
          out.write(`${notShown} more ${notShown === 1 ? 'row' : 'rows'} not shown\n`);
      },
      get rows() {
        return rows;
      },
    };
  };
}

/** What --format says, else a table for people and NDJSON for programs. */
export function formatOf({ options, streams }: Pick<Context, 'options' | 'streams'>): FormatName {
  const wanted = textOf(options, 'format');
  return formatNames.find((name) => name === wanted) ?? (streams.stdout.isTTY ? 'table' : 'ndjson');
}

/** The colours --color, the terminal and the environment allow. */
export async function paintOf({ options, streams }: Context): Promise<Paint> {
  const color = colorChoices.find((choice) => choice === options['color']) ?? 'auto';
  const level = colorLevel(color, streams.stdout.isTTY, streams.env);
  if (level === 0) return noPaint;
  // chalk costs start-up time, so it is loaded only when there is something to paint.
  const { Chalk } = await import('chalk');
  return new Chalk({ level });
}

function chosenFields({ options }: Context, shown: PrintedRows): readonly string[] | undefined {
  const wanted = [...new Set(listOf(options, 'fields'))];
  checkFields('--fields', wanted, shown);
  return wanted.length === 0 ? undefined : wanted;
}

/** Throws UsageError if one of these is no field of the rows. */
export function checkFields(
  flag: string,
  wanted: readonly string[],
  { fields, otherFields = [] }: Pick<PrintedRows, 'fields' | 'otherFields'>,
): void {
  const unknown = wanted.filter((name) => !fields.includes(name));
  const [first] = unknown;
  if (first === undefined) return;
  const where = otherFields.filter((other) => other.fields.includes(first)).map(({ when }) => when);
  if (where.length > 0) throw new UsageError(`${flag}: there is ${first} only ${where.join(' or ')}`);
  const what = `unknown ${unknown.length === 1 ? 'field' : 'fields'} ${unknown.join(', ')}`;
  throw new UsageError(`${flag}: ${what}; there are ${fields.join(', ')}${suggestion(first, fields)}`);
}

/** How JSON is written: as it is, but to a terminal without what could act on it. */
export function jsonTextFor(isTerminal: boolean): (json: string) => string {
  return isTerminal ? terminalJson : (json) => json;
}

/**
 * The same JSON with nothing in it that a terminal would obey or hide: JSON.stringify escapes only C0 controls,
 * and C1 controls, bidi and zero-width characters can drive or deceive a terminal too.
 */
function terminalJson(json: string): string {
  return json.replace(unsafe, (character) => character.split('').map(escaped).join(''));
}

// In JSON text these stand in strings only, where an escape means the same; C0 controls only where a line is no JSON.
const unsafe = /[\x00-\x08\x0b-\x1f\x7f-\x9f]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/gu;

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
