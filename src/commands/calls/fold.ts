// Collects what rows of calls need besides the calls: MCP servers, and agents that were stopped.
import type { Event } from '../../core/event/event.js';
import { getOrCreate, objectOf, textOf } from '../../core/record/json.js';
import type { Caller } from '../../core/tables/calls/calls.js';
import { newState, type State, type Watcher } from '../../core/tables/reduce.js';
import { targetOf } from '../../core/wire/tools/about.js';

/** Without session:changed, which reports refusals: it is passed on whenever its record is parsed. */
export const callEvents = ['tool:called', 'tool:returned', 'session:started', 'session:ended', 'hook:fired'] as const;

/** `single`: rows of single calls are wanted, which take more memory. */
export function newCallsState(single: boolean, seed = Math.floor(Math.random() * 2 ** 32)): State {
  return newState({ loops: true, seed, ...(single && { details: targetOf }) });
}

export class CallsFold implements Watcher {
  /** Names of the MCP servers that each session was connected to. */
  readonly servers = new Map<string | null, Set<string>>();
  /** Agents that something else stopped, and when. */
  readonly stops: (Caller & { readonly at: number })[] = [];

  after(event: Event): void {
    if (event.event === 'agent:finished' && event.status === 'stopped' && event.time !== null) {
      const { session_id, team, agent, time } = event;
      this.stops.push({ session_id, team, agent, at: Date.parse(time) });
    }
    if (event.event !== 'session:started') return;
    for (const item of event.mcp_servers ?? []) {
      const server = objectOf(item);
      const name = textOf(server?.name);
      if (name && server?.status === 'connected') getOrCreate(this.servers, event.session_id, newSet).add(name);
    }
  }
}

const newSet = () => new Set<string>();
