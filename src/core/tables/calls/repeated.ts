// Finds loops: the same call with the same input that fails again and again. Each source is checked by itself, so the
// order of sources does not matter. A loop that several sources show is one loop, by the ids of its calls.
import type { Event, EventMap } from '../../event/event.js';
import { getOrCreate, textsOf, toJson } from '../../record/json.js';
import { digest } from '../order.js';

/** Calls with the same tool and input that failed at least three times within ten calls of their agent. */
export interface RepeatedCall {
  readonly tool: string;
  /** Where the last of them returned. */
  readonly last: Pick<
    EventMap['tool:returned'],
    'time' | 'session_id' | 'team' | 'agent' | 'line' | 'seq' | 'tool_use_id'
  >;
  readonly tool_use_ids: ReadonlySet<string>;
}

/** How often a call has to fail … */
const times = 3;
/** … within how many calls of its agent. */
const within = 10;
/** How many failures of an agent are kept: results may come in another order than their calls. */
const mostKept = 4 * within;

export class RepeatedCalls {
  #source = '';
  #agents = new Map<string, Agent>();
  #open = new Map<string, OpenCall>();
  readonly #loops = new Map<string, RepeatedCall>();
  readonly #onLoop: (id: string) => void;

  /** `onLoop` is called for each call that turns out to be part of a loop. */
  constructor(onLoop: (id: string) => void = () => {}) {
    this.#onLoop = onLoop;
  }

  /** For a call, returns how many calls of the same agent were open when it began. */
  note(event: Event): number {
    const { source = '' } = event;
    if (source !== this.#source) {
      this.#source = source;
      this.#agents = new Map();
      this.#open = new Map();
    }
    if (event.event === 'tool:called') return this.#called(event);
    if (event.event === 'tool:returned') this.#noteReturned(event);
    else if (event.event === 'session:changed') for (const id of textsOf(event.tool_use_ids) ?? []) this.#close(id);
    return 0;
  }

  get all(): readonly RepeatedCall[] {
    return [...new Set(this.#loops.values())];
  }

  #called({ session_id, agent, tool, tool_use_id, input, input_bytes }: EventMap['tool:called']): number {
    const of = getOrCreate(this.#agents, `${session_id} ${agent}`, newAgent);
    of.calls++;
    if (tool_use_id === null) return of.open;
    // An input that was left out may be anything.
    const isKnown = input !== null || input_bytes === undefined;
    this.#open.set(tool_use_id, { of, number: of.calls, tool: tool ?? '', input: isKnown ? input : tool_use_id });
    return of.open++;
  }

  #noteReturned(event: EventMap['tool:returned']): void {
    const { tool_use_id, success } = event;
    if (tool_use_id === null) return;
    const call = this.#close(tool_use_id);
    if (call === undefined || success) return;
    const { of, number, tool, input } = call;
    const failure = { key: `${tool} ${digest(toJson(input))}`, id: tool_use_id, number };
    of.failures = [...of.failures, failure].sort((a, b) => a.number - b.number).slice(-mostKept);
    const same = of.failures.filter(({ key }) => key === failure.key);
    const ids = new Set<string>();
    for (let at = times - 1; at < same.length; at++) {
      const group = same.slice(at - times + 1, at + 1);
      const [first, last] = [group[0], group.at(-1)];
      if (first !== undefined && last !== undefined && last.number - first.number < within)
        for (const { id } of group) ids.add(id);
    }
    if (ids.has(tool_use_id)) this.#add(ids, tool, event);
  }

  #close(id: string): OpenCall | undefined {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#open.delete(id);
    call.of.open--;
    return call;
  }

  #add(ids: ReadonlySet<string>, tool: string, event: EventMap['tool:returned']): void {
    const { time, session_id, team, agent, line, seq, tool_use_id } = event;
    const now = { time, session_id, team, agent, line, seq, tool_use_id };
    const known = new Set([...ids].flatMap((id) => this.#loops.get(id) ?? []));
    const last = [...known].map((loop) => loop.last).reduce((a, b) => (isLaterCall(b, a) ? b : a), now);
    const all = new Set([...[...known].flatMap(({ tool_use_ids }) => [...tool_use_ids]), ...ids]);
    const loop = { tool, last, tool_use_ids: all };
    for (const id of all) {
      if (!this.#loops.has(id)) this.#onLoop(id);
      this.#loops.set(id, loop);
    }
  }
}

function isLaterCall(a: RepeatedCall['last'], b: RepeatedCall['last']): boolean {
  if (a.time !== b.time) return (a.time ?? '') > (b.time ?? '');
  return (a.line ?? 0) > (b.line ?? 0);
}

interface Agent {
  /** Its calls so far. */
  calls: number;
  open: number;
  /** Ordered by their calls. */
  failures: readonly { readonly key: string; readonly id: string; readonly number: number }[];
}

interface OpenCall {
  readonly of: Agent;
  /** Its number among the calls of its agent. */
  readonly number: number;
  readonly tool: string;
  readonly input: unknown;
}

function newAgent(): Agent {
  return { calls: 0, open: 0, failures: [] };
}
