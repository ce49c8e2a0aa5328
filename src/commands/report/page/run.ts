// What the page shows of a run, computed once when it opens.
import type { Event } from '../../../core/event/event.js';
import type { Settings } from '../document.js';
import { type Arrow, type Bar, type Lane, lanesOf, type RunLanes } from '../lanes.js';
import { lazily, type Playback, type Snapshot } from '../playback.js';
import { type Choice, type Entry, type Story, storyOf } from '../story.js';
import { asGiven, type OneRun, openInput, openRun, type RunFigures } from '../summary.js';
import type { Place } from './hooks.js';

/** Everything in the page. */
export type Report = ReturnType<typeof openReport>;

export interface Run extends RunLanes, OneRun {
  readonly settings: Settings;
  /** Calls and results by id. */
  readonly calls: ReadonlyMap<string, CallEvents>;
  /** Made when it is first needed. */
  story(): Story;
  /** The name of the agent that did it. */
  agentNameOf(event: Event): string | null;
  /** Where the lanes show what was chosen. */
  markOf(choice: Choice): LaneMark | null;
  /** The lane after or before this one. */
  neighbour(lane: string | null, by: 1 | -1): string | null;
}

/** What all parts of the page show of a run. */
export interface View {
  readonly run: Run;
  readonly at: number;
  /** What is known at the clock, made when it is needed. */
  readonly now: () => Snapshot;
  readonly place: Place;
  /** The entry that was chosen, if the story tells it. */
  readonly chosen: Entry | undefined;
  /** What somebody searches for. */
  readonly query: string;
  go(to: Partial<Place>): void;
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

export function openReport(events: readonly Event[], settings: Settings) {
  const { findings } = settings;
  const whole = lazily(() => shownRun(openInput(events, findings, settings.figures), settings));
  const figures = settings.figures ?? whole().figures;
  return {
    settings,
    figures,
    /** One run, as if nothing else were in the page; `hues`: the colours of agents in another run, by name. */
    openRun(one: RunFigures | undefined, hues?: Map<string, string>): Run {
      if (one === undefined || figures.length < 2) return whole();
      return shownRun(openRun(one, { events, findings }), settings, hues);
    },
    /** In the order in which they were given. */
    given: () => asGiven({ events, figures }),
  };
}

function shownRun(one: OneRun, settings: Settings, hues?: Map<string, string>): Run {
  const { events, findings, playback } = one;
  const shown = lanesOf(playback, hues);
  const { lanes, laneOf, arrows } = shown;
  const calls = callsOf(playback);
  const bars = new Map<string, { lane: Lane; bar: Bar }>();
  for (const lane of lanes) for (const bar of lane.bars) if (bar.call !== null) bars.set(bar.call, { lane, bar });
  const byId = new Map(lanes.map((lane) => [lane.id, lane]));
  const story = lazily(() => storyOf(events, playback, findings, shown));
  return {
    ...shown,
    ...one,
    settings,
    calls,
    story,
    agentNameOf: ({ session_id, agent }) => laneOf(session_id, agent ?? 'main')?.name ?? agent,
    markOf(choice) {
      const bar = choice.is === 'call' ? bars.get(choice.id) : undefined;
      if (bar !== undefined) return { lane: bar.lane, start: bar.bar.start, end: bar.bar.end, arrows: [] };
      const entry = story().entryOf(choice);
      const sent = choice.is === 'message' ? arrows.filter(({ message }) => message === Number(choice.id)) : [];
      const at = sent[0]?.sentAt ?? entry?.at;
      if (at === undefined) return null;
      return { lane: byId.get(sent[0]?.from ?? entry?.lane ?? '') ?? null, start: at, end: at, arrows: sent };
    },
    neighbour(lane, by) {
      const place = lanes.findIndex(({ id }) => id === lane);
      const next = place === -1 ? (by > 0 ? 0 : lanes.length - 1) : place + by;
      return lanes[next]?.id ?? lane;
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
