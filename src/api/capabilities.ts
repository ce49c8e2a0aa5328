export interface Capabilities {
  /** It can work with agents that stay and talk to each other. */
  teams: boolean;
  tasks: boolean;
  messages: boolean;
}

/** What a session can do, by the tools its session:started names; nothing when it names none. */
export function capabilities(session: { readonly tools?: readonly string[] | null }): Capabilities {
  const tools = new Set(session.tools ?? []);
  const has = (...names: string[]) => names.some((name) => tools.has(name));
  const messages = has('SendMessage', 'Teammate');
  return {
    // From 2.1.178 on there is no tool that makes a team: whoever spawns agents and can write to them has one.
    teams: has('TeamCreate', 'Teammate') || (messages && has('Task', 'Agent')),
    tasks: has('TaskCreate', 'TodoWrite'),
    messages,
  };
}
