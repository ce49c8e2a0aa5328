// Rows of transcripts: main conversations, subagents, and teammates as their own sessions.
import { idOf, objectOf, textOf } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';
import { agentProgress } from './agent-progress.js';
import { startAgent } from './agents.js';
import { assistant, received, user } from './conversation.js';
import { deliver, passMessage } from './deliveries.js';
import type { At, Desk } from './desk.js';
import { queuedOrigin, readEnvelopes } from './envelopes.js';
import { sessionStarted, system } from './frames.js';
import { fieldsOf } from './free-fields.js';
import { textOfContent } from './outcome.js';
import { canonical, leadName } from './session.js';
import { costState } from './usage.js';

export function transcript(desk: Desk, at: At, type: string, copy: boolean): void {
  const { record } = at;
  turnRow(desk, at);
  if (!copy) sayStarted(desk, at);
  if (type === 'assistant') return assistant(desk, at, copy);
  if (type === 'progress' && agentProgress(desk, at)) return;
  // A fork begins with copies of another session's rows: they are its turns too.
  if (type === 'user') countTurn(desk, at);
  if (copy) return;
  if (type === 'user') return isSpawnPrompt(record) ? prompted(desk, at) : user(desk, at);
  if (type === 'system') return system(desk, at);
  if (type === 'cost-state') return costState(desk, at);
  const attachment = objectOf(record.attachment);
  if (attachment?.type === 'queued_command') {
    const queuedRecord = { ...record, origin: queuedOrigin(attachment), isMeta: true };
    return received(desk, { ...at, record: queuedRecord }, textOfContent(attachment.prompt));
  }
  if (type === 'queue-operation' && record.operation === 'enqueue' && queued(desk, at)) return;
  const subtype = textOf(attachment?.type) ?? textOf(record.operation) ?? textOf(record.subtype);
  desk.emit(at, 'session:changed', { ...fieldsOf(record), type, subtype });
}

/** The first row of an agent's conversation is what it was spawned with, also where a teammate gets it as a message. */
function isSpawnPrompt(record: JsonObject): boolean {
  return record.isSidechain === true && record.parentUuid === null;
}

function prompted(desk: Desk, at: At): void {
  const text = textOfContent(objectOf(at.record.message)?.content);
  const first = readEnvelopes(text, null)[0];
  desk.emit(at, 'prompt:received', {
    text: first?.kind === 'message' ? first.text : text,
    origin: objectOf(at.record.origin),
    synthetic: false,
    attachments: [],
  });
}

/** A message put into the queue is on its way; the row that shows it to the agent follows. */
function queued(desk: Desk, at: At): boolean {
  const envelopes = readEnvelopes(textOf(at.record.content) ?? '', null);
  for (const envelope of envelopes) {
    if (envelope.kind === 'notification') deliver(desk, at, envelope);
    else passMessage(desk, at, { ...envelope, to: leadName(at.session), read: false, deliveredAt: null });
  }
  return envelopes.length > 0;
}

function sayStarted(desk: Desk, at: At): void {
  const { record, session } = at;
  if (session.started !== null && record.isSidechain === true) return;
  if (typeof record.cwd !== 'string' && typeof record.version !== 'string') return;
  const said = {
    model: null,
    cwd: textOf(record.cwd),
    claude_code_version: textOf(record.version),
    permission_mode: textOf(record.permissionMode),
    tools: null,
    agents: null,
    mcp_servers: null,
    api_key_source: null,
    slash_commands: null,
    git_branch: textOf(record.gitBranch),
    transcript: true,
  };
  const { started } = session;
  // Nearly every row says what the one before said.
  const isNews = started === null || rowFields.some((name) => said[name] !== null && said[name] !== started[name]);
  if (isNews) sessionStarted(desk, { ...at, agent: session.lead }, said);
}
const rowFields = ['cwd', 'claude_code_version', 'permission_mode', 'git_branch'] as const;

/** Turns are prompts of the main conversation: by promptId where rows have one. A session with a stream counts by its inits. */
function countTurn(desk: Desk, at: At): void {
  const { record, session } = at;
  if (record.isSidechain === true || session.turns > 0) return;
  const content = objectOf(record.message)?.content;
  const answers = Array.isArray(content) && content.some((block) => objectOf(block)?.type === 'tool_result');
  const prompt = idOf(record.promptId);
  if (notAPrompt.test(textOfContent(content))) return;
  if (
    prompt === null ? answers || record.isMeta === true || record.isCompactSummary === true : prompt === session.prompt
  )
    return;
  const uuid = idOf(record.uuid);
  if (uuid !== null && !desk.seen.add(`prompt ${session.id} ${uuid}`)) return;
  session.prompt = prompt;
  session.prompts++;
  desk.emit(at, 'turn:started', { turn: session.prompts });
}

/** Output of a command typed by the user, or the mark of an interruption. */
const notAPrompt = /^\s*(?:<local-command-|\[Request interrupted)/;

/**
 * The first row of an agent's file tells of the agent. Up to 2.1.140 every turn of a teammate is a file with an id of its own,
 * which repeats earlier rows (same uuid) or continues them (parentUuid): such ids are linked, in whichever order the files come.
 */
function turnRow(desk: Desk, at: At): void {
  const { record, session } = at;
  const id = idOf(record.agentId);
  if (id === null || record.isSidechain !== true) return;
  const uuid = idOf(record.uuid) ?? '';
  const agent = session.agents.get(canonical(session, id));
  if (agent === undefined) {
    const prompt = textOfContent(objectOf(record.message)?.content);
    const first = readEnvelopes(prompt, null)[0];
    const turnOnly = first?.kind === 'message';
    const parent = idOf(record.parentUuid) ?? '';
    const continues = desk.turnRows.get(uuid) ?? desk.turnRows.get(parent) ?? null;
    if (turnOnly && continues === null && parent !== '') desk.turnParents.set(parent, id);
    startAgent(
      desk,
      { ...at, agent: session.lead },
      { id, prompt: turnOnly ? first.text : prompt || null, turn_only: turnOnly, continues },
    );
    if (turnOnly) desk.turnIds.add(id);
    if (continues !== null) desk.seen.add(`turn ${id} ${continues}`);
  }
  if (!desk.turnIds.has(id)) return;
  const later = desk.turnParents.get(uuid);
  const twin = desk.turnRows.get(uuid);
  desk.turnRows.set(uuid, twin ?? id);
  desk.turnParents.delete(uuid);
  for (const other of [later, twin]) {
    if (other !== undefined && other !== id && desk.seen.add(`turn ${id} ${other}`))
      startAgent(desk, { ...at, agent: session.lead }, { id, turn_only: true, continues: other });
  }
}
