import { expect } from 'vitest';
import { createAuditReader, findingsOf } from '../../../src/commands/audit/audit.js';
import { type Audited, type FindingRow, rules } from '../../../src/commands/audit/row.js';
import type { Event } from '../../../src/core/event/event.js';
import { readText } from '../../laws/reading.js';
import { ndjson } from '../../streams.js';

interface CallOptions {
  /** The call that spawned the agent that makes this one; the lead if absent. */
  readonly by?: string;
  /** It returns this error. */
  readonly error?: string;
}

/** A session of made-up lines. Each call returns at once, a second after what happened before it. */
export class Story {
  readonly lines: Record<string, unknown>[] = [];
  readonly session: string;
  /** Without times, as 2.1.39 writes its lines. */
  readonly timeless: boolean;
  #second = 0;
  #count = 0;

  constructor({ session = 'aaaaaaaa-0000', timeless = false }: { session?: string; timeless?: boolean } = {}) {
    this.session = session;
    this.timeless = timeless;
    this.put({ type: 'system', subtype: 'init', cwd: '/home/dev', model: 'claude-opus-4-6', tools: ['Task'] });
  }

  get text(): string {
    return ndjson(this.lines);
  }

  wait(seconds: number): this {
    this.#second += seconds;
    return this;
  }

  put(line: Record<string, unknown>): this {
    this.#count++;
    this.lines.push({ ...line, session_id: this.session, uuid: `${this.session}-${this.#count}` });
    return this;
  }

  /** Returns the id of the call. */
  call(tool: string, input: Record<string, unknown>, data: unknown, { by, error }: CallOptions = {}): string {
    const id = this.open(tool, input, by);
    this.#second++;
    const content = error ?? JSON.stringify(data);
    const block = { type: 'tool_result', tool_use_id: id, content, ...(error === undefined ? {} : { is_error: true }) };
    const result = error === undefined ? data : `Error: ${error}`;
    this.put({
      type: 'user',
      message: { role: 'user', content: [block] },
      parent_tool_use_id: by ?? null,
      tool_use_result: result,
      ...this.#time(),
    });
    return id;
  }

  /** A call that never returns. */
  open(tool: string, input: Record<string, unknown>, by?: string): string {
    const id = `toolu_${this.session}_${this.#count}`;
    const message = { id: `msg_${id}`, role: 'assistant', content: [{ type: 'tool_use', id, name: tool, input }] };
    this.put({ type: 'assistant', message, parent_tool_use_id: by ?? null });
    return id;
  }

  team(name: string, asked = name): string {
    const made = { team_name: name, team_file_path: `/home/dev/${name}.json`, lead_agent_id: `team-lead@${name}` };
    return this.call('TeamCreate', { team_name: asked, description: 'work' }, made);
  }

  /** A teammate of an explicit team. */
  mate(name: string, team: string, asked = name): string {
    const input = { description: name, prompt: `Be ${name}.`, name: asked, team_name: team };
    const id = `${name}@${team}`;
    return this.call('Agent', input, {
      status: 'teammate_spawned',
      teammate_id: id,
      agent_id: id,
      name,
      team_name: team,
    });
  }

  /** A background agent; in a session without a team it makes one. */
  agent(name: string, id = `a${name}`): string {
    const input = { description: `work of ${name}`, prompt: `Be ${name}.`, name, run_in_background: true };
    return this.call('Agent', input, { isAsync: true, status: 'async_launched', agentId: id });
  }

  /** An agent has done its work. */
  finish(id: string, call: string, status = 'completed'): this {
    const said = { task_id: id, tool_use_id: call, status, summary: 'done', output_file: '' };
    return this.put({ type: 'system', subtype: 'task_notification', ...said });
  }

  task(subject = 'Write', more: Record<string, unknown> = {}): string {
    const id = `${this.lines.filter((line) => JSON.stringify(line).includes('"name":"TaskCreate"')).length + 1}`;
    this.call('TaskCreate', { subject, description: 'as it says', ...more }, { task: { id, subject } });
    return id;
  }

  update(taskId: string, change: Record<string, unknown>, { by, from }: { by?: string; from?: string } = {}): string {
    const moved = from === undefined ? {} : { statusChange: { from, to: change['status'] } };
    const data = { success: true, taskId, updatedFields: Object.keys(change), ...moved };
    return this.call('TaskUpdate', { taskId, ...change }, data, by === undefined ? {} : { by });
  }

  send(to: string, text: string, { by, sender = 'team-lead' }: { by?: string; sender?: string } = {}): string {
    const routing = { sender, target: `@${to}`, summary: 'note', content: text };
    const data = { success: true, message: `Message sent to ${to}'s inbox`, routing };
    return this.call('SendMessage', { to, summary: 'note', message: text }, data, by === undefined ? {} : { by });
  }

  ask(to: string, id = `shutdown-1@${to}`): string {
    const data = { success: true, message: 'Asked', request_id: id, target: to };
    return this.call('SendMessage', { to, message: { type: 'shutdown_request', reason: 'done' } }, data);
  }

  broadcast(text: string, recipients: readonly string[]): string {
    const data = { success: true, message: 'Sent', recipients, routing: { sender: 'team-lead', target: '@team' } };
    return this.call('SendMessage', { type: 'broadcast', content: text, summary: 'note' }, data);
  }

  /** What wakes the lead, as streams show it with --replay-user-messages. */
  hear(from: string, body: unknown): this {
    this.#second++;
    const said = typeof body === 'string' ? body : JSON.stringify(body);
    const content = `<teammate-message teammate_id="${from}" summary="hi">\n${said}\n</teammate-message>`;
    return this.put({ type: 'user', message: { role: 'user', content }, isReplay: true, ...this.#time() });
  }

  #time(): { timestamp?: string } {
    return this.timeless ? {} : { timestamp: new Date(Date.UTC(2026, 10, 16, 10, 0, this.#second)).toISOString() };
  }
}

export function findings(subject: Audited, text: string): FindingRow[] {
  return findingsIn(subject, readText(text).events);
}

export function findingsIn(subject: Audited, events: readonly Event[]): FindingRow[] {
  const reader = createAuditReader();
  for (const event of events) reader.note(event);
  const found = findingsOf([subject], reader.facts());
  for (const { rule } of found) expect(rules[rule].of).toContain(subject);
  return found;
}

/** Findings in short: rule, agent, task, detail. */
export function inShort(rows: readonly FindingRow[]): string[] {
  return rows.map(({ rule, agent, task, detail }) => [rule, agent, task ?? '-', detail].join(' | '));
}
