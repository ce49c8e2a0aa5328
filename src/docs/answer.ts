import { UsageError } from '../io/exit.js';
import type { Command } from '../run/command.js';
import { suggestion } from '../run/nearest.js';
import { commandHelp, overview } from './help.js';
import { topicHelp } from './topic-help.js';
import { topics } from './topics.js';

/** What `cct help [word]` prints. */
export async function answer(commands: readonly Command[], words: readonly string[], width: number): Promise<string> {
  const [word, ...more] = words.filter((each) => each !== '-h' && each !== '--help');
  if (word === undefined) return overview(commands, width);
  if (more.length > 0) throw new UsageError(`help: one command or topic at a time, not also '${more[0]}'`);
  const command = commands.find(({ name }) => name === word);
  if (command !== undefined) return commandHelp(command, width);
  const topic = topics.find(({ name }) => name === word);
  if (topic !== undefined) return topicHelp(topic, width);
  const known = [...commands, ...topics].map(({ name }) => name);
  throw new UsageError(`help: '${word}' is not one of ${known.join(', ')}${suggestion(word, known)}`);
}
