/** A value as the one cell of csv, tsv and md: lists joined by `;`, objects as compact JSON, `members` as a count, null as nothing. */
export function flat(field: string, value: unknown): string {
  if (Array.isArray(value)) return field === 'members' ? String(value.length) : value.map(flatItem).join(';');
  return flatItem(value);
}

function flatItem(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}
