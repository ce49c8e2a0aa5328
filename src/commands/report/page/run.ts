// What the page shows of a run, computed once when it opens.
import type { Event } from '../../../core/event/event.js';
import type { FindingRow } from '../../audit/row.js';
import type { MessageRow } from '../../messages/row.js';
import { lanesOf, type RunLanes } from '../lanes.js';
import { Playback } from '../playback.js';
import { figuresOf, type RunFigures } from '../summary.js';

/** How the page was requested, besides its events. */
export interface Settings {
  readonly title: string;
  readonly compare: boolean;
  /** What went wrong, as `cct audit` prints it. */
  readonly findings: readonly FindingRow[];
}

export interface Run extends RunLanes {
  readonly settings: Settings;
  readonly playback: Playback;
  readonly figures: readonly RunFigures[];
  /** Calls and results by id. */
  readonly calls: ReadonlyMap<string, CallEvents>;
  /** Whether the agent of a lane sent or received a message. */
  isOf(row: MessageRow, lane: string): boolean;
  /** The name of the agent that did it. */
  nameOf(event: Event): string | null;
  momentOf(finding: FindingRow): number;
  /** The lane after or before this one. */
  neighbour(lane: string | null, by: 1 | -1): string | null;
}

export interface CallEvents {
  readonly at: number;
  called: (Event & { event: 'tool:called' }) | null;
  returned: (Event & { event: 'tool:returned' }) | null;
  returnedAt: number | null;
}

export function openRun(events: readonly Event[], settings: Settings): Run {
  const playback = new Playback(events, { align: settings.compare });
  const shown = lanesOf(playback);
  const { lanes, laneOf } = shown;
  const calls = callsOf(playback);
  return {
    ...shown,
    settings,
    playback,
    figures: figuresOf(playback, settings.findings),
    calls,
    isOf: ({ session_id, from, to, recipients }, lane) =>
      [from, to, ...recipients].some((name) => laneOf(session_id, name)?.id === lane),
    nameOf: ({ session_id, agent }) => laneOf(session_id, agent ?? 'main')?.name ?? agent,
    momentOf: ({ tool_use_id, time, session_id, line }) =>
      calls.get(tool_use_id ?? '')?.at ??
      playback.atTime(time, session_id) ??
      playback.atLine('', line ?? 0) ??
      playback.length,
    neighbour(lane, by) {
      const agents = lanes.filter(({ isHeading }) => !isHeading);
      const place = agents.findIndex(({ id }) => id === lane);
      const next = place === -1 ? (by > 0 ? 0 : agents.length - 1) : place + by;
      return agents[next]?.id ?? lane;
    },
  };
}

function callsOf({ moments }: Playback): Map<string, CallEvents> {
  const calls = new Map<string, CallEvents>();
  for (const { at, event } of moments) {
    if ((event.event !== 'tool:called' && event.event !== 'tool:returned') || event.tool_use_id === null) continue;
    const known = calls.get(event.tool_use_id) ?? { at, called: null, returned: null, returnedAt: null };
    if (event.event === 'tool:called') known.called ??= event;
    else if (known.returned === null) {
      known.returned = event;
      known.returnedAt = at;
    }
    calls.set(event.tool_use_id, known);
  }
  return calls;
}
