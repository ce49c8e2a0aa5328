// What the normalizer must remember to go on where it stopped: a stream may come in pieces.
import type { JsonObject } from '../record/json.js';
import type { Call, Context } from './context.js';
import type { Session } from './sessions.js';

/** Plain values, maps and sets, without the ties between them. */
export interface Memory {
  readonly seq: number;
  readonly current: string | null;
  readonly sessions: ReadonlyMap<string | null, Session>;
  readonly calls: readonly SavedCall[];
  readonly turns: Context['turns'];
  readonly boards: Context['boards'];
  readonly turnIds: Context['turnIds'];
  readonly turnRows: Context['turnRows'];
  readonly turnParents: Context['turnParents'];
  readonly firstRows: Context['firstRows'];
  readonly partial: Context['partial'];
  readonly controls: Context['controls'];
  /** Of the records, calls and blocks seen: the same piece twice is one. */
  readonly seen: readonly number[];
}

interface SavedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly seen: boolean;
  readonly session: string | null;
  readonly agent: string;
  readonly time: string | null;
  readonly line: number;
  readonly uuid: unknown;
  readonly transcript: boolean;
  readonly ofState: boolean;
}

export const noMemory: Memory = {
  seq: 0,
  current: null,
  sessions: new Map(),
  calls: [],
  turns: new Map(),
  boards: new Map(),
  turnIds: new Set(),
  turnRows: new Map(),
  turnParents: new Map(),
  firstRows: new Map(),
  partial: new Map(),
  controls: new Map(),
  seen: [],
};

export function memoryOf(
  context: Context,
  sessions: ReadonlyMap<string | null, Session>,
  seq: number,
  current: string | null,
): Memory {
  const { turns, boards, turnIds, turnRows, turnParents, firstRows, partial, controls } = context;
  const calls = [...context.calls.values()].map(savedCall);
  return {
    seq,
    current,
    sessions,
    calls,
    turns,
    boards,
    turnIds,
    turnRows,
    turnParents,
    firstRows,
    partial,
    controls,
    seen: context.seen.save(),
  };
}

/** Puts what was remembered back on the context; sessions are already there. */
export function recall(context: Context, memory: Memory): void {
  for (const call of memory.calls) context.calls.open(call.id, openCall(context, call));
  for (const [session, turns] of memory.turns) context.turns.set(session, turns);
  for (const [key, board] of memory.boards) context.boards.set(key, board);
  for (const id of memory.turnIds) context.turnIds.add(id);
  for (const [uuid, id] of memory.turnRows) context.turnRows.set(uuid, id);
  for (const [uuid, id] of memory.turnParents) context.turnParents.set(uuid, id);
  for (const [id, time] of memory.firstRows) context.firstRows.set(id, time);
  for (const [key, message] of memory.partial) context.partial.set(key, message);
  for (const [id, subtype] of memory.controls) context.controls.set(id, subtype);
  context.seen.restore(memory.seen);
}

function savedCall({ id, tool, input, seen, at, ofState = false }: Call): SavedCall {
  return {
    id,
    tool,
    input,
    seen,
    session: at.session.id,
    agent: at.agent,
    time: at.time,
    line: at.line,
    uuid: at.record.uuid ?? null,
    transcript: at.transcript,
    ofState,
  };
}

function openCall(context: Context, { id, tool, input, seen, uuid, session, ofState, ...at }: SavedCall): Call {
  const made = { ...at, session: context.session(session), record: { uuid } };
  return { id, tool, input, seen, ofState, calledAt: at.time, at: made };
}
