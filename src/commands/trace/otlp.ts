// Writes traces as OTLP JSON, with the names of OpenTelemetry's conventions for generative AI.

import { promptOf } from '../../core/prices/prices.js';
import { type Actor, type Span, spansOf, type Trace } from '../../core/spans/model.js';
import { writesOf } from '../../core/tables/usage/messages.js';
import { type CallContents, costUsd } from './fold.js';

/** The span of another trace that is the parent of ours. */
export interface Parent {
  readonly trace: string;
  readonly span: string;
}

/** Reads a W3C traceparent; null if it is not one. */
export function parentOf(traceparent: string): Parent | null {
  const [, trace = '', span = ''] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent) ?? [];
  return /[1-9a-f]/.test(trace) && /[1-9a-f]/.test(span) ? { trace, span } : null;
}

/** Export requests, with as many spans as a collector accepts at once. */
export function* otlpRequests(
  trace: Trace,
  version: string,
  contents: CallContents,
  parent: Parent | null,
): Generator<object> {
  const resource = { attributes: attributes(resourceOf(trace)) };
  const scope = { name: 'cct', version };
  const all = spansOf(trace);
  let spans: object[] = [];
  let size = 0;
  for (const [place, span] of all.entries()) {
    spans.push(otlpSpan(trace, span, contents, parent));
    const id = span.call?.id ?? '';
    size += (contents.inputOf(id)?.length ?? 0) + (contents.returnedText(id)?.length ?? 0);
    if (spans.length < mostSpans && size < mostContent && place < all.length - 1) continue;
    yield { resourceSpans: [{ resource, scopeSpans: [{ scope, spans, schemaUrl }], schemaUrl }] };
    spans = [];
    size = 0;
  }
}

const mostSpans = 500;
/** Characters of what calls were given and gave back. */
const mostContent = 2_000_000;

/** The conventions whose names are used: the last version that has those for generative AI among all others. */
const schemaUrl = 'https://opentelemetry.io/schemas/1.41.0';

type Value = string | number | boolean | null | Real | readonly string[];
/** A number that is not a count. */
interface Real {
  readonly real: number;
}
type Values = Readonly<Record<string, Value>>;

function resourceOf({ program, version, run, toScale }: Trace): Values {
  const labels = Object.entries(run?.labels ?? {}).map(([name, value]) => [`cct.label.${name}`, value] as const);
  return {
    'service.name': program === 'claude' ? 'claude-code' : program,
    'service.version': version,
    'cicd.pipeline.name': run?.workflow ?? null,
    'cicd.pipeline.run.id': run?.run_id ?? null,
    'vcs.ref.head.revision': run?.commit ?? null,
    'vcs.change.id': run?.pull_request ?? null,
    'cct.ci': run?.ci ?? null,
    'cct.traceparent': run?.traceparent ?? null,
    ...Object.fromEntries(labels),
    'cct.to_scale': toScale ? null : false,
  };
}

function otlpSpan(trace: Trace, span: Span, contents: CallContents, parent: Parent | null): object {
  const traceId = parent?.trace ?? trace.id;
  const parentSpanId = span.parent ?? parent?.span;
  return {
    traceId,
    spanId: span.id,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: otlpName(span),
    kind: span.kind === 'chat' ? spanKindCodes.client : spanKindCodes.internal,
    startTimeUnixNano: nanos(trace, span.start),
    endTimeUnixNano: nanos(trace, span.end),
    attributes: attributes({
      ...aboutAgent(trace, span.actor),
      'gen_ai.operation.name': operations[span.kind] ?? null,
      ...attributesOf(span, contents),
      ...ownAttributes(trace, span),
    }),
    ...(span.links.length > 0 && {
      links: span.links.map(({ id }) => ({
        traceId,
        spanId: id,
        attributes: attributes({ 'cct.link': 'message' }),
      })),
    }),
    status: { code: span.failed ? statusCodes.error : statusCodes.unset },
  };
}

const spanKindCodes = { internal: 1, client: 3 };
const statusCodes = { unset: 0, error: 2 };

/** What the conventions call these; turns and waits have no name there. */
const operations: Readonly<Partial<Record<Span['kind'], string>>> = {
  team: 'invoke_workflow',
  agent: 'invoke_agent',
  chat: 'chat',
  call: 'execute_tool',
};

function otlpName({ kind, name }: Span): string {
  const operation = kind === 'wait' ? 'wait for' : operations[kind];
  return operation === undefined ? name : `${operation} ${name}`;
}

/** Whose models a program calls. One without an entry may call any. */
const providers: ReadonlyMap<string, string> = new Map([
  ['claude', 'anthropic'],
  ['codex', 'openai'],
  ['gemini', 'gcp.gemini'],
]);

function aboutAgent({ session_id, program }: Trace, actor: Actor | null): Values {
  return {
    'gen_ai.provider.name': providers.get(program) ?? program,
    'gen_ai.conversation.id': actor === null ? session_id : actor.session_id,
    'gen_ai.agent.id': actor?.agent ?? null,
    'gen_ai.agent.name': actor?.name ?? null,
  };
}

function attributesOf(span: Span, contents: CallContents): Values {
  const { kind, name, message, call } = span;
  switch (kind) {
    case 'team':
      return { 'gen_ai.workflow.name': name };
    case 'agent':
      return { 'error.type': span.failed ? 'agent_failed' : null };
    case 'chat': {
      const used = message?.tokens ?? null;
      return {
        'gen_ai.request.model': message?.model ?? null,
        'gen_ai.response.id': message?.id ?? null,
        'gen_ai.response.model': message?.model ?? null,
        'gen_ai.response.finish_reasons': message === null || message.stop === null ? null : [message.stop],
        'gen_ai.usage.input_tokens': used === null ? null : promptOf(used),
        'gen_ai.usage.output_tokens': used?.output_tokens ?? null,
        'gen_ai.usage.cache_read.input_tokens': used?.cache_read_tokens ?? null,
        'gen_ai.usage.cache_creation.input_tokens': used === null ? null : writesOf(used),
      };
    }
    case 'call':
      return {
        'gen_ai.tool.name': name,
        'gen_ai.tool.type': name.startsWith('mcp__') ? 'extension' : 'function',
        'gen_ai.tool.call.id': call?.id ?? null,
        'gen_ai.tool.call.arguments': call === null ? null : contents.inputOf(call.id),
        'gen_ai.tool.call.result': call === null ? null : contents.returnedText(call.id),
        'error.type': span.failed ? 'tool_error' : null,
      };
    default:
      return {};
  }
}

/** What the conventions have no name for. Flags are present only if set. */
function ownAttributes({ team }: Trace, span: Span): Values {
  const cost = costUsd(span);
  return {
    'cct.kind': span.kind,
    'cct.team': span.actor?.team ?? team,
    'cct.agent_type': span.actor?.agent_type ?? null,
    'cct.turn': span.turn,
    'cct.waits_for': span.waits,
    'cct.cost_usd': cost === null ? null : { real: cost },
    'cct.critical_ms': span.critical,
    'cct.open': span.open || null,
    'cct.estimated': span.estimated || null,
  };
}

/** Attributes, without those that have no value. 64-bit counts are strings in JSON. */
function attributes(values: Values): object[] {
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: anyValue(value) }]));
}

function anyValue(value: NonNullable<Value>): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { intValue: BigInt(Math.min(Math.round(value), mostCount)).toString() };
  if ('real' in value) return { doubleValue: value.real };
  return { arrayValue: { values: value.map(anyValue) } };
}

/** Nanoseconds since 1970. A time of 0 means none, so a trace that is not to scale begins a millisecond later. */
function nanos({ toScale }: Trace, at: number): string {
  const ms = Math.min(Math.max(Math.round(at), 0), mostNanoMs) + (toScale ? 0 : 1);
  return `${ms}${ms === 0 ? '' : '000000'}`;
}
/** More would not fit in 64 bits. */
const mostNanoMs = 18_446_744_073_709;
const mostCount = Number.MAX_SAFE_INTEGER;
