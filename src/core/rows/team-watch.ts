import { reducerOf, type State } from '../state/reduce.js';
import { createSessionStates, type Step } from './session-states.js';
import { byTeam, type TeamRow } from './team.js';
import { createSpent, teamRowsFrom } from './team-facts.js';
import { createUsageWatch } from './usage-watch.js';

/** Teams that go on while events come: only the rows of sessions that changed are made anew. */
export interface TeamWatch {
  note(step: Step): void;
  /** The rows that may have changed since it was asked last, as far as the input is read. */
  news(now: State): TeamRow[];
}

export function createTeamWatch(): TeamWatch {
  const sessions = createSessionStates(followTeams, { messages: true });
  const usage = createUsageWatch({ choices: [{ by: ['session', 'agent'] }, { by: ['session'] }] });
  const spent = createSpent();
  let last: State | null = null;
  return {
    note(step) {
      usage.note(step);
      sessions.note(step);
    },
    news(now) {
      if (now === last) return [];
      last = now;
      const [byAgent, bySession] = usage.news(now);
      for (const { rows } of [byAgent, bySession].filter((news) => news !== undefined))
        for (const { session_id } of rows) if (typeof session_id === 'string') sessions.touch(session_id);
      if (byAgent !== undefined && bySession !== undefined) spent.learn(byAgent, bySession);
      const rows = sessions.changed(now).flatMap((state) => teamRowsFrom(state, spent, { ended: false }));
      return rows.sort(byTeam);
    },
  };
}

/** Usage has its own way. */
const followTeams = reducerOf({ story: true, messages: true, work: true });
