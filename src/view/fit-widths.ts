/** What a column asks for, in columns of the terminal. */
export interface Demand {
  /** Its widest cell. */
  readonly natural: number;
  /** What it gives up willingly is everything above this. */
  readonly soft: number;
  /** Below this it is of no use. */
  readonly floor: number;
  readonly rank: number;
}

/** Widths that, with a gap between columns, stay within `width`; 0 for a column that is left out, which the first never is. */
export function fitWidths(demands: readonly Demand[], width: number, gap: number): number[] {
  const kept = demands.map((demand, index) => ({ ...demand, index }));
  const widths = demands.map(() => 0);
  let shares = share(kept, width - gap * (kept.length - 1));
  while (shares === undefined && kept.length > 1) {
    kept.splice(leastWanted(kept), 1);
    shares = share(kept, width - gap * (kept.length - 1));
  }
  kept.forEach(({ index }, place) => {
    widths[index] = shares?.[place] ?? Math.max(0, width);
  });
  return widths;
}

function share(asked: readonly Demand[], room: number): number[] | undefined {
  const natural = asked.map((demand) => demand.natural);
  const soft = asked.map((demand) => demand.soft);
  const floor = asked.map((demand) => demand.floor);
  if (sum(natural) <= room) return natural;
  if (sum(soft) <= room) return level(soft, natural, room);
  return sum(floor) <= room ? level(floor, soft, room) : undefined;
}

/** The widest give way first: all are lowered to one height that fits, none below its `least`. */
function level(least: readonly number[], most: readonly number[], room: number): number[] {
  const at = (height: number) => most.map((upper, index) => Math.min(upper, Math.max(height, least[index] ?? 0)));
  let low = 0;
  let high = Math.max(...most);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(at(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const widths = at(low);
  let left = room - sum(widths);
  return widths.map((now, index) => {
    if (left <= 0 || now >= (most[index] ?? 0) || now > low) return now;
    left -= 1;
    return now + 1;
  });
}

function leastWanted(asked: readonly Demand[]): number {
  let least = asked.length - 1;
  for (let index = least; index > 0; index -= 1) {
    if ((asked[index]?.rank ?? 0) < (asked[least]?.rank ?? 0)) least = index;
  }
  return least;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
