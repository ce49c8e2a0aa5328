// Formats numbers and times for people.
export function money(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return '-';
  return usd !== 0 && Math.abs(usd) < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : value.toLocaleString('en-US');
}

/** `12.3k`, `1.2M`. */
export function compact(value: number | null): string {
  if (value === null) return '-';
  if (value < 1000) return String(value);
  return value < 1_000_000 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

export { lasted as duration } from '../summary.js';

/** `0:07.3`, `1:02:07`: the clock, always equally wide. */
export function clock(ms: number, length: number): string {
  const tenths = Math.round(ms / 100);
  const seconds = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = `${pad(seconds % 60)}${length < 600_000 ? `.${tenths % 10}` : ''}`;
  return hours > 0 || length >= 3_600_000 ? `${hours}:${pad(minutes)}:${tail}` : `${minutes}:${tail}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

export function shortModel(model: string | null): string {
  return model?.replace(/^claude-/, '').replace(/-\d{8}$/, '') ?? '';
}

export function readable(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value, null, 2);
}
