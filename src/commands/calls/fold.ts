// Collects tool calls, and the MCP servers that sessions were connected to.
import type { Event } from '../../core/event/event.js';
import { getOrCreate, objectOf, textOf } from '../../core/record/json.js';
import { Calls } from '../../core/state/calls.js';
import type { Caller } from '../../core/state/work.js';
import { targetOf } from '../../core/wire/tools/tool-result.js';

/** Without session:changed, which reports refusals: it is passed on whenever its record is parsed. */
export const callEvents = ['tool:called', 'tool:returned', 'session:started', 'session:ended', 'hook:fired'] as const;

export class CallsFold {
  readonly calls: Calls;
  /** Names of the MCP servers that each session was connected to. */
  readonly servers = new Map<string | null, Set<string>>();
  /** Agents that something else stopped, and when. */
  readonly stops: (Caller & { readonly at: number })[] = [];

  /** `single`: rows of single calls are wanted, which take more memory. */
  constructor({ single, seed }: { readonly single: boolean; readonly seed: number }) {
    this.calls = new Calls({ seed, ...(single && { details: targetOf }) });
  }

  note(event: Event): void {
    this.calls.note(event);
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
