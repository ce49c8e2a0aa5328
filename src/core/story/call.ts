// Tells calls: what each was about, how it ended, what it changed.
import type { EventMap } from '../event/event.js';
import { toJson } from '../record/json.js';
import {
  type Amount,
  amountOf,
  changeCounts,
  changesOf,
  countsOf,
  failureIn,
  mannerOf,
  resultText,
  searchPlace,
  targetOf,
} from '../wire/tools/about.js';
import { actOf, isToldByEvents } from '../wire/tools/table.js';
import {
  beginningOf,
  type CallEnd,
  draftOf,
  type Happening,
  noFacts,
  originOf,
  partsOf,
  toTell,
  type Wants,
} from './draft.js';
import type { Draft, Facts, Part } from './line.js';

export function callMade(event: EventMap['tool:called'], wants: Wants): Happening {
  const { tool, tool_use_id: id, input } = event;
  const about = targetOf(tool, input);
  const place = searchPlace(tool, input);
  const target = about !== null && place !== null ? `${about} in ${place}` : about;
  const parts = wants.parts ? inputParts(tool, input, about) : [];
  const told = draftOf('call', { status: 'open', tool, tool_use_id: id, target, parts }, wants);
  const draft = told.found ? told : { ...told, found: wants.find?.(toJson(input)) ?? true };
  const key = () => `call ${id ?? `${event.time} ${tool} ${event.session_id} ${event.agent}`}`;
  if (id === null) return toTell(event, key, draft, null);
  // Inputs of edits and sends are needed when the call returns. Others are not kept.
  const kept = mannerOf(tool) === 'edit' || actOf(tool ?? '') !== null ? input : null;
  const { time: own, source = '' } = event;
  return { origin: originOf(event), own, source, key, does: 'call', id, draft, input: kept };
}

/** What the first line of a call does not show. */
function inputParts(tool: string | null, input: unknown, target: string | null): Part[] {
  const manner = mannerOf(tool);
  if (manner === 'edit' || manner === 'read') return [];
  if (manner === 'shell') return target?.trim().includes('\n') ? partsOf('input', target) : [];
  const json = toJson(input);
  return json === '{}' || json === 'null' || json.length <= (target?.length ?? 0) + 20 ? [] : partsOf('input', json);
}

export function callReturned(event: EventMap['tool:returned'], wants: Wants): Happening | null {
  const { tool, tool_use_id: id, success, error = null, result } = event;
  if (id === null) return null;
  const { find, parts } = wants;
  const failure = success ? null : failureIn(tool, error ?? '');
  const text = beginningOf(failure?.text ?? null, wants);
  const end: CallEnd = {
    tool,
    status: success ? 'ok' : event.denied === true ? 'denied' : 'failed',
    bad: !success,
    text,
    left: (failure?.text.length ?? 0) - (text?.length ?? 0),
    facts: returnFacts(event, failure?.exit ?? null),
    found: find === null || find(error ?? '') || find(resultText(tool, result)) || find(toJson(result)),
    // A change is counted with the input, when the call is known too.
    result: parts ? result : mannerOf(tool) === 'edit' ? patchOf(result) : null,
    error: parts ? error : null,
  };
  const { time: own, source = '' } = event;
  return { origin: originOf(event), own, source, key: () => `return ${id}`, does: 'return', id, end, opened: null };
}

function returnFacts({ tool, success, result, duration_ms }: EventMap['tool:returned'], exit: number | null): Facts {
  const { background, lines, files, bytes }: Amount = success ? amountOf(tool, result) : {};
  return { exit, background: background && 1, lines, files, bytes, ms: duration_ms };
}

/** Of a result that nobody wants to read only the patch is needed. */
function patchOf(value: unknown): unknown {
  const hasPatch = typeof value === 'object' && value !== null && 'structuredPatch' in value;
  return hasPatch ? { structuredPatch: value.structuredPatch } : null;
}

/** What belongs to a call that returned, and how many lines it changed. */
export function endOfCall(
  { tool, parts: given }: Pick<Draft, 'tool' | 'parts'>,
  input: unknown,
  { result: value, error, bad }: CallEnd,
  wantsParts: boolean,
): { facts: Facts; parts: readonly Part[] } {
  if (!wantsParts) return { facts: (bad ? null : changeCounts(tool, input, value)) ?? noFacts, parts: [] };
  const changes = bad ? null : changesOf(tool, input, value);
  if (changes !== null) return { facts: countsOf(changes), parts: [...given, { is: 'change', text: '', changes }] };
  return { facts: noFacts, parts: [...given, ...partsOf('output', bad ? error : resultText(tool, value))] };
}

/** Whether events of their own tell what such a call did. A message that was refused is told by its event, too. */
export function isToldElsewhere(tool: string | null, failed: boolean): boolean {
  return failed ? actOf(tool ?? '') === 'send' : isToldByEvents(tool ?? '');
}
