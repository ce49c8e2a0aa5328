// The view of a record that stands in the index of its line. Nothing is parsed until somebody asks for it.
import { type JsonObject, objectOf, textOf } from '../record/json.js';
import type { LineIndex } from '../record/line-index.js';
import type { Picked } from '../record/pick.js';
import { type Seen, wasCalled, wasReturned } from './seen.js';
import { answer, bracket, curly, letterN, quote, Slots, Words } from './slots.js';
import { type Key, pickedTimes, type ResultKey, recordKeys, resultKeys } from './spell.js';
import {
  type BlockView,
  type Content,
  contentOf,
  isOneStep,
  ParsedRecord,
  type RecordView,
  type ResultView,
} from './view.js';

/** One instance serves all lines: `look` moves it to the next. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: `answer` defines the other getters of the interface.
export class IndexedRecord {
  readonly slots: Slots;
  readonly #index: LineIndex;
  readonly #at;
  readonly #words;
  readonly #strange: number;
  readonly #blocks: IndexedBlock[] = [];
  readonly #result: IndexedResult;
  /** The view of the records inside others, and the index of their lines. */
  #inner: { readonly index: LineIndex; readonly view: IndexedRecord } | null = null;
  #innerEntry = 0;
  /** Where its slots begin. */
  base = 0;
  #whole: JsonObject | null = null;
  #content: Content = null;

  constructor(
    index: LineIndex,
    readonly isPartial = false,
  ) {
    this.#index = index;
    this.slots = new Slots(index);
    this.#at = {
      type: index.slot('type'),
      uuid: index.slot('uuid'),
      sessionId: index.slot('sessionId'),
      parentUuid: index.slot('parentUuid'),
      isSidechain: index.slot('isSidechain'),
      time: index.slot('timestamp'),
      content: index.slot('message.content'),
      ownContent: index.slot('content'),
      usage: index.slot('message.usage'),
      iterations: index.slot('message.usage.iterations'),
      messageId: index.slot('message.id'),
      model: index.slot('message.model'),
      stop: index.slot('message.stop_reason'),
      inside: index.slot('data.message'),
    };
    const slot = (path: string) => index.slot(path);
    const wordsFor = (key: Key) => new Words(key, slot);
    this.#words = {
      session: wordsFor(recordKeys.session),
      agentId: wordsFor(recordKeys.agentId),
      teamName: wordsFor(recordKeys.teamName),
      cwd: wordsFor(recordKeys.cwd),
      version: wordsFor(recordKeys.version),
      gitBranch: wordsFor(recordKeys.gitBranch),
      permissionMode: wordsFor(recordKeys.permissionMode),
      model: wordsFor(recordKeys.model),
    };
    this.#strange = index.mark('strange');
    this.#result = new IndexedResult(this.slots);
    if (!isAnswered) answer(IndexedRecord.prototype, recordKeys, slot);
    isAnswered = true;
  }

  /** Looks at the record of an entry; false if only a parsed record can show what it is. */
  look(entry: number): boolean {
    const index = this.#index;
    if (index.isOdd(entry) || index.first(entry + this.#at.type) !== quote) return false;
    this.base = entry;
    this.#whole = null;
    this.#content = null;
    return true;
  }

  /** How many bytes were parsed so far. */
  get parsedBytes(): number {
    return this.slots.parsed + (this.#inner?.view.parsedBytes ?? 0);
  }

  // Those that every line is asked for. V8 knows what each of these does; all that `answer` makes are one function to it.
  get type(): string {
    return this.slots.word(this.base + this.#at.type) ?? '';
  }
  get uuid(): string | null {
    return this.slots.id(this.base + this.#at.uuid);
  }
  get time(): string | null {
    return this.slots.time(this.base + this.#at.time);
  }
  get isSidechain(): boolean | null {
    return this.slots.flag(this.base + this.#at.isSidechain);
  }
  get messageId(): string | null {
    return this.slots.id(this.base + this.#at.messageId);
  }
  get session(): string | null {
    return this.#words.session.at(this.slots, this.base);
  }
  get agentId(): string | null {
    return this.#words.agentId.at(this.slots, this.base);
  }
  get teamName(): string | null {
    return this.#words.teamName.at(this.slots, this.base);
  }
  get cwd(): string | null {
    return this.#words.cwd.at(this.slots, this.base);
  }
  get version(): string | null {
    return this.#words.version.at(this.slots, this.base);
  }
  get gitBranch(): string | null {
    return this.#words.gitBranch.at(this.slots, this.base);
  }
  get permissionMode(): string | null {
    return this.#words.permissionMode.at(this.slots, this.base);
  }
  get model(): string | null {
    return this.#words.model.at(this.slots, this.base);
  }

  get isFirst(): boolean {
    return this.#index.first(this.base + this.#at.parentUuid) === letterN;
  }
  get hasRowKeys(): boolean {
    const index = this.#index;
    return (
      index.first(this.base + this.#at.sessionId) === quote ||
      index.word(this.base + this.#at.parentUuid) !== 0 ||
      index.word(this.base + this.#at.isSidechain) !== 0
    );
  }
  get isStrange(): boolean {
    return (this.#index.marks(this.base) & this.#strange) !== 0;
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
    const index = this.#index;
    const id = this.base + this.#at.messageId;
    const usage = this.base + this.#at.usage;
    const stop = this.base + this.#at.stop;
    const model = this.base + this.#at.model;
    if (index.word(id + 3) === 0) return Number.NaN;
    // Each of these has a hash of two words. 53 bits of all of them are enough to compare a record with the one before.
    let mark = 0;
    for (let word = 2; word < 4; word++) {
      const served = Math.imul(index.word(usage + word), 0x9e3779b1) ^ Math.imul(index.word(stop + word), 0x85ebca6b);
      mark =
        mark * 0x200000 + ((index.word(id + word) ^ served ^ Math.imul(index.word(model + word), 0xc2b2ae35)) >>> 0);
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
  isNew(seen: Seen): boolean {
    return this.slots.isNew(this.base + this.#at.uuid, seen, '');
  }
  pick(wanted: Picked): JsonObject {
    const start = this.#index.lineStart(this.base);
    return this.#whole ?? (this.#index.byte(start) === curly ? this.slots.pickOften(start, wanted) : this.whole());
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
    const index = this.#index;
    const items: (BlockView | string | null)[] = [];
    let at = index.firstItem(this.base);
    for (let place = 0; place < index.items(this.base); place++, at = index.nextItem(at)) {
      const first = index.first(at);
      if (first === curly) {
        const block = this.#blocks[place] ?? new IndexedBlock(this.slots);
        this.#blocks[place] = block;
        block.base = at;
        items.push(block);
      } else items.push(first === quote ? textOf(this.slots.parse(index.text(at))) : null);
    }
    return items;
  }
}

export interface IndexedRecord extends RecordView {}

let isAnswered = false;

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
    return this.isObject && this.#has(resultKeys[key]) ? this.pick({ [key]: true })[key] : undefined;
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
    return (this.#slots.index.marks(this.#entry) & (this.#marks.get(mark) ?? 0)) !== 0;
  }
}
