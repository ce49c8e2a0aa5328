// What the page shows of a run, computed once when it opens.
import type { Event } from '../../../core/event/event.js';
import type { FindingRow } from '../../audit/row.js';
import { type Arrow, type Bar, type Lane, lanesOf, type RunLanes } from '../lanes.js';
import { Playback } from '../playback.js';
import { askedIn, type Choice, type Story, storyOf } from '../story.js';
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
  readonly events: readonly Event[];
  readonly playback: Playback;
  readonly figures: readonly RunFigures[];
  /** What each run was asked; null if that is not in the input. */
  readonly asked: readonly (string | null)[];
  /** Calls and results by id. */
  readonly calls: ReadonlyMap<string, CallEvents>;
  /** What an agent spent, by lane. */
  readonly spent: ReadonlyMap<string, number>;
  /** Made when it is first needed. */
  story(): Story;
  /** The name of the agent that did it. */
  nameOf(event: Event): string | null;
  /** Where the lanes show what was chosen. */
  markOf(choice: Choice): LaneMark | null;
  /** The lane after or before this one. */
  neighbour(lane: string | null, by: 1 | -1): string | null;
}

export interface LaneMark {
  readonly lane: Lane | null;
  readonly start: number;
  readonly end: number;
  readonly arrows: readonly Arrow[];
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
  const { lanes, laneOf, arrows } = shown;
  const calls = callsOf(playback);
  const bars = new Map<string, { lane: Lane; bar: Bar }>();
  for (const lane of lanes) for (const bar of lane.bars) if (bar.call !== null) bars.set(bar.call, { lane, bar });
  const byId = new Map(lanes.map((lane) => [lane.id, lane]));
  let story: Story | null = null;
  const tellStory = () => {
    story ??= storyOf(events, playback, settings.findings, shown);
    return story;
  };
  return {
    ...shown,
    settings,
    events,
    playback,
    figures: figuresOf(playback, settings.findings),
    asked: playback.traces.map(({ session_id }) => askedIn(events, session_id)),
    calls,
    spent: spentBy(playback, laneOf),
    story: tellStory,
    nameOf: ({ session_id, agent }) => laneOf(session_id, agent ?? 'main')?.name ?? agent,
    markOf(choice) {
      const bar = choice.is === 'call' ? bars.get(choice.id) : undefined;
      if (bar !== undefined) return { lane: bar.lane, start: bar.bar.start, end: bar.bar.end, arrows: [] };
      const entry = tellStory().entryOf(choice);
      const sent = choice.is === 'message' ? arrows.filter(({ message }) => message === Number(choice.id)) : [];
      const at = sent[0]?.sentAt ?? entry?.at;
      if (at === undefined) return null;
      return { lane: byId.get(sent[0]?.from ?? entry?.lane ?? '') ?? null, start: at, end: at, arrows: sent };
    },
    neighbour(lane, by) {
      const agents = lanes.filter(({ isHeading }) => !isHeading);
      const place = agents.findIndex(({ id }) => id === lane);
      const next = place === -1 ? (by > 0 ? 0 : agents.length - 1) : place + by;
      return agents[next]?.id ?? lane;
    },
  };
}

/** One of several runs, as if nothing else were in the page. */
export function partOf(whole: Run, session_id: string): Run | null {
  const trace = whole.playback.traces.find((one) => one.session_id === session_id);
  if (trace === undefined) return null;
  const sessions = new Set([trace.session_id, ...trace.actors.map((actor) => actor.session_id)]);
  const isOf = (row: { readonly session_id: string | null }) => sessions.has(row.session_id);
  const { settings, events } = whole;
  return openRun(events.filter(isOf), { ...settings, findings: settings.findings.filter(isOf) });
}

function spentBy({ end, traces }: Playback, laneOf: RunLanes['laneOf']): Map<string, number> {
  const spent = new Map<string, number>();
  if (traces.length !== 1) return spent;
  const [trace] = traces;
  for (const { agent, name, cost_usd } of end.spent) {
    const lane =
      agent === null ? null : laneOf(trace?.session_id ?? null, String(agent), name === null ? null : String(name));
    if (lane !== null && cost_usd !== null) spent.set(lane.id, (spent.get(lane.id) ?? 0) + cost_usd);
  }
  return spent;
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
