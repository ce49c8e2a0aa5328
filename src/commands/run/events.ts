// The events of cct run. run:started says where a run belongs. No other command reads the environment for this.
import type { EventMap, Own } from '../../core/event/event.js';
import type { Environment } from '../../io/streams.js';
import type { Alarm, Limits } from '../usage/budget.js';

type Started = EventMap['run:started'];

export function startedEvent(
  words: readonly string[],
  labels: Readonly<Record<string, string>>,
  env: Environment,
  time: string,
): Started {
  const [ci, , workflow, run, commit, request] = services.find(([, mark]) => isSet(env[mark])) ?? [];
  const variable = (name: string | undefined) => (name === undefined ? null : env[name] || null);
  const trace = env['TRACEPARENT'] ?? '';
  return {
    cct: 1,
    seq: 1,
    event: 'run:started',
    time,
    session_id: null,
    team: null,
    agent: null,
    line: 1,
    ci: ci ?? (isSet(env['CI']) ? 'unknown' : null),
    workflow: variable(workflow),
    run_id: variable(run),
    commit: variable(commit),
    pull_request: numberIn(variable(request)),
    traceparent: /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(trace) ? trace : null,
    labels,
    command: withoutPrompt(words),
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}

/** `refs/pull/12/merge`, `https://…/pull/12`, `12`; null for a branch or `false`. */
function numberIn(text: string | null): string | null {
  return /^(?:refs\/pull\/|https?:.*\/)?(\d+)(?:\/merge|\/head)?$/.exec(text ?? '')?.[1] ?? null;
}

/** Each CI service: the variable that says so, and those of the workflow, the run, the commit and the pull request. */
const services = [
  ['github-actions', 'GITHUB_ACTIONS', 'GITHUB_WORKFLOW', 'GITHUB_RUN_ID', 'GITHUB_SHA', 'GITHUB_REF'],
  ['gitlab', 'GITLAB_CI', 'CI_JOB_NAME', 'CI_PIPELINE_ID', 'CI_COMMIT_SHA', 'CI_MERGE_REQUEST_IID'],
  [
    'buildkite',
    'BUILDKITE',
    'BUILDKITE_PIPELINE_SLUG',
    'BUILDKITE_BUILD_ID',
    'BUILDKITE_COMMIT',
    'BUILDKITE_PULL_REQUEST',
  ],
  ['circleci', 'CIRCLECI', 'CIRCLE_JOB', 'CIRCLE_WORKFLOW_ID', 'CIRCLE_SHA1', 'CIRCLE_PULL_REQUEST'],
  [
    ...(['azure-pipelines', 'TF_BUILD', 'BUILD_DEFINITIONNAME', 'BUILD_BUILDID', 'BUILD_SOURCEVERSION'] as const),
    'SYSTEM_PULLREQUEST_PULLREQUESTNUMBER',
  ],
  ['jenkins', 'JENKINS_URL', 'JOB_NAME', 'BUILD_ID', 'GIT_COMMIT', 'CHANGE_ID'],
] as const;

/** The program and its flags, with only those values that say how it runs: any other word may be a prompt or a secret. */
function withoutPrompt(words: readonly string[]): string[] {
  const own = ownWords(words);
  return [
    programName(words[0] ?? ''),
    ...own.flatMap((word, at) => {
      const [flag = ''] = word.split('=', 1);
      if (/^--?[a-zA-Z][\w-]*$/.test(flag)) return [plainValues.has(flag) ? word : flag];
      return plainValues.has(own[at - 1] ?? '') && !word.startsWith('-') ? [word] : [];
    }),
  ];
}

/** `/usr/bin/claude` → `claude` */
export function programName(program: string): string {
  return program.split('/').at(-1) || program;
}

/** The last value that a flag is given, as `--flag value` or `--flag=value`; null if it has none. */
export function flagValue(words: readonly string[], flag: string): string | null {
  const own = ownWords(words);
  const at = own.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = own[at];
  return word === undefined ? null : word === flag ? (own[at + 1] ?? null) : word.slice(flag.length + 1);
}

/** Without the program, and without what follows `--`. */
function ownWords([, ...words]: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end === -1 ? words : words.slice(0, end);
}

const plainValues: ReadonlySet<string> = new Set([
  '--model',
  '--fallback-model',
  '--output-format',
  '--input-format',
  '--permission-mode',
  '--max-turns',
  '--max-budget-usd',
  '--effort',
  '--agent',
]);

// The event run:stopped, which tells those behind the pipe, and those who read later, why the command was ended.
type Stop = Own<'run:stopped'>;

/** Why it is ended, before it is known what it leaves behind. */
export type StopReason = Omit<Stop, 'ended'>;

const noLimit = { limit: null, unit: null, spent: null, signal: null };

export const readerLeft: StopReason = { reason: 'reader_left', ...noLimit };

export function afterSilence(seconds: number): StopReason {
  return { reason: 'idle', ...noLimit, limit: seconds, unit: 'seconds' };
}

export function afterSignal(signal: NodeJS.Signals): StopReason {
  return { reason: 'signal', ...noLimit, signal };
}

export function afterAlarm(alarm: Alarm, limits: Limits): StopReason {
  const unit = alarm.kind === 'passed' ? alarm.limit : 'usd';
  return {
    reason: 'budget',
    ...noLimit,
    limit: limits[unit],
    unit,
    spent: alarm.kind === 'passed' ? alarm.amount : null,
  };
}

/** Whose run it is, and its place, is known to those who read the stream. */
export function stoppedEvent(stop: StopReason, ended: readonly string[], time: string): EventMap['run:stopped'] {
  const place = { session_id: null, team: null, agent: null, line: null };
  return { cct: 1, seq: 0, event: 'run:stopped', time, ...place, ...stop, ended: [...ended] };
}
