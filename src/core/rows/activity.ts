// What happened last, for a picture of a run that goes on: bounded, and no part of any state that is kept.
import type { Event } from '../event/event.js';
import { briefOf } from '../event/tools/brief.js';
import { type AgentsState, resolveAgent, scopeOf } from '../state/agents.js';
import type { MessageRow, MessageText } from './message.js';
import { createMessageNews, type Noted, type Seen, seenRow } from './message-news.js';
import { groupBy } from './pick.js';

export interface Activity {
  /** To be told every event, and what it did to the state. */
  note(step: Noted): void;
  /** The last call of each agent: of a lead by `leadKey`, of others by their id. */
  calls(agents: AgentsState): ReadonlyMap<string, LastCall>;
  /** Messages by the name of their team, the last ones only, in the order they were seen. */
  messages(agents: AgentsState): ReadonlyMap<string, MessageRow[]>;
}

export interface LastCall {
  readonly tool: string;
  readonly about: string | null;
}

export function leadKey(session_id: string | null): string {
  return `lead of ${session_id}`;
}

export function createActivity(): Activity {
  const calls = new Map<string, Called>();
  const news = createMessageNews();
  let seen: Seen[] = [];

  function called(event: Event, call: LastCall): void {
    const { session_id, team, agent } = event;
    const key = callKey(event);
    // Whoever called last comes last.
    calls.delete(key);
    calls.set(key, { session_id, team, agent, call });
  }

  return {
    note(step) {
      const { event } = step;
      if (event.event === 'tool:called' && event.tool !== null)
        called(event, { tool: event.tool, about: briefOf(event.input) });
      // Progress names the tool alone; the call itself may have come before it.
      if (event.event === 'agent:progressed' && event.last_tool !== null)
        if (calls.get(callKey(event))?.call.tool !== event.last_tool)
          called(event, { tool: event.last_tool, about: null });
      const message = news(step);
      if (message === null || quiet.has(message.sighting.type)) return;
      seen.push({ ...message, text: shortened(message.text) });
      if (seen.length > 2 * keptMessages) seen = seen.slice(-keptMessages);
    },
    calls: (agents) =>
      new Map(
        [...calls.values()].map((one) => {
          const { kind, agent, session_id } = resolveAgent(agents, one, one.agent);
          return [kind === 'lead' ? leadKey(session_id) : agent, one.call];
        }),
      ),
    messages: (agents) =>
      groupBy(
        seen.map((one) => seenRow(one, agents)),
        ({ team }) => team ?? '',
      ),
  };
}

function callKey(event: Event): string {
  return `${scopeOf(event)} ${event.agent}`;
}

/** What the program says by itself; the status of who says it shows it already. */
const quiet: ReadonlySet<string> = new Set(['idle_notification', 'task_assignment']);

const keptMessages = 200;

interface Called {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly call: LastCall;
}

/** A picture shows the beginning of a text, and a message may hold megabytes. */
function shortened({ summary, content, error }: MessageText): MessageText {
  const short = (words: string | null) => words?.slice(0, 1000) ?? null;
  return { summary: short(summary), content: short(content), error: short(error) };
}
