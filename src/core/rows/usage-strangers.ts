import type { Entry } from './usage-account.js';
import type { Told } from './usage-part.js';
import type { Spent } from './usage-spent.js';
import { addTokens, covers, minusTokens, noTokens } from './usage-tokens.js';

/** A message that a result holds by its place, but no reported model by its name. */
export interface Stranger extends Told {
  readonly key: string;
  readonly at: number;
}

/**
 * A gateway may answer under another name than it was asked by, and an inference profile hides the model: reports then name the
 * request, messages the answer. All messages of a name join the one reported model that has room for them; where there is none,
 * or more than one, they are left over.
 */
export function joinStrangers(
  strangers: readonly Stranger[],
  entries: ReadonlyMap<string, Entry[]>,
  spent: readonly Spent[],
): Told[] {
  const left: Told[] = [];
  for (const key of new Set(strangers.map((stranger) => stranger.key))) {
    const own = strangers.filter((stranger) => stranger.key === key);
    const used = noTokens();
    for (const { message } of own) addTokens(used, message);
    const [host, ...others] = [...entries].filter(([name, list]) => covers(roomIn(name, list, spent), used));
    if (host === undefined || others.length > 0) left.push(...own);
    else host[1].push(...own.map(({ message, view, at }) => ({ message, view, at, counted: true })));
  }
  return left;
}

function roomIn(name: string, list: readonly Entry[], spent: readonly Spent[]) {
  const reported = noTokens();
  const held = noTokens();
  for (const { models } of spent) addTokens(reported, models.get(name) ?? noTokens());
  for (const { message } of list) addTokens(held, message);
  return minusTokens(reported, held);
}
