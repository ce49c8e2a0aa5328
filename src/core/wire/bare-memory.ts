// Removes what people and agents wrote from what a reader remembers, for a state saved with --no-content.
import { nameOnly, withoutText } from '../privacy/content.js';
import { isObject } from '../record/json.js';
import type { Memory } from './context.js';

export function bareMemory(memory: Memory): Memory {
  return {
    ...memory,
    calls: memory.calls.map((call) => {
      const input = withoutText(call.input);
      return { ...call, input: isObject(input) ? input : {} };
    }),
    boards: mapped(memory.boards, (board) =>
      mapped(board, (task) => ({ ...task, subject: null, description: null, owner: nameOnly(task.owner) })),
    ),
    sessions: mapped(memory.sessions, ({ saying: _, ...session }) => ({
      ...session,
      agents: mapped(session.agents, (agent) => ({ ...agent, name: nameOnly(agent.name), description: null })),
    })),
  };
}

function mapped<K, V>(map: ReadonlyMap<K, V>, change: (value: V) => V): Map<K, V> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}
