// Keeps results that are read before their calls: files may be read in any order.
import { jsonBytes } from '../../record/json.js';
import type { Context, Origin, Waiting } from '../context.js';
import type { Place } from '../sessions.js';
import { type BlockView, noResult, ParsedRecord } from '../view.js';
import { reportedMs } from './call-meta.js';
import { readingOf, returned, tellEffect } from './calls.js';
import { ToolResult } from './tool-result.js';

/** A result whose call was not read before it. */
interface EarlyResult {
  /** The number that stands for the id of its call. */
  readonly mark: number;
  /** Where it is, with a record that outlives its line. */
  readonly at: Origin;
  readonly place: Place;
  /** The size of its record. */
  readonly bytes: number;
}

interface FoundResult {
  readonly call: Waiting;
  readonly result: EarlyResult;
}

export class EarlyResults {
  #results: EarlyResult[] = [];

  /** Whether one more may wait for its call. */
  get hasRoom(): boolean {
    return this.#results.length < most;
  }

  keep(result: EarlyResult): void {
    const kept = this.#results.reduce((sum, { bytes }) => sum + bytes, 0);
    if (kept + result.bytes <= mostBytes) this.#results.push(result);
  }

  /** A call behind its result in one source stays open. */
  drop(call: number, here: Place): void {
    if (this.#results.length > 0)
      this.#results = this.#results.filter(({ mark, place }) => mark !== call || place !== here);
  }

  /** Removes the results whose calls were read meanwhile. `takeCall` removes a call that is open. */
  take(takeCall: (mark: number) => Waiting | undefined): FoundResult[] {
    if (this.#results.length === 0) return [];
    const found = this.#results.flatMap((result) => {
      const call = takeCall(result.mark);
      return call === undefined ? [] : [{ call, result }];
    });
    if (found.length > 0) this.#results = this.#results.filter((one) => !found.some(({ result }) => result === one));
    return found;
  }
}

/** Only input that was scattered, or that lacks its beginning, has any. */
const most = 200;
const mostBytes = 4_000_000;

/** Keeps a result for the case that its call is in a file that is read later. */
export function keepEarly(context: Context, at: Origin, block: BlockView): void {
  if (block.toolUseId === null || context.early?.hasRoom === false) return;
  const { session, agent, time, line, record, transcript } = at;
  const whole = record.whole();
  const kept = new ParsedRecord(whole);
  const mark = block.returnMark(context.seen.seed);
  const own = { session, agent, time, line, record: kept, transcript };
  context.early ??= new EarlyResults();
  context.early.keep({ mark, at: own, place: context.place, bytes: jsonBytes(whole) });
}

/** Tells what the open calls of a source did whose results were in sources that were read before. */
export function closeEarly(context: Context): void {
  const { place } = context;
  for (const { call, result } of context.early?.take((mark) => context.calls.take(mark)) ?? []) {
    const { at } = result;
    const { content } = at.record;
    const blocks = typeof content === 'string' || content === null ? [] : content.filter(isResult);
    const block = blocks.find(({ toolUseId }) => toolUseId === call.id);
    if (block === undefined || call.copied) continue;
    const outcome = new ToolResult(
      block,
      blocks.length === 1 ? at.record.result : noResult,
      readingOf(context, call.tool).words,
    );
    context.place = result.place;
    // How long it took is read as its tool writes it.
    const isTimed = reportedMs(call.tool, outcome) !== null;
    if (isTimed && context.isWanted(at, 'tool:returned')) returned(context, at, call.id, call, outcome);
    tellEffect(context, at, call, call, outcome);
  }
  context.place = place;
  // Their times were told when their sources were read.
  context.passed = { first: null, last: null };
}

function isResult(block: BlockView | string | null): block is BlockView {
  return typeof block === 'object' && block !== null && block.type.endsWith('tool_result');
}
