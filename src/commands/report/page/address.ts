// Keeps what is shown in the address of the page, so that a link leads to a moment: #t=93.2&agent=writer.
export interface Place {
  /** Milliseconds since the start. */
  readonly at: number | null;
  readonly agent: string | null;
  readonly call: string | null;
  readonly message: number | null;
  readonly task: string | null;
}

export const nowhere: Place = { at: null, agent: null, call: null, message: null, task: null };

export function readAddress(hash: string): Place {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const seconds = Number(words.get('t') ?? Number.NaN);
  const message = Number(words.get('message') ?? Number.NaN);
  return {
    at: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null,
    agent: words.get('agent'),
    call: words.get('call'),
    message: Number.isInteger(message) ? message : null,
    task: words.get('task'),
  };
}

export function writeAddress({ at, agent, call, message, task }: Place): string {
  const words = new URLSearchParams();
  if (at !== null) words.set('t', String(Math.round(at) / 1000));
  if (agent !== null) words.set('agent', agent);
  if (call !== null) words.set('call', call);
  if (message !== null) words.set('message', String(message));
  if (task !== null) words.set('task', task);
  return `#${words}`;
}
