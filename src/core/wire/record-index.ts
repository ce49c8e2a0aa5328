// Lists the keys that are read before a record is parsed, and reads their values from the index of its line.
import { type JsonObject, jsonBytes, parseJson, timeOf } from '../record/json.js';
import type { LineIndex, Shape } from '../record/line-index.js';

/** Result keys that identify the tool of a call that is not in the input (tools/calls.ts), or that continue a call. */
const result: Shape = {
  ...marked('telling', 'status', 'teammate_id', 'team_file_path', 'routing', 'request_id', 'task', 'taskId', 'tasks'),
  ...marked('telling', 'team_name'),
  detachedToolCall: { mark: 'detached' },
  backgroundTaskId: { mark: 'background' },
  ...marked('waking', 'resumedAgentId', 'revivedAgentId'),
  ...marked('timed', 'totalDurationMs', 'durationMs', 'durationSeconds'),
  success: 'place',
};

/** A record with a key marked `strange` is parsed whole. */
export const recordShape: Shape = {
  ...marked('strange', 'cct', 'hook_event_name', 'from', 'key', 'leafUuid', 'supersedes', 'agent_id'),
  ...marked('strange', 'isApiErrorMessage'),
  requestSessionId: { mark: 'strange' },
  type: 'hash',
  uuid: 'id',
  session_id: 'hash',
  parent_tool_use_id: 'hash',
  timestamp: 'place',
  request_id: 'place',
  requestId: 'place',
  sessionId: 'hash',
  parentUuid: 'place',
  isSidechain: 'hash',
  agentId: 'hash',
  agentName: 'hash',
  teamName: 'hash',
  cwd: 'hash',
  version: 'hash',
  gitBranch: 'hash',
  permissionMode: 'hash',
  promptId: 'hash',
  isMeta: 'place',
  isCompactSummary: 'place',
  attributionAgent: 'place',
  attributionMcpServer: 'place',
  tool_use_meta: 'place',
  event: { object: { type: 'hash' } },
  message: {
    object: {
      id: 'id',
      model: 'hash',
      stop_reason: 'hash',
      stop_sequence: 'hash',
      usage: 'hash',
      content: {
        list: {
          type: 'hash',
          id: 'id',
          name: 'hash',
          input: 'place',
          tool_use_id: 'id',
          is_error: 'place',
          content: 'place',
        },
      },
    },
  },
  tool_use_result: { object: result },
  toolUseResult: { object: result },
};

function marked(mark: string, ...names: string[]): Shape {
  return Object.fromEntries(names.map((name) => [name, { mark }]));
}

/** Fields that say whose record it is. Most transcript rows repeat those of the row before. */
const envelope = [
  ...['session_id', 'sessionId', 'parent_tool_use_id', 'isSidechain', 'agentId', 'agentName', 'teamName'],
  ...['cwd', 'version', 'gitBranch', 'permissionMode'],
];

/** Identifies a message, and shows whether a record says something new about it. */
const ofMessage = ['message.id', 'message.model', 'message.stop_reason', 'message.stop_sequence', 'message.usage'];

/** Reads records from the index of their lines. Slots of a record begin at its entry, slots of a block at its item. */
export class RecordIndex {
  readonly slot;
  readonly block;
  readonly marks;
  /** The envelope and the prompt of the last row read, and the last record of a message. */
  readonly lastRow: Remembered;
  readonly lastPrompt: Remembered;
  readonly lastMessage: Remembered;
  /** The value of a slot with a hash. Such values often repeat. */
  readonly #values: (at: number) => unknown;
  readonly #envelope: readonly number[];

  constructor(readonly index: LineIndex) {
    this.slot = slotsOf((path) => index.slot(path));
    this.block = blockSlotsOf((path) => index.itemSlot(path));
    const [strange, telling, timed] = [index.mark('strange'), index.mark('telling'), index.mark('timed')];
    const [detached, background, waking] = [index.mark('detached'), index.mark('background'), index.mark('waking')];
    this.marks = { strange, telling, timed, detached, background, waking };
    this.#values = memo(index, parseJson);
    this.#envelope = envelope.map((name) => index.slot(name));
    this.lastRow = remember(index, this.#envelope);
    this.lastPrompt = remember(index, [this.slot.promptId]);
    this.lastMessage = remember(index, [...ofMessage.map((name) => index.slot(name)), ...this.#envelope]);
  }

  forget(): void {
    this.lastRow.forget();
    this.lastPrompt.forget();
    this.lastMessage.forget();
  }

  /** undefined if the key is absent. */
  value(at: number): unknown {
    return this.index.word(at) === 0 ? undefined : parseJson(this.index.text(at));
  }

  /** The same for a slot with a hash. */
  known(at: number): unknown {
    return this.index.word(at) === 0 ? undefined : this.#values(at);
  }

  /** How many bytes the value takes when normalize writes it. */
  bytes(at: number): number {
    const { index } = this;
    return index.isCanonical(at) ? index.word(at + 1) - index.word(at) : jsonBytes(this.value(at));
  }

  /** The same for a slot with the hash of an id. */
  id(at: number): unknown {
    return this.isId(at) ? this.index.id(at) : this.value(at);
  }

  /** Whether the slot has an id that is plain text. */
  isId(at: number): boolean {
    return this.index.first(at) === quote && this.hasHash(at) && !this.isEmpty(at);
  }

  hasHash(at: number): boolean {
    return (this.index.word(at + 2) | this.index.word(at + 3)) !== 0;
  }

  isEmpty(at: number): boolean {
    return this.index.word(at + 1) - this.index.word(at) === 2;
  }

  time(entry: number): string | null {
    const at = entry + this.slot.timestamp;
    return this.index.word(at) === 0 ? null : timeOf(parseJson(this.index.text(at)));
  }

  /** Whether it is a transcript row, judging by its keys. */
  isRow(entry: number): boolean {
    const { index, slot } = this;
    return (
      index.first(entry + slot.sessionId) === quote ||
      index.word(entry + slot.parentUuid) !== 0 ||
      index.word(entry + slot.isSidechain) !== 0
    );
  }

  hasEnvelope(entry: number): boolean {
    for (const at of this.#envelope) if (this.index.word(entry + at) !== 0) return true;
    return false;
  }

  /** The record without its content. */
  head(entry: number, isRow: boolean): JsonObject {
    const { slot } = this;
    const uuid = this.id(entry + slot.uuid);
    const session_id = this.known(entry + slot.session_id);
    const parent_tool_use_id = this.known(entry + slot.parent);
    const timestamp = this.value(entry + slot.timestamp);
    const request_id = this.value(entry + slot.request_id);
    const requestId = this.value(entry + slot.requestId);
    if (!isRow) return { uuid, session_id, parent_tool_use_id, timestamp, request_id, requestId };
    return {
      uuid,
      session_id,
      parent_tool_use_id,
      timestamp,
      request_id,
      requestId,
      sessionId: this.known(entry + slot.sessionId),
      parentUuid: this.value(entry + slot.parentUuid),
      isSidechain: this.known(entry + slot.isSidechain),
      agentId: this.known(entry + slot.agentId),
      agentName: this.known(entry + slot.agentName),
      teamName: this.known(entry + slot.teamName),
      cwd: this.known(entry + slot.cwd),
      version: this.known(entry + slot.version),
      gitBranch: this.known(entry + slot.gitBranch),
      permissionMode: this.known(entry + slot.permissionMode),
      promptId: this.known(entry + slot.promptId),
      isMeta: this.value(entry + slot.isMeta),
      isCompactSummary: this.value(entry + slot.isCompactSummary),
    };
  }

  /** The message without its content. */
  message(entry: number): JsonObject {
    const { slot } = this;
    return {
      id: this.id(entry + slot.messageId),
      model: this.known(entry + slot.model),
      stop_reason: this.known(entry + slot.stopReason),
      stop_sequence: this.known(entry + slot.stopSequence),
      usage: this.known(entry + slot.usage),
    };
  }
}

const quote = 0x22;

function slotsOf(slot: (path: string) => number) {
  return {
    type: slot('type'),
    uuid: slot('uuid'),
    session_id: slot('session_id'),
    parent: slot('parent_tool_use_id'),
    timestamp: slot('timestamp'),
    request_id: slot('request_id'),
    requestId: slot('requestId'),
    sessionId: slot('sessionId'),
    parentUuid: slot('parentUuid'),
    isSidechain: slot('isSidechain'),
    agentId: slot('agentId'),
    agentName: slot('agentName'),
    teamName: slot('teamName'),
    cwd: slot('cwd'),
    version: slot('version'),
    gitBranch: slot('gitBranch'),
    permissionMode: slot('permissionMode'),
    promptId: slot('promptId'),
    isMeta: slot('isMeta'),
    isCompactSummary: slot('isCompactSummary'),
    attributionAgent: slot('attributionAgent'),
    server: slot('attributionMcpServer'),
    callMeta: slot('tool_use_meta'),
    eventType: slot('event.type'),
    messageId: slot('message.id'),
    model: slot('message.model'),
    stopReason: slot('message.stop_reason'),
    stopSequence: slot('message.stop_sequence'),
    usage: slot('message.usage'),
    content: slot('message.content'),
    result: slot('tool_use_result'),
    rowResult: slot('toolUseResult'),
    success: slot('tool_use_result.success'),
    rowSuccess: slot('toolUseResult.success'),
  };
}

function blockSlotsOf(slot: (path: string) => number) {
  return {
    type: slot('type'),
    id: slot('id'),
    name: slot('name'),
    input: slot('input'),
    toolUseId: slot('tool_use_id'),
    isError: slot('is_error'),
    content: slot('content'),
  };
}

/** Calls `make` with the text of a slot with a hash, once per distinct text. */
export function memo<T>(index: LineIndex, make: (text: string) => T): (at: number) => T {
  let known = new Map<number, Made<T>>();
  let last: Made<T> | undefined;
  return (at) => {
    const high = index.word(at + 2);
    const low = index.word(at + 3);
    if (last !== undefined && last.low === low && last.high === high) return last.value;
    last = known.get(low);
    if (last === undefined || last.high !== high) {
      if (known.size >= mostKnown) known = new Map();
      last = { high, low, value: make(index.text(at)) };
      known.set(low, last);
    }
    return last.value;
  };
}

interface Made<T> {
  readonly high: number;
  readonly low: number;
  readonly value: T;
}

/** How many values are remembered. */
export const mostKnown = 4096;

interface Remembered {
  /** Whether these slots have the same values as when they were kept. */
  isSame(entry: number): boolean;
  keep(entry: number): void;
  forget(): void;
}

/** Remembers the hashes of some slots. An absent key has the hash 0. */
function remember(index: LineIndex, slots: readonly number[]): Remembered {
  const hashes = new Int32Array(2 * slots.length);
  let isKept = false;
  return {
    isSame(entry) {
      if (!isKept) return false;
      for (let at = 0; at < slots.length; at++) {
        const word = entry + (slots[at] ?? 0);
        if (hashes[2 * at] !== index.word(word + 2) || hashes[2 * at + 1] !== index.word(word + 3)) return false;
      }
      return true;
    },
    keep(entry) {
      isKept = true;
      for (let at = 0; at < slots.length; at++) {
        const word = entry + (slots[at] ?? 0);
        hashes[2 * at] = index.word(word + 2);
        hashes[2 * at + 1] = index.word(word + 3);
      }
    },
    forget() {
      isKept = false;
    },
  };
}
