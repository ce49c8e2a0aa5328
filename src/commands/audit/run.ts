// Finds what was still open when a run broke off, and where its context was full.
import type { Event } from '../../core/event/event.js';
import { objectOf } from '../../core/record/json.js';
import { scopeOf } from '../../core/state/agents.js';
import { keyOf } from '../../core/state/order.js';
import { teamRowsOf } from '../teams/rows.js';
import type { Facts } from './audit.js';
import { type Spot, spotKey } from './fold.js';
import { type FindingRow, finding, findingAt } from './rows.js';

export interface RunLog {
  /** Every call by its id; null once it came back or was taken back. */
  readonly calls: Map<string, OpenCall | null>;
  /** Each compaction once, although the stream and the transcript both show it. */
  readonly compactions: Map<string, Compaction>;
}

interface OpenCall extends Spot {
  readonly tool: string;
}

interface Compaction extends Spot {
  readonly detail: string;
}

export function newRunLog(): RunLog {
  return { calls: new Map(), compactions: new Map() };
}

export function noteRun({ calls, compactions }: RunLog, event: Event, spot: Spot): void {
  switch (event.event) {
    case 'tool:called':
      if (event.tool_use_id !== null && !calls.has(event.tool_use_id))
        calls.set(event.tool_use_id, { ...spot, tool: event.tool ?? 'a tool' });
      break;
    case 'tool:returned':
      if (event.tool_use_id !== null) calls.set(event.tool_use_id, null);
      break;
    case 'session:changed':
      for (const id of event.subtype === 'retracted' && Array.isArray(event.tool_use_ids) ? event.tool_use_ids : [])
        if (typeof id === 'string') calls.set(id, null);
      break;
    case 'session:compacted': {
      const said = objectOf(event['compact_metadata']);
      const key = keyOf(event.session_id, event.agent, said === null ? spotKey(spot) : JSON.stringify(said));
      // The copy in the transcript knows the time.
      if ((compactions.get(key)?.time ?? null) === null)
        compactions.set(key, { ...spot, detail: compactionText(said) });
    }
  }
}

/** `compacted (auto), 154000 tokens before and 9100 after` */
function compactionText(said: ReturnType<typeof objectOf>): string {
  const { trigger, pre_tokens: before, post_tokens: after } = said ?? {};
  const how = typeof trigger === 'string' ? ` (${trigger})` : '';
  const sizes = [
    ...(typeof before === 'number' ? [`${before} tokens before`] : []),
    ...(typeof after === 'number' ? [`${after} after`] : []),
  ];
  return `compacted${how}${sizes.length === 0 ? '' : `, ${sizes.join(' and ')}`}`;
}

export function runFindings(facts: Facts): FindingRow[] {
  const { agents, audit, teams } = facts;
  const isCut = (place: Pick<Spot, 'session_id' | 'team'>) => {
    const session = teams.sessions.get(scopeOf(place));
    return session?.stream === true && session.inTurn;
  };
  const calls = [...audit.run.calls].flatMap(([id, call]) =>
    call !== null && isCut(call)
      ? [finding(agents, 'open_call', call, { tool_use_id: id, detail: `${call.tool} had not come back` })]
      : [],
  );
  const members = teamRowsOf(facts, { ended: true })
    .filter(isCut)
    .flatMap(({ team, session_id, members }) =>
      members
        .filter(({ kind, status }) => kind !== 'lead' && status === 'unknown')
        .map(({ name, last_seen_at }) =>
          findingAt(
            'open_agent',
            { time: last_seen_at, session_id, team, line: null },
            { agent: name, detail: `${name} had not finished` },
          ),
        ),
    );
  const sessions = teams.sessions.entries().flatMap(([session_id, { stream, inTurn, last_at }]) => {
    const place = { session_id: session_id === '' ? null : session_id, team: null };
    const spot = { ...place, agent: null, time: last_at, at: last_at, line: null, source: null, seq: 0 };
    return stream && inTurn ? [finding(agents, 'no_result', spot, { detail: 'the last turn has no result' })] : [];
  });
  const compactions = [...audit.run.compactions.values()].map((at) =>
    finding(agents, 'context_full', at, { detail: at.detail }),
  );
  return [...sessions, ...calls, ...members, ...compactions];
}
