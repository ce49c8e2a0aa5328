// Collects what sessions were about: their titles, first prompts, times and files.
import type { Event } from '../../core/event/event.js';
import { getOrCreate, textOf } from '../../core/record/json.js';
import { compare, earliest, latest } from '../../core/tables/order.js';
import { newState, type State, type Watcher } from '../../core/tables/reduce.js';
import { insertedPrompt, isInterruption, promptText } from '../../core/wire/telling.js';

/** The events that it notes. Others may be passed on as well, and say nothing here. */
export const sessionEvents = [
  'session:started',
  'session:ended',
  'session:changed',
  'prompt:received',
  'tool:called',
  'tool:returned',
  'usage:recorded',
  'usage:reported',
] as const satisfies readonly Event['event'][];

/** What somebody wrote, and where: two files may say different things. */
interface TitleOrPrompt {
  readonly text: string;
  readonly rank: number;
  readonly time: string | null;
  readonly source: string;
  readonly line: number;
}

export interface Story {
  first: string | null;
  last: string | null;
  title: TitleOrPrompt | null;
  /** The first prompt of each agent. */
  readonly prompts: Map<string | null, TitleOrPrompt>;
  readonly files: Set<string>;
  /** The last message that a fork repeats, which another session requested. */
  copied: { readonly time: string; readonly message_id: string } | null;
}

/** Rows count calls, for which the ids of calls are hashed. */
export function newSessionsState(): State {
  return newState({ seed: Math.floor(Math.random() * 2 ** 32) });
}

export class SessionsFold implements Watcher {
  readonly stories = new Map<string, Story>();

  /** `near` is the time of the nearest record before it in its file: titles have none of their own. */
  after(event: Event, _: State, near: string | null): void {
    const { session_id, source = '' } = event;
    if (session_id === null || !sessionEvents.some((name) => name === event.event)) return;
    const story = getOrCreate(this.stories, session_id, newStory);
    story.first = earliest(story.first, event.time);
    story.last = latest(story.last, event.time);
    if (source !== '') story.files.add(source);
    const saidHere = (text: string, rank: number): TitleOrPrompt => ({
      ...{ text, rank, source },
      ...{ time: event.time ?? near, line: event.line ?? 0 },
    });
    if (event.event === 'usage:recorded' && event.copied) {
      const { time, message_id } = event;
      if (time !== null && message_id !== null && time >= (story.copied?.time ?? ''))
        story.copied = { time, message_id };
    } else if (event.event === 'session:changed') {
      const title = titleIn(event);
      const own = title === null ? null : saidHere(...title);
      if (own !== null && (story.title === null || isBetterTitle(own, story.title))) story.title = own;
    } else if (event.event === 'prompt:received' && !event.synthetic) {
      const text = promptIn(event.text ?? '');
      const known = story.prompts.get(event.agent);
      const own = text === '' ? null : saidHere(text, 0);
      if (own !== null && (known === undefined || isBetterTitle(known, own))) story.prompts.set(event.agent, own);
    }
  }
}

function newStory(): Story {
  return {
    first: null,
    last: null,
    title: null,
    prompts: new Map(),
    files: new Set(),
    copied: null,
  };
}

/** The better title of two, else the one that was written later. */
function isBetterTitle(a: TitleOrPrompt, b: TitleOrPrompt): boolean {
  const order =
    a.rank - b.rank || compare(a.time ?? '', b.time ?? '') || compare(a.source, b.source) || a.line - b.line;
  return order > 0;
}

/** A title with its rank: what a person chose counts before what the program thought of. */
function titleIn(event: Event & { readonly event: 'session:changed' }): [text: string, rank: number] | null {
  const { type, subtype } = event;
  const [value, rank] =
    type === 'custom-title'
      ? [event['custom_title'], 3]
      : subtype === 'session_title_changed'
        ? [event['title'], 3]
        : type === 'ai-title'
          ? [event['ai_title'], 2]
          : type === 'summary'
            ? [event['summary'], 1]
            : [null, 0];
  const text = textOf(value)?.trim() ?? '';
  return text === '' ? null : [text, rank];
}

/** A prompt as it was typed: `/init`, not the tags around it. Empty for what the program itself put there. */
function promptIn(text: string): string {
  const typed = insertedPrompt(text) !== null || isInterruption(text) ? '' : promptText(text).trim();
  // A session that follows another begins with the command that ended the other.
  return typed === '/clear' ? '' : typed;
}
