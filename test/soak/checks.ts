import type { JsonObject } from '../json.js';
import type { Keeps } from './memory.js';
import type { Known, Plan } from './world.js';

/** A command, the stream it gets, and what its output must add up to. */
export interface Check {
  readonly words: readonly string[];
  readonly plan: Plan;
  /** What the generator knows, and the same computed from the rows. Rows come one by one, so that none has to be kept. */
  readonly expected: (known: Known) => JsonObject;
  readonly counter: () => Counter;
  /**
   * What it has to keep of the stream, in bytes as measured plus some; by default nothing. An API message is kept by
   * its id, so that a copy is not counted again. A message between agents waits for its delivery, which may come at any
   * time. A run of an agent is kept by its call. A team with its members, tasks and agents is a row at the end, however
   * long ago it was closed. Calls that returned leave nothing.
   */
  readonly keeps?: Keeps;
}

export interface Counter {
  row(row: JsonObject): void;
  found(): JsonObject;
}

const manyTeams: Plan = { sessions: 4, steps: 1000 };
const oneTeam: Plan = { sessions: 1, steps: Number.POSITIVE_INFINITY };

export const checks: readonly Check[] = [
  {
    words: ['teams'],
    plan: manyTeams,
    keeps: { messages: 300, sends: 1500, runs: 300, teams: 20_000 },
    expected: ({ teams, members, runs, sends }) => ({ teams, cleaned_up: teams, members, runs, sends }),
    counter: teamCounter,
  },
  {
    words: ['tasks'],
    plan: manyTeams,
    keeps: { runs: 300, teams: 16_000 },
    // The scout is a background task of each team.
    expected: ({ tasks, completed, teams }) => ({ tasks, completed, background: teams }),
    counter: taskCounter,
  },
  {
    words: ['messages'],
    plan: manyTeams,
    keeps: { sends: 1200, runs: 300, teams: 4000 },
    expected: ({ sends }) => ({ sent: sends }),
    counter: () => tally((row) => (row.status === 'sent' ? 'sent' : 'other')),
  },
  {
    words: ['usage'],
    plan: manyTeams,
    keeps: { messages: 300, teams: 4000 },
    expected: ({ input_tokens, output_tokens }) => ({ input_tokens, output_tokens }),
    counter: usageCounter,
  },
  {
    words: ['normalize', '--no-content'],
    plan: manyTeams,
    keeps: { teams: 4000 },
    expected: ({ calls, sends, teams }) => ({
      'tool:returned': calls,
      'team:message:sent': sends,
      'team:deleted': teams,
    }),
    counter: eventCounter,
  },
  {
    words: ['tasks', '--watch'],
    plan: oneTeam,
    keeps: { runs: 600 },
    expected: ({ tasks, completed, teams }) => ({ tasks, completed, background: teams }),
    counter: () => latest(taskCounter, 'session_id', 'id'),
  },
  {
    words: ['teams', '--watch'],
    plan: oneTeam,
    keeps: { messages: 400, sends: 3000, runs: 600 },
    expected: ({ teams, members, runs, sends }) => ({ teams, cleaned_up: teams, members, runs, sends }),
    counter: () => latest(teamCounter, 'team'),
  },
  {
    words: ['usage', '--watch'],
    plan: oneTeam,
    keeps: { messages: 400 },
    expected: ({ input_tokens, output_tokens }) => ({ input_tokens, output_tokens }),
    counter: () => latest(usageCounter, 'model'),
  },
];

function teamCounter(): Counter {
  const found = { teams: 0, cleaned_up: 0, members: 0, runs: 0, sends: 0 };
  return {
    row({ status, members, messages }) {
      const roster: JsonObject[] = Array.isArray(members) ? members : [];
      found.teams++;
      if (status === 'cleaned_up') found.cleaned_up++;
      found.members += roster.length;
      for (const { kind, runs } of roster) if (kind !== 'lead') found.runs += Number(runs);
      found.sends += Number(messages);
    },
    found: () => found,
  };
}

function taskCounter(): Counter {
  const found = { tasks: 0, completed: 0, background: 0 };
  return {
    row({ kind, status }) {
      if (kind === 'background') found.background++;
      else found.tasks++;
      if (kind !== 'background' && status === 'completed') found.completed++;
    },
    found: () => found,
  };
}

function usageCounter(): Counter {
  const found = { input_tokens: 0, output_tokens: 0 };
  return {
    row({ input_tokens, output_tokens }) {
      found.input_tokens += Number(input_tokens);
      found.output_tokens += Number(output_tokens);
    },
    found: () => found,
  };
}

function eventCounter(): Counter {
  const kinds = ['tool:returned', 'team:message:sent', 'team:deleted'];
  const { row, found } = tally((event) => String(event.event));
  return {
    row,
    found: () => Object.fromEntries(Object.entries(found()).filter(([kind]) => kinds.includes(kind))),
  };
}

function tally(kindOf: (row: JsonObject) => string): Counter {
  const counts = new Map<string, number>();
  return {
    row(row) {
      const kind = kindOf(row);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
    found: () => Object.fromEntries(counts),
  };
}

/** With --watch a row is written again whenever it changed. Only the last version of each counts. */
function latest(counter: () => Counter, ...keys: readonly string[]): Counter {
  const last = new Map<string, JsonObject>();
  return {
    row: (row) => void last.set(JSON.stringify(keys.map((key) => row[key])), row),
    found() {
      const { row, found } = counter();
      for (const one of last.values()) row(one);
      return found();
    },
  };
}
