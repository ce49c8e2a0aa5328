// Tells calls: what each was about, how it ended, what it changed.
import type { EventMap } from '../event/event.js';
import { toJson } from '../record/json.js';
import { amountOf, changesOf, failureIn, mannerOf, placeOf, resultText, targetOf } from '../wire/tools/about.js';
import { actOf, isToldByEvents } from '../wire/tools/table.js';
import {
  blank,
  type CallEnd,
  common,
  fact,
  type Happening,
  type HappeningOptions,
  part,
  shortened,
  tell,
} from './draft.js';
import type { Facts, Part } from './line.js';

export function called(event: EventMap['tool:called'], options: HappeningOptions): Happening {
  const { tool, tool_use_id, input } = event;
  const about = targetOf(tool, input);
  const place = placeOf(tool, input);
  const target = about !== null && place !== null ? `${about} in ${place}` : about;
  const own = { status: 'open', tool, tool_use_id, target, parts: options.parts ? inputParts(tool, input, about) : [] };
  const { find } = options;
  const told = tell(event, 'call', own, { ...options, find: find && ((text) => find(text)) }, null, '');
  const draft = told.does === 'tell' ? told.draft : blank;
  const found = draft.found || (find?.(toJson(input)) ?? true);
  if (tool_use_id === null) return { ...told, does: 'tell', draft: { ...draft, found }, about: null };
  // Inputs of edits and sends are needed when the call returns. Others are not kept.
  const kept = mannerOf(tool) === 'edit' || actOf(tool ?? '') !== null ? input : null;
  const call = common(event, `call ${tool_use_id}`);
  return { does: 'call', ...call, id: tool_use_id, draft: { ...draft, found }, input: kept };
}

/** What the first line of a call does not show. */
function inputParts(tool: string | null, input: unknown, target: string | null): Part[] {
  const manner = mannerOf(tool);
  if (manner === 'edit' || manner === 'read') return [];
  if (manner === 'shell') return target?.trim().includes('\n') ? part('input', target) : [];
  const json = toJson(input);
  return json === '{}' || json === 'null' || json.length <= (target?.length ?? 0) + 20 ? [] : part('input', json);
}

export function returned(event: EventMap['tool:returned'], options: HappeningOptions): Happening | null {
  const { tool, tool_use_id: id, success, error = null, result: value } = event;
  if (id === null) return null;
  const failure = success ? null : failureIn(tool, error ?? '');
  const amount = success ? amountOf(tool, value) : {};
  const { background, ...amounts } = amount;
  const { find } = options;
  const end: CallEnd = {
    tool,
    status: success ? 'ok' : event.denied === true ? 'denied' : 'failed',
    bad: !success,
    ...shortened(failure?.text ?? null, options),
    facts: {
      ...fact('exit', failure?.exit),
      ...(background && { background: 1 }),
      ...amounts,
      ...fact('ms', event.duration_ms),
    },
    found: find === null || find(error ?? '') || find(resultText(tool, value)) || find(toJson(value)),
    // A change is counted with the input, when the call is known too.
    result: options.parts || mannerOf(tool) === 'edit' ? slim(value, options) : null,
    error: options.parts ? error : null,
  };
  return { does: 'return', ...common(event, `return ${id}`), id, end, opened: null };
}

/** Of a result that nobody wants to read only the patch is needed. */
function slim(value: unknown, { parts }: HappeningOptions): unknown {
  if (parts || typeof value !== 'object' || value === null) return parts ? value : null;
  return 'structuredPatch' in value ? { structuredPatch: value.structuredPatch } : null;
}

/** What belongs to a call that returned, and how many lines it changed. */
export function endOfCall(
  tool: string | null,
  input: unknown,
  { result: value, error, bad }: CallEnd,
  wantsParts: boolean,
): { facts: Facts; parts: readonly Part[] } {
  const changes = bad ? null : changesOf(tool, input, value);
  if (changes !== null) {
    const added = changes.filter(({ sign }) => sign === '+').length;
    const removed = changes.filter(({ sign }) => sign === '-').length;
    return { facts: { added, removed }, parts: wantsParts ? [{ is: 'change', text: '', changes }] : [] };
  }
  if (!wantsParts) return { facts: {}, parts: [] };
  return { facts: {}, parts: part('output', bad ? error : resultText(tool, value)) };
}

/** Whether events of their own tell what such a call did. A message that was refused is told by its event, too. */
export function isToldElsewhere(tool: string | null, failed: boolean): boolean {
  return failed ? actOf(tool ?? '') === 'send' : isToldByEvents(tool ?? '');
}
