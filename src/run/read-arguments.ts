import type { Command } from './command.js';
import { type Arguments, settleArguments } from './settle-arguments.js';

/** What the words after a command's name say, or 'help'. The parser is loaded only when there is a flag to parse: it costs start-up time. */
export async function readArguments(command: Command, words: readonly string[]): Promise<Arguments | 'help'> {
  if (!words.some((word) => word.startsWith('-') && word !== '-')) return settleArguments(command, {}, words);
  const { parseArguments } = await import('./arguments.js');
  return parseArguments(command, words);
}
