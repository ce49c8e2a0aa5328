import { startsAt, textAt } from './bytes.js';

/** Whose records come next may depend on a line of another session, so only lines of the current one may be dropped. */
export interface SessionCheck {
  /**
   * Where the line names its session, from `from` and before `to`; -1 where it names none, null where it is not the current one.
   * It is looked for first as far before `to` as in the line before, which costs a tenth of a search.
   */
  find(line: Buffer, to: number, from?: number): number | null;
}

export function sessionCheck(follows: (sessionId: string) => boolean): SessionCheck {
  let known = key;
  let id = '';
  let distance = 0;
  return {
    find(line, to, from = 0) {
      if (id !== '' && to - distance >= from && startsAt(line, known, to - distance))
        return follows(id) ? to - distance : null;
      const at = (to === line.length ? line : line.subarray(0, to)).lastIndexOf(key);
      if (at < from) return -1;
      const found = textAt(line, at + key.length);
      if (found === null) return null;
      id = found;
      known = Buffer.from(`${key}${id}"`);
      distance = to - at;
      return follows(id) ? at : null;
    },
  };
}

const key = Buffer.from('"session_id":"');
