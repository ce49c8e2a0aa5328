// Writes traces for Perfetto (ui.perfetto.dev) in its own format: a track for each agent, tracks below it for its
// calls, flows for messages, and counters for cost, context and working agents. Field numbers are those of perfetto's
// protos/perfetto/trace.
import { PbfWriter } from 'pbf';
import { promptOf } from '../../core/prices/prices.js';
import { busyTimes } from '../../core/spans/accounts.js';
import { type Actor, depths, type Span, type Trace } from '../../core/spans/model.js';
import { costUsd, isoTimeAt } from './fold.js';

export function perfettoTrace(traces: readonly Trace[]): Uint8Array {
  const writer = new Packets();
  const timed = traces.filter(({ toScale }) => toScale).map(({ root }) => root.start);
  const zero = timed.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  for (const [rank, trace] of traces.entries()) writeTrace(writer, trace, rank, trace.toScale ? zero : 0);
  return writer.toBytes();
}

function writeTrace(writer: Packets, trace: Trace, rank: number, zero: number): void {
  const scale = trace.toScale ? '' : ' (not to scale)';
  const top = writer.track({ name: `${trace.root.name}${scale}`, rank, ordering: explicit });
  const nanosAt = (at: number) => Math.round(Math.min(at - zero, mostSliceMs) * 1e6);
  const flows = flowsOf(trace);
  writer.slices(top, [trace.root], nanosAt, flows, trace);
  for (const [place, actor] of trace.actors.entries()) {
    const track = writer.track({ name: actor.name, parent: top, rank: place, ordering: explicit });
    const [own = [], ...others] = lanesOf([actor.span, ...actor.turns, ...actor.chats], nests);
    writer.slices(track, own, nanosAt, flows, trace);
    const lanes = [...others, ...lanesOf(actor.waits, follows), ...lanesOf(actor.calls, follows)];
    for (const [index, lane] of lanes.entries()) {
      const name = lane[0]?.kind === 'call' ? 'calls' : lane[0]?.kind === 'wait' ? 'waits' : 'messages';
      writer.slices(writer.track({ name, parent: track, rank: index }), lane, nanosAt, flows, trace);
    }
  }
  for (const [index, { name, unit, values }] of countersOf(trace).entries()) {
    const track = writer.track({ name, parent: top, rank: trace.actors.length + index, unit });
    for (const { at, value } of values) writer.countAt(track, nanosAt(at), value);
  }
}

/** Almost 300 years. Viewers read nanoseconds as 64 bits with a sign. */
const mostSliceMs = 9_000_000_000_000;

/** A number for each message that arrived, used at both its ends. */
function flowsOf({ actors }: Trace): Map<Span, number[]> {
  const flows = new Map<Span, number[]>();
  let next = 1;
  const addFlow = (span: Span, flow: number) => flows.set(span, [...(flows.get(span) ?? []), flow]);
  for (const { calls } of actors)
    for (const call of calls)
      for (const link of call.links) {
        addFlow(call, next);
        addFlow(link, next);
        next++;
      }
  return flows;
}

/** Slices of a track must be nested or follow each other. A slice that does neither goes to another track. */
function lanesOf(spans: readonly Span[], fits: (open: readonly Span[], span: Span) => boolean): Span[][] {
  const lanes: { readonly spans: Span[]; open: Span[] }[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end || depths[a.kind] - depths[b.kind])) {
    for (const lane of lanes) lane.open = lane.open.filter(({ end }) => end > span.start || isInstant(span, end));
    const free = lanes.find((lane) => fits(lane.open, span));
    const lane = free ?? { spans: [], open: [] };
    if (free === undefined) lanes.push(lane);
    lane.spans.push(span);
    lane.open.push(span);
  }
  return lanes.map((lane) => lane.spans);
}

function isInstant({ start, end }: Span, at: number): boolean {
  return start === end && at === start;
}

function nests(open: readonly Span[], span: Span): boolean {
  return open.every(({ end, kind }) => span.end <= end && depths[kind] < depths[span.kind]);
}

function follows(open: readonly Span[]): boolean {
  return open.length === 0;
}

interface Counter {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly { readonly at: number; readonly value: number }[];
}

function countersOf({ actors }: Trace): Counter[] {
  const chats = actors.flatMap((actor) => actor.chats).sort((a, b) => a.end - b.end || (a.id < b.id ? -1 : 1));
  let picos = 0;
  const cost = chats.flatMap((chat) => {
    const usd = costUsd(chat);
    if (usd === null) return [];
    picos += Math.round(usd * 1e12);
    return [{ at: chat.end, value: picos / 1e12 }];
  });
  const context = actors.map((actor) => ({
    name: `context of ${actor.name}`,
    unit: 'tokens',
    values: actor.chats
      .map((chat) => ({ at: chat.end, value: chat.message?.tokens == null ? 0 : promptOf(chat.message.tokens) }))
      .filter(({ value }) => value > 0),
  }));
  return [
    { name: 'cost', unit: 'USD', values: cost },
    { name: 'agents at work', unit: 'agents', values: atWork(actors) },
    ...context,
  ].filter(({ values }) => values.length > 0);
}

function atWork(actors: readonly Actor[]): Counter['values'] {
  const steps = actors.flatMap(busyTimes).flatMap(({ start, end }) => [
    { at: start, by: 1 },
    { at: end, by: -1 },
  ]);
  steps.sort((a, b) => a.at - b.at);
  const values: { at: number; value: number }[] = [];
  let value = 0;
  for (const { at, by } of steps) {
    value += by;
    if (values.at(-1)?.at === at) values.pop();
    values.push({ at, value });
  }
  return values;
}

/** How child tracks are ordered: by the given rank. */
const explicit = 3;

interface Track {
  readonly name: string;
  readonly parent?: number;
  readonly rank: number;
  readonly ordering?: number;
  /** For a counter. */
  readonly unit?: string;
}

/** A stream of packets. */
class Packets {
  readonly #pbf = new PbfWriter();
  #tracks = 0;

  toBytes(): Uint8Array {
    return this.#pbf.finish();
  }

  /** Announces a track, and returns its number. */
  track(track: Track): number {
    this.#tracks++;
    this.#packet((packet) => packet.writeMessage(60, writeTrack, { ...track, uuid: this.#tracks }));
    return this.#tracks;
  }

  /** Slices of one track, in order, outer ones before those inside them. */
  slices(
    track: number,
    spans: readonly Span[],
    nanosAt: (at: number) => number,
    flows: ReadonlyMap<Span, readonly number[]>,
    trace: Trace,
  ): void {
    const open: Span[] = [];
    const endUntil = (at: number) => {
      for (let last = open.at(-1); last !== undefined && last.end <= at; last = open.at(-1)) {
        this.#event(nanosAt(last.end), { type: sliceEnd, track });
        open.pop();
      }
    };
    for (const span of spans) {
      endUntil(span.start);
      const own = {
        name: titleOf(span),
        category: span.kind,
        flows: flows.get(span) ?? [],
        notes: notesOf(trace, span),
      };
      this.#event(nanosAt(span.start), { type: sliceBegin, track, ...own });
      open.push(span);
    }
    endUntil(Number.POSITIVE_INFINITY);
  }

  countAt(track: number, nanos: number, value: number): void {
    this.#event(nanos, { type: counter, track, value });
  }

  #event(nanos: number, event: TrackEvent): void {
    this.#packet((packet) => {
      packet.writeVarintField(8, nanos);
      packet.writeMessage(11, writeEvent, event);
      packet.writeVarintField(10, 1);
    });
  }

  #packet(write: (packet: PbfWriter) => void): void {
    this.#pbf.writeMessage(1, (_, packet) => write(packet), null);
  }
}

/** `Bash: npm test` */
function titleOf({ name, call }: Span): string {
  const about = call?.about?.trim() ?? '';
  return about === '' ? name : `${name}: ${about.length > longestTitle ? `${about.slice(0, longestTitle)}…` : about}`;
}
const longestTitle = 100;

const sliceBegin = 1;
const sliceEnd = 2;
const counter = 4;

interface TrackEvent {
  readonly type: number;
  readonly track: number;
  readonly name?: string;
  readonly category?: string;
  readonly value?: number;
  readonly flows?: readonly number[];
  readonly notes?: readonly Note[];
}

type Note = readonly [name: string, value: string | number | boolean];

/** What a viewer shows for a clicked slice. */
function notesOf(trace: Trace, span: Span): Note[] {
  const { message, call } = span;
  const tokens = message?.tokens ?? null;
  const all: readonly (readonly [string, Note[1] | null])[] = [
    ['time', isoTimeAt(trace, span.start)],
    ['agent', span.kind === 'agent' ? (span.actor?.agent ?? null) : null],
    ['message_id', message?.id ?? null],
    ['tool', call?.tool ?? null],
    ['target', call?.about ?? null],
    ['tool_use_id', call?.id ?? null],
    ['prompt_tokens', tokens === null ? null : promptOf(tokens)],
    ['output_tokens', tokens?.output_tokens ?? null],
    ['cost_usd', costUsd(span)],
    ['waits_for', span.waits],
    ['critical_ms', span.critical || null],
    ['error', span.failed || null],
    ['open', span.open || null],
  ];
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function writeTrack({ uuid, name, parent, rank, ordering, unit }: Track & { uuid: number }, pbf: PbfWriter): void {
  pbf.writeVarintField(1, uuid);
  pbf.writeStringField(2, name);
  if (parent !== undefined) pbf.writeVarintField(5, parent);
  if (unit !== undefined) pbf.writeMessage(8, (text, inner) => inner.writeStringField(6, text), unit);
  if (ordering !== undefined) pbf.writeVarintField(11, ordering);
  pbf.writeVarintField(12, rank);
}

function writeEvent({ type, track, name, category, value, flows = [], notes = [] }: TrackEvent, pbf: PbfWriter): void {
  for (const note of notes) pbf.writeMessage(4, writeNote, note);
  pbf.writeVarintField(9, type);
  pbf.writeVarintField(11, track);
  if (category !== undefined) pbf.writeStringField(22, category);
  if (name !== undefined) pbf.writeStringField(23, name);
  if (value !== undefined) pbf.writeDoubleField(44, value);
  for (const flow of flows) pbf.writeFixed64Field(47, flow);
}

function writeNote([name, value]: Note, pbf: PbfWriter): void {
  pbf.writeStringField(10, name);
  if (typeof value === 'boolean') pbf.writeBooleanField(2, value);
  else if (typeof value === 'string') pbf.writeStringField(6, value);
  else if (Number.isSafeInteger(value)) pbf.writeVarintField(4, value);
  else pbf.writeDoubleField(5, value);
}
