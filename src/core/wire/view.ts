// A record as handlers see it. A view is backed by a parsed object (here) or by the index of a line (indexed.ts), of
// which nothing is parsed until somebody asks. Both answer alike. A view of a line dies with its line: what is kept must
// be copied.
import { markOf } from '../record/hash.js';
import { flagOf, idOf, isObject, type JsonObject, jsonBytes, objectOf, textOf } from '../record/json.js';
import type { Picked } from '../record/pick.js';
import { calledKey, returnedKey, type Seen } from './seen.js';
import {
  type Answers,
  blockKeys,
  type Key,
  type ResultKey,
  readerOf,
  recordKeys,
  strangeKeys,
  valueAt,
  writerKeys,
} from './spell.js';

/** Who wrote a record, and where. */
export type Writer = Answers<typeof writerKeys>;

export interface RecordView extends Answers<typeof recordKeys> {
  /** The same object as that of another record only if both say the same. */
  readonly writer: Writer;
  /** Empty if it is no text. */
  readonly type: string;
  /** It says that nothing is before it in its conversation. */
  readonly isFirst: boolean;
  /** Whether its keys are those of a transcript row. */
  readonly hasRowKeys: boolean;
  /** Whether it has a key that no plain frame or row has. */
  readonly isStrange: boolean;
  /** Whether it has a uuid. */
  readonly hasId: boolean;
  /** How its content begins, if that is a text: at least 200 characters of it. Empty for a list. */
  readonly head: string;
  /** Whether its message says what it used. */
  readonly hasUsage: boolean;
  /** Its usage lists one step, the answer itself. False if there is no list. */
  readonly isOneStep: boolean;
  /** The same for records that say the same about the same message; NaN if only parsing could tell. */
  readonly usageMark: number;
  /** The content of its message, or its own: a text, or a list of blocks, texts and whatever else (null). */
  readonly content: Content;
  /** The structured result beside a tool_result. */
  readonly result: ResultView;
  /** The record of an agent that a `progress` row carries. It dies when the next one is asked for. */
  readonly inside: RecordView | null;
  /** It is such a record. They never include the agent's last message, so they do not show how a message ended. */
  readonly isPartial: boolean;
  /** The number that stands for its uuid; 0 if it has none. */
  mark(seed: number): number;
  /** Marks it as seen; false if a record with this uuid was seen before. */
  isNew(seen: Seen): boolean;
  /** At least these fields. The others need not be parsed. */
  pick(wanted: Picked): JsonObject;
  /** Everything, parsed. */
  whole(): JsonObject;
}

export type Content = string | null | readonly (BlockView | string | null)[];

export interface BlockView extends Answers<typeof blockKeys> {
  /** Empty if it is no text. */
  readonly type: string;
  /** The tool of a tool_use. */
  readonly name: string;
  /** The text of a text block. */
  readonly text: string | null;
  /** The type of a content that is an object. */
  readonly contentType: string | null;
  input(): unknown;
  content(): unknown;
  /** How a content that is a text begins: at least 200 characters of it. Empty for any other content. */
  head(): string;
  /** Whether a content that is a text begins with these words, which are plain ASCII; null for any other content. */
  begins(words: string): boolean | null;
  /** How many lines a content that is a text has; null for any other content. */
  lines(): number | null;
  /** The bytes of the content as normalize writes it. */
  contentBytes(): number;
  /** The number that stands for the id of the call, or of the call that it answers; 0 if it has none. */
  callMark(seed: number): number;
  returnMark(seed: number): number;
  /** Marks the call, or its result, as seen; false if it was seen before. */
  isNewCall(seen: Seen): boolean;
  isNewReturn(seen: Seen): boolean;
  whole(): JsonObject;
}

export interface ResultView {
  /** Whether there is one, and it is not null. */
  readonly isGiven: boolean;
  readonly isObject: boolean;
  readonly success: boolean | null;
  /** Whether it has a field that may show which tool it is of. */
  readonly isTelling: boolean;
  /** A field of a result that is an object. */
  field(key: ResultKey): unknown;
  /** At least the fields of a result that is an object that say how long the call took. */
  timings(): JsonObject;
  /** At least these fields of a result that is an object. The others need not be parsed. */
  pick(wanted: Picked): JsonObject;
  /** False only if no text in it has these ASCII letters. */
  mayHold(letters: string): boolean;
  value(): unknown;
  bytes(): number;
}

/** A record that is parsed. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: `answer` defines the getters of the interface.
export class ParsedRecord {
  readonly #record: JsonObject;
  #writer: Writer | null = null;

  constructor(
    record: JsonObject,
    readonly isPartial = false,
  ) {
    this.#record = record;
    answer(ParsedRecord.prototype, recordKeys);
  }

  get type(): string {
    return textOf(this.#record.type) ?? '';
  }
  get writer(): Writer {
    this.#writer ??= new ParsedWriter(this.#record);
    return this.#writer;
  }
  get isFirst(): boolean {
    return this.#record.parentUuid === null;
  }
  get hasRowKeys(): boolean {
    const record = this.#record;
    return typeof record.sessionId === 'string' || 'parentUuid' in record || 'isSidechain' in record;
  }
  get isStrange(): boolean {
    return typeof this.#record.type !== 'string' || strangeKeys.some((name) => name in this.#record);
  }
  get hasId(): boolean {
    return idOf(this.#record.uuid) !== null;
  }
  get head(): string {
    return textOf(contentIn(this.#record)) ?? '';
  }
  get hasUsage(): boolean {
    return objectOf(objectOf(this.#record.message)?.usage) !== null;
  }
  get isOneStep(): boolean {
    return isOneStep(this.iterations);
  }
  get usageMark(): number {
    return Number.NaN;
  }
  get content(): Content {
    return contentOf(this.#record);
  }
  get result(): ResultView {
    return new ParsedResult(this.#record.tool_use_result ?? this.#record.toolUseResult);
  }
  get inside(): RecordView | null {
    const inner = objectOf(objectOf(this.#record.data)?.message);
    return inner === null ? null : new ParsedRecord(inner, true);
  }
  mark(seed: number): number {
    return markOfId(this.uuid, seed);
  }
  isNew(seen: Seen): boolean {
    const { uuid } = this;
    return uuid === null || seen.add(uuid);
  }
  pick(): JsonObject {
    return this.#record;
  }
  whole(): JsonObject {
    return this.#record;
  }
}

export interface ParsedRecord extends RecordView {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: `answer` defines the getters of the interface.
export class ParsedWriter {
  readonly #record: JsonObject;

  constructor(record: JsonObject) {
    this.#record = record;
    answer(ParsedWriter.prototype, writerKeys);
  }

  whole(): JsonObject {
    return this.#record;
  }
}

export interface ParsedWriter extends Writer {}

/** A content block that is parsed, or made from the fields of another record. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: `answer` defines the getters of the interface.
export class ParsedBlock {
  readonly #block: JsonObject;

  constructor(block: JsonObject) {
    this.#block = block;
    answer(ParsedBlock.prototype, blockKeys);
  }

  get type(): string {
    return textOf(this.#block.type) ?? '';
  }
  get name(): string {
    return textOf(this.#block.name) ?? '';
  }
  get text(): string | null {
    return textOf(this.#block.text);
  }
  get contentType(): string | null {
    return textOf(objectOf(this.#block.content)?.type);
  }
  input(): unknown {
    return this.#block.input;
  }
  content(): unknown {
    return this.#block.content;
  }
  head(): string {
    return textOf(this.#block.content) ?? '';
  }
  begins(words: string): boolean | null {
    return textOf(this.#block.content)?.startsWith(words) ?? null;
  }
  lines(): number | null {
    const text = textOf(this.#block.content);
    return text === null ? null : lineCount(text);
  }
  contentBytes(): number {
    return jsonBytes(this.#block.content ?? null);
  }
  callMark(seed: number): number {
    return markOfId(this.id, seed);
  }
  returnMark(seed: number): number {
    return markOfId(this.toolUseId, seed);
  }
  isNewCall(seen: Seen): boolean {
    const { id } = this;
    return id === null || seen.add(calledKey(id));
  }
  isNewReturn(seen: Seen): boolean {
    const { toolUseId } = this;
    return toolUseId === null || seen.add(returnedKey(toolUseId));
  }
  whole(): JsonObject {
    return this.#block;
  }
}

export interface ParsedBlock extends BlockView {}

/** Lets a parsed record or block answer each key; when the first is made, so that a bundle without them leaves them out. */
function answer(prototype: { whole(): JsonObject }, keys: Readonly<Record<string, Key>>): void {
  if (answered.has(prototype)) return;
  answered.add(prototype);
  for (const [name, { kind, paths }] of Object.entries(keys)) {
    const read = readerOf(kind);
    const steps = paths.map((path) => path.split('.'));
    Object.defineProperty(prototype, name, {
      get(this: { whole(): JsonObject }) {
        for (const path of steps) {
          const found = read(valueAt(this.whole(), path));
          if (found !== null) return found;
        }
        return null;
      },
    });
  }
}

const answered = new Set<object>();

export class ParsedResult implements ResultView {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  get isGiven(): boolean {
    return this.#value !== undefined && this.#value !== null;
  }
  get isObject(): boolean {
    return isObject(this.#value);
  }
  get success(): boolean | null {
    return flagOf(objectOf(this.#value)?.success);
  }
  get isTelling(): boolean {
    return this.isObject;
  }
  field(key: ResultKey): unknown {
    return objectOf(this.#value)?.[key];
  }
  timings(): JsonObject {
    return objectOf(this.#value) ?? {};
  }
  pick(): JsonObject {
    return objectOf(this.#value) ?? {};
  }
  mayHold(): boolean {
    return true;
  }
  value(): unknown {
    return this.#value;
  }
  bytes(): number {
    return jsonBytes(this.#value);
  }
}

export const noResult: ResultView = new ParsedResult(undefined);

function contentIn(record: JsonObject): unknown {
  return objectOf(record.message)?.content ?? record.content;
}

export function isOneStep(iterations: readonly unknown[] | null): boolean {
  return iterations?.length === 1 && objectOf(iterations[0])?.type === 'message';
}

export function contentOf(record: JsonObject): Content {
  const content = contentIn(record);
  if (Array.isArray(content)) return content.map(blockOf);
  return isObject(content) ? [blockOf(content)] : textOf(content);
}

function markOfId(id: string | null, seed: number): number {
  return id === null ? 0 : markOf(id, seed);
}

/** A line end at the end begins no other line. */
export function lineCount(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The text in it: all of its text blocks. */
export function textIn(content: Content): string {
  if (typeof content === 'string' || content === null) return content ?? '';
  return content
    .map((block) => (typeof block === 'string' ? '' : (block?.text ?? '')))
    .filter(Boolean)
    .join('\n');
}

function blockOf(item: unknown): BlockView | string | null {
  return isObject(item) ? new ParsedBlock(item) : textOf(item);
}
