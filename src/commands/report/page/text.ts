// Formats numbers and times for people.
export { shortModel } from '../../../core/story/happening.js';
export { duration, plural, thousands as count } from '../../../view/text.js';

/** `2026-11-16 23:36`, in the time zone of the reader. */
export function dateText(at: number): string {
  const date = new Date(at);
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** `0:07.3`, `1:02:07`: the clock, always equally wide. */
export function clockText(ms: number, length: number): string {
  const tenths = Math.round(ms / 100);
  const seconds = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = `${pad(seconds % 60)}${length < 600_000 ? `.${tenths % 10}` : ''}`;
  return hours > 0 || length >= 3_600_000 ? `${hours}:${pad(minutes)}:${tail}` : `${minutes}:${tail}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

export function prettyJson(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value, null, 2);
}
