// Draws who talked to whom as a Mermaid sequence diagram, for Markdown.
import type { MessageRow } from '../messages/row.js';

/** null if nobody talked, or if the diagram would be too large to read. */
export function sequenceOf(messages: readonly MessageRow[]): string | null {
  const shown = messages.filter(({ type }) => type !== 'idle_notification' && type !== 'task_assignment');
  const names = [...new Set(shown.flatMap(({ from, to, recipients }) => [from, to, ...recipients]))].filter(
    (name) => name !== null,
  );
  if (shown.length === 0 || shown.length > mostMessages || names.length > mostNames) return null;
  const ids = new Map(names.map((name, index) => [name, `p${index}`]));
  const lines = shown.flatMap((message) => {
    const from = ids.get(message.from ?? '');
    const to = message.to === null ? message.recipients : [message.to];
    const isLost = message.status === 'failed' || message.status === 'open';
    return to.flatMap((name) => {
      const target = ids.get(name);
      if (from === undefined || target === undefined) return [];
      return `  ${from}${isLost ? '--x' : '->>'}${target}: ${label(textOf(message))}`;
    });
  });
  if (lines.length === 0) return null;
  const participants = names.map((name) => `  participant ${ids.get(name)} as ${label(name)}`);
  return ['```mermaid', 'sequenceDiagram', ...participants, ...lines, '```', ''].join('\n');
}

const mostMessages = 40;
const mostNames = 12;

function textOf({ type, summary, content }: MessageRow): string {
  const said = summary ?? content ?? '';
  return type === 'message' || type === 'broadcast' ? said : `${type.replaceAll('_', ' ')} ${said}`;
}

/** Escapes what Mermaid or Markdown would act on. `#35;` is how Mermaid writes a character by its code. */
function label(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  const safe = short
    .replace(/\s+/g, ' ')
    .replace(/[^\p{L}\p{N} .,!?()/_'…-]/gu, (letter) => `#${letter.codePointAt(0)};`);
  return safe.trim() === '' ? '…' : safe.trim();
}

const longest = 60;
