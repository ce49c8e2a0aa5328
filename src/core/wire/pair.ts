// The events of a single call and its result, for hosts that pair them themselves.
import type { Event } from '../event/event.js';
import { type JsonObject, objectOf } from '../record/json.js';
import { createReader } from './reader.js';
import { ParsedRecord } from './view.js';

export interface PairedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
}

/** The block of a result. `tool_use_result` is the structured result that its record may have besides the text. */
export interface PairedResult {
  tool_use_id: string;
  type?: string;
  content?: unknown;
  is_error?: boolean;
  tool_use_result?: unknown;
}

/** The id of the call in its events: only its own result decides about a call, whatever its id is. */
export const pairedId = 'call';

/** `team`: the team the session is in, because a spawn without an id in its result belongs to it. */
export function eventsOfPair(call: PairedCall, result: PairedResult, team: string | null): Event[] {
  const events: Event[] = [];
  const reader = createReader({ emit: (event) => events.push(event), warn() {} });
  const tellPair = ({ id, tool, input }: PairedCall, { tool_use_result, ...block }: PairedResult) => {
    const use = { type: 'tool_use', id, name: tool, input };
    const returned = { ...block, type: 'tool_result', tool_use_id: id };
    reader.record(new ParsedRecord({ type: 'assistant', message: { content: [use] } }), 1);
    reader.record(
      new ParsedRecord({
        type: 'user',
        message: { content: [returned] },
        tool_use_result: tool_use_result ?? objectOf(block.content),
      }),
      2,
    );
  };
  if (team !== null) tellPair({ id: 'team', tool: 'TeamCreate', input: { team_name: team } }, { tool_use_id: 'team' });
  const before = events.length;
  tellPair({ ...call, id: pairedId }, result);
  return events.slice(before);
}
