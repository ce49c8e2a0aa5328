import { isNameField, visibleName } from './name-text.js';

/** A value as the one cell of csv, tsv and md: lists joined by `;`, objects as compact JSON, `members` as a count, null as nothing. */
export function flat(field: string, value: unknown): string {
  if (Array.isArray(value))
    return field === 'members' ? String(value.length) : value.map((item) => flatItem(field, item)).join(';');
  return flatItem(field, value);
}

function flatItem(field: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return isNameField(field) ? visibleName(value) : value;
  return JSON.stringify(value) ?? '';
}
