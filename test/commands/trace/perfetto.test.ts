// What -f perfetto writes, decoded by another implementation: tracks, slices that nest, flows with two ends, counters.
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { cli } from '../../../src/cli.js';
import { homes, type Input, sessions } from '../../laws/inputs.js';
import { Collected, cct, rows, streamsOver } from '../../run.js';
import { ndjson } from '../../streams.js';

/** The fields of perfetto's protos that are used here, by the numbers they have there. */
const proto = protobuf.parse(
  `
  syntax = "proto2";
  message Trace { repeated TracePacket packet = 1; }
  message TracePacket {
    optional uint64 timestamp = 8; optional uint32 trusted_packet_sequence_id = 10;
    optional TrackEvent track_event = 11; optional TrackDescriptor track_descriptor = 60;
  }
  message TrackDescriptor {
    optional uint64 uuid = 1; optional string name = 2; optional uint64 parent_uuid = 5; optional CounterDescriptor counter = 8;
    optional int32 child_ordering = 11; optional int32 sibling_order_rank = 12;
  }
  message CounterDescriptor { optional string unit_name = 6; }
  message TrackEvent {
    repeated DebugAnnotation debug_annotations = 4; optional int32 type = 9; optional uint64 track_uuid = 11;
    repeated string categories = 22; optional string name = 23; optional double double_counter_value = 44;
    repeated fixed64 flow_ids = 47 [packed = false];
  }
  message DebugAnnotation {
    optional bool bool_value = 2; optional int64 int_value = 4; optional double double_value = 5; optional string string_value = 6;
    optional string name = 10;
  }
`,
  { keepCase: true },
);

interface Track {
  readonly uuid: string;
  readonly name: string;
  readonly parent_uuid?: string;
  readonly counter?: { readonly unit_name: string };
  readonly child_ordering?: number;
  readonly sibling_order_rank: number;
}
interface TrackEvent {
  readonly type: number;
  readonly track_uuid: string;
  readonly name?: string;
  readonly categories?: readonly string[];
  readonly double_counter_value?: number;
  readonly flow_ids?: readonly string[];
}
interface Packet {
  readonly timestamp?: string;
  readonly trusted_packet_sequence_id?: number;
  readonly track_event?: TrackEvent;
  readonly track_descriptor?: Track;
}
interface Slice {
  readonly track: Track;
  readonly name: string;
  readonly kind: string;
  readonly start: number;
  end: number;
  readonly flows: readonly string[];
}

/** What a viewer makes of it. */
function seen(bytes: Buffer): { tracks: Map<string, Track>; slices: Slice[]; counters: Map<string, number[]> } {
  const type = proto.root.lookupType('Trace');
  const { packet: packets = [] }: { packet?: Packet[] } = type.toObject(type.decode(bytes), { longs: String });
  const tracks = new Map<string, Track>();
  const open = new Map<string, Slice[]>();
  const slices: Slice[] = [];
  const counters = new Map<string, number[]>();
  for (const { timestamp, track_event: event, track_descriptor, trusted_packet_sequence_id } of packets) {
    if (track_descriptor !== undefined) tracks.set(track_descriptor.uuid, track_descriptor);
    if (event === undefined) continue;
    expect(trusted_packet_sequence_id).toBe(1);
    const track = tracks.get(event.track_uuid);
    if (track === undefined) throw new Error(`there is no track ${event.track_uuid}`);
    const at = Number(timestamp) / 1e6;
    const stack = open.get(track.uuid) ?? [];
    open.set(track.uuid, stack);
    if (event.type === 1) {
      const slice = {
        track,
        name: event.name ?? '',
        kind: event.categories?.[0] ?? '',
        start: at,
        end: Number.NaN,
        flows: event.flow_ids ?? [],
      };
      // Inside of what is open on its track.
      expect(at).toBeGreaterThanOrEqual(stack.at(-1)?.start ?? 0);
      stack.push(slice);
      slices.push(slice);
    } else if (event.type === 2) {
      const last = stack.pop();
      if (last === undefined) throw new Error('an end without a beginning');
      last.end = at;
    } else counters.set(track.name, [...(counters.get(track.name) ?? []), event.double_counter_value ?? Number.NaN]);
  }
  expect([...open.values()].flat()).toEqual([]);
  return { tracks, slices, counters };
}

async function perfetto({ name, parts }: Input): Promise<Buffer> {
  return read(filesOf({ name, parts }));
}

function filesOf({ name, parts }: Input): string[] {
  return parts.map(({ path }) => `fixtures/${path === null ? name : `${name}/${path}`}`);
}

async function read(files: readonly string[], stdin = ''): Promise<Buffer> {
  const stdout = new Collected();
  const code = await cli(['trace', '-f', 'perfetto', ...files], streamsOver(stdin, stdout, new Collected(), {}));
  expect(code).toBe(0);
  return stdout.bytes();
}

describe('a slice for each span, a flow for each link', () => {
  test.each([...sessions, ...homes])('$name', async (input) => {
    const { slices, tracks, counters } = seen(await perfetto(input));
    const spans = await rows(['trace', ...filesOf(input)]);
    const key = (kind: unknown, label: unknown, ms: unknown) => `${kind} ${label} ${ms}`;
    expect(slices.map(({ kind, name, start, end }) => key(kind, name, Math.round(end - start))).sort()).toEqual(
      spans.map(({ kind, label, target, duration_ms }) => key(kind, titled(label, target), duration_ms)).sort(),
    );
    const ends = new Map<string, number>();
    for (const flow of slices.flatMap(({ flows }) => flows)) ends.set(flow, (ends.get(flow) ?? 0) + 1);
    expect([...new Set(ends.values())].filter((count) => count !== 2)).toEqual([]);
    expect(ends.size).toBe(spans.reduce((sum, { links }) => sum + (Array.isArray(links) ? links.length : 0), 0));
    for (const { parent_uuid } of tracks.values())
      if (parent_uuid !== undefined) expect(tracks.has(parent_uuid)).toBe(true);
    const atWork = counters.get('agents at work') ?? [];
    expect(Math.min(0, ...atWork)).toBe(0);
    expect(atWork.at(-1) ?? 0).toBe(0);
  });
});

/** A call says what it was about. */
function titled(label: unknown, target: unknown): string {
  const about = typeof target === 'string' ? target.trim() : '';
  return about === '' ? `${label}` : `${label}: ${about.length > 100 ? `${about.slice(0, 100)}…` : about}`;
}

test('a team, as a viewer shows it', async () => {
  const { tracks, slices, counters } = seen(await read(['fixtures/sessions/team-2.1.325.ndjson']));
  const tree = [...tracks.values()].map(({ name, parent_uuid, sibling_order_rank, counter }) => {
    const above = tracks.get(parent_uuid ?? '')?.name ?? '-';
    return `${above} > ${name} #${sibling_order_rank}${counter === undefined ? '' : ` (${counter.unit_name})`}`;
  });
  expect(tree).toMatchInlineSnapshot(`
    [
      "- > session-97a98319 #0",
      "session-97a98319 > main #0",
      "main > waits #0",
      "main > calls #1",
      "main > calls #2",
      "session-97a98319 > researcher #1",
      "researcher > calls #0",
      "session-97a98319 > writer #2",
      "writer > calls #0",
      "session-97a98319 > cost #3 (USD)",
      "session-97a98319 > agents at work #4 (agents)",
      "session-97a98319 > context of main #5 (tokens)",
      "session-97a98319 > context of researcher #6 (tokens)",
      "session-97a98319 > context of writer #7 (tokens)",
    ]
  `);
  const cost = counters.get('cost') ?? [];
  expect(cost).toEqual(cost.toSorted((a, b) => a - b));
  const flows = slices.filter(({ flows: ids }) => ids.length > 0).map(({ track, name }) => `${track.name}: ${name}`);
  expect(flows).toMatchInlineSnapshot(`
    [
      "main: claude-opus-4-6",
      "calls: SendMessage: researcher",
      "calls: SendMessage: writer",
      "researcher: claude-sonnet-5-5",
      "researcher: claude-sonnet-5-5",
      "calls: SendMessage: main",
      "calls: SendMessage: writer",
      "writer: claude-haiku-5-5",
      "writer: claude-haiku-5-5",
      "calls: SendMessage: main",
      "calls: SendMessage: researcher",
    ]
  `);
});

test('is never written to a terminal', async () => {
  const { code, stdout, stderr } = await cct(['trace', '-f', 'perfetto', 'fixtures/sessions/one-shot.ndjson'], '', {
    tty: { stdout: true },
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('> run.pftrace');
});

test('a time far away, and a count that is no number of a viewer', async () => {
  const usage = { input_tokens: Number.MAX_VALUE, output_tokens: Number.MAX_SAFE_INTEGER };
  const message = {
    id: 'm1',
    model: 'claude-opus-4-6',
    usage,
    content: [{ id: 't1', type: 'tool_use', name: 'Bash' }],
  };
  const stdin = ndjson([
    { type: 'assistant', timestamp: '2026-11-16T12:14:08.242Z', message },
    {
      type: 'user',
      timestamp: '9999-12-31T23:59:59.999Z',
      message: { content: [{ type: 'tool_result', tool_use_id: 't1' }] },
    },
  ]);
  const { slices } = seen(await read([], stdin));
  expect(slices.map(({ kind, start, end }) => [kind, start, end])).toContainEqual(['call', 0, 9e12]);
  const { code, stdout } = await cct(['trace', '-f', 'otlp'], stdin);
  expect(code).toBe(0);
  for (const [, digits = ''] of stdout.matchAll(/"intValue":"(\d+)"/g)) expect(BigInt(digits) < 2n ** 63n).toBe(true);
});
