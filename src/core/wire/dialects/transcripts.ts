// Turns transcript rows into events: main conversations, subagents, and teammates that run as their own sessions.
import { objectOf, parseJson, textOf } from '../../record/json.js';
import { finishAgent, nameLead, spawnNews, startAgent } from '../agents.js';
import { type Context, type Origin, ofAgent, passTime, turnsOf } from '../context.js';
import { fieldsOf } from '../read.js';
import { canonical, leadName, ownTeam, type Session } from '../sessions.js';
import { isSpawnTool } from '../tools/table.js';
import { textOfContent } from '../tools/tool-result.js';
import { ParsedRecord, type RecordView, textIn } from '../view.js';
import { assistant, isResult, received, user } from './conversation.js';
import { deliverMail, emitDelivery, mayBeEnvelope, passMessage, queuedOrigin, readEnvelopes } from './deliveries.js';
import { changedBy, noSession, sessionStarted, system, workStarted } from './frames.js';
import { costState, isRepeated } from './usage.js';
import { isJournal, journalRow } from './workflows.js';

export function transcript(context: Context, at: Origin, type: string, copy: boolean): void {
  const { record } = at;
  const isSidechain = record.writer.isSidechain === true;
  if (isSidechain) turnRow(context, at);
  else joinSession(context, at);
  if (type === 'queue-operation') openFile(context, at);
  if (!copy && !(isSidechain && at.session.started !== null)) noteStarted(context, at);
  if (type === 'assistant') {
    if (isSidechain && record.isFirst && isSpawn(record)) return passTime(context, at.time);
    assistant(context, at, copy);
    return isSidechain ? endSkill(context, at) : undefined;
  }
  const isOfParent = isRepeated(at);
  if (type !== 'user' && isOfParent) return passTime(context, at.time);
  if (type === 'progress' && record.dataType === 'agent_progress' && agentProgress(context, at)) return;
  if (type === 'user' && !isOfParent) countTurn(context, at);
  if (copy) return passTime(context, at.time);
  if (type === 'user') return isSpawnPrompt(record) ? prompted(context, at) : user(context, at);
  if (type === 'system') return system(context, at);
  if (type === 'cost-state') return costState(context, at);
  if (record.isStrange && isJournal(record.whole())) return journalRow(context, at, type);
  if (record.attachmentType !== null && attached(context, at, record.attachmentType)) return;
  if (type === 'queue-operation' && record.operation === 'enqueue' && queued(context, at)) return;
  changedBy(context, at, { type, subtype: record.attachmentType ?? record.operation ?? record.subtype });
}

/** A prompt or mail that waited and is attached to the conversation, or the end of a turn; false for other attachments. */
function attached(context: Context, at: Origin, type: string): boolean {
  if (type === 'max_turns_reached' || type === 'structured_output') {
    const fields = context.content === 'all' ? fieldsOf(at.record.whole()) : {};
    context.emit(at, 'session:changed', { ...fields, type: 'attachment', subtype: type });
    return true;
  }
  if (type !== 'queued_command' && type !== 'teammate_mailbox') return false;
  const whole = at.record.whole();
  const attachment = objectOf(whole.attachment) ?? {};
  if (type === 'teammate_mailbox') return deliverMail(context, at, attachment.messages);
  const record = new ParsedRecord({ ...whole, origin: queuedOrigin(attachment), isMeta: true });
  const { session, agent, time, line, transcript } = at;
  received(context, { session, agent, time, line, record, transcript }, textOfContent(attachment.prompt));
  return true;
}

/** A run without a terminal begins its file with the prompt it queues. A fork copies its parent's rows behind it. */
function openFile(context: Context, { session, time }: Origin): void {
  if (session.opened !== null || session.spoke !== null || time === null) return;
  session.opened = time;
  context.opener = session;
}

/** A teammate in its own pane has its own session, whose rows have its team and name and whose main conversation it is. */
function joinSession(context: Context, at: Origin): void {
  const team = at.record.writer.teamName;
  if (team && at.session.tagged !== team) joinTeam(context, at, team);
}

function joinTeam(context: Context, at: Origin, team: string): void {
  const { record, session } = at;
  session.tagged = team;
  session.team = team;
  session.implicit = team === ownTeam(session);
  const name = record.writer.agentName;
  session.lead = `${name ?? 'team-lead'}@${team}`;
  at.agent = session.lead;
  // If the input begins in the middle of a lead's file, nothing else may show that it has a team.
  if (name === null || name === 'team-lead') return nameLead(context, at, session.lead);
  startAgent(context, at, { id: session.lead, kind: 'teammate', name });
}

/** The first row of an agent's conversation is its spawn prompt, even if a teammate gets it as a message. */
function isSpawnPrompt(record: RecordView): boolean {
  return record.writer.isSidechain === true && record.isFirst;
}

/** The file of a fork begins with the call of its parent that started it. */
function isSpawn({ content }: RecordView): boolean {
  const block = Array.isArray(content) ? content.at(-1) : null;
  return typeof block === 'object' && block?.type === 'tool_use' && isSpawnTool(block.name);
}

/** If the user called it, nothing else says that the agent of a skill has ended. */
function endSkill(context: Context, at: Origin): void {
  const agent = at.session.agents.get(at.agent);
  if (agent?.description?.startsWith('/') && !agent.finished && at.record.stopReason === 'end_turn')
    finishAgent(context, at, at.agent, { task_id: at.agent, status: 'completed' });
}

function prompted(context: Context, at: Origin): void {
  const text = textIn(at.record.content);
  const first = readEnvelopes(text, null)[0];
  context.emit(at, 'prompt:received', {
    text: first?.kind === 'message' ? first.text : text,
    origin: at.record.origin,
    synthetic: false,
    attachments: [],
  });
}

/** A queued message is sent but not yet delivered. The row that delivers it follows. 2.1.47 queues frames, too. */
function queued(context: Context, at: Origin): boolean {
  const { head } = at.record;
  const isWork = head.startsWith('{"task_id"');
  const text = isWork || mayBeEnvelope(head) ? textOf(at.record.whole().content) : null;
  const work = isWork ? objectOf(parseJson(text ?? '')) : null;
  if (work !== null) return workStarted(context, at, work);
  const envelopes = readEnvelopes(text ?? '', null);
  for (const envelope of envelopes) {
    if (envelope.kind === 'notification') emitDelivery(context, at, envelope);
    else passMessage(context, at, { ...envelope, to: leadName(at.session), read: false, deliveredAt: null });
  }
  return envelopes.length > 0;
}

function noteStarted(context: Context, at: Origin): void {
  const { record, session } = at;
  const { started } = session;
  const coarse =
    (context.detail === 'sums' || context.detail === 'tasks') && (at.time === null || at.time >= (session.since ?? ''));
  // Nearly every row repeats the fields of the row before.
  if (started !== null && !saysMore(record, started, coarse)) return;
  const { cwd, permissionMode: permission_mode } = record;
  const { version: claude_code_version, gitBranch: git_branch } = record.writer;
  if (cwd === null && claude_code_version === null) return;
  // A fork begins when its file does, not with the rows it copied. A branch begins with its own first row.
  if (session.opened === null && isRepeated(at)) return;
  const time = at.time !== null && at.time < (session.opened ?? '') ? session.opened : at.time;
  const isOld = time === null || session.since === null || time < session.since;
  if (isOld) session.since = time ?? session.since;
  if (started === null) {
    const own = { ...noSession, cwd, claude_code_version, permission_mode, git_branch };
    return sessionStarted(context, ofAgent(at, session.lead, time), own);
  }
  const { model, tools, agents, mcp_servers, api_key_source, slash_commands, transcript, program } = started;
  const now = {
    model,
    cwd: cwd ?? started.cwd,
    claude_code_version: claude_code_version ?? started.claude_code_version,
    permission_mode: permission_mode ?? started.permission_mode,
    tools,
    agents,
    mcp_servers,
    api_key_source,
    slash_commands,
    git_branch: git_branch ?? started.git_branch,
    transcript,
    program,
  };
  session.started = now;
  if (context.detail !== 'rows' || isOld || saysMore(record, started, true))
    return context.emit(ofAgent(at, session.lead, time), 'session:started', now);
  if (session.moved === null || session.moved.time <= time) session.moved = { time, line: at.line, own: now };
  passTime(context, at.time);
}

/** Tells where the sessions of a source moved to last. */
export function tellMoves(context: Context): void {
  for (const session of context.sessions.values()) {
    if (session.moved === null) continue;
    const { time, line, own } = session.moved;
    const at = { session, agent: session.lead, time, line, record: new ParsedRecord({}), transcript: true };
    context.emit(at, 'session:started', own);
    session.moved = null;
  }
}

/** Whether a row says something else than rows before it; `coarse`: something that no row before it said. */
function saysMore(record: RecordView, known: NonNullable<Session['started']>, coarse: boolean): boolean {
  const { cwd, claude_code_version, permission_mode, git_branch } = known;
  // What is known and may not change is not even read.
  return (
    (!(coarse && cwd !== null) && isOther(record.cwd, cwd)) ||
    (!(coarse && claude_code_version !== null) && isOther(record.writer.version, claude_code_version)) ||
    (!(coarse && permission_mode !== null) && isOther(record.permissionMode, permission_mode)) ||
    (!(coarse && git_branch !== null) && isOther(record.writer.gitBranch, git_branch))
  );
}

function isOther(now: string | null, before: string | null): boolean {
  return now !== null && now !== before;
}

/** Each prompt of the main conversation is a turn, known by its promptId. A session with a stream counts inits. */
function countTurn(context: Context, at: Origin): void {
  const { record, session } = at;
  if (record.writer.isSidechain === true) return;
  const named = record.promptId;
  // Every result of a turn names its prompt again.
  if (named !== null && named === session.prompt) return;
  const { head } = record;
  const content = head === '' ? record.content : head;
  if (named === null) {
    const answers = typeof content === 'object' && content?.some(isResult) === true;
    if (answers || record.isMeta === true || record.isCompactSummary === true) return;
  }
  if (notAPrompt.test(textIn(content))) return;
  const { inits, prompts } = turnsOf(context, session.id);
  const own = named ?? record.uuid;
  const id = own ?? `prompt ${prompts.size + 1}`;
  session.prompt = named;
  if (!context.seen.add(`prompt ${id}`)) return;
  session.reported = null;
  if (inits.size > 0) return;
  const turn = prompts.get(id) ?? prompts.size + 1;
  prompts.set(id, turn);
  session.stopped = null;
  context.emit(at, 'turn:started', { turn, turn_id: own, transcript: true });
}

/** Output of a command typed by the user, or the mark of an interruption. */
const notAPrompt = /^\s*(?:<local-command-|\[Request interrupted)/;

/**
 * The first row of an agent's file starts the agent. Up to 2.1.140 every turn of a teammate is a file with its own id.
 * It repeats earlier rows (same uuid) or continues them (parentUuid). Such ids are linked, in any order of files.
 */
function turnRow(context: Context, at: Origin): void {
  const { record, session } = at;
  const id = record.writer.agentId;
  if (id === null) return;
  const isNew = !session.agents.has(canonical(session, id));
  if (isNew || isLateHead(context, at, id)) firstRow(context, at, id, record.uuid ?? '', isNew);
  const { turnIds, turnParents, turnRows } = context.memory;
  if (!turnIds.has(id)) return typed(context, at, canonical(session, id));
  const uuid = record.uuid ?? '';
  const later = turnParents.get(uuid) ?? [];
  const twin = turnRows.get(uuid);
  turnRows.set(uuid, twin ?? id);
  turnParents.delete(uuid);
  for (const other of [...later, twin]) {
    if (other !== undefined && other !== id && context.seen.add(`turn ${id} ${other}`))
      startAgent(context, ofAgent(at, session.lead), { id, turn_only: true, continues: other });
  }
}

/** Answers of an agent name its type. Of a teammate's turn they would name that of the teammate. */
function typed(context: Context, at: Origin, id: string): void {
  const { agentType: agent_type } = at.record;
  if (agent_type === null || at.session.agents.get(id)?.type !== null) return;
  startAgent(context, ofAgent(at, at.session.lead), { id, agent_type, task_type: 'local_agent' });
}

/** Rows may be out of order: the first row of a turn, which shows whose turn it is, may come after the answers to it. */
function isLateHead(context: Context, { record, time }: Origin, id: string): boolean {
  const first = context.memory.firstRows.get(id);
  if (first === undefined || record.type !== 'user') return false;
  return isSpawnPrompt(record) || (time !== null && time < first);
}

function firstRow(context: Context, at: Origin, id: string, uuid: string, isNew: boolean): void {
  const { record, session } = at;
  const { firstRows, turnIds, turnParents, turnRows } = context.memory;
  const prompt = textIn(record.content);
  const first = readEnvelopes(prompt, null)[0];
  const turnOnly = first?.kind === 'message';
  // Until a prompt is seen, a later row of the file may be the first.
  if (prompt === '' && at.time !== null && isNew) firstRows.set(id, at.time);
  else firstRows.delete(id);
  const description = skillIn(prompt);
  if (!isNew && !turnOnly && description === null) return;
  const parent = record.parentUuid ?? '';
  const continues = turnRows.get(uuid) ?? turnRows.get(parent) ?? null;
  // The file of a turn may lack its head. Only the turn whose row it repeats or continues shows whose it is.
  if (continues === null)
    for (const row of [uuid, parent]) if (row !== '') turnParents.set(row, [...(turnParents.get(row) ?? []), id]);
  startAgent(context, ofAgent(at, session.lead), {
    id,
    prompt: turnOnly ? first.text : prompt || null,
    description,
    turn_only: turnOnly,
    // It is also news that a known agent is only a turn.
    continues: continues ?? (isNew || !turnOnly ? null : id),
  });
  if (turnOnly) turnIds.add(id);
  if (continues !== null) context.seen.add(`turn ${id} ${continues}`);
}

/** The prompt of an agent that a skill with `context: fork` has is the skill. */
function skillIn(prompt: string): string | null {
  const name = skill.exec(prompt)?.[1];
  return name === undefined ? null : `/${name}`;
}
const skill = /^Base directory for this skill: [^\n]*?([^\n/\\]+)\n/;

/**
 * Emits the events of the agent's record in a `progress` row; false if the row has none. Interactive sessions of 2.1.17
 * to 2.1.81 write such a row into the main transcript for each prompt, call and result of an agent.
 */
function agentProgress(context: Context, at: Origin): boolean {
  const { record, session } = at;
  const { inside, progressAgent: id } = record;
  const type = inside?.type;
  if (inside === null || id === null || (type !== 'assistant' && type !== 'user')) return false;
  notice(context, at, id);
  const isCopy = !inside.isNew(context.seen);
  const agent = canonical(session, id);
  const own: Origin = { session, agent, time: inside.time ?? at.time, line: at.line, record: inside, transcript: true };
  if (type === 'assistant') assistant(context, own, isCopy);
  else if (!isCopy) user(context, own);
  return true;
}

/** Starts the agent, using the input of the call that spawned it. */
function notice(context: Context, at: Origin, id: string): void {
  const tool_use_id = at.record.progressCall;
  const call = context.calls.named(tool_use_id);
  // Every row of the agent says it again.
  const since = at.session.agents.get(canonical(at.session, id))?.since ?? null;
  if (call?.seen && since !== null && (at.time === null || since <= at.time)) return;
  if (call !== undefined) call.seen = true;
  const news =
    call === undefined
      ? { prompt: at.record.progressPrompt || null }
      : { ...spawnNews(call.input), parent: call.at.agent };
  startAgent(context, ofAgent(at, call?.at.agent ?? at.session.lead), { id, ...news, tool_use_id });
}
