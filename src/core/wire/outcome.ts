// Says in our words how a turn ended. Versions spell it differently, and `success` may be an error of the API.
import type { EventMap } from '../event/event.js';
import type { Ending } from '../event/usage-row.js';
import { flagOf, type JsonObject, objectOf, textOf, wholeOf } from '../record/json.js';
import { textOfContent } from './tools/tool-result.js';

type Result = Pick<
  EventMap['session:ended'],
  'subtype' | 'is_error' | 'terminal_reason' | 'stop_reason' | 'api_error_status' | 'result'
>;

/** How a result ended its turn. */
export function endingOf(result: Result): Ending {
  const { subtype, is_error, terminal_reason: terminal } = result;
  const isError = is_error === true || (subtype?.startsWith('error') ?? false);
  // 2.1.39 says nothing else about an interrupted turn.
  const aborted = terminal === null ? subtype === 'error_during_execution' : terminal.startsWith('aborted');
  if (aborted) return byInterrupt;
  if (result.stop_reason === 'refusal') return refused;
  const reason = reasonOf(result);
  if (reason === 'api_error') return apiError(statusOf(result));
  return { outcome: isError || limits.has(reason) ? 'failed' : 'finished', reason, api_error_status: null };
}

const byInterrupt: Ending = { outcome: 'stopped', reason: 'interrupted', api_error_status: null };
const maxTurns: Ending = { outcome: 'failed', reason: 'max_turns', api_error_status: null };
const refused: Ending = { outcome: 'failed', reason: 'refused', api_error_status: null };

function apiError(api_error_status: number | null): Ending {
  return { outcome: 'failed', reason: 'api_error', api_error_status };
}

/** A limit that was reached ends the work, whatever else the result says. 2.1.39 says that it is no error. */
const limits: ReadonlySet<string | null> = new Set(['max_turns', 'max_budget']);

/** null if it just ended. A word that is not known here is kept. */
function reasonOf({ subtype, is_error, terminal_reason }: Result): string | null {
  const said = subtype === 'success' ? null : subtype;
  const more = terminal_reason === 'completed' ? null : terminal_reason;
  const word = said === 'error_during_execution' ? (more ?? said) : (said ?? more);
  if (word !== null) return reasons.get(word) ?? word;
  // Then the text of the result is the error of the API.
  return subtype === 'success' && is_error === true ? 'api_error' : null;
}

/** A Map, because a word of a result may be the name of any property. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['error_max_turns', 'max_turns'],
  ['error_max_budget_usd', 'max_budget'],
  ['budget_exhausted', 'max_budget'],
  ['stop_hook_prevented', 'hook'],
  ['hook_stopped', 'hook'],
]);

function statusOf({ api_error_status, result }: Result): number | null {
  return wholeOf(api_error_status) ?? statusIn(result);
}

/** `API Error: 529 Overloaded. …` */
function statusIn(text: string | null): number | null {
  const status = /^API Error: (\d{3})\b/.exec(text?.slice(0, 40) ?? '')?.[1];
  return status === undefined ? null : Number(status);
}

/** How a record shows that its turn ended without a result; null if it does not. Transcripts have no results. */
export function endingShownBy({ subtype, stop_reason, api_error_status }: EventMap['session:changed']): Ending | null {
  if (subtype === 'interrupted') return byInterrupt;
  if (subtype === 'max_turns_reached') return maxTurns;
  // The call that gives the answer of `--json-schema` is the last of its turn.
  if (subtype === 'structured_output') return finished;
  if (subtype !== 'api_error') return null;
  return stop_reason === 'refusal' ? refused : apiError(wholeOf(api_error_status));
}

/** The same for a cost-state row, the last one of a session: the answer before it shows whether the turn had ended. */
export function endingReportedBy({ stop_reason }: EventMap['usage:reported']): Ending | null {
  if (stop_reason === 'refusal') return refused;
  // A run that ended in the middle of its work may have been stopped, or have reached a limit.
  const isAnswer = typeof stop_reason === 'string' && stop_reason !== 'tool_use' && stop_reason !== 'pause_turn';
  return isAnswer ? finished : null;
}

/** How `cct run` ended it. */
export function endingByStop({ reason, limit, unit, spent, signal }: EventMap['run:stopped']): Ending {
  const words = {
    budget: spent === null ? 'a model has no price' : `passed ${unit === 'usd' ? `$${limit}` : `${limit} tokens`}`,
    idle: `nothing came for ${limit} s`,
    reader_left: 'the reader of the output went away',
    signal: signal ?? 'a signal',
  };
  return { outcome: 'stopped', reason: stoppedByCct, api_error_status: null, stopped_for: words[reason] };
}

export const stoppedByCct = 'stopped_by_cct';

export const finished: Ending = { outcome: 'finished', reason: null, api_error_status: null };

/** The error of the API that a message of an assistant stands for; null for any other message. */
export function apiErrorIn(record: JsonObject): JsonObject | null {
  const message = objectOf(record.message);
  if (message?.model !== '<synthetic>') return null;
  // Only a transcript has the mark.
  if (!(flagOf(record.isApiErrorMessage) ?? textOf(record.error) !== null)) return null;
  const error = textOfContent(message.content);
  const api_error_status = wholeOf(record.apiErrorStatus) ?? statusIn(error);
  return { stop_reason: textOf(message.stop_reason), api_error_status, error };
}
