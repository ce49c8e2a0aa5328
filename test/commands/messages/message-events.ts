import type { Own } from '../../../src/core/event/event.js';
import { type MessagesState, newMessages, noteMessages } from '../../../src/core/tables/sends.js';
import { startOf } from '../../../src/core/wire/agents.js';
import type { Event, EventMap, EventName, Message } from '../../../src/lib.js';

type Place = Partial<Pick<Event, 'session_id' | 'team' | 'agent' | 'time' | 'line' | 'seq'>>;
type Said = Partial<Message> & { from: string };

let seq = 0;

/** An event of session s1, each with a seq and a line of its own. */
export function event<K extends EventName>(name: K, own: Own<K>, place: Place = {}): EventMap[K] {
  seq++;
  const whole = { cct: 1, seq, event: name, time: null, session_id: 's1', team: null, agent: 'main', line: seq };
  return { ...whole, ...own, ...place } as EventMap[K];
}

export function called(id: string, said: Said, place: Place = {}): Event {
  const open = message({ ...said, tool_use_id: id, status: 'open' });
  return event(
    'tool:called',
    { tool: 'SendMessage', tool_use_id: id, message_id: null, input: null, message: open },
    place,
  );
}

export function sent(id: string, said: Said, place: Place = {}): Event {
  return event('team:message:sent', { ...own(id, message({ ...said, tool_use_id: id })), body: null }, place);
}

export function failed(id: string, said: Said, place: Place = {}): Event {
  const refused = message({ recipients: [], error: 'No agent named', ...said, tool_use_id: id, status: 'failed' });
  return event('team:message:failed', own(id, refused), place);
}

/** Arrived in a conversation, at the time of the record. */
export function received(said: Said, place: Place = {}): Event {
  const arrived = message({ status: 'delivered', delivered_at: place.time ?? null, ...said });
  return event('team:message:received', { ...own(null, arrived), body: null }, place);
}

export function queued(said: Said, place: Place = {}): Event {
  return event('team:message:sent', { ...own(null, message(said)), body: null }, place);
}

/** An entry of an inbox file of a team. */
export function filed(said: Said, isRead: boolean, place: Place = {}): Event {
  const where = { session_id: null, team: 'crew', ...place };
  return isRead ? received({ delivered_at: null, ...said }, { ...where }) : queued(said, where);
}

export function started(agent: string, own: Partial<Own<'agent:started'>>, place: Place = {}): Event {
  return event('agent:started', startOf(own), { agent, ...place });
}

export function teamCreated(name: string, place: Place = {}): Event {
  const lead = `team-lead@${name}`;
  return event(
    'team:created',
    {
      category: 'team_state_change',
      tool_use_id: null,
      name,
      description: null,
      lead_agent_id: lead,
      lead_session_id: place.session_id ?? 's1',
      config_path: null,
      protocol: 'team-create',
    },
    { agent: lead, team: name, ...place },
  );
}

export function joined(name: string, agent: string, place: Place = {}): Event {
  const unknown = { agent_type: null, model: null, color: null, cwd: null };
  const member = { name, agent_id: agent, kind: 'teammate' as const, ...unknown, ...ofConfig };
  return event('team:member:joined', { category: 'team_state_change', tool_use_id: null, member }, { agent, ...place });
}

/** What only the config file of a team says. */
const ofConfig = { backend: null, plan_mode_required: null, active: null };

export function retracted(ids: string[]): Event {
  return event('session:changed', { type: 'assistant', subtype: 'retracted', tool_use_ids: ids });
}

export function messagesOf(events: Iterable<Event>): MessagesState {
  const state = newMessages();
  for (const event of events) noteMessages(state, event);
  return state;
}

function message(said: Said): Message {
  return {
    type: 'message',
    to: null,
    recipients: said.to ? [said.to] : [],
    summary: null,
    content: null,
    request_id: null,
    approve: null,
    status: 'sent',
    error: null,
    error_code: null,
    delivered_at: null,
    tool_use_id: null,
    ...said,
  };
}

function own(tool_use_id: string | null, said: Message) {
  return { category: 'team_message' as const, tool_use_id, message: said };
}
