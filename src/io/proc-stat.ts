import { readFileSync } from 'node:fs';

/** What Linux says about a process. */
export interface ProcStat {
  /** The name of the program, without arguments. */
  readonly name: string;
  /** `Z` for a zombie. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Distinguishes it from a later process with the same number. */
  readonly started: string;
}

/** null if the process is gone, or the system does not say. */
export function procStat(pid: number): ProcStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // `pid (name) state parent group session … started`; a name may contain spaces and brackets.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  const started = fields[startedField];
  if (end === -1 || started === undefined) return null;
  const name = text.slice(text.indexOf('(') + 1, end);
  return { name, state, parent: Number(parent), group: Number(group), session: Number(session), started };
}
const startedField = 19;
