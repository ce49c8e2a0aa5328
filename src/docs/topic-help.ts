import { exampleText } from './help.js';
import type { Topic } from './topics.js';
import { definitions, wrap } from './wrap.js';

/** What `cct help <topic>` prints. */
export async function topicHelp(topic: Topic, width: number): Promise<string> {
  const parts = await topic.parts();
  const texts = parts.map((part) => (typeof part === 'string' ? wrap(part, width) : definitions(part, width)));
  return `${[`cct help ${topic.name}: ${topic.summary}`, exampleText(topic.examples), ...texts].join('\n\n')}\n`;
}
