import { actsOf } from '../core/wire/tools/table.js';

export interface Capabilities {
  /** It can work with agents that stay and talk to each other. */
  teams: boolean;
  tasks: boolean;
  messages: boolean;
}

/** What a session can do, by the tools its session:started names; nothing when it names none. */
export function capabilities(session: { readonly tools?: readonly string[] | null }): Capabilities {
  const acts = new Set((session.tools ?? []).flatMap(actsOf));
  const messages = acts.has('send');
  return {
    // From 2.1.178 on there is no tool that makes a team: whoever spawns agents and can write to them has one.
    teams: acts.has('createTeam') || (messages && acts.has('spawn')),
    tasks: acts.has('createTask') || acts.has('writeTodos'),
    messages,
  };
}
