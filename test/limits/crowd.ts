import type { JsonObject } from '../json.js';

/** Records of one session with very many of something, as 2.1.140 writes them. */
export type Crowd = (count: number) => Generator<string>;

const session_id = '0000cafe-aaaa-4bbb-8ccc-000000000000';

function* crowd(count: number, callOf: (at: number) => readonly [string, JsonObject, JsonObject]): Generator<string> {
  const line = (record: JsonObject) => `${JSON.stringify({ ...record, session_id })}\n`;
  yield line({ type: 'system', subtype: 'init', uuid: 'i', cwd: '/home/dev', model, tools: ['Task', 'SendMessage'] });
  for (let at = 1; at <= count; at++) {
    const [name, input, data] = callOf(at);
    const id = `toolu_${at}`;
    const usage = { input_tokens: 3, output_tokens: 2 };
    const message = {
      id: `msg_${at}`,
      role: 'assistant',
      model,
      content: [{ type: 'tool_use', id, name, input }],
      usage,
    };
    yield line({ type: 'assistant', uuid: `a${at}`, message, parent_tool_use_id: null });
    const content = [{ tool_use_id: id, type: 'tool_result', content: JSON.stringify(data) }];
    yield line({ type: 'user', uuid: `u${at}`, message: { role: 'user', content }, tool_use_result: data });
  }
  const total = { modelUsage: { [model]: { inputTokens: 3 * count, outputTokens: 2 * count, costUSD: count / 1e3 } } };
  yield line({ type: 'result', subtype: 'success', is_error: false, uuid: 'r', total_cost_usd: count / 1e3, ...total });
}

const model = 'claude-opus-4-6';

export const agents: Crowd = (count) =>
  crowd(count, (at) => [
    'Agent',
    { description: `look at ${at}`, prompt: 'Look.', subagent_type: 'Explore' },
    { status: 'completed', agentId: `a${at}`, content: [{ type: 'text', text: 'Done.' }], totalTokens: at },
  ]);

export const tasks: Crowd = (count) =>
  crowd(count, (at) => [
    'TaskCreate',
    { subject: `task ${at}`, description: '' },
    { task: { id: `${at}`, subject: `task ${at}` } },
  ]);

export const messages: Crowd = (count) =>
  crowd(count, (at) => {
    const [to, content] = [`mate-${at % 50}`, `note ${at}`];
    const routing = { sender: 'main', target: `@${to}`, summary: 'note', content };
    return [
      'SendMessage',
      { to, summary: 'note', message: content },
      { success: true, message: `Sent to ${to}`, routing },
    ];
  });
