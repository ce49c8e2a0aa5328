// --dry-run: counts what --anonymize would replace, and prints nothing of the input.
import type { Context, Verdict } from './command.js';
import { openPrinter } from './print.js';

export async function dryRun(context: Context): Promise<Verdict> {
  const { fields: _chosen, ...options } = context.options;
  const printer = await openPrinter(
    { ...context, options },
    { name: 'stand-ins', fields: ['kind', 'names', 'places'] },
  );
  await context.input.each(() => {});
  for (const row of context.privacy?.counts() ?? []) printer.row(row);
  printer.end();
  return { rows: printer.rows };
}
