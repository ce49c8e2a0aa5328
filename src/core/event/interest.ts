/**
 * How to look at a line that opens with {"type":"…": parse it, drop it, parse it if it holds one of some words,
 * or (answers) drop it only if it is the result of a call nobody waits for.
 */
export type Look = 'parse' | 'skip' | { needles: readonly string[] } | { answers: readonly string[] };

export interface Interest {
  look(type: string): Look;
  /** Every line is parsed. */
  everything: boolean;
  /** Results of all calls are read, so calls still open at the end can be counted. */
  countsCalls: boolean;
}

/**
 * Which lines can yield the events somebody asks for. Commands ask in our words; the wire's stop here.
 * Safe because a quoted word cannot hide inside a JSON string (its quotes would be escaped), and a false hit only costs a parse.
 */
export function interestIn(globs: readonly string[]): Interest {
  const asks = (name: string) => globs.some((glob) => matches(glob, name));
  const calls = asks('tool:called') || asks('tool:returned');
  const said = asks('text:produced') || asks('thinking:produced');
  const usage = asks('usage:recorded');
  const changes = asks('session:changed');
  const work = asks('agent:started') || asks('agent:finished');
  const answers: Look = { answers: asks('team:task:created') ? backgroundWords : [] };
  const looks: Record<string, Look> = {
    system: 'parse',
    result: 'parse',
    assistant: calls || said || usage || asks('team:task:created') ? 'parse' : { needles: teamWords },
    user: calls || asks('prompt:received') ? 'parse' : answers,
    stream_event: usage ? { needles: ['"message_delta"', '"message_start"'] } : 'skip',
    conversation_reset: 'parse',
    'queue-operation': work || asks('team:message:sent') ? 'parse' : 'skip',
    attachment: 'parse',
  };
  const other: Look =
    changes || asks('unknown') || asks('control:requested') || asks('session:limited') ? 'parse' : 'skip';
  return {
    look: (type) => (Object.hasOwn(looks, type) ? (looks[type] ?? other) : other),
    everything: globs.includes('*'),
    countsCalls: calls,
  };
}

/** Names of tools that spawn agents, make teams or send messages, as they stand in a tool_use block. */
const teamWords = ['"SendMessage"', '"Agent"', '"Task"', '"Team', '"supersedes"'];
/** A shell may go to the background without being told to. */
const backgroundWords = ['"backgroundTaskId"', 'running in background with ID'];

export function matches(glob: string, name: string): boolean {
  if (!glob.includes('*')) return glob === name;
  const pattern = glob.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${pattern}$`).test(name);
}
