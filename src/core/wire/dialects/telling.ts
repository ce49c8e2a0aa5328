// Reads, for people, events that carry the fields of their record as Claude Code spells them.
import type { EventMap } from '../../event/event.js';
import { countOf, idOf, objectOf, textOf } from '../../record/json.js';
import { firstOf } from '../read.js';
import { targetOf } from '../tools/about.js';
import type { RecordView } from '../view.js';
import { isForHost } from './frames.js';
import { hasFailed } from './hooks.js';

/** An API request that is tried again. */
export interface Retry {
  readonly attempt: number | null;
  readonly of: number | null;
  readonly wait_ms: number | null;
  readonly status: number | null;
  readonly error: string | null;
}

export function retryOf(event: EventMap['session:retried']): Retry {
  const error = objectOf(event['error']);
  const inner = objectOf(objectOf(error?.error)?.error);
  return {
    attempt: firstOf(countOf, event['attempt'], event['retry_attempt'], event['retryAttempt']),
    of: firstOf(countOf, event['max_retries'], event['maxRetries']),
    wait_ms: firstOf(countOf, event['retry_delay_ms'], event['retry_in_ms'], event['retryInMs']),
    status: firstOf(countOf, event['error_status'], error?.status),
    error: firstOf(textOf, event['error'], inner?.message, error?.formatted, error?.message),
  };
}

/** The same for the request of a subagent, which its progress reports; null if it reports something else. */
export function retryInProgress(event: EventMap['session:changed']): Retry | null {
  const retry = objectOf(event['subagent_retry']);
  if (retry === null) return null;
  return {
    attempt: countOf(retry['attempt']),
    of: countOf(retry['max_retries']),
    wait_ms: countOf(retry['retry_delay_ms']),
    status: countOf(retry['error_status']),
    error: textOf(retry['error_category']),
  };
}

/** The size of a context before and after it was compacted. */
export function compactionOf(event: EventMap['session:compacted']): { from: number | null; to: number | null } {
  const data = objectOf(event['compact_metadata']);
  return {
    from: firstOf(countOf, data?.pre_tokens, data?.preTokens),
    to: firstOf(countOf, data?.post_tokens, data?.postTokens),
  };
}

/** A rate limit that was reached, or nearly; null while all is well. */
export function limitOf(event: EventMap['session:limited']): { reached: boolean; text: string } | null {
  const info = objectOf(event['rate_limit_info']);
  const status = textOf(info?.status);
  if (status === null || status === 'allowed') return null;
  const kind = firstOf(textOf, info?.rateLimitType, info?.rate_limit_type)?.replaceAll('_', ' ') ?? '';
  const used = countOf(info?.utilization);
  const share = used === null ? '' : ` · ${Math.round(100 * used)} % used`;
  return { reached: status === 'rejected', text: `${kind} rate limit${share}`.trim() };
}

/** A hook that failed or blocked something; null if it passed. */
export function hookFailure(event: EventMap['hook:fired']): { name: string; exit: number | null; text: string } | null {
  if (!hasFailed({ ...event })) return null;
  const exit = firstOf(countOf, event['exit_code'], event['exitCode']);
  const text = firstOf((value) => textOf(value) || null, event['stderr'], event['output'], event['stdout']) ?? '';
  return { name: textOf(event['hook_name']) ?? event.hook ?? 'hook', exit, text };
}

/** What Claude Code asks a person or a program to allow; null for other requests. */
export function permissionAsked(event: EventMap['control:requested']): {
  tool: string | null;
  target: string | null;
  id: string | null;
} | null {
  if (event.subtype !== 'can_use_tool' || !isForHost(event.subtype)) return null;
  const tool = textOf(event['tool_name']);
  return { tool, target: targetOf(tool, event['input']), id: idOf(event['tool_use_id']) };
}

export interface Fallback {
  readonly refused: boolean;
  /** Why it did not answer, in the program's own word, such as overloaded. */
  readonly why: string | null;
  readonly model: string | null;
  readonly instead: string | null;
}

/** A model that did not answer, and the one that answers instead; null if the record is about something else. */
export function fallbackIn(event: EventMap['session:changed']): Fallback | null {
  const refused = event.subtype === 'model_refusal_fallback';
  if (!refused && event.subtype !== 'model_fallback') return null;
  const [model, instead] = [textOf(event['original_model']), textOf(event['fallback_model'])];
  return { refused, why: textOf(event['trigger']), model, instead };
}

/** Whether Claude Code wrote it itself, in place of a model. */
export function isByProgram(model: string | null): boolean {
  return model === '<synthetic>';
}

/** A prompt that Claude Code inserts to mark an interruption; session:changed says it too. */
export function isInterruption(text: string | null): boolean {
  return text?.trimStart().startsWith('[Request interrupted by user') ?? false;
}

/** A prompt by Claude Code itself, even if its record does not say so. `news`: it says what went wrong. */
export function insertedPrompt(text: string | null): 'plain' | 'news' | null {
  const start = text?.slice(0, 200) ?? '';
  if (/^\s*<local-command-stderr>/.test(start)) return 'news';
  return inserted.test(start) ? 'plain' : null;
}
const inserted =
  /^\s*(?:<(?:system-reminder|local-command-(?:stdout|caveat)|bash-std(?:out|err))>|Caveat: The messages below|This session is being continued from a previous conversation)/;

/**
 * A command that a person typed: `<command-name>/clear</command-name> …` is `/clear`, `<bash-input>ls</bash-input>` is
 * `! ls`. Other prompts stay.
 */
export function promptText(text: string): string {
  const start = text.slice(0, 10_000);
  const [, name, args] = typedCommand.exec(start) ?? [];
  if (name !== undefined) return `${name} ${args ?? ''}`.trim();
  const [, tag, said = ''] = tagged.exec(start) ?? [];
  return tag === undefined ? text : tag === 'bash-input' ? `! ${said}` : said;
}
const tagged = /^\s*<(bash-input|local-command-stderr)>([^<]*)<\/\1>\s*$/;
const typedCommand =
  /^\s*(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>([^<]*)<\/command-name>(?:[^<]*<command-message>[^<]*<\/command-message>)?(?:[^<]*<command-args>([^<]*)<\/command-args>)?/;

/** A piece of a message that is being written; text '' begins another message. */
export interface Delta {
  readonly session_id: string | null;
  /** The call that started the agent; null for the main conversation. */
  readonly agent: string | null;
  readonly text: string;
}

/** null for records that say nothing that a person would read. */
export function deltaIn(record: RecordView): Delta | null {
  const { type, eventType } = record;
  const { session, parentCall: agent } = record.writer;
  if (type !== 'stream_event') return null;
  if (eventType === 'message_start' || eventType === 'content_block_start')
    return { session_id: session, agent, text: '' };
  if (eventType !== 'content_block_delta') return null;
  const delta = objectOf(objectOf(record.whole().event)?.delta);
  const text = textOf(delta?.text);
  return text === null ? null : { session_id: session, agent, text };
}
