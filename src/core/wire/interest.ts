// Finds which records can produce the events a command asks for, so that the others need not be parsed.
import { actOf, hasEffect, isTaskTool, isUnknownTeamTool } from './tools/table.js';

/** The events that a command needs. */
export interface Interest {
  /** Names of events, as globs. */
  readonly events: readonly string[];
  /** The events may leave out texts, and the inputs and results of calls without effect. */
  readonly lean?: boolean;
  /** Neither the names of agents nor their teams matter. */
  readonly nameless?: boolean;
}

/**
 * What to do with records of a type: parse, drop, or look closer. `talk` is a conversation: texts, calls and results.
 * `partial` is a part of a message that is being streamed.
 */
export type RecordRule = 'parse' | 'drop' | 'talk' | 'partial';

export interface Rules {
  /** Parse every line. */
  readonly everything: boolean;
  ruleFor(type: string): RecordRule;
  /** What is needed of a conversation: everything except texts, the usage of its messages, or only the followed calls. */
  readonly talk: 'lean' | 'usage' | 'calls';
  /** Whether a call of this tool may produce an event that was asked for. */
  follows(tool: string): boolean;
  /** Whether the inputs of calls, the lengths of their results, and why they failed matter. */
  readonly details: boolean;
  /** Whether shells that go to the background matter. */
  readonly shells: boolean;
  /** Whether all messages matter, or only those that wake an agent. */
  readonly sends: 'always' | 'if they wake';
  wants(event: string): boolean;
}

/** The rules for an interest. Commands name events; only core/wire knows how Claude Code spells records. */
export function rulesFor({ events: globs, lean = false, nameless = false }: Interest): Rules {
  const profile = profiles.find(
    ({ wants, mayWant, details = false }) =>
      (lean || !details) && globs.some((glob) => matches(glob, wants)) && globs.every((glob) => mayWant.has(glob)),
  );
  if (profile === undefined) return lean ? leanRules : everyLine;
  const { talk, details = false, followsTasks, other } = profile;
  const rules = new Map<string, RecordRule>([...always, ['assistant', 'talk'], ['user', 'talk'], ...other]);
  return {
    everything: false,
    ruleFor: (type) => rules.get(type) ?? 'drop',
    talk,
    details,
    follows: (tool) => isFollowed(tool) && (followsTasks || !isTaskTool(tool)),
    shells: followsTasks && !details,
    sends: nameless ? 'if they wake' : 'always',
    wants: (event) => globs.some((glob) => matches(glob, event)),
  };
}

export function isShell(tool: string): boolean {
  return actOf(tool) === 'runShell';
}

/** No regular expression: a glob with many stars would take exponential time. */
export function matches(glob: string, name: string): boolean {
  const [start = '', ...others] = glob.split('*');
  const end = others.pop();
  if (end === undefined) return glob === name;
  if (!name.startsWith(start)) return false;
  let at = start.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - end.length >= at && name.endsWith(end);
}

const everyLine: Rules = {
  everything: true,
  ruleFor: () => 'parse',
  talk: 'lean',
  details: true,
  follows: () => true,
  shells: true,
  sends: 'always',
  wants: () => true,
};

const leanRules: Rules = {
  everything: false,
  ruleFor: (type) => (type === 'assistant' || type === 'user' ? 'talk' : 'parse'),
  talk: 'lean',
  details: false,
  follows: isFollowed,
  shells: true,
  sends: 'always',
  wants: () => true,
};

function isFollowed(tool: string): boolean {
  return hasEffect(tool) || isUnknownTeamTool(tool);
}

interface Profile {
  /** The event that selects this profile. */
  readonly wants: string;
  /** The other events it covers. An interest in anything else parses every line. */
  readonly mayWant: ReadonlySet<string>;
  readonly talk: Rules['talk'];
  /** For interests that need everything except the results of calls. */
  readonly details?: true;
  /** Whether task tools and, without `details`, background shells matter. */
  readonly followsTasks: boolean;
  /** Rules for other types. Records of a type without a rule are dropped. */
  readonly other: readonly [string, RecordRule][];
}

/** Frames of sessions, agents and hooks are always parsed: they are few and small. */
const always = [
  ...['system', 'result', 'conversation_reset', 'control_request', 'control_response', 'control_cancel_request'],
  ...['queue-operation', 'attachment', 'progress'],
].map((type): [string, RecordRule] => [type, 'parse']);

/** agent:* includes shells, monitors and workflows. Without followsTasks, a shell sent to the background has no event. */
const names = ['agent:*', 'agent:started', 'agent:finished', 'team:created', 'team:member:joined', 'team:message:*'];

const profiles: readonly Profile[] = [
  {
    wants: 'tool:called',
    mayWant: new Set([...names, 'tool:called', 'tool:returned', 'session:started', 'session:ended', 'hook:fired']),
    talk: 'lean',
    details: true,
    // The texts of the task tools say whether a call failed.
    followsTasks: true,
    other: [],
  },
  {
    wants: 'usage:recorded',
    mayWant: new Set([
      ...names,
      'usage:*',
      'usage:recorded',
      'usage:merged',
      'usage:reported',
      'session:started',
      'session:ended',
      'session:reset',
      'session:compacted',
      'session:labelled',
      'turn:started',
      'run:started',
    ]),
    talk: 'usage',
    followsTasks: false,
    other: [
      ['cost-state', 'parse'],
      ['stream_event', 'partial'],
    ],
  },
  {
    wants: 'team:task:created',
    mayWant: new Set([...names, 'team:task:*']),
    talk: 'calls',
    followsTasks: true,
    other: [],
  },
  {
    wants: 'team:message:sent',
    mayWant: new Set(names),
    talk: 'calls',
    followsTasks: false,
    other: [],
  },
];
