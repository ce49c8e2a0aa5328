import { textOf } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';

/** The documented word for a failure where it can be told from what was said, else null. */
export function errorCode(data: JsonObject | null, error: string | null): string | null {
  const word = textOf(data?.error);
  if (word !== null && words.has(word)) return word;
  if (error === null) return null;
  const start = error.slice(0, 500);
  return patterns.find(([pattern]) => pattern.test(start))?.[1] ?? null;
}

const patterns: [RegExp, string][] = [
  [/\btask\b.*\bnot found\b|no task found/i, 'task_not_found'],
  [
    /no agent named|\b(?:agent|teammate|member|recipient)\b.*\b(?:not found|does not exist|unknown)\b/i,
    'agent_not_found',
  ],
  [/\bteam\b.*\b(?:not found|does not exist)\b|no such team/i, 'team_not_found'],
  [/\b(?:agent|teammate|member)\b.*\balready\b/i, 'agent_already_exists'],
  [/\bteam\b.*\balready\b|already leading team/i, 'team_already_exists'],
  [/\bcircular\b|\bcycle\b/i, 'circular_dependency'],
  [/\binvalid status\b|status transition/i, 'invalid_status'],
  [/permission|not allowed|denied/i, 'permission_denied'],
  [/rate limit|too many requests/i, 'rate_limit'],
  [/internal error/i, 'internal_error'],
];
const words = new Set([
  'team_not_found',
  'agent_not_found',
  'task_not_found',
  'team_already_exists',
  'agent_already_exists',
  'invalid_status',
  'circular_dependency',
  'permission_denied',
  'rate_limit',
  'internal_error',
]);
