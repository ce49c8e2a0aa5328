import { actOf, hasEffect, isTaskTool, isUnknownTeamTool } from './tools/table.js';

/** What somebody wants to know, in our words. */
export interface Interest {
  /** Names of events, as globs. */
  readonly events: readonly string[];
  /** That something was said, called or returned is enough: not the texts, nor the inputs and results of calls without effect. */
  readonly lean?: boolean;
  /** What one record after the other says of the same message need be heard once. */
  readonly once?: boolean;
}

/** How to look at a line that opens with {"type":"…": parse it, drop it, parse it if it holds one of some words, or as a talk. */
export type LineRule = 'parse' | 'skip' | { readonly needles: readonly string[]; readonly unless: string } | Talk;

/** Records of a conversation: what was said, calls, and their results. */
export interface Talk {
  /** What becomes of those that say nothing else: dropped, parsed without their content, or that once for a message. */
  readonly idle: 'skip' | 'lean' | 'once';
  /** The result of any call counts if one of these is in it, that of a shell also if one of the others is. */
  readonly telling: readonly string[];
  readonly shellTelling: readonly string[];
}

export interface LineRules {
  look(type: string): LineRule;
  /** Rows of transcripts, which do not begin with their type. */
  readonly rows: Talk | 'parse';
  /** A call of this tool may do something that was asked for. */
  follows(tool: string): boolean;
  wants(event: string): boolean;
  /** Every line is parsed. */
  readonly everything: boolean;
  /** Every call and result is told, be it without its content. */
  readonly countsCalls: boolean;
}

/**
 * Which lines can yield the events somebody asks for. Commands ask in our words; the wire's stop here.
 * Safe because a quoted word cannot hide inside a JSON string (its quotes would be escaped), and a false hit only costs a parse.
 * Not seen, unless everything is parsed: damage in a dropped line, and what another process wrote into the middle of one.
 */
export function interestIn({ events: globs, lean = false, once = false }: Interest): LineRules {
  const profile = profiles.find(
    ({ wants, mayWant }) => globs.some((glob) => matches(glob, wants)) && globs.every((glob) => mayWant.has(glob)),
  );
  if (profile === undefined) return lean ? leanInterest : everyLine;
  const { other, followsTasks } = profile;
  const talk: Talk = once && profile.talk.idle === 'lean' ? { ...profile.talk, idle: 'once' } : profile.talk;
  const looks = new Map<string, LineRule>([...always, ['assistant', talk], ['user', talk], ...other]);
  return {
    look: (type) => looks.get(type) ?? 'skip',
    rows: { ...talk, idle: 'lean' },
    follows: (tool) =>
      isShell(tool) ? talk.shellTelling.length > 0 : isFollowed(tool) && (followsTasks || !isTaskTool(tool)),
    wants: (event) => globs.some((glob) => matches(glob, event)),
    everything: false,
    countsCalls: false,
  };
}

const everyLine: LineRules = {
  look: () => 'parse',
  rows: 'parse',
  follows: () => true,
  wants: () => true,
  everything: true,
  countsCalls: true,
};

function isFollowed(tool: string): boolean {
  return hasEffect(tool) || isUnknownTeamTool(tool);
}

export function isShell(tool: string): boolean {
  return actOf(tool) === 'runShell';
}

/** A call may go on behind its result: `detachedToolCall`. */
const detached = 'ToolCall":true';
/** The result of a call without effect, and nothing more. */
const plain = { telling: [detached], shellTelling: [] };
/**
 * A shell may go to the background by itself: `backgroundTaskId`, or `running in background with ID: …`. A word that begins with a
 * capital, as few others do, is found four times as fast, which counts where it is looked for in everything a tool returned.
 */
const shells = ['TaskId"', 'ID: '];

const leanTalk: Talk = { idle: 'lean', telling: ['"success":false', detached], shellTelling: shells };
const leanInterest: LineRules = {
  look: (type) => (type === 'assistant' || type === 'user' ? leanTalk : 'parse'),
  rows: leanTalk,
  follows: (tool) => isFollowed(tool) || isShell(tool),
  wants: () => true,
  everything: false,
  countsCalls: true,
};

interface Profile {
  /** The event that such a reader is after. */
  readonly wants: string;
  /** What else it may ask for; whoever asks for more gets every line. */
  readonly mayWant: ReadonlySet<string>;
  readonly talk: Talk;
  /** Lists of tasks mean something to it. */
  readonly followsTasks: boolean;
  /** Types that are named nowhere are dropped. */
  readonly other: readonly [string, LineRule][];
}

/** Frames that tell of sessions, agents and hooks are few and small. */
const always = [
  ...['system', 'result', 'conversation_reset', 'control_request', 'control_response', 'control_cancel_request'],
  ...['queue-operation', 'attachment', 'progress'],
].map((type): [string, LineRule] => [type, 'parse']);

/** What shells, monitors and workflows do is told as agent:* too; who follows no tasks does not hear of a shell that goes to the background. */
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
    talk: { idle: 'skip', telling: [detached], shellTelling: shells },
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

export function matches(glob: string, name: string): boolean {
  if (!glob.includes('*')) return glob === name;
  const pattern = glob.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${pattern}$`).test(name);
}
