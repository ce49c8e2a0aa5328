/**
 * How to look at a line that opens with {"type":"…": parse it, drop it, parse it if it holds one of some words,
 * or (answers) drop it only if it is the result of a call nobody waits for and says nothing else.
 */
export type Look = 'parse' | 'skip' | { needles: readonly string[] } | { answers: readonly string[] };

export interface Interest {
  look(type: string): Look;
  /** Every line is parsed. */
  everything: boolean;
  /** Every call is read, so that the result of an unknown one has its call outside the input. */
  seesCalls: boolean;
  /** Results of all calls are read, so calls still open at the end can be counted. */
  countsCalls: boolean;
}

/**
 * Which lines can yield the events somebody asks for. Commands ask in our words; the wire's stop here.
 * Safe because a quoted word cannot hide inside a JSON string (its quotes would be escaped), and a false hit only costs a parse.
 * Not seen, unless everything is parsed: damage in a dropped line, and what another process wrote into the middle of one.
 */
export function interestIn(globs: readonly string[]): Interest {
  const profile = profiles.find(
    ({ wants, mayWant }) => globs.some((glob) => matches(glob, wants)) && globs.every((glob) => mayWant.has(glob)),
  );
  if (profile === undefined) return { look: () => 'parse', everything: true, seesCalls: true, countsCalls: true };
  const { looks } = profile;
  const seesCalls = looks.get('assistant') === 'parse';
  return { look: (type) => looks.get(type) ?? 'skip', everything: false, seesCalls, countsCalls: false };
}

interface Profile {
  /** The event that such a reader is after. */
  readonly wants: string;
  /** What else it may ask for; whoever asks for more gets every line. */
  readonly mayWant: ReadonlySet<string>;
  /** Types that are not named are dropped. */
  readonly looks: ReadonlyMap<string, Look>;
}

/** Beside a result, a record may bring a message or word of a shell that went to the background by itself. */
const besideResults = ['-message', 'task-notification', '"backgroundTaskId"', 'running in background with ID'];
const answers: Look = { answers: besideResults };

/** Shapes of results that are known without their call, in a stream that was joined late. */
const shapes = ['"routing"', '"target"', 'teammate_spawned', 'async_launched', '"teammate_id"', '"team_name"'];

/** Frames that tell of sessions, agents and hooks are few and small. */
const always: [string, Look][] = [
  ['system', 'parse'],
  ['result', 'parse'],
  ['user', answers],
  ['conversation_reset', 'parse'],
  ['control_request', 'parse'],
  ['queue-operation', 'parse'],
  ['attachment', 'parse'],
];

const names = ['agent:*', 'agent:started', 'agent:finished', 'team:created', 'team:member:joined', 'team:message:*'];

const profiles: readonly Profile[] = [
  {
    wants: 'usage:recorded',
    mayWant: new Set([
      ...names,
      'usage:*',
      'usage:recorded',
      'usage:merged',
      'session:started',
      'session:ended',
      'session:reset',
      'turn:started',
    ]),
    looks: new Map([
      ...always,
      ['assistant', 'parse'],
      ['stream_event', { needles: ['"message_delta"', '"message_start"'] }],
    ]),
  },
  {
    wants: 'team:task:created',
    mayWant: new Set([...names, 'team:task:*']),
    looks: new Map([...always, ['assistant', 'parse']]),
  },
  {
    wants: 'team:message:sent',
    mayWant: new Set(names),
    // Names of tools that spawn agents, make teams or send messages, as they stand in a tool_use block; and lines of agents.
    looks: new Map<string, Look>([
      ...always,
      ['user', { answers: [...besideResults, ...shapes] }],
      [
        'assistant',
        { needles: ['"SendMessage"', '"Agent"', '"Task', '"Team', '"Bash"', '"supersedes"', '"parent_tool_use_id":"'] },
      ],
    ]),
  },
];

export function matches(glob: string, name: string): boolean {
  if (!glob.includes('*')) return glob === name;
  const pattern = glob.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${pattern}$`).test(name);
}
