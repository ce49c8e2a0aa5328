// The view of a record that stands in the index of its line. Nothing is parsed until somebody asks for it.
import { type JsonObject, objectOf, textOf } from '../record/json.js';
import type { LineIndex } from '../record/line-index.js';
import type { Picked } from '../record/pick.js';
import { header } from '../record/scan-engine.js';
import { type Seen, wasCalled, wasReturned } from './seen.js';
import { answer, bracket, curly, letterN, quote, Slots, slotReader } from './slots.js';
import { pickedTimes, type ResultKey, recordKeys, resultKeys, writerKeys } from './spell.js';
import {
  type BlockView,
  type Content,
  contentOf,
  isOneStep,
  ParsedRecord,
  type RecordView,
  type ResultView,
  type Writer,
} from './view.js';

/** One instance serves all lines: `look` moves it to the next. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: `answer` defines the other getters of the interface.
export class IndexedRecord {
  readonly slots: Slots;
  readonly #index: LineIndex;
  readonly #at;
  readonly #writers: Writers;
  readonly #strange: number;
  readonly #blocks: IndexedBlock[] = [];
  readonly #result: IndexedResult;
  /** The view of the records inside others, and the index of their lines. */
  #inner: { readonly index: LineIndex; readonly view: IndexedRecord } | null = null;
  #innerEntry = 0;
  /** Where its slots begin. */
  base = 0;
  type = '';
  isStrange = false;
  hasRowKeys = false;
  writer: Writer;
  #written: Written;
  #whole: JsonObject | null = null;
  #content: Content = null;
  /** The types of lines by the lower half of their hashes. */
  readonly #types = new Map<number, { readonly high: number; readonly type: string }>();

  constructor(
    index: LineIndex,
    readonly isPartial = false,
  ) {
    this.#index = index;
    this.slots = new Slots(index);
    this.#at = {
      type: index.slot('type'),
      uuid: index.slot('uuid'),
      subtype: index.slot('subtype'),
      parentUuid: index.slot('parentUuid'),
      time: index.slot('timestamp'),
      content: index.slot('message.content'),
      ownContent: index.slot('content'),
      usage: index.slot('message.usage'),
      iterations: index.slot('message.usage.iterations'),
      messageId: index.slot('message.id'),
      model: index.slot('message.model'),
      cwd: index.slot('cwd'),
      permissionMode: index.slot('permissionMode'),
      stop: index.slot('message.stop_reason'),
      inside: index.slot('data.message'),
    };
    this.#strange = index.mark('strange');
    this.#result = new IndexedResult(this.slots);
    const slot = (path: string) => index.slot(path);
    this.#writers = new Writers(this.slots, slot);
    this.#written = this.#writers.none;
    this.writer = this.#written.writer;
    if (!isAnswered) answer(IndexedRecord.prototype, recordKeys, slot);
    isAnswered = true;
  }

  /** Looks at the record of an entry; false if only a parsed record can show what it is. */
  look(entry: number): boolean {
    const { words, all } = this.#index;
    if (words[entry + header.odd] !== 0) return false;
    const at = entry + this.#at.type;
    const from = words[at] ?? 0;
    if (from === 0 || all[from] !== quote) return false;
    const low = words[at + 3] ?? 0;
    const known = this.#types.get(low);
    this.type = known !== undefined && known.high === words[at + 2] ? known.type : this.#newType(at, low);
    this.isStrange = ((words[entry + header.marks] ?? 0) & this.#strange) !== 0;
    const written = this.#written;
    if (words[entry + header.shared] !== written.high || words[entry + header.shared + 1] !== written.low) {
      this.#written = this.#writers.of(entry);
      this.writer = this.#written.writer;
    }
    this.hasRowKeys = this.#written.isRow || words[entry + this.#at.parentUuid] !== 0;
    this.base = entry;
    this.#whole = null;
    this.#content = null;
    return true;
  }

  #newType(at: number, low: number): string {
    const type = this.slots.word(at) ?? '';
    if (this.#types.size >= mostTypes) this.#types.clear();
    this.#types.set(low, { high: this.#index.word(at + 2), type });
    return type;
  }

  /** How many bytes were parsed so far. */
  get parsedBytes(): number {
    return this.slots.parsed + (this.#inner?.view.parsedBytes ?? 0);
  }

  // Those that nearly every line is asked for. V8 knows what each of these does; all that `answer` makes are one to it.
  get uuid(): string | null {
    return this.slots.id(this.base + this.#at.uuid);
  }
  get time(): string | null {
    return this.slots.time(this.base + this.#at.time);
  }
  get subtype(): string | null {
    return this.slots.word(this.base + this.#at.subtype);
  }
  get messageId(): string | null {
    return this.slots.id(this.base + this.#at.messageId);
  }
  get model(): string | null {
    return this.slots.word(this.base + this.#at.model);
  }
  get cwd(): string | null {
    return this.slots.word(this.base + this.#at.cwd);
  }
  get permissionMode(): string | null {
    return this.slots.word(this.base + this.#at.permissionMode);
  }

  get isFirst(): boolean {
    return this.#index.first(this.base + this.#at.parentUuid) === letterN;
  }
  get hasId(): boolean {
    return this.slots.isId(this.base + this.#at.uuid);
  }
  get head(): string {
    const index = this.#index;
    const [inside, own] = [this.base + this.#at.content, this.base + this.#at.ownContent];
    if (index.first(inside) === quote) return this.slots.head(inside);
    return index.word(inside) === 0 || index.first(inside) === letterN ? this.slots.head(own) : '';
  }
  get hasUsage(): boolean {
    return this.#index.first(this.base + this.#at.usage) === curly;
  }
  get isOneStep(): boolean {
    const index = this.#index;
    const at = this.base + this.#at.iterations;
    if (index.first(at) !== bracket) return false;
    const text = index.text(at);
    // Nearly always it is written like this. Anything else shows only when it is parsed.
    const isPlain =
      text.startsWith('[{') &&
      text.endsWith('"type":"message"}]') &&
      text.indexOf('"type"') === text.lastIndexOf('"type"') &&
      !/[,\s]\{|\\/.test(text);
    return isPlain || isOneStep(this.iterations);
  }
  get usageMark(): number {
    const { words } = this.#index;
    const id = this.base + this.#at.messageId + 2;
    const usage = this.base + this.#at.usage + 2;
    const stop = this.base + this.#at.stop + 2;
    const model = this.base + this.#at.model + 2;
    if (words[id + 1] === 0) return Number.NaN;
    // Each of these has a hash of two words. 53 bits of all of them are enough to compare a record with the one before.
    let mark = 0;
    for (let half = 0; half < 2; half++) {
      const served =
        Math.imul(words[usage + half] ?? 0, 0x9e3779b1) ^
        Math.imul(words[stop + half] ?? 0, 0x85ebca6b) ^
        Math.imul(words[model + half] ?? 0, 0xc2b2ae35);
      mark = mark * 0x200000 + (((words[id + half] ?? 0) ^ served) >>> 0);
    }
    return mark;
  }
  get content(): Content {
    this.#content ??= this.#read();
    return this.#content;
  }
  get result(): ResultView {
    this.#result.look(this.base);
    return this.#result;
  }
  get inside(): RecordView | null {
    const at = this.base + this.#at.inside;
    if (this.#index.first(at) !== curly) return null;
    const { index, view } = this.#inner ?? this.#openInner();
    index.begin();
    index.write(this.#index.bytes(this.#index.word(at), this.#index.word(at + 1)));
    index.end();
    return view.look(this.#innerEntry) ? view : new ParsedRecord(objectOf(this.slots.value(at)) ?? {}, true);
  }
  mark(seed: number): number {
    return this.slots.mark(this.base + this.#at.uuid, seed);
  }
  isNew(seen: Seen): boolean {
    return this.slots.isNew(this.base + this.#at.uuid, seen, '');
  }
  pick(wanted: Picked): JsonObject {
    const start = this.#index.lineStart(this.base);
    return this.#whole ?? (this.#index.byte(start) === curly ? this.slots.pick(start, wanted) : this.whole());
  }
  whole(): JsonObject {
    this.#whole ??= objectOf(this.slots.parse(this.#index.lineText(this.base))) ?? {};
    return this.#whole;
  }

  #openInner() {
    const index = this.#index.another((entry) => {
      this.#innerEntry = entry;
    });
    this.#inner = { index, view: new IndexedRecord(index, true) };
    return this.#inner;
  }

  #read(): Content {
    const at = this.base + this.#at.content;
    const first = this.#index.first(at);
    if (first === bracket) return this.#list();
    return first === quote ? textOf(this.slots.value(at)) : contentOf(this.whole());
  }

  #list(): (BlockView | string | null)[] {
    const count = this.#index.words[this.base + header.items] ?? 0;
    let at = this.#index.firstItem(this.base);
    // Most have one block, and a list that grows takes room for seventeen.
    if (count === 1) return [this.#item(at, 0)];
    const items: (BlockView | string | null)[] = [];
    for (let place = 0; place < count; place++, at = this.#index.nextItem(at)) items.push(this.#item(at, place));
    return items;
  }

  #item(at: number, place: number): BlockView | string | null {
    const { words, all } = this.#index;
    const first = all[words[at] ?? 0];
    if (first !== curly) return first === quote ? textOf(this.slots.parse(this.#index.text(at))) : null;
    const block = this.#blocks[place] ?? this.#newBlock(place);
    block.base = at;
    return block;
  }

  #newBlock(place: number): IndexedBlock {
    const block = new IndexedBlock(this.slots);
    this.#blocks[place] = block;
    return block;
  }
}

export interface IndexedRecord extends RecordView {}

let isAnswered = false;

/** What records say of who wrote them, by the hash that the index makes of it. */
interface Written {
  readonly high: number;
  readonly low: number;
  readonly writer: Writer;
  /** It has one of the keys that only rows of transcripts have. */
  readonly isRow: boolean;
}

class Writers {
  readonly #slots: Slots;
  readonly #readers;
  readonly #sessionId: number;
  readonly #isSidechain: number;
  #known = new Map<number, Written>();
  /** Of no record. */
  readonly none: Written;

  constructor(slots: Slots, slot: (path: string) => number) {
    this.#slots = slots;
    this.#readers = Object.entries(writerKeys).map(([name, key]) => [name, slotReader(key, slot)] as const);
    this.#sessionId = slot('sessionId');
    this.#isSidechain = slot('isSidechain');
    this.none = { high: 0, low: 0, writer: new ParsedRecord({}).writer, isRow: false };
  }

  of(entry: number): Written {
    const { index } = this.#slots;
    const high = index.word(entry + header.shared);
    const low = index.word(entry + header.shared + 1);
    const known = this.#known.get(low);
    if (known !== undefined && known.high === high) return known;
    const isRow = index.first(entry + this.#sessionId) === quote || index.word(entry + this.#isSidechain) !== 0;
    const values: Record<string, unknown> = {};
    for (const [name, read] of this.#readers) values[name] = read(this.#slots, entry);
    // Each reader gives what its key means.
    const written = { high, low, writer: values as unknown as Writer, isRow };
    if (this.#known.size >= mostWriters) this.#known = new Map();
    this.#known.set(low, written);
    return written;
  }
}

/** How many are remembered. Hostile input may invent any number. */
const mostWriters = 4096;
const mostTypes = 1000;

class IndexedBlock implements BlockView {
  readonly #slots: Slots;
  readonly #at;
  /** Where its slots begin. */
  base = 0;

  constructor(slots: Slots) {
    const { index } = slots;
    this.#slots = slots;
    this.#at = {
      type: index.itemSlot('type'),
      id: index.itemSlot('id'),
      name: index.itemSlot('name'),
      toolUseId: index.itemSlot('tool_use_id'),
      isError: index.itemSlot('is_error'),
      input: index.itemSlot('input'),
      content: index.itemSlot('content'),
      text: index.itemSlot('text'),
    };
  }

  get type(): string {
    return this.#slots.word(this.base + this.#at.type) ?? '';
  }
  get id(): string | null {
    return this.#slots.id(this.base + this.#at.id);
  }
  get toolUseId(): string | null {
    return this.#slots.id(this.base + this.#at.toolUseId);
  }
  get isError(): boolean | null {
    return this.#slots.flag(this.base + this.#at.isError);
  }
  get name(): string {
    return this.#slots.word(this.base + this.#at.name) ?? '';
  }
  get text(): string | null {
    return textOf(this.#slots.value(this.base + this.#at.text));
  }
  get contentType(): string | null {
    const isObject = this.#slots.index.first(this.base + this.#at.content) === curly;
    return isObject ? textOf(objectOf(this.content())?.type) : null;
  }
  input(): unknown {
    return this.#slots.value(this.base + this.#at.input);
  }
  content(): unknown {
    return this.#slots.value(this.base + this.#at.content);
  }
  head(): string {
    return this.#slots.head(this.base + this.#at.content);
  }
  begins(words: string): boolean | null {
    return this.#slots.begins(this.base + this.#at.content, words);
  }
  lines(): number | null {
    return this.#slots.lines(this.base + this.#at.content);
  }
  contentBytes(): number {
    return this.#slots.bytesAt(this.base + this.#at.content);
  }
  callMark(seed: number): number {
    return this.#slots.mark(this.base + this.#at.id, seed);
  }
  returnMark(seed: number): number {
    return this.#slots.mark(this.base + this.#at.toolUseId, seed);
  }
  isNewCall(seen: Seen): boolean {
    return this.#slots.isNew(this.base + this.#at.id, seen, wasCalled);
  }
  isNewReturn(seen: Seen): boolean {
    return this.#slots.isNew(this.base + this.#at.toolUseId, seen, wasReturned);
  }
  whole(): JsonObject {
    return objectOf(this.#slots.parse(this.#slots.index.text(this.base))) ?? {};
  }
}

const onlyField = Object.fromEntries(Object.keys(resultKeys).map((key) => [key, { [key]: true }])) as Readonly<
  Record<ResultKey, Picked>
>;

class IndexedResult implements ResultView {
  readonly #slots: Slots;
  readonly #paths;
  readonly #marks: ReadonlyMap<string, number>;
  #entry = 0;
  #at = 0;
  #success = 0;

  constructor(slots: Slots) {
    const { index } = slots;
    this.#slots = slots;
    this.#paths = ['tool_use_result', 'toolUseResult'].map((path) => ({
      at: index.slot(path),
      success: index.slot(`${path}.success`),
    }));
    this.#marks = new Map(Object.values(resultKeys).map((name) => [name, index.mark(name)]));
  }

  look(entry: number): void {
    this.#entry = entry;
    for (const { at, success } of this.#paths) {
      this.#at = entry + at;
      this.#success = entry + success;
      if (this.isGiven) return;
    }
  }

  get isGiven(): boolean {
    const first = this.#slots.index.first(this.#at);
    return first !== 0 && first !== letterN;
  }
  get isObject(): boolean {
    return this.#slots.index.first(this.#at) === curly;
  }
  get success(): boolean | null {
    return this.isObject ? this.#slots.flag(this.#success) : null;
  }
  get isTelling(): boolean {
    return this.isObject && this.#has('telling');
  }
  field(key: ResultKey): unknown {
    return this.isObject && this.#has(resultKeys[key]) ? this.pick(onlyField[key])[key] : undefined;
  }
  timings(): JsonObject {
    return this.#has('timed') ? this.pick(pickedTimes) : {};
  }
  pick(wanted: Picked): JsonObject {
    return this.isObject ? this.#slots.pick(this.#slots.index.word(this.#at), wanted) : {};
  }
  mayHold(letters: string): boolean {
    return this.#slots.mayHold(this.#at, letters);
  }
  value(): unknown {
    return this.#slots.value(this.#at);
  }
  bytes(): number {
    return this.#slots.bytesAt(this.#at);
  }
  #has(mark: string): boolean {
    return (this.#slots.index.word(this.#entry + header.marks) & (this.#marks.get(mark) ?? 0)) !== 0;
  }
}
