import type { Command } from './command.js';

/** Every subcommand, loaded on demand. A new one is a folder in src/commands, a line here and a transcript in test/cli. */
export const registry: Readonly<Record<string, () => Promise<Command>>> = {
  audit: () => import('../commands/audit/command.js').then((module) => module.audit),
  calls: () => import('../commands/calls/command.js').then((module) => module.calls),
  messages: () => import('../commands/messages/command.js').then((module) => module.messages),
  normalize: () => import('../commands/normalize/command.js').then((module) => module.normalize),
  replay: () => import('../commands/replay/command.js').then((module) => module.replay),
  report: () => import('../commands/report/command.js').then((module) => module.report),
  run: () => import('../commands/run/command.js').then((module) => module.run),
  schema: () => import('../commands/schema/command.js').then((module) => module.schema),
  tasks: () => import('../commands/tasks/command.js').then((module) => module.tasks),
  teams: () => import('../commands/teams/command.js').then((module) => module.teams),
  trace: () => import('../commands/trace/command.js').then((module) => module.trace),
  usage: () => import('../commands/usage/command.js').then((module) => module.usage),
  completion: () => import('../commands/completion/command.js').then((module) => module.completion),
};

export function loadAll(): Promise<Command[]> {
  return Promise.all(Object.values(registry).map((load) => load()));
}

/** null if there is no such command. */
export async function loadCommand(name: string): Promise<Command | null> {
  return Object.hasOwn(registry, name) ? ((await registry[name]?.()) ?? null) : null;
}

/** The command that people mean by a word they try before they know its name; null for any other word. */
export function synonymOf(word: string): string | null {
  return synonyms.find(([, words]) => words.includes(word.toLowerCase()))?.[0] ?? null;
}

const synonyms: readonly (readonly [command: string, words: readonly string[]])[] = [
  ['teams', ['agent', 'agents', 'members', 'roster', 'status', 'who', 'top', 'ps']],
  ['tasks', ['task', 'todo', 'todos', 'board', 'kanban']],
  ['messages', ['message', 'msgs', 'log', 'logs', 'chat', 'mail', 'inbox', 'timeline']],
  [
    'usage',
    ['stats', 'stat', 'cost', 'costs', 'spend', 'spent', 'bill', 'money', 'tokens', 'price', 'prices', 'budget'],
  ],
  ['normalize', ['events', 'event', 'parse', 'convert', 'json']],
  ['audit', ['check', 'lint', 'doctor', 'findings', 'errors', 'problems']],
  ['replay', ['play', 'watch']],
  ['run', ['exec', 'start', 'guard']],
];
