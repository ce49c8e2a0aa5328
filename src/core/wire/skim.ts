// Reads lines by their index. Drops lines that cannot change the answer, and builds the records of the others without
// parsing what nobody asked for. For a dropped line it does what the normalizer would have done: it marks the record,
// its calls and results as seen, and notes its time. A line that does not look as expected is parsed whole.
import { idOf, type JsonObject, objectOf, parseJson, textOf } from '../record/json.js';
import type { LineIndex } from '../record/line-index.js';
import { noInput, type Origin, passTime, sessionOf, wasCalled, wasReturned } from './context.js';
import { noteSpoken, recordUsage } from './dialects/usage.js';
import { isShell, type Rules } from './interest.js';
import type { Reader } from './reader.js';
import { RecordIndex } from './record-index.js';
import { canonical, nameOf } from './sessions.js';
import { compileRules, type TypeRule } from './skim-rules.js';
import { serverOf } from './tools/call-meta.js';
import { isSpawnTool } from './tools/table.js';

export interface Skimmer {
  /** Reads the line at an entry; false if it was dropped. */
  line(entry: number): boolean;
  /** A source begins. */
  begin(): void;
}

export function createSkimmer(
  index: LineIndex,
  rules: Rules,
  reader: Pick<Reader, 'context' | 'isPending' | 'line' | 'record'>,
): Skimmer {
  const { context } = reader;
  const records = new RecordIndex(index);
  const { slot, block, marks } = records;
  const { types, tools, kinds, toolNamed } = compileRules(index, rules);
  let messageTime: string | null = null;
  let isMessageOfRow = false;

  function line(entry: number): boolean {
    // Until a record is known to be Claude Code's, each may show that another program wrote the source.
    if (!context.isOurs || context.program !== null) return whole(entry);
    if (index.isOdd(entry) || reader.isPending() || (index.marks(entry) & marks.strange) !== 0) return whole(entry);
    if (index.first(entry + slot.type) !== quote || !isPlain(entry + slot.sessionId)) return whole(entry);
    const type = types(entry + slot.type);
    switch (type.rule) {
      case 'parse':
        return whole(entry);
      case 'talk':
        context.isOurs = true;
        return type.type === 'assistant' ? assistant(entry) : user(entry);
      case 'partial': {
        const part = records.known(entry + slot.eventType);
        return part === 'message_start' || part === 'message_delta' ? whole(entry) : drop(entry, type);
      }
      case 'drop':
        return drop(entry, type);
    }
  }

  function whole(entry: number): true {
    records.forget();
    reader.line(index.lineText(entry), index.number(entry));
    return true;
  }

  /** Passes on a record without the parts nobody asked for. */
  function lean(entry: number, isRow: boolean, record: JsonObject): true {
    const uuid = idOf(record.uuid);
    // A copy is not told: the next record that says the same says it for the first time.
    const isCopy = uuid !== null && context.seen.has(uuid);
    if (isRow && !isCopy) records.lastRow.keep(entry);
    else if (!isRow || !records.lastRow.isSame(entry)) records.lastRow.forget();
    if (isRow && record.type === 'user') records.lastPrompt.keep(entry);
    if (record.type === 'assistant' && !isCopy) noteMessage(entry, isRow, records.time(entry));
    else records.lastMessage.forget();
    reader.record(record, index.number(entry));
    return true;
  }

  /** Drops a line whose type does not matter, unless it says something new about its session. */
  function drop(entry: number, { type, isKnown, isOfRows }: TypeRule): boolean {
    const isRow = isOfRows || records.isRow(entry);
    // Unknown records have no effect.
    if (!(isRow ? isKnown.row : isKnown.stream)) return false;
    context.isOurs = true;
    if (!changesNothing(entry, isRow)) return whole(entry);
    if (isNew(entry) && type !== 'keep_alive' && type !== 'stream_event') passTime(context, records.time(entry));
    return false;
  }

  /** Whether the record belongs to the current session and, if it is a row, repeats what the row before said about it. */
  function changesNothing(entry: number, isRow: boolean): boolean {
    const uuid = entry + slot.uuid;
    const first = index.first(uuid);
    if (first === quote ? !records.hasHash(uuid) : first !== 0 && first !== letterN) return false;
    if (isRow && records.hasEnvelope(entry)) return records.lastRow.isSame(entry) && isSettled(entry);
    const named = index.first(entry + slot.session_id);
    if (named === 0 || named === letterN) return (context.place.session ?? context.current) === context.current;
    return named === quote && records.known(entry + slot.session_id) === context.current;
  }

  /** Rows of an agent's file matter until it is known whose file it is. All rows of a teammate's turn matter. */
  function isSettled(entry: number): boolean {
    if (index.first(entry + slot.isSidechain) !== letterT) return true;
    const id = idOf(records.known(entry + slot.agentId)) ?? context.place.agent;
    if (id === null) return false;
    const { firstRows, turnIds } = context.memory;
    const session = sessionOf(context, context.current);
    const agent = session.agents.get(canonical(session, id));
    const namesType = agent?.type === null && index.word(entry + slot.attributionAgent) !== 0;
    return agent !== undefined && !namesType && !firstRows.has(id) && !turnIds.has(id);
  }

  /** Marks the record as seen; false if it is a copy. */
  function isNew(entry: number): boolean {
    const at = entry + slot.uuid;
    return !records.isId(at) || context.seen.addId(index.word(at + 2), index.word(at + 3), '');
  }

  /** Whether the value is a text, null or absent. */
  function isPlain(at: number): boolean {
    const first = index.first(at);
    return first === 0 || first === letterN || first === quote;
  }

  /** The first record of an agent shows that it is running. */
  function isUnnoticed(entry: number, isRow: boolean): boolean {
    if (isRow || index.first(entry + slot.parent) !== quote) return false;
    const call = context.calls.get(String(records.known(entry + slot.parent)));
    return call !== undefined && !call.seen && isSpawnTool(call.tool);
  }

  /** The agent of a record that changes nothing. */
  function agentOf(entry: number, isRow: boolean): string {
    const session = sessionOf(context, context.current);
    const isSidechain = isRow && index.first(entry + slot.isSidechain) === letterT;
    const own = isSidechain ? (idOf(records.known(entry + slot.agentId)) ?? context.place.agent) : null;
    const id = own ?? idOf(records.known(entry + slot.parent));
    return id === null ? session.lead : canonical(session, id);
  }

  function originOf(entry: number, isRow: boolean): Origin {
    const session = sessionOf(context, context.current);
    const agent = agentOf(entry, isRow);
    const record = { uuid: records.id(entry + slot.uuid) };
    return { session, agent, time: records.time(entry), line: index.number(entry), record, transcript: isRow };
  }

  // Assistant records: texts and calls.

  function assistant(entry: number): boolean {
    if (index.first(entry + slot.content) !== bracket) return whole(entry);
    // It may be an error of the API, which ends the turn.
    if (records.known(entry + slot.model) === '<synthetic>') return whole(entry);
    let isFollowed = false;
    let hasCalls = false;
    let at = index.firstItem(entry);
    for (let left = index.items(entry); left > 0; left--, at = index.nextItem(at)) {
      const kind = index.word(at + block.type) === 0 ? 'other' : kinds(at + block.type);
      if (kind === 'said') continue;
      if (kind !== 'call' || index.first(at + block.name) !== quote || !records.isId(at + block.id))
        return whole(entry);
      hasCalls = true;
      isFollowed ||= tools(at + block.name).isFollowed;
    }
    const isRow = records.isRow(entry);
    if (!isPlain(entry + slot.parent) || (isRow && !isSettled(entry))) return whole(entry);
    // A record without an id is recognized by its texts.
    if (rules.talk === 'lean' && index.word(entry + slot.uuid) === 0) return whole(entry);
    if (
      isFollowed ||
      !changesNothing(entry, isRow) ||
      isUnnoticed(entry, isRow) ||
      (hasCalls && isWatched(entry, isRow))
    )
      return lean(entry, isRow, saidRecord(entry, isRow));
    // A copy may have larger counters.
    if (!isNew(entry)) return rules.talk === 'calls' ? false : lean(entry, isRow, saidRecord(entry, isRow));
    const isRepeated = rules.talk === 'calls' || isRepeat(entry, isRow);
    if (isRepeated && !hasCalls && rules.talk !== 'lean') {
      const time = records.time(entry);
      passTime(context, time);
      if (isRow && rules.talk === 'usage') noteRepeat(entry, originOf(entry, isRow));
      return false;
    }
    const origin = originOf(entry, isRow);
    if (hasCalls || rules.talk === 'lean') said(entry, origin);
    passTime(context, origin.time);
    if (isRepeated) {
      if (isRow && rules.talk !== 'calls') noteRepeat(entry, origin);
      return rules.talk === 'lean';
    }
    noteMessage(entry, isRow, origin.time);
    const request = idOf(records.value(entry + slot.request_id)) ?? idOf(records.value(entry + slot.requestId));
    recordUsage(context, origin, records.message(entry), request, false);
    return true;
  }

  /** Whether a call of this agent matters: a member that was idle, or that completed a task, may become active or idle. */
  function isWatched(entry: number, isRow: boolean): boolean {
    const session = sessionOf(context, context.current);
    const { completed, idle } = session;
    if (rules.talk !== 'lean' || (completed.size === 0 && idle.size === 0)) return false;
    const name = nameOf(session, agentOf(entry, isRow));
    return completed.has(name) || idle.has(name);
  }

  function noteMessage(entry: number, isRow: boolean, time: string | null): void {
    records.lastMessage.keep(entry);
    messageTime = time;
    isMessageOfRow = isRow;
  }

  /** Whether the record repeats the usage of its message and is not earlier. Streams and transcripts count apart. */
  function isRepeat(entry: number, isRow: boolean): boolean {
    if (isRow !== isMessageOfRow) return false;
    if (!records.isId(entry + slot.messageId) || !records.lastMessage.isSame(entry)) return false;
    const time = records.time(entry);
    return messageTime === null ? time === null : time !== null && time >= messageTime;
  }

  /** Does what recordUsage does for a repeated record. */
  function noteRepeat(entry: number, origin: Origin): void {
    const isCounted = index.first(entry + slot.usage) === curly && records.known(entry + slot.model) !== '<synthetic>';
    if (isCounted) noteSpoken(context, origin);
  }

  /** Handles texts, which only show that the agent works, and calls that are not followed, whose results may matter. */
  function said(entry: number, origin: Origin): void {
    const message_id = rules.talk === 'lean' ? idOf(records.id(entry + slot.messageId)) : null;
    const model = textOf(records.known(entry + slot.model));
    let at = index.firstItem(entry);
    for (let left = index.items(entry); left > 0; left--, at = index.nextItem(at)) {
      if (kinds(at + block.type) !== 'call') {
        const event = records.known(at + block.type) === 'text' ? 'text:produced' : 'thinking:produced';
        if (rules.talk === 'lean') context.emit(origin, event, { message_id, model, text: '' });
        continue;
      }
      const id = at + block.id;
      if (!context.seen.addId(index.word(id + 2), index.word(id + 3), wasCalled)) continue;
      const { name: tool, mayMatter } = tools(at + block.name);
      const input = mayMatter || rules.details ? records.value(at + block.input) : noInput;
      const call = {
        id: index.id(id),
        tool,
        input: (mayMatter && objectOf(input)) || noInput,
        at: origin,
        calledAt: origin.time,
        seen: false,
      };
      context.calls.set(call.id, call);
      if (rules.talk !== 'lean') continue;
      const server = rules.details ? serverOf(tool, objectOf(input) ?? noInput, metaOf(entry)) : null;
      context.emit(origin, 'tool:called', {
        tool,
        tool_use_id: call.id,
        message_id,
        input: input ?? null,
        ...(server !== null && { server }),
        message: null,
      });
    }
  }

  /** What a record says about its calls besides their blocks. */
  function metaOf(entry: number): JsonObject {
    const attributionMcpServer = records.value(entry + slot.server);
    return { attributionMcpServer, tool_use_meta: records.value(entry + slot.callMeta) };
  }

  /** The record with its followed calls, and stand-ins for others. Texts are left out, or empty where they are counted. */
  function saidRecord(entry: number, isRow: boolean): JsonObject {
    const content: unknown[] = [];
    let at = index.firstItem(entry);
    for (let left = index.items(entry); left > 0; left--, at = index.nextItem(at)) {
      const type = records.known(at + block.type);
      if (kinds(at + block.type) !== 'call') {
        if (rules.talk === 'lean') content.push({ type });
        continue;
      }
      const { name, isFollowed, mayMatter } = tools(at + block.name);
      if (isFollowed || mayMatter || rules.details) content.push(parseJson(index.text(at)));
      else content.push({ type, id: index.id(at + block.id), name, input: noInput });
    }
    const message = records.message(entry);
    message.content = content;
    const record = records.head(entry, isRow);
    record.type = 'assistant';
    record.message = message;
    return rules.details ? Object.assign(record, metaOf(entry)) : record;
  }

  // User records: what calls returned.

  function user(entry: number): boolean {
    const count = index.items(entry);
    if (index.first(entry + slot.content) !== bracket || count === 0) return whole(entry);
    const isRow = records.isRow(entry);
    const hasResult = index.word(entry + slot.result) !== 0 || index.word(entry + slot.rowResult) !== 0;
    if (index.word(entry + slot.result) !== 0 && index.word(entry + slot.rowResult) !== 0) return whole(entry);
    if (!isPlain(entry + slot.parent) || (isRow && !isSettled(entry))) return whole(entry);
    const found = index.marks(entry);
    let isFollowed = (found & marks.detached) !== 0;
    let at = index.firstItem(entry);
    for (let left = count; left > 0; left--, at = index.nextItem(at)) {
      if (index.word(at + block.type) === 0 || kinds(at + block.type) !== 'result') return whole(entry);
      if (!records.isId(at + block.toolUseId)) return whole(entry);
      const tool = context.calls.get(index.id(at + block.toolUseId))?.tool;
      if (tool !== undefined) {
        isFollowed ||= isOfInterest(tool, at, found);
        continue;
      }
      // A call that is not in the input is recognized by its result, unless the result is only prose.
      const isTelling = hasResult && count === 1 ? (found & marks.telling) !== 0 : !isProse(at + block.content);
      if (rules.talk === 'lean' || isTelling) return whole(entry);
    }
    const isNeeded = isFollowed || !changesNothing(entry, isRow) || isUnnoticed(entry, isRow);
    if (isNeeded || (isRow && isPrompt(entry)) || (rules.talk === 'lean' && !isPlainResult(entry)))
      return rules.details ? whole(entry) : lean(entry, isRow, returnedRecord(entry, isRow));
    if (rules.details && (hasFailed(entry) || (found & marks.timed) !== 0)) return whole(entry);
    if (!isNew(entry)) return false;
    returned(entry, rules.talk === 'lean' ? originOf(entry, isRow) : null);
    passTime(context, records.time(entry));
    return rules.talk === 'lean';
  }

  /** Whether the line index alone shows if the calls failed. */
  function isPlainResult(entry: number): boolean {
    let at = index.firstItem(entry);
    for (let left = index.items(entry); left > 0; left--, at = index.nextItem(at)) {
      const failed = index.first(at + block.isError);
      if (failed !== 0 && failed !== letterT && failed !== letterF) return false;
      if (index.first(at + block.content) === curly) return false;
    }
    return true;
  }

  function hasFailed(entry: number): boolean {
    if (isRefused(entry)) return true;
    let at = index.firstItem(entry);
    for (let left = index.items(entry); left > 0; left--, at = index.nextItem(at))
      if (index.first(at + block.isError) === letterT) return true;
    return false;
  }

  /** Whether the structured result says so. */
  function isRefused(entry: number): boolean {
    const success = index.word(entry + slot.result) === 0 ? slot.rowSuccess : slot.success;
    return index.items(entry) === 1 && index.first(entry + success) === letterF;
  }

  /** The length of a result as normalize writes it: of the record's structured result, if it is for this call alone. */
  function resultBytes(entry: number, at: number): number {
    const own = entry + (index.word(entry + slot.result) === 0 ? slot.rowResult : slot.result);
    const first = index.items(entry) === 1 ? index.first(own) : 0;
    const from = first === 0 || first === letterN ? at + block.content : own;
    return index.word(from) === 0 ? 'null'.length : records.bytes(from);
  }

  /** Handles results of calls that are not followed. They are counted if there is an origin. */
  function returned(entry: number, origin: Origin | null): void {
    const refused = isRefused(entry);
    let at = index.firstItem(entry);
    for (let left = index.items(entry); left > 0; left--, at = index.nextItem(at)) {
      const id = at + block.toolUseId;
      if (!context.seen.addId(index.word(id + 2), index.word(id + 3), wasReturned)) continue;
      const tool_use_id = index.id(id);
      const tool = context.calls.get(tool_use_id)?.tool ?? null;
      context.calls.delete(tool_use_id);
      if (origin === null) continue;
      const is_error = index.first(at + block.isError) === letterT;
      const own = { tool, tool_use_id, is_error, success: !is_error && !refused, result: null };
      context.emit(origin, 'tool:returned', rules.details ? { ...own, result_bytes: resultBytes(entry, at) } : own);
    }
  }

  function isOfInterest(tool: string, at: number, found: number): boolean {
    const { isFollowed, mayMatter } = toolNamed(tool);
    if (!mayMatter) return isFollowed;
    return isShell(tool)
      ? (found & marks.background) !== 0 || mayRunOn(at + block.content)
      : (found & marks.waking) !== 0 || mayWake(at + block.content);
  }

  /** Whether a result may be `Resuming agent …` or similar, perhaps with escapes. */
  function mayWake(at: number): boolean {
    const text = index.word(at) === 0 ? '' : index.text(at);
    return text.includes('esum') || escapedLetter.test(text);
  }

  /** Whether a result may be `Command running in background with ID: …`, perhaps with escapes or in a list. */
  function mayRunOn(at: number): boolean {
    const first = index.first(at);
    const from = index.word(at) + 1;
    const [begin, next] = [index.byte(from), index.byte(from + 1)];
    return first === bracket || (first === quote && (begin === letterC || (begin === backslash && next === letterU)));
  }

  /** Whether a result is text that does not begin like JSON. */
  function isProse(at: number): boolean {
    const first = index.first(at);
    if (first === 0 || first === letterN) return true;
    if (first !== quote) return false;
    let from = index.word(at) + 1;
    while (index.byte(from) === space) from++;
    const begin = index.byte(from);
    return begin < 0x80 && begin !== curly && begin !== backslash;
  }

  /** Whether the row may begin a turn. Each prompt has an id, which the rows after it repeat. */
  function isPrompt(entry: number): boolean {
    return index.word(entry + slot.promptId) !== 0 && !records.lastPrompt.isSame(entry);
  }

  /** The record with its followed results, and stand-ins for the others that say whether the call failed. */
  function returnedRecord(entry: number, isRow: boolean): JsonObject {
    const found = index.marks(entry);
    const content: unknown[] = [];
    let isWhole = (found & marks.detached) !== 0;
    let at = index.firstItem(entry);
    for (let left = index.items(entry); left > 0; left--, at = index.nextItem(at)) {
      const id = index.id(at + block.toolUseId);
      const tool = context.calls.get(id)?.tool;
      // Nothing is known here about a call that is not in the input.
      const isNeeded = tool !== undefined && isOfInterest(tool, at, found);
      const failed = index.first(at + block.isError);
      const isPlain = failed === 0 || failed === letterT || failed === letterF;
      isWhole ||= isNeeded;
      if (isNeeded || !isPlain || index.first(at + block.content) === curly) content.push(parseJson(index.text(at)));
      else
        content.push({ type: 'tool_result', tool_use_id: id, is_error: failed === 0 ? undefined : failed === letterT });
    }
    const record = records.head(entry, isRow);
    record.type = 'user';
    record.message = { content };
    const isOfRow = index.word(entry + slot.result) === 0;
    if (isWhole) record.tool_use_result = records.value(entry + (isOfRow ? slot.rowResult : slot.result));
    else if (index.first(entry + (isOfRow ? slot.rowSuccess : slot.success)) === letterF)
      record.tool_use_result = { success: false };
    return record;
  }

  return { line, begin: () => records.forget() };
}

const quote = 0x22;
const space = 0x20;
const bracket = 0x5b;
const backslash = 0x5c;
const curly = 0x7b;
const letterC = 0x43;
const letterF = 0x66;
const letterN = 0x6e;
const letterT = 0x74;
const letterU = 0x75;

/** An ASCII letter written as an escape. */
const escapedLetter = /\\u00[4-7]/;
