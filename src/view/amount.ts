/** `1234567` → `1,234,567`; fractions stay as they are. */
export function thousands(amount: number): string {
  return group(String(amount));
}

/** Dollars with fixed decimals, so that a right-aligned column is aligned at its points; what rounds to nothing is `<$0.0001`. */
export function money(usd: number, decimals = 4): string {
  if (!Number.isFinite(usd)) return String(usd);
  const sign = usd < 0 ? '-' : '';
  const size = Math.abs(usd);
  const fixed = size.toFixed(decimals);
  if (size > 0 && Number(fixed) === 0) return `${sign}<$${(10 ** -decimals).toFixed(decimals)}`;
  return `${sign}$${group(fixed)}`;
}

/** A count that needs little room: `999`, `1.2k`, `45.6k`, `789k`, `1.2M`. */
export function compact(amount: number): string {
  const size = Math.abs(amount);
  const unit = units.find(({ from }) => size >= from);
  if (unit === undefined) return String(Math.round(amount * 10) / 10);
  const scaled = amount / unit.size;
  return `${Math.abs(scaled) < 99.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit.letter}`;
}

/** `812 B`, `3.4 kB`, `412 MB`, `1.0 GB`; thousands, as disks are sold. */
export function bytes(amount: number): string {
  const unit = units.find(({ from }) => amount >= from);
  if (unit === undefined) return `${Math.round(amount)} B`;
  const scaled = amount / unit.size;
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)} ${byteUnits[unit.letter]}`;
}

const byteUnits = { k: 'kB', M: 'MB', B: 'GB' } as const;

/** `850ms`, `12.3s`, `4m05s`, `2h03m`, `3d04h`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms);
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return pair(seconds, 60, 'm', 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return pair(minutes, 60, 'h', 'm');
  return pair(Math.round(minutes / 60), 24, 'd', 'h');
}

function group(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

// A unit begins where the one below it would round up to it: 999,500 is 1.0M and not 1000k.
const units = [
  { from: 999_500_000, size: 1_000_000_000, letter: 'B' },
  { from: 999_500, size: 1_000_000, letter: 'M' },
  { from: 1000, size: 1000, letter: 'k' },
] as const;

function pair(amount: number, base: number, large: string, small: string): string {
  return `${Math.floor(amount / base)}${large}${String(amount % base).padStart(2, '0')}${small}`;
}
