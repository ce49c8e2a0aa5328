// Decides which lines can yield the events that a command asks for, so that the other lines are not parsed.
import { actOf, hasEffect, isTaskTool, isUnknownTeamTool } from './tools/table.js';

/** The events that a command needs. */
export interface Interest {
  /** Names of events, as globs. */
  readonly events: readonly string[];
  /** The events may lack texts, and the inputs and results of calls without effect. */
  readonly lean?: boolean;
  /** Of consecutive records of the same message one is enough. */
  readonly once?: boolean;
}

/** What to do with a line that begins with {"type":"…": parse it, skip it, parse it if it contains a needle, or treat it as Talk. */
export type LineRule = 'parse' | 'skip' | { readonly needles: readonly string[]; readonly unless: string } | Talk;

/** The rule for records of a conversation: texts, calls and their results. */
export interface Talk {
  /** Records without anything of interest are dropped, parsed without their content, or so once per message. */
  readonly idle: 'skip' | 'lean' | 'once';
  /** A result is parsed whole if it contains one of these words; for a shell also one of `shellNeedles`. */
  readonly resultNeedles: readonly string[];
  readonly shellNeedles: readonly string[];
}

export interface LineRules {
  ruleFor(type: string): LineRule;
  /** Rows of transcripts, which do not begin with their type. */
  readonly rows: Talk | 'parse';
  /** Whether a call of this tool may yield an event that was asked for. */
  follows(tool: string): boolean;
  wants(event: string): boolean;
  /** Every line is parsed. */
  readonly everything: boolean;
  /** Every call and result gives an event, even if without its content. */
  readonly countsCalls: boolean;
}

/**
 * Finds the rules for an interest. Commands name events; only this file knows the words of the wire.
 * This is safe: a quoted word cannot occur inside a JSON string (its quotes would be escaped), and a false hit only costs a parse.
 * Unless everything is parsed, damage in a dropped line, and what another process wrote into it, is not noticed.
 */
export function interestIn({ events: globs, lean = false, once = false }: Interest): LineRules {
  const profile = profiles.find(
    ({ wants, mayWant }) => globs.some((glob) => matches(glob, wants)) && globs.every((glob) => mayWant.has(glob)),
  );
  if (profile === undefined) return lean ? leanInterest : everyLine;
  const { other, followsTasks } = profile;
  const talk: Talk = once && profile.talk.idle === 'lean' ? { ...profile.talk, idle: 'once' } : profile.talk;
  const rules = new Map<string, LineRule>([...always, ['assistant', talk], ['user', talk], ...other]);
  return {
    ruleFor: (type) => rules.get(type) ?? 'skip',
    rows: { ...talk, idle: 'lean' },
    follows: (tool) =>
      isShell(tool) ? talk.shellNeedles.length > 0 : isFollowed(tool) && (followsTasks || !isTaskTool(tool)),
    wants: (event) => globs.some((glob) => matches(glob, event)),
    everything: false,
    countsCalls: false,
  };
}

export function isShell(tool: string): boolean {
  return actOf(tool) === 'runShell';
}

/** Not by a regular expression: a glob of many stars would take for ever. */
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

const everyLine: LineRules = {
  ruleFor: () => 'parse',
  rows: 'parse',
  follows: () => true,
  wants: () => true,
  everything: true,
  countsCalls: true,
};

function isFollowed(tool: string): boolean {
  return hasEffect(tool) || isUnknownTeamTool(tool);
}

/** A call may continue after its result: `detachedToolCall`. */
const detached = 'ToolCall":true';
/** For readers that do not follow shells. */
const plain = { resultNeedles: [detached], shellNeedles: [] };
/**
 * A shell may go to the background by itself: `backgroundTaskId`, or `running in background with ID: …`. A needle that begins with
 * a capital letter is found four times as fast, because capitals are rare; every result of a shell is searched for it.
 */
const shells = ['TaskId"', 'ID: '];

const leanTalk: Talk = { idle: 'lean', resultNeedles: ['"success":false', detached], shellNeedles: shells };
const leanInterest: LineRules = {
  ruleFor: (type) => (type === 'assistant' || type === 'user' ? leanTalk : 'parse'),
  rows: leanTalk,
  follows: (tool) => isFollowed(tool) || isShell(tool),
  wants: () => true,
  everything: false,
  countsCalls: true,
};

interface Profile {
  /** The event that selects this profile. */
  readonly wants: string;
  /** The other events that it covers; an interest in more gets every line. */
  readonly mayWant: ReadonlySet<string>;
  readonly talk: Talk;
  /** Tools of the task lists are of interest. */
  readonly followsTasks: boolean;
  /** Rules for other types; every line of a type without a rule is dropped unparsed. */
  readonly other: readonly [string, LineRule][];
}

/** Frames of sessions, agents and hooks are always parsed: they are few and small. */
const always = [
  ...['system', 'result', 'conversation_reset', 'control_request', 'control_response', 'control_cancel_request'],
  ...['queue-operation', 'attachment', 'progress'],
].map((type): [string, LineRule] => [type, 'parse']);

/** agent:* includes shells, monitors and workflows; without followsTasks, a shell that goes to the background gives no event. */
const names = ['agent:*', 'agent:started', 'agent:finished', 'team:created', 'team:member:joined', 'team:message:*'];

const profiles: readonly Profile[] = [
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
      'turn:started',
    ]),
    talk: { idle: 'lean', ...plain },
    followsTasks: false,
    other: [
      ['cost-state', 'parse'],
      [
        'stream_event',
        { needles: ['"message_delta"', '"message_start"'], unless: ',"event":{"type":"content_block_delta"' },
      ],
    ],
  },
  {
    wants: 'team:task:created',
    mayWant: new Set([...names, 'team:task:*']),
    talk: { idle: 'skip', resultNeedles: [detached], shellNeedles: shells },
    followsTasks: true,
    other: [],
  },
  {
    wants: 'team:message:sent',
    mayWant: new Set(names),
    talk: { idle: 'skip', ...plain },
    followsTasks: false,
    other: [],
  },
];
