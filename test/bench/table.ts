import type { Group } from './groups.js';
import type { Bar, Case, Measured } from './measure.js';

export const tableHead = [
  '| input | case | wall ms | MB/s | CPU ms | memory MB | x cct | bars | answer |',
  '|---|---|--:|--:|--:|--:|--:|---|---|',
];

/** One line per case. `x cct` is its wall time relative to cct. */
export function rowsOf({ title, size, cases }: Group, measured: ReadonlyMap<string, Measured>): string[] {
  const input = `${title}${size === undefined ? '' : `, ${size >= 1000 ? `${size / 1000} GB` : `${size} MB`}`}`;
  const ours = measured.get('cct');
  return cases.flatMap((one) => {
    const own = measured.get(one.name);
    if (own === undefined) return [];
    return rowOf([
      input,
      one.name,
      own.wall.toFixed(0),
      size === undefined ? '' : ((size * 1000) / own.wall).toFixed(0),
      own.cpu.toFixed(0),
      own.memory?.toFixed(0) ?? '?',
      ours === undefined ? '' : (own.wall / ours.wall).toFixed(2),
      barsOf(one, own, measured).join('; '),
      own.answer ?? '',
    ]);
  });
}

export function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Cases of a group that print an answer must print the same one. */
export function disagreement({ title, size, cases }: Group, measured: ReadonlyMap<string, Measured>): string | null {
  const answers = cases.flatMap(({ name }) => {
    const answer = measured.get(name)?.answer ?? null;
    return answer === null ? [] : [{ name, answer }];
  });
  if (new Set(answers.map(({ answer }) => answer)).size <= 1) return null;
  return `${title}, ${size} MB: ${answers.map(({ name, answer }) => `${name} ${answer}`).join(', ')}`;
}

function barsOf({ bars = [] }: Case, own: Measured, others: ReadonlyMap<string, Measured>): string[] {
  return bars.map((bar) => {
    const { what, figure, ok } = verdict(bar, own, others);
    const asked = bar.aim === undefined ? what : `${what} (aim ${bar.aim})`;
    return figure === null ? `${asked}: not measured` : `${asked}: ${figure.toFixed(2)} ${ok ? 'ok' : 'NOT MET'}`;
  });
}

function verdict(bar: Bar, own: Measured, others: ReadonlyMap<string, Measured>) {
  if ('most' in bar) {
    const figure = own[bar.of];
    const what = bar.of === 'memory' ? `<= ${bar.most} MB` : `<= ${bar.most} ms CPU`;
    return { what, figure, ok: figure !== null && figure <= bar.most };
  }
  const other = others.get(bar.than);
  if ('faster' in bar) {
    const figure = other === undefined ? null : other.wall / own.wall;
    return { what: `>= ${bar.faster}x ${bar.than}`, figure, ok: figure !== null && figure >= bar.faster };
  }
  const by = bar.by ?? 'wall';
  const figure = other === undefined ? null : own[by] / other[by];
  return { what: `<= ${bar.slower}x ${bar.than}`, figure, ok: figure !== null && figure <= bar.slower };
}
