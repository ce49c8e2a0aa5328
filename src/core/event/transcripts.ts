// Rows of transcripts: main conversations, subagents, and teammates as their own sessions.
import { idOf, objectOf, textOf } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';
import { startAgent } from './agents.js';
import { assistant, received, user } from './conversation.js';
import { deliver, passMessage } from './deliveries.js';
import { type At, type Desk, turnsOf } from './desk.js';
import { queuedOrigin, readEnvelopes } from './envelopes.js';
import { sessionStarted, system } from './frames.js';
import { fieldsOf } from './free-fields.js';
import { textOfContent } from './outcome.js';
import { canonical, leadName } from './session.js';

export function transcript(desk: Desk, at: At, type: string, copy: boolean): void {
  const { record } = at;
  turnRow(desk, at);
  if (!copy) sayStarted(desk, at);
  if (type === 'assistant') return assistant(desk, at, copy);
  if (copy) return;
  if (type === 'user') {
    countTurn(desk, at);
    return isSpawnPrompt(record) ? prompted(desk, at) : user(desk, at);
  }
  if (type === 'system') return system(desk, at);
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
  const { record } = at;
  const { inits, prompts } = turnsOf(desk, at.session.id);
  if (record.isSidechain === true || inits.size > 0) return;
  const content = objectOf(record.message)?.content;
  if (notAPrompt.test(textOfContent(content))) return;
  const answers = Array.isArray(content) && content.some((block) => objectOf(block)?.type === 'tool_result');
  const named = idOf(record.promptId);
  if (named === null && (answers || record.isMeta === true || record.isCompactSummary === true)) return;
  const own = named ?? idOf(record.uuid);
  const id = own ?? `prompt ${prompts.size + 1}`;
  if (!desk.seen.add(`prompt ${id}`)) return;
  const turn = prompts.get(id) ?? prompts.size + 1;
  prompts.set(id, turn);
  desk.emit(at, 'turn:started', { turn, turn_id: own, transcript: true });
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
  const isNew = !session.agents.has(canonical(session, id));
  if (isNew || isLateHead(desk, at, id)) firstRow(desk, at, id, uuid, isNew);
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

/** Rows may stand out of the order of their chain: its first, which says whose turn it is, behind answers to it. */
function isLateHead(desk: Desk, { record, time }: At, id: string): boolean {
  const first = desk.firstRows.get(id);
  if (first === undefined || record.type !== 'user') return false;
  return isSpawnPrompt(record) || (time !== null && time < first);
}

function firstRow(desk: Desk, at: At, id: string, uuid: string, isNew: boolean): void {
  const { record, session } = at;
  const prompt = textOfContent(objectOf(record.message)?.content);
  const first = readEnvelopes(prompt, null)[0];
  const turnOnly = first?.kind === 'message';
  // Until a prompt is seen, a row that stands further down may be the first.
  if (prompt === '' && at.time !== null && isNew) desk.firstRows.set(id, at.time);
  else desk.firstRows.delete(id);
  if (!isNew && !turnOnly) return;
  const parent = idOf(record.parentUuid) ?? '';
  const continues = desk.turnRows.get(uuid) ?? desk.turnRows.get(parent) ?? null;
  if (turnOnly && continues === null && parent !== '') desk.turnParents.set(parent, id);
  startAgent(
    desk,
    { ...at, agent: session.lead },
    {
      id,
      prompt: turnOnly ? first.text : prompt || null,
      turn_only: turnOnly,
      // What an agent that is already known turns out to be is news too.
      continues: continues ?? (isNew ? null : id),
    },
  );
  if (turnOnly) desk.turnIds.add(id);
  if (continues !== null) desk.seen.add(`turn ${id} ${continues}`);
}
