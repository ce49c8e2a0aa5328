// What the normalizer must remember to go on where it stopped: a stream may come in pieces.
import type { JsonObject } from '../record/json.js';
import type { Call, Desk } from './desk.js';
import type { Session } from './session.js';

/** Plain values, maps and sets, without the ties between them. */
export interface Memory {
  readonly seq: number;
  readonly current: string | null;
  readonly sessions: ReadonlyMap<string | null, Session>;
  readonly calls: readonly SavedCall[];
  readonly turns: Desk['turns'];
  readonly boards: Desk['boards'];
  readonly turnIds: Desk['turnIds'];
  readonly turnRows: Desk['turnRows'];
  readonly turnParents: Desk['turnParents'];
  readonly firstRows: Desk['firstRows'];
  readonly partial: Desk['partial'];
  readonly controls: Desk['controls'];
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
  desk: Desk,
  sessions: ReadonlyMap<string | null, Session>,
  seq: number,
  current: string | null,
): Memory {
  const { turns, boards, turnIds, turnRows, turnParents, firstRows, partial, controls } = desk;
  const calls = [...desk.calls.values()].map(savedCall);
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
    seen: desk.seen.save(),
  };
}

/** Puts what was remembered back on the desk; sessions are already there. */
export function recall(desk: Desk, memory: Memory): void {
  for (const call of memory.calls) desk.calls.open(call.id, openCall(desk, call));
  for (const [session, turns] of memory.turns) desk.turns.set(session, turns);
  for (const [key, board] of memory.boards) desk.boards.set(key, board);
  for (const id of memory.turnIds) desk.turnIds.add(id);
  for (const [uuid, id] of memory.turnRows) desk.turnRows.set(uuid, id);
  for (const [uuid, id] of memory.turnParents) desk.turnParents.set(uuid, id);
  for (const [id, time] of memory.firstRows) desk.firstRows.set(id, time);
  for (const [key, message] of memory.partial) desk.partial.set(key, message);
  for (const [id, subtype] of memory.controls) desk.controls.set(id, subtype);
  desk.seen.restore(memory.seen);
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

function openCall(desk: Desk, { id, tool, input, seen, uuid, session, ofState, ...at }: SavedCall): Call {
  const made = { ...at, session: desk.session(session), record: { uuid } };
  return { id, tool, input, seen, ofState, calledAt: at.time, at: made };
}
