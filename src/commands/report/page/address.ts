// Keeps what is shown in the address of the page, so that a link leads there: #t=93.2&agent=writer&call=toolu_1.
import type { Choice } from '../story.js';

export interface Place {
  /** Milliseconds since the start; null for the end. */
  readonly at: number | null;
  /** Of several runs, the session of the one that is shown. */
  readonly run: string | null;
  readonly agent: string | null;
  readonly choice: Choice | null;
  readonly tab: string | null;
}

export const nowhere: Place = { at: null, run: null, agent: null, choice: null, tab: null };

const choices = ['call', 'message', 'task', 'finding', 'line'] as const;

export function readAddress(hash: string): Place {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const seconds = Number(words.get('t') ?? Number.NaN);
  const is = choices.find((name) => words.has(name));
  return {
    at: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null,
    run: words.get('run'),
    agent: words.get('agent'),
    choice: is === undefined ? null : { is, id: words.get(is) ?? '' },
    tab: words.get('tab'),
  };
}

export function writeAddress({ at, run, agent, choice, tab }: Place): string {
  const words = new URLSearchParams();
  if (run !== null) words.set('run', run);
  if (at !== null) words.set('t', String(Math.round(at) / 1000));
  if (agent !== null) words.set('agent', agent);
  if (choice !== null) words.set(choice.is, choice.id);
  if (tab !== null) words.set('tab', tab);
  return `#${words}`;
}

/** Whether going back should lead from one to the other. The clock moves too often for that. */
export function isStep(from: Place, to: Place): boolean {
  const key = ({ run, agent, choice }: Place) => JSON.stringify([run, agent, choice]);
  return key(from) !== key(to);
}
