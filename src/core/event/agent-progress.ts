// Agents inside the main transcript: interactive sessions of 2.1.17 to 2.1.81 write a row for each prompt, call and result of theirs.
import { idOf, objectOf, textOf, timeOf } from '../record/fields.js';
import { read, spawnCallWire } from '../record/wire.js';
import { spawnNews, startAgent } from './agents.js';
import { assistant, user } from './conversation.js';
import type { At, Desk } from './desk.js';
import { canonical } from './session.js';

/** A `progress` row that holds a whole record of an agent yields the events of that record; false when it holds none. */
export function agentProgress(desk: Desk, at: At): boolean {
  const { record, session } = at;
  const data = objectOf(record.data);
  const inner = data?.type === 'agent_progress' ? objectOf(data.message) : null;
  const id = idOf(data?.agentId);
  const type = textOf(inner?.type);
  if (inner === null || id === null || (type !== 'assistant' && type !== 'user')) return false;
  notice(desk, at, id, textOf(data?.prompt));
  const uuid = idOf(inner.uuid);
  const isCopy = uuid !== null && !desk.seen.add(uuid);
  // The agent's last message is never among these rows, so what they show of its usage is not all of it.
  const message = { ...objectOf(inner.message), stop_reason: null };
  const own: At = {
    session,
    agent: canonical(session, id),
    time: timeOf(inner.timestamp) ?? at.time,
    line: at.line,
    record: { ...inner, message, isSidechain: true, agentId: id },
    transcript: true,
  };
  if (type === 'assistant') assistant(desk, own, isCopy);
  else if (!isCopy) user(desk, own);
  return true;
}

/** The agent, and the call that spawned it. */
function notice(desk: Desk, at: At, id: string, prompt: string | null): void {
  const tool_use_id = idOf(at.record.parentToolUseID);
  const call = tool_use_id === null ? undefined : desk.calls.get(tool_use_id);
  if (call !== undefined) call.seen = true;
  const news = call === undefined ? { prompt: prompt || null } : spawnNews(read(spawnCallWire, call.input));
  startAgent(desk, { ...at, agent: call?.at.agent ?? at.session.lead }, { id, ...news, tool_use_id });
}
