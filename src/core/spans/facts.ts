// Collects what spans are made from: one fact for each API message, call, turn, start, send and wait. They are joined,
// so the order of files and reading something twice change nothing.

import type { Event, EventMap, Tokens } from '../event/event.js';
import { isAgentWork } from '../event/work.js';
import { joinServed, type Served, unknownService } from '../prices/prices.js';
import { getOrCreate } from '../record/json.js';
import type { Caller } from '../tables/calls/calls.js';
import { type Axis, earlier, isBefore, later, type Moment, momentOf } from '../tables/moments.js';
import { keyOf, earliest as least } from '../tables/order.js';
import { largestOf, noTokens, wholeTokens } from '../tables/usage/messages.js';

/** The events it needs. Agents and teams are kept elsewhere (core/tables). */
export const spanEvents = [
  'session:started',
  'session:ended',
  'session:changed',
  'session:labelled',
  'turn:started',
  'prompt:received',
  'text:produced',
  'thinking:produced',
  'tool:*',
  'usage:recorded',
  'agent:*',
  'team:*',
  'control:*',
  'hook:fired',
  'run:started',
] as const;

/** Who did something, as the event names them. */
export interface Owner extends Caller {
  team: string | null;
  readonly agent: string;
}

export class MessageFact {
  readonly owners = new Set<Owner>();
  /** Those of them that do not only repeat it, as a fork does. */
  readonly requesters = new Set<Owner>();
  /** Some record of it is a copy. */
  isCopied = false;
  model: string | null = null;
  first: Moment | null = null;
  /** Its last block. */
  last: Moment | null = null;
  readonly calls = new Set<string>();
  /** The turn of the stream that contains it. */
  turn: TurnFact | null = null;
  tokens: Tokens | null = null;
  served: Served = unknownService;
  /** Why it ended, such as end_turn. */
  stop: string | null = null;
  /** What the program says it cost, in dollars. */
  cost: number | null = null;

  constructor(readonly id: string) {}
}

export interface TurnFact {
  readonly key: string;
  readonly owner: Owner;
  at: Moment;
  /** Known from a transcript. It counts only if the session has no stream. */
  readonly transcript: boolean;
}

/** A result: the end of a turn of a stream, and how long the turn took. */
export interface ResultFact {
  readonly owner: Owner;
  at: Moment;
  readonly duration: number | null;
}

export interface StartFact {
  readonly owner: Owner;
  at: Moment;
  parent: string | null;
  /** The call that spawned it. */
  tool_use_id: string | null;
}

interface SendFact {
  readonly owner: Owner;
  readonly recipients: readonly string[];
}

/** Something that a person has to answer. */
export interface AskFact {
  readonly id: string;
  readonly owner: Owner;
  at: Moment;
  to: Moment | null;
}

export type RunFact = Pick<
  EventMap['run:started'],
  'ci' | 'workflow' | 'run_id' | 'commit' | 'pull_request' | 'traceparent' | 'labels'
>;

/** What one source says about the run that a session is part of. */
interface SaidFact {
  at: Moment;
  run: RunFact | null;
  /** What the log around its records says. */
  log: Pick<RunFact, 'ci' | 'labels'> | null;
}

class SessionFact {
  /** Which program wrote it. */
  program: string | null = null;
  version: string | null = null;
  started: string | null = null;
  /** By source: a resumed session may be in the files of several runs. */
  readonly said = new Map<string, SaidFact>();
  /** Whether a wait for a person would show in the input. */
  asks = false;
}

export class SpanFacts {
  readonly messages = new Map<string, MessageFact>();
  readonly turns = new Map<string, TurnFact>();
  readonly results = new Map<string, ResultFact>();
  readonly starts = new Map<string, StartFact>();
  readonly ends = new Map<Owner, Moment>();
  readonly sends = new Map<string, SendFact>();
  readonly asks = new Map<string, AskFact>();
  /** When an agent got something to work on. */
  readonly inputs = new Map<Owner, Map<string, Moment>>();
  /** Records of Claude Code itself that show that an agent existed. */
  readonly sightings = new Map<Owner, Moment>();
  readonly sessions = new Map<string | null, SessionFact>();
  /** What `cct run` reported last, by source. It applies to the sessions that begin after it. */
  readonly #runs = new Map<string, RunFact>();
  readonly #owners = new Map<string, Owner>();
  /** The current turn of each session in a stream, by source. */
  readonly #current = new Map<string, TurnFact>();
  #last: Owner | null = null;

  /** `near`: the time of the nearest record before it in its source. */
  note(event: Event, near: string | null): void {
    switch (event.event) {
      case 'text:produced':
      case 'thinking:produced':
        return this.#noteBlock(event, momentOf(event, near));
      case 'tool:called':
        return this.#noteCall(event, momentOf(event, near));
      case 'usage:recorded':
        return this.#noteUsage(event, momentOf(event, near));
      case 'prompt:received':
        return this.#noteInput(event, momentOf(event, near));
      case 'team:message:received':
        // Its time is often the time it was sent.
        if (event.session_id !== null) {
          const at = momentOf(event, near);
          this.#noteInput(event, { ...at, own: null, near: at.own ?? at.near }, event.time);
        }
        return;
      case 'team:message:sent':
        return this.#noteSend(event);
      case 'turn:started':
        return this.#noteTurn(event, momentOf(event, near));
      case 'session:started':
        return this.#noteSession(event, momentOf(event, near));
      case 'session:ended':
        return this.#noteResult(event, momentOf(event, near));
      case 'agent:started':
        if (isAgentWork(event.task_type) && !event.ambient) this.#noteStart(event, momentOf(event, near));
        return;
      case 'agent:finished':
        if (isAgentWork(event.task_type)) this.#noteEnd(event, momentOf(event, near));
        return;
      case 'control:requested':
      case 'control:responded':
      case 'control:cancelled':
        return this.#noteControl(event, momentOf(event, near));
      case 'hook:fired':
        return this.#hook(event, momentOf(event, near));
      case 'session:labelled': {
        const said = this.#saidFact(event, momentOf(event, near));
        said.log = smaller(said.log, { ci: event.ci, labels: event.labels });
        return;
      }
      case 'run:started': {
        const { ci, workflow, run_id, commit, pull_request, traceparent, labels } = event;
        const run = { ci, workflow, run_id, commit, pull_request, traceparent, labels };
        // Events that are read back may name no file.
        this.#runs.set(event.source ?? '', run).set('', run);
        return;
      }
    }
  }

  ownerNamed({ session_id, team, agent }: Pick<Event, 'session_id' | 'team' | 'agent'>): Owner {
    const id = agent ?? 'main';
    const last = this.#last;
    if (last !== null && last.session_id === session_id && last.agent === id && last.team === team) return last;
    // Team files do not name a session. There the team distinguishes agents of the same name.
    const key = keyOf(session_id ?? `team ${team}`, id);
    const owner = getOrCreate(this.#owners, key, () => ({ session_id, team, agent: id }));
    if (team !== null && (owner.team === null || team < owner.team)) owner.team = team;
    this.#last = owner.team === team ? owner : null;
    return owner;
  }

  #messageFact(id: string, event: Event, at: Moment): MessageFact {
    const fact = getOrCreate(this.messages, id, () => new MessageFact(id));
    const owner = this.ownerNamed(event);
    fact.owners.add(owner);
    if (event.event === 'usage:recorded' || event.event === 'tool:called') {
      if (event.copied) fact.isCopied = true;
      else fact.requesters.add(owner);
    }
    fact.first = earlier(fact.first, at);
    const turn = this.#current.get(turnPlace(event));
    if (turn !== undefined && (fact.turn === null || isBefore(turn.at, fact.turn.at))) fact.turn = turn;
    return fact;
  }

  #noteBlock(event: EventMap['text:produced' | 'thinking:produced'], at: Moment): void {
    if (event.message_id === null || event.model === synthetic) return this.#seen(event, at);
    const fact = this.#messageFact(event.message_id, event, at);
    fact.last = later(fact.last, at);
    fact.model = least(fact.model, event.model);
  }

  #noteUsage(event: EventMap['usage:recorded'], at: Moment): void {
    if (event.message_id === null || event.iteration !== null || event.model === synthetic) return;
    const fact = this.#messageFact(event.message_id, event, at);
    fact.model = least(fact.model, event.model);
    fact.served = joinServed(fact.served, event, least);
    fact.tokens = largestOf(fact.tokens ?? noTokens(), wholeTokens(event));
    if (event.cost_usd !== undefined) fact.cost = Math.max(fact.cost ?? 0, event.cost_usd);
    fact.stop = least(fact.stop, event.stop_reason ?? null);
  }

  #noteCall(event: EventMap['tool:called'], at: Moment): void {
    const { tool_use_id: id, message_id } = event;
    if (id === null) return this.#seen(event, at);
    if (event.tool === 'AskUserQuestion') this.#asking(event.session_id);
    if (message_id === null) return;
    const fact = this.#messageFact(message_id, event, at);
    fact.last = later(fact.last, at);
    fact.calls.add(id);
  }

  /** Several messages may be in one line, each with its time. */
  #noteInput(event: Event, at: Moment, time: string | null = null): void {
    const inputs = getOrCreate(this.inputs, this.ownerNamed(event), () => new Map<string, Moment>());
    const key = `${at.line} ${time} ${at.source}`;
    inputs.set(key, earlier(inputs.get(key) ?? null, at) ?? at);
  }

  #noteTurn(event: EventMap['turn:started'], at: Moment): void {
    const { transcript = false } = event;
    const key = `${event.session_id} ${event.turn_id ?? `${event.turn} ${at.source}`}`;
    const turn = joinAt(this.turns, key, { key, owner: this.ownerNamed(event), at, transcript });
    if (!transcript) this.#current.set(turnPlace(event), turn);
  }

  #noteResult(event: EventMap['session:ended'], at: Moment): void {
    const key =
      event.result_id ?? `${event.session_id} ${event.num_turns} ${event.duration_ms} ${event.total_cost_usd}`;
    joinAt(this.results, key, { owner: this.ownerNamed({ ...event, agent: null }), at, duration: event.duration_ms });
  }

  #noteSession(event: EventMap['session:started'], at: Moment): void {
    const session = this.#sessionFact(event.session_id);
    session.program = least(session.program, event.program);
    session.version = least(session.version, event.claude_code_version);
    session.started = least(session.started, event.time);
    const run = this.#runs.get(event.source ?? '') ?? null;
    if (run !== null) {
      const said = this.#saidFact(event, at);
      said.run = smaller(said.run, run);
    }
    if (event.tools?.includes('AskUserQuestion')) session.asks = true;
  }

  #noteStart(event: EventMap['agent:started'], at: Moment): void {
    const key = JSON.stringify([event.session_id, event.agent, event.tool_use_id, event.run_id]);
    const fact = joinAt(this.starts, key, { owner: this.ownerNamed(event), at, parent: null, tool_use_id: null });
    fact.parent = least(fact.parent, event.parent);
    fact.tool_use_id = least(fact.tool_use_id, event.tool_use_id);
    if (event.resumed) this.#noteInput(event, at);
  }

  #noteEnd(event: EventMap['agent:finished'], at: Moment): void {
    // A file that was left behind does not say when.
    if (event.on_disk === true && event.time === null) return;
    const owner = this.ownerNamed(event);
    const known = this.ends.get(owner) ?? null;
    // The end itself has a time if Claude Code reports it. A notice of it may come much later.
    const isBetter = known === null || (known.own === null) === (at.own === null);
    this.ends.set(owner, (isBetter ? later(known, at) : known.own === null ? at : known) ?? at);
  }

  #noteSend({ tool_use_id, message, ...event }: EventMap['team:message:sent']): void {
    if (tool_use_id !== null && !this.sends.has(tool_use_id))
      this.sends.set(tool_use_id, { owner: this.ownerNamed(event), recipients: message.recipients });
  }

  #noteControl(event: EventMap['control:requested' | 'control:responded' | 'control:cancelled'], at: Moment): void {
    if (event.subtype !== 'can_use_tool' || event.request_id === null) return;
    this.#asking(event.session_id);
    if (event.event === 'control:requested') return this.#noteAsk(event, event.request_id, at);
    const ask = this.asks.get(event.request_id);
    if (ask !== undefined) ask.to = earlier(ask.to, at);
  }

  #hook(event: EventMap['hook:fired'], at: Moment): void {
    if (event.hook !== 'PermissionRequest') return;
    this.#asking(event.session_id);
    const place = at.own ?? `${at.source} ${at.line}`;
    this.#noteAsk(event, `hook ${event.session_id} ${event.agent ?? 'main'} ${place}`, at);
  }

  #noteAsk(event: Event, id: string, at: Moment): void {
    joinAt(this.asks, id, { id, owner: this.ownerNamed(event), at, to: null });
  }

  /** Notes something of the agent that is not a span. */
  #seen(event: Event, at: Moment): void {
    const owner = this.ownerNamed(event);
    const known = this.sightings.get(owner) ?? null;
    this.sightings.set(owner, later(known, at) ?? at);
  }

  #asking(session: string | null): void {
    this.#sessionFact(session).asks = true;
  }

  #sessionFact(id: string | null): SessionFact {
    return getOrCreate(this.sessions, id, () => new SessionFact());
  }

  #saidFact(event: Event, at: Moment): SaidFact {
    const { said } = this.#sessionFact(event.session_id);
    return joinAt(said, at.source, { at, run: null, log: null });
  }
}

/**
 * The run that sessions are part of: what the earliest source says about the first session of which anything is said.
 * Two sources may be of two runs, so they are not joined. What `cct run` says counts before what a log says.
 */
export function runOfSessions(sessions: readonly SessionFact[], axis: Pick<Axis, 'at'>): RunFact | null {
  const said = [...(sessions.find((session) => session.said.size > 0)?.said.values() ?? [])];
  const [first] = said.sort((a, b) => axis.at(a.at) - axis.at(b.at) || (isBefore(a.at, b.at) ? -1 : 1));
  if (first === undefined) return null;
  const { run, log } = first;
  if (log === null) return run;
  const none = { workflow: null, run_id: null, commit: null, pull_request: null, traceparent: null };
  return { ...none, ...run, ci: run?.ci ?? log.ci, labels: { ...log.labels, ...run?.labels } };
}

/** The fact with this key, at its earliest moment. */
function joinAt<T extends { at: Moment }>(facts: Map<string, T>, key: string, fact: T): T {
  const known = getOrCreate(facts, key, () => fact);
  known.at = earlier(known.at, fact.at) ?? fact.at;
  return known;
}

/** Two statements in one source without an order. */
function smaller<T>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return a ?? b;
  return JSON.stringify(b) < JSON.stringify(a) ? b : a;
}

/** The model name of texts that Claude Code itself wrote in place of an answer. */
const synthetic = '<synthetic>';

function turnPlace({ session_id, source = '' }: Event): string {
  return `${session_id}\n${source}`;
}
