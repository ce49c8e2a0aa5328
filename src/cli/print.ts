import { UsageError } from '../io/exit.js';
import type { TextOutput } from '../io/output.js';
import { colorChoices, colorLevel, hasUnicode } from '../io/streams.js';
import type { Column } from '../view/columns.js';
import { type Ending, type FormatName, formatNames, openWriter, type Row } from '../view/formats.js';
import { asciiSigns, inSigns, noPaint, type Signs, unicodeSigns } from '../view/signs.js';
import type { Sections } from '../view/table.js';
import type { Paint } from '../view/text.js';
import type { Context, OtherFields } from './command.js';
import { isChosen } from './flags/choice.js';
import { listOf, suggestion, textOf } from './flags/flags.js';
import { shownZone } from './flags/times.js';

export interface PrintedRows {
  /** What one row is called, in the plural: `tasks`. */
  readonly name: string;
  /** What is said if there are none; by default `no tasks`. */
  readonly none?: string;
  readonly fields: readonly string[];
  /** Fields of other rows of the command. */
  readonly otherFields?: readonly OtherFields[] | undefined;
  /** What a table shows without --fields. */
  readonly tableFields?: readonly string[];
  readonly columns?: Readonly<Record<string, Partial<Column>>>;
  /** Rows are written while input is still coming. */
  readonly streaming?: boolean;
  /** Identifies a row. A table that is written as rows change writes a row again only if the change is visible. */
  rowKey?(row: Row): string;
  /** How a table that is not streaming groups its rows, unless --fields is given. */
  readonly sections?: Sections;
}

/** Writes rows in the format the user wants: a table on a terminal, NDJSON otherwise. */
export async function openPrinter(context: Context, shown: PrintedRows) {
  return (await preparePrinter(context, shown))(context.out);
}

/** The same for printing more than once, each time at the current width. */
export async function preparePrinter(context: Context, shown: PrintedRows) {
  const { streams, diagnostics } = context;
  const { stdout, stderr } = streams;
  const { fields: all, tableFields: table } = shown;
  const format = formatOf(context);
  const chosen = chosenFields(context, shown);
  const paint = format === 'table' ? await paintOf(context) : noPaint;
  const signs = signsOf(streams);
  const json = jsonTextFor(stdout.isTTY && (format === 'ndjson' || format === 'json'));
  const toText = format === 'table' ? (text: string) => inSigns(text, signs) : json;

  const layout = {
    paint,
    columns: shown.columns,
    streaming: shown.streaming,
    rowKey: shown.rowKey,
    leavesOut: chosen === undefined && !shown.streaming,
    sections: chosen === undefined ? shown.sections : undefined,
    zone: shownZone(context.options),
    signs,
  };

  return (out: TextOutput) => {
    const width = stdout.columns ?? Number.POSITIVE_INFINITY;
    const writer = openWriter(format, { all, table, chosen }, { ...layout, width });
    let rows = 0;
    const writeHead = () => {
      if (rows === 0) out.write(writer.head);
    };
    return {
      row(row: Row): void {
        writeHead();
        rows += 1;
        out.write(toText(writer.row(row)));
      },
      /** Ends the output. Only tables and Markdown show a total; only tables show notes and how many rows are not shown. */
      end(total?: Row, ending?: Ending): void {
        // An empty table has no head either, so that wc -l counts 0.
        if (rows === 0 && format === 'table') {
          if (stderr.isTTY && !isChosen(context.options)) diagnostics.warn(shown.none ?? `no ${shown.name}`);
          return;
        }
        writeHead();
        const last = writer.tail(total, ending);
        out.write(format === 'table' ? toText(last) : last);
      },
      get rows() {
        return rows;
      },
    };
  };
}

/** The format of --format; else a table for people and NDJSON for programs. */
export function formatOf({ options, streams }: Pick<Context, 'options' | 'streams'>): FormatName {
  const wanted = textOf(options, 'format');
  return formatNames.find((name) => name === wanted) ?? (streams.stdout.isTTY ? 'table' : 'ndjson');
}

/** The signs that the terminal can show. */
export function signsOf({ env }: Context['streams']): Signs {
  return hasUnicode(env) ? unicodeSigns : asciiSigns;
}

/** The colours --color, the terminal and the environment allow. */
export async function paintOf({ options, streams }: Pick<Context, 'options' | 'streams'>): Promise<Paint> {
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

/** Throws UsageError if rows do not have one of these fields. */
export function checkFields(
  flag: string,
  wanted: readonly string[],
  { fields, otherFields = [] }: Pick<PrintedRows, 'fields' | 'otherFields'>,
): void {
  const unknown = wanted.filter((name) => !fields.includes(name));
  const [first] = unknown;
  if (first === undefined) return;
  const where = otherFields.filter((other) => other.fields.includes(first)).map(({ when }) => when);
  if (where.length > 0) throw new UsageError(`${flag}: the field ${first} exists only ${where.join(' or ')}`);
  const what = `unknown ${unknown.length === 1 ? 'field' : 'fields'} ${unknown.join(', ')}`;
  throw new UsageError(
    `${flag}: ${what}; fields: ${fields.join(', ')}${suggestion(first, fields) || related(first, fields)}`,
  );
}

/** Fields that contain the word: `cost` is part of `cost_usd`. */
function related(word: string, fields: readonly string[]): string {
  const all = fields.filter((field) => field.includes(word.toLowerCase().replace(/s$/, '')));
  const some = all.length > 3 ? all.filter((field) => field.startsWith('total')) : all;
  return some.length === 0 ? '' : `; did you mean ${some.join(' or ')}?`;
}

/** How JSON is written: unchanged, but on a terminal without characters that could act on it. */
export function jsonTextFor(isTerminal: boolean): (json: string) => string {
  return isTerminal ? terminalJson : (json) => json;
}

/**
 * The same JSON without characters that a terminal would obey or hide. JSON.stringify escapes only C0 controls, but C1
 * controls, bidi and zero-width characters can also drive or deceive a terminal.
 */
function terminalJson(json: string): string {
  return json.replace(unsafe, (character) => character.split('').map(escapedUnit).join(''));
}

// In JSON these occur only in strings, where an escape means the same. C0 controls occur only outside JSON.
const unsafe = /[\x00-\x08\x0b-\x1f\x7f-\x9f]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/gu;

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
