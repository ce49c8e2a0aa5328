import type { Random } from '../bench/random.js';
import { textOf } from '../bench/text.js';
import type { JsonObject } from '../json.js';
import type { Known } from './world.js';

const model = 'claude-opus-4-6';

/** One run as 2.1.140 writes it: a team of two, a scout that is started repeatedly, a board of tasks, and work. */
export class Session {
  steps = 0;
  readonly #random: Random;
  readonly #known: Known;
  readonly #key: string;
  readonly #team: string;
  readonly #scout: string;
  #ids = 0;
  #scoutRuns = 0;
  #scoutCall = '';
  #claimed: string | null = null;
  readonly #todo: string[] = [];
  readonly #spent = { input: 0, output: 0 };

  constructor(random: Random, number: number, known: Known) {
    this.#random = random;
    this.#known = known;
    this.#key = String(number).padStart(8, '0');
    this.#team = `crew-${number}`;
    this.#scout = `a${this.#key}0f0f0f0f`;
  }

  begin(): JsonObject[] {
    const known = this.#known;
    known.teams++;
    known.members += 4;
    const lead_agent_id = `team-lead@${this.#team}`;
    const made = { team_name: this.#team, team_file_path: `/home/dev/${this.#team}/config.json`, lead_agent_id };
    const init = { type: 'system', subtype: 'init', cwd: '/home/dev', model, tools: ['Task', 'Bash'] };
    const records = [this.#own(init), ...this.#call('TeamCreate', { team_name: this.#team }, made)];
    for (const name of ['writer', 'critic']) records.push(...this.#spawnMate(name));
    records.push(...this.#launchScout());
    for (const id of ['1', '2', '3', '4']) {
      known.tasks++;
      this.#todo.push(id);
      records.push(...this.#call('TaskCreate', { subject: `task ${id}` }, { task: { id, subject: `task ${id}` } }));
    }
    return records;
  }

  step(): JsonObject[] {
    this.steps++;
    const dice = this.#random.between(1, 200);
    if (dice === 1) return this.#send('writer');
    if (dice === 2) return this.#restartScout();
    if (dice <= 6) return this.#moveTask();
    if (dice <= 60) return this.#partials();
    if (dice <= 80) return [this.#scoutFrame('task_progress', { usage: { total_tokens: this.steps, tool_uses: 1 } })];
    const stdout = textOf(this.#random, this.#random.between(10, 400));
    return this.#call('Bash', { command: 'npm test' }, { stdout, stderr: '', interrupted: false });
  }

  /** Finishes the board, closes the team, and reports in the result what it took. */
  end(): JsonObject[] {
    const records: JsonObject[] = [];
    while (this.#claimed !== null || this.#todo.length > 0) records.push(...this.#moveTask());
    records.push(this.#scoutFrame('task_notification', { status: 'completed', summary: 'done', output_file: '' }));
    const closed = { success: true, message: 'Cleaned up', team_name: this.#team };
    records.push(...this.#call('TeamDelete', {}, closed));
    const { input, output } = this.#spent;
    const modelUsage = { [model]: { inputTokens: input, outputTokens: output, costUSD: output / 1e5 } };
    const usage = { input_tokens: input, output_tokens: output };
    const said = { subtype: 'success', is_error: false, num_turns: 1, total_cost_usd: output / 1e5 };
    records.push(this.#own({ type: 'result', ...said, usage, modelUsage }));
    return records;
  }

  #spawnMate(name: string): JsonObject[] {
    this.#known.runs++;
    const agent_id = `${name}@${this.#team}`;
    const data = { status: 'teammate_spawned', teammate_id: agent_id, agent_id, name, team_name: this.#team };
    const input = {
      description: name,
      prompt: 'Do it.',
      subagent_type: 'general-purpose',
      name,
      team_name: this.#team,
    };
    return this.#call('Agent', input, data);
  }

  #launchScout(): JsonObject[] {
    const input = { description: 'scout', prompt: 'Look.', subagent_type: 'Explore', run_in_background: true };
    const data = { isAsync: true, status: 'async_launched', agentId: this.#scout };
    const [asked = {}, answered = {}] = this.#call('Agent', input, data);
    this.#scoutCall = this.#lastCall;
    return [asked, this.#startScout(), answered];
  }

  #startScout(): JsonObject {
    this.#known.runs++;
    this.#scoutRuns++;
    return this.#scoutFrame('task_started', { description: 'scout', task_type: 'local_agent', prompt: 'Look.' });
  }

  #restartScout(): JsonObject[] {
    const done = this.#scoutFrame('task_notification', { status: 'completed', summary: 'done', output_file: '' });
    const sent = this.#send(this.#scout);
    // The message that woke it is the call of the new run.
    this.#scoutCall = this.#lastCall;
    return [done, ...sent, this.#startScout()];
  }

  #scoutFrame(subtype: string, more: JsonObject): JsonObject {
    const run_id = `run-${this.#key}-${this.#scoutRuns}`;
    const ids = { task_id: this.#scout, tool_use_id: this.#scoutCall, run_id };
    return this.#own({ type: 'system', subtype, ...ids, ...more });
  }

  #moveTask(): JsonObject[] {
    const status = this.#claimed === null ? 'in_progress' : 'completed';
    const taskId = this.#claimed ?? this.#todo.shift();
    if (taskId === undefined) return this.#partials();
    if (this.#claimed !== null) this.#known.completed++;
    this.#claimed = this.#claimed === null ? taskId : null;
    const data = { success: true, taskId, updatedFields: ['status'] };
    return this.#call('TaskUpdate', { taskId, status, owner: 'writer' }, data);
  }

  #send(to: string): JsonObject[] {
    this.#known.sends++;
    const content = textOf(this.#random, this.#random.between(20, 300));
    const routing = { sender: 'team-lead', target: `@${to}`, summary: 'note', content };
    const data = { success: true, message: `Message sent to ${to}`, routing };
    return this.#call('SendMessage', { to, summary: 'note', message: content }, data);
  }

  #partials(): JsonObject[] {
    const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
    return ['to', 'ken', '.'].map((text) => this.#own({ type: 'stream_event', event: delta(text) }));
  }

  #lastCall = '';

  #call(name: string, input: JsonObject, data: JsonObject): JsonObject[] {
    this.#known.calls++;
    const id = `toolu_${this.#key}_${++this.#ids}`;
    this.#lastCall = id;
    const text = JSON.stringify(data);
    const content = [{ tool_use_id: id, type: 'tool_result', content: text }];
    const result = { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
    return [this.#say({ type: 'tool_use', id, name, input }), this.#own({ ...result, tool_use_result: data })];
  }

  #say(block: JsonObject): JsonObject {
    const usage = { input_tokens: this.#random.between(1, 90), output_tokens: this.#random.between(1, 900) };
    this.#spent.input += usage.input_tokens;
    this.#spent.output += usage.output_tokens;
    this.#known.messages++;
    this.#known.input_tokens += usage.input_tokens;
    this.#known.output_tokens += usage.output_tokens;
    const id = `msg_${this.#key}_${++this.#ids}`;
    const message = { id, type: 'message', role: 'assistant', model, content: [block], stop_reason: null, usage };
    return this.#own({ type: 'assistant', message, parent_tool_use_id: null });
  }

  #own(record: JsonObject): JsonObject {
    const uuid = `${this.#key}-0000-4000-8000-${String(++this.#ids).padStart(12, '0')}`;
    return { ...record, session_id: `${this.#key}-aaaa-4bbb-8ccc-000000000000`, uuid };
  }
}
