import type { MessageRow } from './rows.js';

/** What may be asked of messages; an empty list asks nothing. */
export interface MessageQuery {
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Sent or received by. */
  readonly with: readonly string[];
  readonly type: readonly string[];
  readonly team: string | null;
  readonly session: string | null;
  readonly failed: boolean;
}

export function messageFilter(query: MessageQuery): (row: MessageRow) => boolean {
  const from = namesOf(query.from);
  const to = namesOf(query.to);
  const either = namesOf(query.with);
  return (row) => {
    const sender = row.from === null ? [] : [row.from];
    const receivers = row.to === null ? row.recipients : [row.to, ...row.recipients];
    return (
      hasOne(from, sender) &&
      hasOne(to, receivers) &&
      hasOne(either, [...sender, ...receivers]) &&
      (query.type.length === 0 || query.type.includes(row.type)) &&
      (query.team === null || row.team === query.team) &&
      (query.session === null || row.session_id === query.session) &&
      (!query.failed || row.status === 'failed')
    );
  };
}

function namesOf(wanted: readonly string[]): ReadonlySet<string> {
  return new Set(wanted.map(plainName));
}

function hasOne(wanted: ReadonlySet<string>, names: readonly string[]): boolean {
  return wanted.size === 0 || names.some((name) => wanted.has(plainName(name)));
}

/** `@writer` and `writer@crew` are writer; the main conversation and the lead of its team are one. */
function plainName(name: string): string {
  const plain = name.replace(/^@/, '').replace(/(?<=.)@.*$/s, '');
  return plain === 'team-lead' ? 'main' : plain;
}
