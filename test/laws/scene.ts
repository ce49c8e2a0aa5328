import type { JsonObject } from '../json.js';

/** What a version writes: how agents are spawned, which frames report on them, how a message is spelled. */
export const eras = ['2.1.16', '2.1.39', '2.1.140', '2.1.325'] as const;
export type Era = (typeof eras)[number];

export interface Actor {
  readonly name: string;
  /** The call that spawned it; null for the lead. */
  readonly call: string | null;
  readonly id: string;
  run: number;
  running: boolean;
}

/** The structured result of a call, and its text. */
export interface Answer {
  readonly data: unknown;
  readonly text: string;
  readonly isError?: boolean;
}

interface OpenCall {
  readonly id: string;
  readonly actor: Actor;
  readonly answer: () => Answer;
}

/** Plays one session: writes the records of what happens, with ids that depend only on the story. */
export class Scene {
  readonly records: JsonObject[] = [];
  readonly era: Era;
  readonly lead: Actor = { name: 'team-lead', call: null, id: 'main', run: 0, running: true };
  readonly agents: Actor[] = [];
  /** Ids of the board's tasks. */
  readonly tasks: string[] = [];
  /** Distinguishes the ids of one session from those of another. */
  readonly key: string;
  team: string | null = null;
  readonly #session: string;
  readonly #open: OpenCall[] = [];
  #count = 0;
  #turns = 0;

  constructor(era: Era, index: number) {
    this.era = era;
    this.key = `${index}`;
    this.#session = `${index}0000000-aaaa-4bbb-8ccc-000000000000`;
  }

  /** Who may act: the lead and the running agents. The stream of a lead has no records of its teammates. */
  get speakers(): Actor[] {
    return [this.lead, ...this.agents.filter(({ running, id }) => running && !id.includes('@'))];
  }

  turn(): void {
    this.#turns++;
    const said = { cwd: '/home/dev', model: 'claude-opus-4-6', tools: ['Task', 'Bash'], claude_code_version: this.era };
    this.put({ type: 'system', subtype: 'init', ...said });
  }

  /** Ends the current turn. */
  result(subtype: string): void {
    const inputTokens = 10 * this.#count;
    const costUSD = this.#count / 1000;
    this.put({
      type: 'result',
      subtype,
      is_error: subtype !== 'success',
      num_turns: this.#turns,
      total_cost_usd: costUSD,
      usage: { input_tokens: 10 },
      modelUsage: { 'claude-opus-4-6': { inputTokens, outputTokens: this.#count, costUSD } },
    });
  }

  end(): void {
    while (this.#open.length > 0) this.answer(0);
    for (const agent of this.agents) if (agent.running) this.finish(agent, 'completed');
    this.result('success');
  }

  put(record: JsonObject, actor = this.lead): void {
    const { type, ...rest } = record;
    const count = ++this.#count;
    const spoken = type === 'user' || type === 'assistant';
    const own = {
      ...(spoken ? { parent_tool_use_id: actor.call } : {}),
      ...(actor.call !== null && this.era === '2.1.325' ? { agent_id: actor.id } : {}),
      session_id: this.#session,
      uuid: `${this.key}0000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
      ...(type === 'user' && this.era !== '2.1.39' ? { timestamp: timeOf(count) } : {}),
    };
    // Results of 2.1.325 do not begin with their type.
    const isResult = type === 'result' && this.era === '2.1.325';
    this.records.push(isResult ? { duration_api_ms: 5, ...rest, type, ...own } : { type, ...rest, ...own });
  }

  /** Blocks in quick succession may share a message. */
  speak(actor: Actor, outputTokens: number, block: JsonObject): void {
    const usage = { input_tokens: 3, cache_creation_input_tokens: 40, cache_read_input_tokens: 100 };
    const message = {
      id: this.messageId(actor),
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-6',
      content: [block],
      stop_reason: null,
      usage: { ...usage, output_tokens: outputTokens },
    };
    this.put({ type: 'assistant', message }, actor);
  }

  messageId(actor: Actor): string {
    return `msg_${this.key}_${actor.id}_${Math.floor(this.#count / 3)}`;
  }

  call(actor: Actor, name: string, input: JsonObject, answer: () => Answer): string {
    const id = `toolu_${this.key}_${this.#count}`;
    this.#open.push({ id, actor, answer });
    this.speak(actor, name.length, { type: 'tool_use', id, name, input });
    return id;
  }

  /** One of the open calls returns; the last one for -1. Results of subagents are only text. */
  answer(which: number): void {
    const place = which === -1 ? this.#open.length - 1 : which % Math.max(1, this.#open.length);
    const [call] = this.#open.splice(place, 1);
    if (call === undefined) return;
    const { data, text, isError } = call.answer();
    const content = which % 2 === 0 ? text : [{ type: 'text', text }];
    const block = { tool_use_id: call.id, type: 'tool_result', content, ...(isError ? { is_error: true } : {}) };
    const twin = call.actor.call === null && which !== 5 ? { tool_use_result: isError ? `Error: ${text}` : data } : {};
    this.put({ type: 'user', message: { role: 'user', content: [block] }, ...twin }, call.actor);
  }

  /** A frame about an agent. Older versions have none. */
  taskFrame(agent: Actor, subtype: string, more: JsonObject): void {
    if (this.era === '2.1.16' || this.era === '2.1.39') return;
    const run = this.era === '2.1.325' ? { run_id: `run-${agent.id}-${agent.run}` } : {};
    this.put({ type: 'system', subtype, task_id: agent.id, tool_use_id: agent.call, ...run, ...more });
  }

  finish(agent: Actor, status: string): void {
    agent.running = false;
    this.taskFrame(agent, 'task_notification', { status, summary: 'done', output_file: '' });
  }
}

function timeOf(count: number): string {
  return new Date(1_790_000_000_000 + count * 700).toISOString();
}
