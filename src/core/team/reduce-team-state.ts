import type { CorrelatedToolUse } from './correlation-buffer.js';
import { reduceRoster, type Shelf } from './roster.js';
import type { TeamMember, TeamState, TeamTask } from './team-state.js';

/**
 * The team after a call that came back: undefined before there is one and after it was deleted, the same object when
 * nothing changed. Applying a pair twice is the same as applying it once.
 */
export function reduceTeamState(state: TeamState | undefined, correlated: CorrelatedToolUse): TeamState | undefined {
  const before = state && { ...state, ...lists(state.members, state.tasks) };
  const after = reduceRoster(before, correlated, lists([], []));
  if (after === before) return state;
  return after && { name: after.name, role: after.role, members: after.members.values(), tasks: after.tasks.values() };
}

function lists(members: TeamMember[], tasks: TeamTask[]) {
  return { members: new List(members, (member) => member.name), tasks: new List(tasks, (task) => task.id) };
}

/** A shelf over a list, for teams of ordinary size. */
class List<V> implements Shelf<V> {
  readonly #values: V[];
  readonly #keyOf: (value: V) => string;

  constructor(values: V[], keyOf: (value: V) => string) {
    this.#values = values;
    this.#keyOf = keyOf;
  }

  get(key: string): V | undefined {
    return this.#values.find((value) => this.#keyOf(value) === key);
  }

  set(key: string, value: V): List<V> {
    const isKnown = this.get(key) !== undefined;
    const values = isKnown
      ? this.#values.map((known) => (this.#keyOf(known) === key ? value : known))
      : [...this.#values, value];
    return new List(values, this.#keyOf);
  }

  delete(key: string): List<V> {
    return new List(
      this.#values.filter((value) => this.#keyOf(value) !== key),
      this.#keyOf,
    );
  }

  values(): V[] {
    return this.#values;
  }
}
