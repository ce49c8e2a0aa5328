// Writes runs in the Agent Trajectory Interchange Format (ATIF 1.7), which tools for evaluation and training read: what
// was asked, and for each answer its text, its calls, their results and its tokens. Agents are embedded in the trajectory
// of who started them.
import type { Event, EventMap } from '../../core/event/event.js';
import { promptOf } from '../../core/prices/prices.js';
import { getOrCreate, objectOf, parseJson, textsOf } from '../../core/record/json.js';
import type { Actor, Trace } from '../../core/spans/model.js';
import type { AgentsState } from '../../core/tables/agents.js';
import { resolveAgent } from '../../core/tables/directory.js';
import { compare, earliest, groupBy, keyOf, type Place } from '../../core/tables/order.js';
import { totalOf, writesOf } from '../../core/tables/usage/messages.js';
import { type CallContents, pricedUsd } from './fold.js';

type Used = EventMap['usage:recorded'];

/** A prompt, or an answer with all that is known of it. Facts are joined, so that the order of files changes nothing. */
interface SaidStep {
  readonly source: 'user' | 'agent';
  /** Of an answer. */
  readonly message_id: string | null;
  owner: Place & { readonly agent: string };
  /** When and where it was first seen. */
  time: string | null;
  near: string | null;
  place: string;
  model: string | null;
  used: Used | null;
  readonly texts: Set<string>;
  readonly thoughts: Set<string>;
  /** Their tools, by id. */
  readonly calls: Map<string, string>;
}

type Speech = EventMap['prompt:received' | 'text:produced' | 'thinking:produced' | 'tool:called' | 'usage:recorded'];

export class Trajectories {
  readonly #said = new Map<string, SaidStep>();
  readonly #retracted = new Set<string>();

  /** `near`: the time of the record before it in its source. */
  note(event: Event, near: string | null): void {
    switch (event.event) {
      case 'prompt:received':
        if (!event.synthetic && event.text !== null)
          this.#saidFor(event, near, keyOf('prompt', event.session_id, event.time, event.text)).texts.add(event.text);
        return;
      case 'text:produced':
        if (event.model !== '<synthetic>') this.#saidFor(event, near).texts.add(event.text ?? '');
        return;
      case 'thinking:produced':
        this.#saidFor(event, near).thoughts.add(event.text ?? '');
        return;
      case 'tool:called':
        if (event.tool_use_id !== null)
          this.#saidFor(event, near).calls.set(event.tool_use_id, event.tool || 'unknown');
        return;
      case 'usage:recorded': {
        const said = event.iteration === null ? this.#saidFor(event, near) : null;
        if (said !== null && (said.used === null || totalOf(event) > totalOf(said.used))) said.used = event;
        return;
      }
      case 'session:changed':
        for (const id of textsOf(event.tool_use_ids) ?? []) this.#retracted.add(id);
    }
  }

  /** One trajectory for each run that says anything. */
  trajectoriesOf(traces: readonly Trace[], agents: AgentsState, contents: CallContents): object[] {
    const byActor = new Map<string, SaidStep[]>();
    for (const said of this.#said.values()) {
      if (said.message_id !== null) continue;
      const { agent, session_id } = resolveAgent(agents, said.owner, said.owner.agent);
      getOrCreate(byActor, keyOf(session_id, agent), () => []).push(said);
    }
    // A trace knows whose an answer is that several sessions have, and begins after what a fork only repeats.
    const stepsOf = ({ root }: Trace, { session_id, agent, chats }: Actor) =>
      [
        ...(byActor.get(keyOf(session_id, agent)) ?? []).filter(({ time }) => !(Date.parse(time ?? '') < root.start)),
        ...chats.flatMap(({ message }) => this.#said.get(message?.id ?? '') ?? []),
      ].filter(
        ({ calls, texts, thoughts, used }) =>
          used !== null || texts.size + thoughts.size > 0 || [...calls.keys()].some((id) => !this.#retracted.has(id)),
      );
    return traces.flatMap((trace) => {
      const said = new Map(trace.actors.map((actor) => [actor, stepsOf(trace, actor)] as const));
      const [lead] = trace.actors;
      if (lead === undefined || (said.get(lead) ?? []).length === 0) return [];
      return [this.#trajectory({ trace, contents, said, homes: homesOf(trace.actors, said) }, lead)];
    });
  }

  #trajectory(telling: Telling, actor: Actor): object {
    const { trace, said, homes } = telling;
    const steps = (said.get(actor) ?? []).toSorted(compareSaid);
    const agents = homes.get(actor) ?? [];
    const model = steps.find((step) => step.model !== null)?.model;
    const spawnedBy = groupBy(agents, ({ spawnCall }) => spawnCall?.call?.id ?? '');
    const made = steps.map((step, at) => this.#stepOf(step, at + 1, spawnedBy, telling.contents));
    return {
      schema_version: 'ATIF-v1.7',
      ...(actor.session_id !== null && { session_id: actor.session_id }),
      trajectory_id: actor.span.id,
      agent: {
        name: trace.program === 'claude' ? 'claude-code' : trace.program,
        version: trace.version ?? 'unknown',
        ...(model !== undefined && model !== null && { model_name: model }),
        extra: { agent: actor.name, ...(actor.agent_type !== null && { agent_type: actor.agent_type }) },
      },
      steps: made,
      final_metrics: finalMetrics(steps),
      ...(trace.toScale ? {} : { notes: 'The input has no times.' }),
      ...(agents.length > 0 && {
        subagent_trajectories: agents.map((one) => this.#trajectory(telling, one)),
      }),
    };
  }

  #stepOf(
    said: SaidStep,
    step_id: number,
    spawnedBy: ReadonlyMap<string, readonly Actor[]>,
    contents: CallContents,
  ): object {
    const { source, time, model, texts, thoughts, used } = said;
    const calls = [...said.calls].filter(([id]) => !this.#retracted.has(id));
    const results = calls.flatMap(([source_call_id]) => {
      const content = contents.returnedText(source_call_id);
      const refs = (spawnedBy.get(source_call_id) ?? []).map(({ span }) => ({ trajectory_id: span.id }));
      if (content === null && refs.length === 0) return [];
      return [
        {
          source_call_id,
          ...(content !== null && { content }),
          ...(contents.hasFailed(source_call_id) && { extra: { is_error: true } }),
          ...(refs.length > 0 && { subagent_trajectory_ref: refs }),
        },
      ];
    });
    return {
      step_id,
      ...(time !== null && { timestamp: time }),
      source,
      ...(model !== null && { model_name: model }),
      message: [...texts].join('\n'),
      ...(thoughts.size > 0 && { reasoning_content: [...thoughts].join('\n') }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(([tool_call_id, function_name]) => {
          const input = parseJson(contents.inputOf(tool_call_id) ?? '{}');
          return { tool_call_id, function_name, arguments: objectOf(input) ?? { input } };
        }),
      }),
      ...(results.length > 0 && { observation: { results } }),
      ...(used !== null && { metrics: metricsOf(used) }),
    };
  }

  /** What the event is part of: an answer is known by its id, else by its place. */
  #saidFor(event: Speech, near: string | null, prompt?: string): SaidStep {
    const { session_id, team, agent, time, line, source = '' } = event;
    const place = `${source} ${String(line ?? 0).padStart(12, '0')}`;
    const id = event.event === 'prompt:received' ? null : event.message_id;
    const owner = { session_id, team, agent: agent ?? 'main' };
    const said = getOrCreate<string, SaidStep>(this.#said, prompt ?? id ?? keyOf('line', place), () => ({
      source: prompt === undefined ? 'agent' : 'user',
      message_id: id,
      ...{ owner, place, time: null, near: null, model: null, used: null },
      ...{ texts: new Set<string>(), thoughts: new Set<string>(), calls: new Map() },
    }));
    said.time = earliest(said.time, time);
    said.near = earliest(said.near, time ?? near);
    if (place < said.place) said.place = place;
    if (compare(keyOf(session_id, owner.agent), keyOf(said.owner.session_id, said.owner.agent)) < 0) said.owner = owner;
    if ('model' in event) said.model = earliest(said.model, event.model);
    return said;
  }
}

interface Telling {
  readonly trace: Trace;
  readonly contents: CallContents;
  readonly said: ReadonlyMap<Actor, readonly SaidStep[]>;
  readonly homes: ReadonlyMap<Actor, readonly Actor[]>;
}

/** In whose trajectory each agent is embedded. One without a step has no trajectory. */
function homesOf(
  [lead, ...others]: readonly Actor[],
  said: ReadonlyMap<Actor, readonly SaidStep[]>,
): ReadonlyMap<Actor, readonly Actor[]> {
  const homes = new Map<Actor, Actor[]>();
  const depths = new Map<Actor, number>();
  for (const actor of others) {
    if (lead === undefined || (said.get(actor) ?? []).length === 0) continue;
    const depth = actor.spawner === null ? 0 : (depths.get(actor.spawner) ?? 0);
    const isInside =
      actor.spawner !== null && depth < deepestNesting && (actor.spawner === lead || depths.has(actor.spawner));
    depths.set(actor, isInside ? depth + 1 : 1);
    getOrCreate(homes, (isInside ? actor.spawner : null) ?? lead, () => []).push(actor);
  }
  return homes;
}

/** Nobody nests agents like this, but any input may say so. */
const deepestNesting = 20;

function compareSaid(a: SaidStep, b: SaidStep): number {
  return compare(a.time ?? a.near, b.time ?? b.near) || compare(a.place, b.place);
}

function metricsOf(used: Used): object {
  const written = writesOf(used);
  const cost = spentUsd(used);
  return {
    prompt_tokens: promptOf(used),
    completion_tokens: used.output_tokens,
    cached_tokens: used.cache_read_tokens,
    ...(cost !== null && { cost_usd: cost }),
    ...(written > 0 && { extra: { cache_creation_input_tokens: written } }),
  };
}

function finalMetrics(steps: readonly SaidStep[]): object {
  const all = steps.flatMap(({ used }) => used ?? []);
  const sum = (amountOf: (used: Used) => number) => all.reduce((total, used) => total + amountOf(used), 0);
  const isPriced = all.length > 0 && all.every((used) => spentUsd(used) !== null);
  return {
    total_prompt_tokens: sum(promptOf),
    total_completion_tokens: sum(({ output_tokens }) => output_tokens),
    total_cached_tokens: sum(({ cache_read_tokens }) => cache_read_tokens),
    ...(isPriced && { total_cost_usd: Number(sum((used) => spentUsd(used) ?? 0).toFixed(12)) }),
    total_steps: steps.length,
  };
}

/** What the program says it cost, else what the price table says. */
function spentUsd(used: Used): number | null {
  return used.cost_usd ?? pricedUsd(used.model, used, used);
}
