// Turns each event into what a story needs of it: something to tell, or one end of a call. Knows one event at a time.

import type { Event, EventMap, EventName } from '../event/event.js';
import { isAgentWork } from '../event/work.js';
import { textsOf } from '../record/json.js';
import { digest, isLeadId } from '../tables/order.js';
import { endingText, isBad, reasonText } from '../tables/outcome.js';
import { isLost } from '../tables/sends.js';
import {
  compactionOf,
  fallbackIn,
  hookFailure,
  insertedPrompt,
  isByProgram,
  isInterruption,
  limitOf,
  permissionAsked,
  promptText,
  type Retry,
  retryInProgress,
  retryOf,
} from '../wire/dialects/telling.js';
import { endingByStop, endingOf } from '../wire/outcome.js';
import { resultText } from '../wire/tools/about.js';
import {
  type About,
  callMade,
  callReturned,
  type Draft,
  type Happening,
  keyOfId,
  lineToTell,
  originOf,
  partsOf,
  type Wants,
} from './line.js';

type Tell<K extends EventName> = (event: EventMap[K], wants: Wants) => Happening | null;

/** Not told, or something else tells it: calls their failures, messages what was asked and answered. */
type Untold =
  | 'session:labelled'
  | 'control:responded'
  | 'control:cancelled'
  | 'usage:recorded'
  | 'usage:merged'
  | 'agent:progressed'
  | 'team:cleanup_failed'
  | 'team:member:joined'
  | 'team:member:active'
  | 'team:member:shutting_down'
  | 'team:shutdown:requested'
  | 'team:shutdown:response'
  | 'team:plan:requested'
  | 'team:plan:resolved'
  | 'spawn:requested'
  | 'spawn:linked'
  | 'run:started'
  | 'input:skipped'
  | 'unknown';

/** Every other event, so that a new one cannot be forgotten. */
const tellings: { readonly [K in Exclude<EventName, Untold>]: Tell<K> } = {
  'session:started': (event, wants) =>
    lineToTell(
      event,
      'session',
      { status: 'started', text: dotted(shortModel(event.model), event.cwd) },
      wants,
      { is: 'session', cwd: event.cwd },
      () => '',
    ),
  // In a transcript its prompt is told.
  'turn:started': (event, wants) =>
    event.transcript === true
      ? null
      : lineToTell(
          event,
          'session',
          { status: 'turn', quiet: true },
          wants,
          { is: 'turn' },
          () => `${event.source} ${event.line}`,
        ),
  'session:ended': resultLine,
  'run:stopped': (event, wants) =>
    noticeLine(event, 'stopped_by_cct', { bad: true, text: endingText(endingByStop(event)) }, wants),
  'session:compacted': (event, wants) => {
    const { from, to } = compactionOf(event);
    const facts = { from_tokens: from, to_tokens: to };
    return noticeLine(event, 'compacted', { facts }, wants, () => keyOfId(event.compaction_id));
  },
  'session:reset': (event, wants) => noticeLine(event, 'reset', {}, wants),
  'session:retried': (event, wants) => retryLine(event, retryOf(event), wants),
  'session:limited': (event, wants) => {
    const limit = limitOf(event);
    return limit && noticeLine(event, 'limited', { bad: limit.reached, text: limit.text }, wants);
  },
  'session:changed': changeLine,
  'control:requested': (event, wants) => {
    const asked = permissionAsked(event);
    if (asked === null) return null;
    const { tool, target, id } = asked;
    return noticeLine(event, 'asked', { tool, target, tool_use_id: id }, wants, () => keyOfId(event.request_id));
  },
  'prompt:received': promptLine,
  'text:produced': (event, wants) => spoken(event, 'text', wants),
  'thinking:produced': (event, wants) => (wants.thinking ? spoken(event, 'thinking', wants) : null),
  'tool:called': callMade,
  'tool:returned': callReturned,
  // A transcript has no result; it says at its end what the session cost.
  'usage:reported': (event, wants) => {
    const { total_cost_usd: cost_usd } = event;
    if (!wants.costs || cost_usd === null) return null;
    const about: About = { is: 'cost' };
    return lineToTell(event, 'notice', { status: 'cost', facts: { cost_usd } }, wants, about, () => `${cost_usd}`);
  },
  'agent:started': startLine,
  'agent:finished': endLine,
  'team:created': (event, wants) =>
    event.protocol === 'implicit' || event.protocol === 'files'
      ? null
      : noticeLine(event, 'team_created', { target: event.name, text: event.description }, wants),
  'team:deleted': (event, wants) => noticeLine(event, 'team_deleted', { target: event.name }, wants),
  'team:member:idle': (event, wants) => noticeLine(ofMember(event), 'idle', { quiet: true }, wants),
  'team:member:shutdown': (event, wants) =>
    lineToTell(
      ofMember(event),
      'agent',
      { status: 'shutdown' },
      wants,
      memberEnd(event.member.agent_id ?? event.agent),
    ),
  'team:task:created': taskLine,
  'team:task:claimed': taskLine,
  'team:task:updated': taskLine,
  'team:task:completed': taskLine,
  'team:task:deleted': taskLine,
  'team:message:sent': mailLine,
  'team:message:received': mailLine,
  'team:message:failed': mailLine,
  'hook:fired': (event, wants) => {
    const failure = hookFailure(event);
    if (failure === null) return null;
    const { name, exit, text } = failure;
    return noticeLine(event, 'hook', { bad: true, target: name, text, facts: { exit } }, wants);
  },
};

/** The events of a story. */
export function storyEvents(): string[] {
  return Object.keys(tellings);
}

export function happeningOf(event: Event, wants: Wants): Happening | null {
  return toldAs(event.event, event, wants);
}

function toldAs<K extends EventName>(name: K, event: EventMap[K], wants: Wants): Happening | null {
  const told: { readonly [N in EventName]?: Tell<N> } = tellings;
  return told[name]?.(event, wants) ?? null;
}

function noticeLine(
  event: Event,
  status: string,
  own: Partial<Draft>,
  wants: Wants,
  key?: () => string | undefined,
): Happening {
  return lineToTell(event, 'notice', { ...own, status }, wants, null, key);
}

function dotted(...parts: (string | null)[]): string | null {
  return parts.filter(Boolean).join(' · ') || null;
}

/** `claude-haiku-4-5-20251001` → `haiku-4-5`. */
export function shortModel(model: string | null): string | null {
  return model?.replace(/^claude-/, '').replace(/-20\d{6}$/, '') ?? null;
}

function resultLine(event: EventMap['session:ended'], wants: Wants): Happening {
  const ending = endingOf(event);
  const { outcome: status } = ending;
  const facts = { cost_usd: event.total_cost_usd, ms: event.duration_ms, turns: event.num_turns };
  const own = { status, bad: isBad(ending), target: reasonText(ending) || null, text: event.result, facts };
  const about: About = { is: 'result', said: markOf(event.result) };
  return lineToTell(event, 'result', own, wants, about, () => keyOfId(event.result_id));
}

function changeLine(event: EventMap['session:changed'], wants: Wants): Happening | null {
  if (event.subtype === 'retracted') {
    const ids = textsOf(event.tool_use_ids) ?? [];
    const { time: own, source = '' } = event;
    return { origin: originOf(event), own, source, key: () => `retracted ${ids.join(' ')}`, does: 'retract', ids };
  }
  // A fork repeats these, at the same time.
  const key = () => keyOfId(event.time, `${event.subtype} ${sameLead(event.agent)}`);
  if (event.subtype === 'interrupted') return noticeLine(event, 'interrupted', { bad: true }, wants, key);
  if (event.subtype === 'api_error') {
    const text = typeof event.error === 'string' ? event.error : null;
    return noticeLine(event, 'api_error', { bad: true, text }, wants, key);
  }
  const fallback = fallbackIn(event);
  if (fallback !== null) {
    const { refused, why } = fallback;
    const [model, instead] = [shortModel(fallback.model) ?? 'the model', shortModel(fallback.instead)];
    if (!refused) {
      const text = `${instead ?? 'another'} answers instead of ${model}${why === null ? '' : ` (${why})`}`;
      return noticeLine(event, 'model_switched', { text }, wants);
    }
    const text = `${model} refused${instead === null ? '' : `; ${instead} answers instead`}`;
    return noticeLine(event, 'refused', { bad: true, text }, wants);
  }
  const retry = retryInProgress(event);
  return retry && retryLine(event, retry, wants);
}

function retryLine(event: Event, retry: Retry, wants: Wants): Happening {
  const { attempt, of, wait_ms, status, error } = retry;
  const facts = { attempt, attempts: of, wait_ms };
  const isSaid = status === null || error?.startsWith(`${status} `);
  const text = [isSaid ? null : status, error].filter((one) => one !== null).join(' ') || null;
  return noticeLine(event, 'retried', { text, facts }, wants, () => `${attempt} of ${of}`);
}

function promptLine(event: EventMap['prompt:received'], wants: Wants): Happening | null {
  if (isInterruption(event.text)) return null;
  const attached = event.attachments.map((type) => `[${type}]`);
  const text = [event.text === null ? null : promptText(event.text), ...attached].filter(Boolean).join(' ');
  const inserted = insertedPrompt(event.text);
  const isTyped = !event.synthetic && isLeadId(event.agent) && inserted === null;
  const quiet = !isTyped && inserted !== 'news';
  const own = { status: isTyped ? null : 'inserted', text: text === '' ? null : text, quiet };
  const who = sameLead(event.agent);
  const about: About | null =
    event.time === null ? null : { is: 'prompt', copy: `${event.time} ${who} ${beginning(text)}` };
  return lineToTell(event, 'prompt', own, wants, about, () => digest(text));
}

function spoken(
  event: EventMap['text:produced' | 'thinking:produced'],
  kind: 'text' | 'thinking',
  wants: Wants,
): Happening | null {
  const { text, message_id, model } = event;
  if (text !== null && text.trim() === '') return null;
  const own = { text, quiet: isByProgram(model) };
  const said = () => digest(text?.trim() ?? '');
  const about: About | null = kind === 'text' && isLeadId(event.agent) ? { is: 'text', said: markOf(text) } : null;
  const key = () => keyOfId(message_id, said()) ?? `${event.time} ${said()}`;
  return lineToTell(event, kind, own, wants, about, key);
}

/** In a fork of a team's session, its lead has another id. */
function sameLead(agent: string | null): string {
  return agent === null || isLeadId(agent) ? 'main' : agent;
}

/** Enough to compare prompts of the same moment. */
function beginning(text: string): string {
  return `${text.length} ${text.slice(0, 200)}`;
}

/** What tells texts apart: themselves, unless they are long. */
function markOf(text: string | null): string {
  const said = text?.trim() ?? '';
  return said.length <= longestMark ? said : `${said.length} ${digest(said)}`;
}
const longestMark = 2000;

function startLine(event: EventMap['agent:started'], wants: Wants): Happening | null {
  if (event.turn_only || event.ambient) return null;
  const { name, description, agent_type, agent, parent, tool_use_id, task_id } = event;
  const isAgent = isAgentWork(event.task_type);
  const kind = [agent_type, shortModel(event.model)].filter(Boolean).join(', ');
  // Without a name, the description is what it is called.
  const words = [kind === '' ? null : `(${kind})`, name === null ? null : description].filter(Boolean).join(': ');
  const again = event.resumed === true;
  const own = {
    status: again ? 'resumed' : 'started',
    target: isAgent ? (name ?? description ?? agent_type ?? agent) : description,
    text: words === '' ? null : words,
    tool_use_id,
    parts: partsOf('text', event.prompt),
  };
  const ids = [isAgent ? agent : null, tool_use_id, task_id].filter((id) => id !== null);
  const about: About = { is: 'started', ids, isAgent, again, waited: event.background === false };
  return lineToTell({ ...event, agent: parent ?? 'main' }, 'agent', own, wants, about, () => `${agent} ${event.time}`);
}

function endLine(event: EventMap['agent:finished'], wants: Wants): Happening | null {
  if (event.on_disk) return null;
  const { status, summary, result: value, agent, tool_use_id, task_id } = event;
  const isAgent = isAgentWork(event.task_type);
  const bad = status === 'failed' || status === 'error';
  const answer = typeof value === 'string' ? value : value === null ? null : resultText(null, value);
  // Of a workflow it is the sum of contexts, which says nothing.
  const context = isAgent ? event.total_tokens || null : null;
  const facts = { context, calls: event.tool_uses, ms: event.duration_ms };
  const text = bad ? (summary ?? answer) : null;
  const own = { status, bad, text, facts, tool_use_id, parts: partsOf('text', bad ? null : (answer ?? summary)) };
  const ids = [isAgent ? agent : null, tool_use_id, task_id].filter((id) => id !== null);
  return lineToTell(
    event,
    'agent',
    own,
    wants,
    { is: 'finished', ids, isAgent },
    () => `${agent} ${task_id} ${event.time}`,
  );
}

function memberEnd(agent: string | null): About {
  return { is: 'finished', ids: agent === null ? [] : [agent], isAgent: true };
}

function ofMember<E extends Event & { member: { agent_id: string | null } }>(event: E): E {
  return { ...event, agent: event.member.agent_id ?? event.agent };
}

type TaskChange = EventMap[`team:task:${'created' | 'claimed' | 'updated' | 'completed' | 'deleted'}`];

function taskLine(event: TaskChange, wants: Wants): Happening | null {
  if (event.on_disk) return null;
  const { id, subject, owner, blocked_by, blocks, description } = event.task;
  const status = event.event.slice('team:task:'.length);
  const links = [
    owner === null ? null : `for ${owner}`,
    blocked_by === null || blocked_by.length === 0 ? null : `after ${blocked_by.join(', ')}`,
    blocks === null || blocks.length === 0 ? null : `before ${blocks.join(', ')}`,
  ].filter((one) => one !== null);
  const text = links.length === 0 ? null : `(${links.join('; ')})`;
  const target = event.kind === 'todo' ? 'todo' : `task ${id}`;
  const own = {
    status,
    target,
    text,
    tool_use_id: event.tool_use_id,
    parts: partsOf('text', description),
    quiet: status === 'updated' && links.length === 0,
  };
  const about: About = { is: 'task', id, kind: `${event.kind} ${event.list}`, subject };
  return lineToTell(event, 'task', own, wants, about, () => keyOfId(event.tool_use_id, id) ?? `${event.time} ${id}`);
}

type MessageEvent = EventMap[`team:message:${'sent' | 'received' | 'failed'}`];

function mailLine(event: MessageEvent, wants: Wants): Happening {
  const { message } = event;
  // A queue or an inbox shows a message, too; the call that sent it has an id.
  const is = event.tool_use_id === null || event.event === 'team:message:received' ? 'received' : 'sent';
  const { type, from, to, recipients, summary, content, error, status } = message;
  const isPlain = type === 'message' || type === 'broadcast';
  const words = isPlain ? null : type.replaceAll('_', ' ');
  const answer = message.approve === null ? null : message.approve ? 'approved' : 'rejected';
  const said = [words, answer, summary ?? content].filter(Boolean).join(': ');
  const bad = isLost(message);
  const own = {
    status,
    bad,
    target: to ?? (recipients.length === 0 ? 'everybody' : recipients.join(', ')),
    text: bad && error !== null ? `${said}: ${error}` : said || null,
    tool_use_id: message.tool_use_id,
    parts: summary === null || summary === content ? [] : partsOf('text', content),
    quiet: type === 'idle_notification' || type === 'task_assignment',
  };
  // A broadcast reaches everybody as a message.
  const body = digest(`${isPlain ? 'message' : type} ${content?.trim()}`);
  const key = () => keyOfId(message.tool_use_id) ?? `${event.time} ${body}`;
  return lineToTell(event, 'message', own, wants, { is, body, from }, key);
}
