// Lists the other agents whose streams are read. Each has a file here that puts its records into Claude Code's shapes, in
// front of all handlers.
import { type JsonObject, listOf, objectOf, textOf, toJson } from '../../record/json.js';

import { codex } from './codex.js';
import { cursor } from './cursor.js';
import { gemini } from './gemini.js';
import { opencode } from './opencode.js';
import { qwen } from './qwen.js';
import { digestOf, isInit, textRecord } from './shapes.js';

/** What a translator may know about the session of a record. */
export interface Known {
  readonly session: string | null;
  /** What its session:started says; null if none was emitted. */
  readonly started: { readonly model: string | null } | null;
}

export interface Program {
  /** As `program` of session:started says it. */
  readonly name: string;
  /** Whether only this program writes such a record. */
  wrote(record: JsonObject, type: string): boolean;
  /**
   * The same in records of Claude Code, perhaps none; null if the record is not known. What a record says depends on
   * nothing but the record and its session, so that a stream can be cut and continued anywhere.
   */
  inOurShapes(record: JsonObject, type: string, known: Known): readonly JsonObject[] | null;
}

/** Not a constant, so that they are loaded only when a stream may be theirs. */
function programs(): readonly Program[] {
  return [codex, gemini, opencode, qwen, cursor];
}

export function programNamed(name: string | undefined): Program | null {
  // Asked for every record.
  if (name === undefined || name === 'claude') return null;
  return programs().find((program) => program.name === name) ?? null;
}

/** The program that begins with this record, or null for Claude Code; undefined if the record does not show it. */
export function programOf(record: JsonObject): Program | null | undefined {
  if (isInit(record) && textOf(record.claude_code_version) !== null) return null;
  const type = textOf(record.type) ?? '';
  return programs().find(({ wrote }) => wrote(record, type)) ?? (isInit(record) ? null : undefined);
}

/** A record without an id gets one from its content, so that a copy is known. */
export function translate(program: Program, record: JsonObject, known: Known): JsonObject[] | null {
  const said = program.inOurShapes(record, textOf(record.type) ?? '', known);
  if (said === null) return null;
  const id = digestOf(toJson(record));
  const timestamp = record.timestamp ?? record.timestamp_ms;
  return said.map((one, place) => {
    // Counted from the end, because the first record of a session may begin with an init.
    const uuid = `${id}-${said.length - place}`;
    return { session_id: known.session, timestamp, uuid, ...one };
  });
}

/** The text of a record that is only a piece of what an agent says; null for every other record. */
export function pieceOf({ delta, message }: JsonObject): string | null {
  const block = delta === true ? listOf(objectOf(message)?.content)?.[0] : undefined;
  return textOf(objectOf(block)?.text);
}

/** A record that says more. */
export function joined(record: JsonObject, piece: string): JsonObject {
  const text = `${pieceOf(record) ?? ''}${piece}`;
  return { ...record, ...textRecord(text) };
}
