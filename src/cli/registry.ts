import type { Command } from './command.js';

/** Every subcommand, loaded on demand, in the order in which help lists them. A new one is a folder in src/commands, a line here and a transcript in test/cli. */
export const registry: Readonly<Record<string, () => Promise<Command>>> = {
  sessions: () => import('../commands/sessions/command.js').then((module) => module.sessions),
  log: () => import('../commands/log/command.js').then((module) => module.log),
  teams: () => import('../commands/teams/command.js').then((module) => module.teams),
  tasks: () => import('../commands/tasks/command.js').then((module) => module.tasks),
  messages: () => import('../commands/messages/command.js').then((module) => module.messages),
  usage: () => import('../commands/usage/command.js').then((module) => module.usage),
  calls: () => import('../commands/calls/command.js').then((module) => module.calls),
  audit: () => import('../commands/audit/command.js').then((module) => module.audit),
  report: () => import('../commands/report/command.js').then((module) => module.report),
  trace: () => import('../commands/trace/command.js').then((module) => module.trace),
  run: () => import('../commands/run/command.js').then((module) => module.run),
  replay: () => import('../commands/replay/command.js').then((module) => module.replay),
  normalize: () => import('../commands/normalize/command.js').then((module) => module.normalize),
  schema: () => import('../commands/schema/command.js').then((module) => module.schema),
  completion: () => import('../commands/completion/command.js').then((module) => module.completion),
};

export function loadAll(): Promise<Command[]> {
  return Promise.all(Object.values(registry).map((load) => load()));
}

/** null if there is no such command. */
export async function loadCommand(name: string): Promise<Command | null> {
  return Object.hasOwn(registry, name) ? ((await registry[name]?.()) ?? null) : null;
}

/** The command line that people mean by a word they try before they know its name; null for any other word. */
export function synonymOf(word: string): string | null {
  return synonyms.find(([, words]) => words.split(' ').includes(word.toLowerCase()))?.[0] ?? null;
}

const synonyms: readonly (readonly [line: string, words: string])[] = [
  ['sessions', 'ls list session history recent projects'],
  ['log', 'show cat view read story logs transcript transcripts conversation'],
  ['log --grep TEXT', 'grep search find'],
  ['teams', 'agent agents members roster status who ps'],
  ['teams --last --follow', 'watch tail top live follow monitor'],
  ['tasks', 'task todo todos board kanban'],
  ['messages', 'message msgs chat mail inbox timeline'],
  ['usage', 'stats stat cost costs spend spent bill money tokens price prices budget'],
  ['usage --since today', 'today'],
  ['usage --by day', 'daily days'],
  ['usage --by week', 'weekly weeks'],
  ['usage --by month', 'monthly months'],
  ['calls', 'tool tools call'],
  ['normalize', 'events event parse convert json'],
  ['audit', 'check lint doctor findings errors problems'],
  ['report -o run.html', 'html page export open'],
  ['report --compare A B -o diff.html', 'diff compare'],
  ['replay', 'play'],
  ['run', 'exec start guard'],
];
