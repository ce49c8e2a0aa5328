import { reportUsage } from '../src/core/rows/usage.js';
import { noAgents } from '../src/core/state/agents.js';
import { noUsage, reduceUsage } from '../src/core/state/usage/usage.js';

const n = 155000;
const event = (i: number, k: number): any => ({
  cct: 1,
  seq: i * 3 + k,
  event: 'usage:recorded',
  time: `2026-11-16T0${i % 10}:00:0${k}.000Z`,
  session_id: `s-${Math.floor(i / 5000)}-aaaa-4bbb-8ccc-000000000000`,
  team: null,
  agent: i % 3 ? 'main' : 'a' + (i % 97),
  line: i,
  message_id: `msg_01${((i * 2654435761) % 4294967296).toString(36)}${i}abcdefgh`,
  request_id: null,
  model: i % 2 ? 'claude-opus-4-6' : 'claude-haiku-5-5',
  input_tokens: 4,
  output_tokens: 2,
  cache_write_5m_tokens: 1000,
  cache_write_1h_tokens: 0,
  cache_read_tokens: 12000,
  web_search_requests: 0,
  speed: 'standard',
  service_tier: null,
  inference_geo: null,
  final: false,
  transcript: false,
});

const cpu = () => process.cpuUsage().user / 1000;
const all: any[] = [];
for (let i = 0; i < n; i++)
  for (let k = 0; k < 3; k++) {
    const e = event(i, k);
    if (k === 0 && i % 200 === 0) all.push({ ...e, event: 'turn:started', turn: 1 + (i % 5000) / 200 });
    all.push(e);
    if (k === 2 && i % 200 === 199)
      all.push({
        ...e,
        event: 'session:ended',
        result_id: 'r' + i,
        subtype: 'success',
        is_error: false,
        duration_ms: 1,
        duration_api_ms: 1,
        num_turns: 1,
        total_cost_usd: 1,
        usage: null,
        model_usage: {
          'claude-opus-4-6': {
            input_tokens: 400 * (i % 5000),
            output_tokens: 100 * (i % 5000),
            cache_write_5m_tokens: 100000 * (i % 5000),
            cache_write_1h_tokens: 0,
            cache_read_tokens: 1200000 * (i % 5000),
            web_search_requests: 0,
            cost_usd: 1,
            canonical_model: null,
            cost_basis: null,
          },
        },
        model_usage_since_last_result: null,
        result: null,
        structured_output: null,
        errors: null,
        permission_denials: null,
        result_index: null,
        origin: null,
      });
  }
for (let round = 0; round < 4; round++) {
  globalThis.gc?.();
  const h0 = process.memoryUsage().heapUsed;
  let s = noUsage;
  const c0 = cpu();
  for (const e of all) s = reduceUsage(s, e);
  const t = cpu() - c0;
  globalThis.gc?.();
  const h1 = process.memoryUsage().heapUsed;
  const out: string[] = [];
  for (const by of ['total', 'model', 'agent', 'turn', 'day', 'message'] as const) {
    const a = cpu();
    const r = reportUsage({ usage: s, agents: noAgents, by: [by] });
    out.push(`${by} ${(cpu() - a).toFixed(0)}ms (${r.rows.length})`);
  }
  console.log(
    `reduce ${t.toFixed(0)}ms for ${all.length} events, ${((h1 - h0) / 1e6).toFixed(0)}MB = ${((h1 - h0) / n).toFixed(0)}B/message;`,
    out.join(', '),
  );
}
