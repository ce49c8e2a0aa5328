import type { JsonObject } from '../json.js';
import { Random } from './random.js';
import { textOf, wordOf } from './text.js';
import { callOf, type Wanted } from './tools.js';

/** What takes most of the space: tool results, the assistant's texts, or hundreds of thousands of partial lines. */
export type Mix = 'tools' | 'assistant' | 'tiny';

/** The median length of tool results, and how many partial lines come with a message. */
const mixes: Readonly<Record<Mix, { results: number; partials: number }>> = {
  tools: { results: 2600, partials: 0 },
  assistant: { results: 420, partials: 0 },
  tiny: { results: 2600, partials: 200 },
};

/** Whole sessions of a stream, up to this many bytes. Results report what the messages add up to. */
export function* streamOf(bytes: number, mix: Mix, seed = 42): Generator<string> {
  const random = new Random(seed);
  for (let made = 0, number = 1; made < bytes; number++) {
    for (const record of sessionOf(random, number, mix, bytes - made)) {
      const line = `${JSON.stringify(record)}\n`;
      made += line.length;
      yield line;
    }
  }
}

/**
 * The same conversation as transcript rows, one session per file, and between them the rows that people's transcripts
 * have: of 469 public ones, a third of the lines were progress of hooks, shells and agents, and an eighth were
 * attachments, snapshots, frames and the like.
 */
export function* transcriptOf(bytes: number, seed: number): Generator<string> {
  const random = new Random(seed);
  let time = Date.UTC(2026, 9, 1 + (seed % 28), 8);
  let parentUuid: unknown = null;
  for (const { type, message, session_id, uuid, tool_use_result } of sessionOf(random, seed, 'tools', bytes)) {
    if (type !== 'assistant' && type !== 'user') continue;
    const own = { isSidechain: false, userType: 'external', cwd: '/home/dev/project', sessionId: session_id };
    const common = { ...own, version: '2.1.140', gitBranch: 'main' };
    const more = type === 'user' ? { toolUseResult: tool_use_result } : { requestId: `req_${idOf(message)}` };
    const rows = [{ ...common, type, message, ...more, uuid }, ...besideOf(random, type, common)];
    for (const row of rows) {
      time += random.between(100, 4000);
      yield `${JSON.stringify({ parentUuid, ...row, timestamp: new Date(time).toISOString() })}\n`;
      parentUuid = uuid;
    }
  }
}

/** How many of each kind stand beside a record of the conversation. Their usage, if any, is nowhere counted. */
function* besideOf(random: Random, type: 'assistant' | 'user', common: JsonObject): Generator<JsonObject> {
  const own = () => ({ ...common, uuid: random.uuid() });
  const progress = (data: JsonObject) => ({ type: 'progress', data, toolUseID: `toolu_01${random.hex(22)}`, ...own() });
  if (type === 'assistant') {
    if (random.chance(0.45))
      yield progress({
        type: 'hook_progress',
        hookEvent: 'PreToolUse',
        hookName: 'PreToolUse:Bash',
        command: 'callback',
      });
    if (random.chance(0.06))
      yield { type: 'system', subtype: 'stop_hook_summary', hookCount: 1, level: 'info', ...own() };
    return;
  }
  if (random.chance(0.4)) {
    const output = textOf(random, random.length(400, 0.8, 5000));
    yield progress({ type: 'bash_progress', output, fullOutput: output, elapsedTimeSeconds: 2, totalLines: 9 });
  }
  if (random.chance(0.12)) {
    const content = [{ type: 'tool_result', tool_use_id: `toolu_01${random.hex(22)}`, content: textOf(random, 5000) }];
    const message = { type: 'user', uuid: random.uuid(), message: { role: 'user', content } };
    yield progress({ type: 'agent_progress', agentId: `a${random.hex(16)}`, prompt: '', message });
  }
  if (random.chance(0.1))
    yield { type: 'attachment', attachment: { type: 'todo_reminder', content: textOf(random, 1500) }, ...own() };
  if (random.chance(0.1))
    yield { type: 'file-history-snapshot', messageId: random.uuid(), snapshot: { trackedFileBackups: {} } };
  if (random.chance(0.06)) yield { type: 'queue-operation', operation: 'dequeue', sessionId: common['sessionId'] };
  if (random.chance(0.05))
    yield { type: 'last-prompt', lastPrompt: textOf(random, 150), sessionId: common['sessionId'] };
}

/** One line, a little longer than this: a tool result. */
export function longLine(bytes: number): string {
  const random = new Random(1);
  const content = [{ tool_use_id: 'toolu_1', type: 'tool_result', content: textOf(random, bytes) }];
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content }, session_id: random.uuid() })}\n`;
}

function idOf(message: unknown): string {
  return typeof message === 'object' && message !== null && 'id' in message ? String(message.id) : '';
}

const models = ['claude-opus-4-5-20251101', 'claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001'] as const;

interface Use {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

/** One process from init to result: a team, tasks, messages, and mostly work with files and shells. */
function* sessionOf(random: Random, number: number, mix: Mix, bytes: number): Generator<JsonObject> {
  // Ids ascend, so that rows sorted by them are in the order of the stream.
  const digits = String(number).padStart(8, '0');
  const session_id = `${digits}-${random.hex(4)}-4000-a000-${random.hex(12)}`;
  const own = () => ({ parent_tool_use_id: null, session_id, uuid: random.uuid() });
  const spent = new Map<string, Use>();
  const board = { tasks: 0, team: `crew-${digits}` };
  const { results, partials } = mixes[mix];
  const turns = Math.min(random.between(40, 220), 1 + Math.floor(bytes / 4000));
  let model: string = random.pick(models);
  yield { type: 'system', subtype: 'init', cwd: '/home/dev/project', tools, model, session_id, uuid: random.uuid() };
  for (let turn = 0; turn < turns; turn++) {
    if (random.chance(0.1)) model = random.pick(models);
    const id = `msg_01${random.hex(22)}`;
    const usage = useOf(random);
    add(spent, model, usage);
    const say = (block: JsonObject): JsonObject => ({
      type: 'assistant',
      message: { model, id, type: 'message', role: 'assistant', content: [block], stop_reason: null, usage },
      ...own(),
    });
    for (let left = random.between(0, partials); left > 0; left--)
      yield { type: 'stream_event', event: deltaOf(random), ...own() };
    if (random.chance(0.25)) yield say({ type: 'thinking', thinking: textOf(random, random.length(900, 0.8, 20000)) });
    if (random.chance(0.6)) yield say({ type: 'text', text: textOf(random, random.length(500, 1, 20000)) });
    const wanted: Wanted[] = turn === 0 ? ['team', 'mate', 'mate'] : Array(random.between(1, 3)).fill('any');
    const calls = wanted.map((what) => ({ id: `toolu_01${random.hex(22)}`, ...callOf(random, what, board, results) }));
    for (const { id, name, input } of calls) yield say({ type: 'tool_use', id, name, input });
    for (const { id, text, data } of calls) {
      const content = [{ tool_use_id: id, type: 'tool_result', content: text }];
      yield { type: 'user', message: { role: 'user', content }, ...own(), tool_use_result: data };
    }
  }
  yield resultOf(random, turns, spent, own());
}

const tools = 'Task Bash Grep Read Edit Write TaskCreate TaskUpdate TaskList SendMessage TeamCreate TeamDelete'.split(
  ' ',
);

function useOf(random: Random): Use {
  return {
    input_tokens: random.between(1, 900),
    cache_creation_input_tokens: random.between(0, 9000),
    cache_read_input_tokens: random.between(8000, 150000),
    output_tokens: random.between(20, 3000),
  };
}

function add(spent: Map<string, Use>, model: string, use: Use): void {
  const sum = spent.get(model);
  spent.set(model, {
    input_tokens: use.input_tokens + (sum?.input_tokens ?? 0),
    output_tokens: use.output_tokens + (sum?.output_tokens ?? 0),
    cache_creation_input_tokens: use.cache_creation_input_tokens + (sum?.cache_creation_input_tokens ?? 0),
    cache_read_input_tokens: use.cache_read_input_tokens + (sum?.cache_read_input_tokens ?? 0),
  });
}

function deltaOf(random: Random): JsonObject {
  return { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `${wordOf(random)} ` } };
}

function resultOf(random: Random, turns: number, spent: Map<string, Use>, own: JsonObject): JsonObject {
  const total = new Map<string, Use>();
  for (const use of spent.values()) add(total, 'all', use);
  const modelUsage = Object.fromEntries(
    [...spent].map(([model, use]) => [
      model,
      {
        inputTokens: use.input_tokens,
        outputTokens: use.output_tokens,
        cacheReadInputTokens: use.cache_read_input_tokens,
        cacheCreationInputTokens: use.cache_creation_input_tokens,
        webSearchRequests: 0,
        costUSD: use.output_tokens / 1e5,
      },
    ]),
  );
  const cost = Object.values(modelUsage).reduce((sum, { costUSD }) => sum + costUSD, 0);
  const said = { subtype: 'success', is_error: false, duration_ms: 9000, num_turns: turns, result: wordOf(random) };
  return { type: 'result', ...said, total_cost_usd: cost, usage: total.get('all'), modelUsage, ...own };
}
