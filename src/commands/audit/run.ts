// Finds what was still open when a run broke off, calls that kept failing, and where the context was nearly full.
import type { Event, EventMap } from '../../core/event/event.js';
import type { Ending } from '../../core/event/usage-row.js';
import { modelKey } from '../../core/prices/models.js';
import { promptOf } from '../../core/prices/prices.js';
import { getOrCreate, objectOf, textOf } from '../../core/record/json.js';
import { scopeOf } from '../../core/tables/agents.js';
import { resolveAgent, teamOf } from '../../core/tables/directory.js';
import { groupBy, isLeadId, keyOf, latest, type Place } from '../../core/tables/order.js';
import { endingIn, endingText, isBad, toldEnding } from '../../core/tables/outcome.js';
import { endingByStop, endingOf, endingShownBy } from '../../core/wire/outcome.js';
import { isWithdrawn } from '../../core/wire/tools/call-meta.js';
import { teamRowsOf } from '../teams/rows.js';
import type { Facts } from './audit.js';
import { isEarlierSpot, type Spot, spotIn, spotKey } from './fold.js';
import type { RuleName } from './row.js';
import { type FindingRow, finding, findingAt } from './rows.js';

export interface Turn extends Place {
  readonly id: string;
}

/** The end of a turn: its result, or another record of a transcript that shows it. */
export interface End extends Spot {
  readonly ending: Ending;
  readonly isResult: boolean;
  /** What another agent says about its failure. */
  readonly error: string | null;
}

export interface Prompt extends Spot {
  readonly model: string;
  readonly tokens: number;
}

type RunLog = ReturnType<typeof newRunLog>;

export function newRunLog() {
  return {
    /** The current turn of each stream, by session and file; null after its result. */
    turns: new Map<string, Turn | null>(),
    /** The last time in each session. */
    last: new Map<string, string>(),
    /** Turns that some file shows to have ended. */
    ended: new Set<string>(),
    /** Each compaction once, although both stream and transcript show it. */
    compactions: new Map<string, Spot & { readonly detail: string }>(),
    /** The largest prompt of each agent and model. */
    prompts: new Map<string, Prompt>(),
    /** How results ended their turns, by session, each once and in order. */
    ends: new Map<string, Map<string, End>>(),
    /** Control requests that Claude Code answered with an error, by id. */
    refusedControls: new Map<string, Spot & { readonly what: string; readonly error: string | null }>(),
    /** How many tokens fit in a prompt according to Claude Code, by session and model. */
    windows: new Map<string, number>(),
  };
}

/**
 * Notes which turns ended. Call it with every event as it is read: a stream may have no
 * times to sort by, and only the file itself shows what came after what.
 */
export function noteInOrder({ turns, last, ended }: RunLog, event: Event): void {
  const scope = scopeOf(event);
  const time =
    event.event === 'unknown' || event.event === 'run:stopped' ? null : latest(last.get(scope) ?? null, event.time);
  if (time !== null) last.set(scope, time);
  const isStart = event.event === 'turn:started' && event.transcript !== true;
  if (!isStart && event.event !== 'session:ended') return;
  const { session_id, team, source = '' } = event;
  const key = keyOf(session_id, source);
  const before = turns.get(key) ?? null;
  const next = isStart ? { id: keyOf(session_id, event.turn_id ?? `${source} ${event.turn}`), session_id, team } : null;
  if (before !== null && before.id !== next?.id) ended.add(before.id);
  turns.set(key, next);
}

export function noteRun(log: RunLog, event: Event, spot: Spot): void {
  const { compactions, prompts, windows } = log;
  switch (event.event) {
    case 'usage:recorded':
      return notePrompt(prompts, event, spot);
    case 'session:ended':
      noteRunEnd(log, spot, endingOf(event), event.result_id ?? spotKey(spot), {
        isResult: true,
        error: errorIn(event),
      });
      return noteWindows(windows, event);
    case 'run:stopped':
      return noteRunEnd(log, spot, endingByStop(event));
    case 'usage:reported':
      return noteWindows(windows, event);
    case 'control:responded':
      if (event.success === false && event.request_id !== null)
        getOrCreate(log.refusedControls, event.request_id, () => ({
          ...spot,
          ...{ what: event.subtype ?? 'control request', error: event.error },
        }));
      break;
    case 'session:changed': {
      const ending = isLeadId(event.agent) ? endingShownBy(event) : null;
      if (ending !== null) noteRunEnd(log, spot, ending);
      break;
    }
    case 'session:compacted': {
      const said = objectOf(event['compact_metadata']);
      const key = keyOf(event.session_id, event.compaction_id ?? spotKey(spot));
      // The copy in the transcript has the time.
      if ((compactions.get(key)?.time ?? null) === null)
        compactions.set(key, { ...spot, detail: compactionText(said) });
    }
  }
}

function noteRunEnd(
  { ends }: RunLog,
  spot: Spot,
  ending: Ending,
  key = spotKey(spot),
  result: Pick<End, 'isResult' | 'error'> = { isResult: false, error: null },
): void {
  const known = getOrCreate(ends, scopeOf(spot), () => new Map<string, End>());
  getOrCreate(known, key, () => ({ ...spot, ...result, ending }));
}

/** What another agent says about its failure. */
function errorIn({ terminal_reason, errors }: EventMap['session:ended']): string | null {
  return terminal_reason === 'error' || terminal_reason === 'api_error' ? textOf(errors?.[0]) : null;
}

function notePrompt(prompts: RunLog['prompts'], event: EventMap['usage:recorded'], spot: Spot): void {
  const { model, session_id, agent, iteration } = event;
  if (model === null || iteration !== null) return;
  const tokens = promptOf(event);
  const key = keyOf(session_id, agent, model);
  const known = prompts.get(key);
  if (known === undefined || isBetter({ ...spot, tokens }, known)) prompts.set(key, { ...spot, model, tokens });
}

/** More tokens, else an earlier place. The result is the same whichever file is read first. */
function isBetter(one: Omit<Prompt, 'model'>, other: Prompt): boolean {
  if (one.tokens !== other.tokens) return one.tokens > other.tokens;
  if (one.time !== other.time) return other.time === null || (one.time !== null && one.time < other.time);
  return (one.line ?? 0) < (other.line ?? 0);
}

function noteWindows(windows: RunLog['windows'], event: EventMap['session:ended' | 'usage:reported']): void {
  for (const [model, { context_window: window }] of Object.entries(event.model_usage ?? {})) {
    if (window === null || window === undefined) continue;
    // A message does not say which variant of a model it used, so the largest window is the safe choice.
    const key = keyOf(event.session_id, modelKey(model));
    windows.set(key, Math.max(windows.get(key) ?? 0, window));
  }
}

/** `compacted (auto), 154000 tokens before and 9100 after` */
function compactionText(said: ReturnType<typeof objectOf>): string {
  const { trigger, pre_tokens: before, post_tokens: after } = said ?? {};
  const how = typeof trigger === 'string' ? ` (${trigger})` : '';
  const sizes = [
    ...(typeof before === 'number' ? [`${before} tokens before`] : []),
    ...(typeof after === 'number' ? [`${after} after`] : []),
  ];
  return `compacted${how}${sizes.length === 0 ? '' : `, ${sizes.join(' and ')}`}`;
}

export function runFindings(facts: Facts): FindingRow[] {
  const { agents, audit } = facts;
  const cut = new Map<string, Place>();
  for (const turn of audit.run.turns.values())
    if (turn !== null && !audit.run.ended.has(turn.id)) cut.set(scopeOf(turn), turn);
  const isCut = (place: Place) => cut.has(scopeOf(place));
  const calls = [...facts.calls.all()].flatMap(({ open, caller, tool, details }) =>
    open && isCut(caller) && details !== null && details.id !== ''
      ? [
          finding(agents, 'open_call', spotIn(caller, details.called), {
            tool_use_id: details.id,
            detail: `${tool.tool || 'a tool'} had not come back`,
          }),
        ]
      : [],
  );
  const members = teamRowsOf(facts, { ended: true })
    .filter(isCut)
    .flatMap(({ team, session_id, members }) =>
      members
        .filter(({ kind, status }) => kind !== 'lead' && status === 'unknown')
        .map(({ name, last_seen_at }) =>
          findingAt(
            'open_agent',
            { time: last_seen_at, session_id, team, line: null },
            { agent: name, detail: `${name} had not finished` },
          ),
        ),
    );
  const sessions = [...cut].map(([scope, place]) => {
    const time = audit.run.last.get(scope) ?? null;
    const at = { ...place, time, line: null, team: teamOf(agents, place) };
    return findingAt('no_result', at, { detail: 'the stream ended without a result' });
  });
  const compactions = [...audit.run.compactions.values()].map((at) =>
    finding(agents, 'context_full', at, { detail: at.detail }),
  );
  // An agent may have had another id before its own was known.
  const largest = new Map<string, Prompt>();
  for (const prompt of audit.run.prompts.values()) {
    const key = keyOf(prompt.session_id, resolveAgent(agents, prompt, prompt.agent ?? '').name, prompt.model);
    const known = largest.get(key);
    if (known === undefined || isBetter(prompt, known)) largest.set(key, prompt);
  }
  const prompts = [...largest.values()].flatMap((prompt) => {
    const { session_id, model, tokens } = prompt;
    const window = audit.run.windows.get(keyOf(session_id, modelKey(model)));
    if (window === undefined || tokens <= window * nearlyFull) return [];
    const detail = `a prompt of ${tokens} tokens to ${model}, whose window is ${window}`;
    return [finding(agents, 'context_full', prompt, { detail })];
  });
  return [
    ...failedRuns(facts),
    ...sessions,
    ...calls,
    ...members,
    ...failedControls(facts),
    ...compactions,
    ...prompts,
  ];
}

/** Sessions that failed or were stopped, and earlier turns of sessions that did. */
function failedRuns({ agents, teams, audit, bare = false }: Facts): FindingRow[] {
  return [...audit.run.ends].flatMap(([scope, ends]) => {
    const session = teams.sessions.get(scope);
    const all = [...ends.values()];
    const { outcome, reason } = session === undefined ? toldEnding(null) : endingIn(session);
    const isFinal = ({ ending }: End) => ending.outcome === outcome && ending.reason === reason;
    const last = outcome === 'failed' || outcome === 'stopped' ? all.findLast(isFinal) : undefined;
    const lastResult = all.findLast(({ isResult }) => isResult);
    // The last result of a stream that was cut later ended an earlier turn.
    const earlier = all.filter(
      (end) => end.isResult && isBad(end.ending) && (end !== lastResult || session?.inTurn === true) && end !== last,
    );
    const detailOf = ({ ending, error }: End) =>
      error === null || bare ? endingText(ending) : `${endingText(ending)}: ${error}`;
    // Results of streams have no times.
    const findingOf = (rule: RuleName, end: End) =>
      finding(agents, rule, { ...end, time: end.at }, { detail: detailOf(end) });
    return [
      ...(last === undefined ? [] : [findingOf('run_failed', last)]),
      ...earlier.map((end) => findingOf('turn_failed', end)),
    ];
  });
}

function failedControls({ agents, audit, bare }: Facts): FindingRow[] {
  return [...audit.run.refusedControls.values()].map((at) => {
    const detail = at.error === null || bare ? at.what : `${at.what}: ${at.error}`;
    return finding(agents, 'failed_control', at, { detail });
  });
}

/** Loops, and the failed calls of tools that have no audit of their own. */
export function otherCallFindings({ agents, calls }: Facts): FindingRow[] {
  // A loop is found where it failed last.
  const loops = calls.loops.map(({ tool, last: { tool_use_id, ...last }, tool_use_ids }) =>
    finding(
      agents,
      'repeated_call',
      { ...last, at: last.time, source: null },
      {
        tool_use_id,
        detail: `${tool} failed ${tool_use_ids.size} times with the same input`,
      },
    ),
  );
  const failed = [...calls.all()].flatMap(({ failed, denied, caller, tool, details }) =>
    failed && details?.texts === undefined
      ? [
          {
            ...spotIn(caller, details?.returned ?? null),
            tool: tool.tool,
            withdrawn: denied || isWithdrawn(details?.error ?? null),
          },
        ]
      : [],
  );
  const callerName = (call: Spot) => resolveAgent(agents, call, call.agent ?? '').name;
  const groups = groupBy(failed, (call) => keyOf(scopeOf(call), callerName(call), call.tool));
  const failures = [...groups.values()].flatMap((group) => {
    const last = group.reduce((a, b) => (isEarlierSpot(a, b) ? b : a));
    const refused = group.filter(({ withdrawn }) => withdrawn).length;
    const countText = (count: number) => `${count} ${count === 1 ? 'call' : 'calls'} of ${last.tool}`;
    const refusal = `${refused === 1 ? 'was' : 'were'} refused or interrupted`;
    const failure = `${countText(group.length - refused)} failed${refused === 0 ? '' : `, ${refused} ${refusal}`}`;
    const detail = refused === group.length ? `${countText(refused)} ${refusal}` : failure;
    return finding(agents, 'failed_calls', last, { detail });
  });
  return [...loops, ...failures];
}

/** The share of the window from which a prompt counts as nearly full. */
const nearlyFull = 0.9;
