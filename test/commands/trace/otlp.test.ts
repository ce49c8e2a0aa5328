// What -f otlp writes is what the OpenTelemetry SDK would have sent of the same spans, in JSON and in protobuf, and keeps the rules of
// OTLP JSON.
import type { Attributes, AttributeValue, HrTime } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { homes, type Input, sessions } from '../../laws/inputs.js';
import { cct, rows } from '../../run.js';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
}
interface Attribute {
  readonly key: string;
  readonly value: Value;
}
interface Link {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly Attribute[];
}
interface Span extends Link {
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly links?: readonly Link[];
  readonly status: { readonly code: number };
}
interface ScopeSpans {
  readonly scope: { readonly name: string; readonly version: string };
  readonly spans: readonly Span[];
  readonly schemaUrl: string;
}
interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly ScopeSpans[];
    readonly schemaUrl: string;
  }[];
}

const inputs = [...sessions, ...homes];
const toolUse = 'fixtures/sessions/partial-2.1.325.ndjson';

describe('every span is what the SDK would send', () => {
  test.each(inputs)('$name', async (input) => {
    for (const request of await requestsOf(input)) {
      const sdk = sdkSpans(request);
      expect(normal(JSON.parse(textOf(JsonTraceSerializer.serializeRequest(sdk))))).toEqual(normal(request));
      const bytes = ProtobufTraceSerializer.serializeRequest(sdk) ?? new Uint8Array();
      expect(normal(decoded(bytes))).toEqual(normal(request));
    }
  });
});

describe('the rules of OTLP JSON', () => {
  test.each(inputs)('$name', async (input) => {
    const spans = (await requestsOf(input)).flatMap(spansOf);
    const ids = new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
    expect(ids.size).toBe(spans.length);
    for (const span of spans) expectValid(span, ids);
  });
});

test('hangs under another trace with --parent', async () => {
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const file = 'fixtures/sessions/team-2.1.325.ndjson';
  const { stdout } = await cct(['trace', '-f', 'otlp', '--parent', parent, file]);
  const spans = requestsIn(stdout).flatMap(spansOf);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(['0af7651916cd43dd8448eb211c80319c']));
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const tops = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''));
  expect(tops.map(({ parentSpanId, name }) => ({ parentSpanId, name }))).toEqual([
    { parentSpanId: 'b7ad6b7169203331', name: 'invoke_workflow session-97a98319' },
  ]);
});

test('the resource has what cct run said', async () => {
  const run = {
    ...{ cct: 1, seq: 1, event: 'run:started', time: '2026-11-16T09:00:00.000Z', session_id: null, team: null },
    ...{ agent: null, line: 1, ci: 'github-actions', workflow: 'nightly', run_id: '77', commit: 'c0ffee' },
    ...{ pull_request: '12', traceparent: null, labels: { task: 'docs' }, command: ['claude', '-p'] },
  };
  const stream = (await cct(['replay', '--no-wait', 'fixtures/sessions/one-shot.ndjson'])).stdout;
  const { stdout } = await cct(['trace', '-f', 'otlp'], `${JSON.stringify(run)}\n${stream}`);
  const said = requestsIn(stdout).flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ resource }) => resource.attributes),
  );
  expect(Object.fromEntries(said.map(({ key, value }) => [key, value.stringValue]))).toEqual({
    'service.name': 'claude-code',
    'service.version': '2.1.325',
    'cicd.pipeline.name': 'nightly',
    'cicd.pipeline.run.id': '77',
    'vcs.ref.head.revision': 'c0ffee',
    'vcs.change.id': '12',
    'cct.ci': 'github-actions',
    'cct.label.task': 'docs',
  });
});

test('the resource has what the log says', async () => {
  const files = [1, 2].map((run) => `fixtures/files/resumed-in-another-container/review-${run}.ndjson`);
  for (const order of [files, files.toReversed()]) {
    const { stdout } = await cct(['trace', '-f', 'otlp', ...order]);
    expect(stdout).toContain('{"key":"cct.label.service","value":{"stringValue":"review-1"}}');
    expect(stdout).not.toContain('review-2');
  }
});

test('an API message has its tokens, cached ones included', async () => {
  const { stdout } = await cct(['trace', '-f', 'otlp', 'fixtures/sessions/one-shot.ndjson']);
  const chat = requestsIn(stdout)
    .flatMap(spansOf)
    .find(({ name }) => name.startsWith('chat '));
  const usage = await cct(['usage', '--by', 'message', '-f', 'ndjson', 'fixtures/sessions/one-shot.ndjson']);
  const used = JSON.parse(usage.stdout.split('\n')[0] ?? '');
  const value = (key: string) => chat?.attributes.find((one) => one.key === key)?.value;
  expect(chat?.kind).toBe(3);
  expect(value('gen_ai.usage.input_tokens')).toEqual({
    intValue: String(
      used.input_tokens + used.cache_read_tokens + used.cache_write_5m_tokens + used.cache_write_1h_tokens,
    ),
  });
  expect(value('gen_ai.usage.cache_read.input_tokens')).toEqual({ intValue: String(used.cache_read_tokens) });
  expect(value('gen_ai.response.id')).toEqual({ stringValue: used.message_id });
});

test('an API message says why it ended, a call what it was given and gave back', async () => {
  const told = async (...flags: string[]) => {
    const { stdout } = await cct(['trace', '-f', 'otlp', ...flags, toolUse]);
    const spans = requestsIn(stdout).flatMap(spansOf);
    const chat = spans.find(({ name }) => name.startsWith('chat '));
    const call = spans.find(({ name }) => name.startsWith('execute_tool '));
    return Object.fromEntries(
      [...(chat?.attributes ?? []), ...(call?.attributes ?? [])]
        .filter(({ key }) => /finish_reasons|tool/.test(key))
        .map(({ key, value }) => [key, plain(value)]),
    );
  };
  expect(await told()).toMatchInlineSnapshot(`
    {
      "gen_ai.response.finish_reasons": [
        "tool_use",
      ],
      "gen_ai.tool.call.arguments": "{"command":"wc -l notes.txt","description":"Count lines"}",
      "gen_ai.tool.call.id": "toolu_01rbUSaSFPC7Mc3rNiS7WbnH",
      "gen_ai.tool.call.result": "{"stdout":"2 notes.txt","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}",
      "gen_ai.tool.name": "Bash",
      "gen_ai.tool.type": "function",
    }
  `);
  expect(Object.keys(await told('--no-content')).sort()).toEqual([
    'gen_ai.response.finish_reasons',
    'gen_ai.tool.call.id',
    'gen_ai.tool.name',
    'gen_ai.tool.type',
  ]);
});

test('what is long is cut, and requests stay small', async () => {
  const block = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: id } });
  const ids = Array.from({ length: 100 }, (_, at) => `t${at}`);
  const lines = ids.flatMap((id) => [
    { type: 'assistant', session_id: 's', message: { id: `m${id}`, content: [block(id)] } },
    {
      ...{ type: 'user', session_id: 's' },
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x'.repeat(100_000) }] },
    },
  ]);
  const { stdout } = await cct(
    ['trace', '-q', '-f', 'otlp'],
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  const requests = stdout.trim().split('\n');
  expect(requests.length).toBeGreaterThan(3);
  expect(Math.max(...requests.map((request) => request.length))).toBeLessThan(4_000_000);
  const results = requestsIn(stdout)
    .flatMap(spansOf)
    .flatMap(({ attributes }) => attributes.filter(({ key }) => key === 'gen_ai.tool.call.result'));
  expect(results).toHaveLength(100);
  expect(results[0]?.value.stringValue).toBe(`${'x'.repeat(65_536)}…`);
});

test('a message costs what the program says', async () => {
  const file = 'fixtures/specimens/opencode/turn.ndjson';
  const chats = (await rows(['trace', '-q', file])).filter(({ kind }) => kind === 'chat');
  expect(chats.map(({ cost_usd }) => cost_usd)).toEqual([0.000525, 0.0009]);
});

test('the schema is named', async () => {
  const { stdout } = await cct(['trace', '-f', 'otlp', toolUse]);
  const [request] = requestsIn(stdout);
  const [found] = request?.resourceSpans ?? [];
  expect([found?.schemaUrl, found?.scopeSpans[0]?.schemaUrl]).toEqual(
    Array(2).fill('https://opentelemetry.io/schemas/1.41.0'),
  );
});

test('another agent calls the models of another provider', async () => {
  const { stdout } = await cct(['trace', '-q', '-f', 'otlp', 'fixtures/sessions/codex-team-0.169.ndjson']);
  expect(stdout).toContain('{"key":"service.name","value":{"stringValue":"codex"}}');
  expect(stdout).toContain('{"key":"gen_ai.provider.name","value":{"stringValue":"openai"}}');
});

async function requestsOf({ name, parts }: Input): Promise<Request[]> {
  const files = parts.map(({ path }) => `fixtures/${path === null ? name : `${name}/${path}`}`);
  const { stdout, code } = await cct(['trace', '-f', 'otlp', ...files]);
  expect(code).toBe(0);
  return requestsIn(stdout);
}

function requestsIn(text: string): Request[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

function spansOf({ resourceSpans }: Request): readonly Span[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

function expectValid(span: Span, ids: ReadonlySet<string>): void {
  expect(span.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
  expect(span.spanId).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
  if (span.parentSpanId !== undefined) expect(ids).toContain(`${span.traceId} ${span.parentSpanId}`);
  for (const link of span.links ?? []) expect(ids).toContain(`${link.traceId} ${link.spanId}`);
  for (const time of [span.startTimeUnixNano, span.endTimeUnixNano]) expect(time).toMatch(/^[1-9][0-9]*$/);
  expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  expect([1, 3]).toContain(span.kind);
  expect([0, 2]).toContain(span.status.code);
  expect(new Set(span.attributes.map(({ key }) => key)).size).toBe(span.attributes.length);
  for (const { value } of span.attributes) {
    expect(Object.keys(value)).toHaveLength(1);
    if ('intValue' in value) expect(value.intValue).toMatch(/^-?[0-9]+$/);
  }
}

/** The spans as the SDK holds them before it sends them. */
function sdkSpans({ resourceSpans }: Request): Parameters<typeof JsonTraceSerializer.serializeRequest>[0] {
  return resourceSpans.flatMap(({ resource, scopeSpans, schemaUrl }) => {
    const attributes = attributesOf(resource.attributes);
    const held = { attributes, merge: () => held, getRawAttributes: () => [], schemaUrl };
    return scopeSpans.flatMap(({ scope, spans, schemaUrl: ofScope }) => {
      const instrumentationScope = { ...scope, schemaUrl: ofScope };
      return spans.map((span) => ({
        name: span.name,
        kind: span.kind - 1,
        spanContext: () => contextOf(span),
        ...(span.parentSpanId !== undefined && {
          parentSpanContext: contextOf({ traceId: span.traceId, spanId: span.parentSpanId }),
        }),
        startTime: hrTime(span.startTimeUnixNano),
        endTime: hrTime(span.endTimeUnixNano),
        status: span.status,
        attributes: attributesOf(span.attributes),
        links: (span.links ?? []).map((link) => ({
          context: contextOf(link),
          attributes: attributesOf(link.attributes),
        })),
        events: [],
        duration: hrTime('0'),
        ended: true,
        resource: held,
        instrumentationScope,
        droppedAttributesCount: 0,
        droppedEventsCount: 0,
        droppedLinksCount: 0,
      }));
    });
  });
}

function contextOf({ traceId, spanId }: Pick<Link, 'traceId' | 'spanId'>) {
  return { traceId, spanId, traceFlags: 1 };
}

function hrTime(nanos: string): HrTime {
  return [Number(BigInt(nanos) / 1_000_000_000n), Number(BigInt(nanos) % 1_000_000_000n)];
}

function attributesOf(list: readonly Attribute[]): Attributes {
  return Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, boolValue, doubleValue, intValue, arrayValue }: Value): AttributeValue {
  if (arrayValue !== undefined) return arrayValue.values.map((item) => item.stringValue ?? '');
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}

function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}

/** What both sides say: the SDK adds counts of 0 and flags, and writes 64-bit numbers as numbers. */
function normal({ resourceSpans }: Request): unknown {
  const attributes = (list: readonly Attribute[]) => list.map(({ key, value }) => [key, plain(value)]);
  return resourceSpans.map(({ resource, scopeSpans, schemaUrl }) => ({
    schemaUrl,
    resource: attributes(resource.attributes),
    scopes: scopeSpans.map(({ scope, spans, schemaUrl: ofScope }) => ({
      schemaUrl: ofScope,
      scope: { name: scope.name, version: scope.version },
      spans: spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || undefined,
        name: span.name,
        kind: span.kind,
        startTimeUnixNano: String(span.startTimeUnixNano),
        endTimeUnixNano: String(span.endTimeUnixNano),
        attributes: attributes(span.attributes),
        links: (span.links ?? []).map((link) => ({
          traceId: link.traceId,
          spanId: link.spanId,
          attributes: attributes(link.attributes),
        })),
        status: span.status.code ?? 0,
      })),
    })),
  }));
}

/** The fields of opentelemetry-proto that are used here. */
const proto = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resourceSpans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; string schemaUrl = 3; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schemaUrl = 3; }
  message Scope { string name = 1; string version = 2; }
  message Span {
    bytes traceId = 1; bytes spanId = 2; bytes parentSpanId = 4; string name = 5; int32 kind = 6;
    fixed64 startTimeUnixNano = 7; fixed64 endTimeUnixNano = 8; repeated KeyValue attributes = 9;
    repeated Link links = 13; Status status = 15;
  }
  message Link { bytes traceId = 1; bytes spanId = 2; repeated KeyValue attributes = 4; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string stringValue = 1; bool boolValue = 2; int64 intValue = 3; double doubleValue = 4; ArrayValue arrayValue = 5; } }
  message ArrayValue { repeated AnyValue values = 1; }
`);

function decoded(bytes: Uint8Array): Request {
  const type = proto.root.lookupType('Request');
  const read = type.toObject(type.decode(bytes), { longs: String, bytes: String, arrays: true, defaults: false });
  return JSON.parse(JSON.stringify(read), (key, value) =>
    /^(?:trace|span|parentSpan)Id$/.test(key)
      ? Buffer.from(value, 'base64').toString('hex')
      : key === 'status'
        ? { code: 0, ...value }
        : value,
  );
}
