/** Where something is said: in which session, and for which team. */
export interface Place {
  readonly session_id: string | null;
  readonly team: string | null;
}

/** One key of several parts, none of which can run into the next. */
export function keyOf(...parts: (string | null)[]): string {
  return JSON.stringify(parts);
}

/** A short stand-in for a long text, to compare by. Takes two characters at a time: texts may be long. */
export function digest(text: string): string {
  let a = 0x811c9dc5 ^ text.length;
  let b = 0x9e3779b9;
  // Behind the end there is NaN, which is 0 as a bit pattern.
  for (let at = 0; at < text.length; at += 2) {
    const code = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    a = Math.imul(a ^ code, 0x01000193);
    a ^= a >>> 15;
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 13);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

/** `@writer` and `writer@crew` are writer. */
export function plainName(who: string): string {
  return who.replace(/^@/, '').replace(/(?<=.)@.*$/s, '');
}

/** The main conversation and the lead of its team are one. */
export function isLeadName(who: string): boolean {
  const name = plainName(who);
  return name === 'main' || name === 'team-lead';
}

/** One name for all ways to write the name of an agent. */
export function commonName(who: string): string {
  return isLeadName(who) ? 'main' : plainName(who);
}

/** Two versions of one entry say the same. */
export function hasSameFields<T extends object>(a: T, b: T): boolean {
  for (const name in a) if (a[name] !== b[name]) return false;
  return true;
}
