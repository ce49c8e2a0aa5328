// What cards and lists say of an agent, in pieces of a line.
import { joinedSpans, type PictureLook, type Span, silencePaint, span, ticking } from '../../view/signs.js';
import { paintName, paintWord, visibleName } from '../../view/text.js';
import type { MessageRow } from '../messages/rows.js';
import { saidIn } from '../messages/talk.js';
import { type AgentCard, type Call, waitsForAgents } from './picture.js';

export interface CardLook extends PictureLook {
  /** For a live view: milliseconds since it began. A recording has no time of its own. */
  readonly time?: {
    readonly now: number;
    /** A longer silence ends the reading. */
    readonly silenceLimit: number;
  };
}

export function dot({ paint, glyphs }: CardLook): Span {
  return span(` ${glyphs.dot} `, paint.dim);
}

export function badge({ member }: AgentCard, { glyphs, paint }: CardLook): Span {
  return span(member.kind === 'lead' ? glyphs.lead : glyphs.agent, (text) => paintName(paint, text, member.color));
}

export function nameSpan({ member }: AgentCard, { paint }: CardLook): Span {
  return span(visibleName(member.name), (text) => paint.bold(paintName(paint, text, member.color)));
}

export function statusSpan({ member }: AgentCard, { paint }: CardLook): Span {
  return span(member.status.replaceAll('_', ' '), (text) => paintWord(paint, member.status, text));
}

export function taskIn({ task }: AgentCard): Span[] {
  return task === null ? [] : [span(task)];
}

export function callIn({ tool, about }: Call, { paint }: CardLook): Span[] {
  return [span(tool), ...(about === null ? [] : [span(' '), span(about, paint.dim)])];
}

/** How long it has been open (in a recording only `open`), or that it failed. */
export function ageOf({ status, at }: Call, { time, paint }: CardLook): Span {
  if (status !== 'open') return span(status === 'failed' ? 'failed' : '', paint.red);
  return span(time === undefined || at === null ? 'open' : ticking(time.now - at), paint.cyan);
}

export function messageIn(message: MessageRow | null, { member }: AgentCard, look: CardLook): Span[] {
  if (message === null) return [];
  const { glyphs, paint } = look;
  const sent = message.from === member.name;
  const other = sent ? (message.type === 'broadcast' ? 'everybody' : message.to) : message.from;
  return [span(`${sent ? glyphs.to : glyphs.from} ${other ?? 'somebody'}  `, paint.dim), ...saidIn(message, look)];
}

/** An agent that waits for other agents is silent because of them, and an idle agent has nothing to say. */
export function silenceOf({ heard, member, calls }: AgentCard, { time, paint }: CardLook, room: number): Span {
  if (time === undefined || heard === null || !maySpeak.has(member.status)) return span('');
  const ms = time.now - heard.at;
  if (ms < 1000) return span('just now'.length < room ? 'just now' : 'now', paint.dim);
  const isWaiting = waitsForAgents(calls);
  const long = `${isWaiting ? 'waiting' : 'silent'} ${ticking(ms)}`;
  const words = long.length < room ? long : ticking(ms);
  // Older versions do not write what teammates do.
  const isUnwritten = member.kind === 'teammate' && !heard.spoke;
  const isExpected = isWaiting || isUnwritten || member.status === 'idle';
  return span(words, isExpected ? paint.dim : silencePaint(ms, paint, time.silenceLimit));
}

const maySpeak: ReadonlySet<string> = new Set(['active', 'idle', 'shutting_down', 'unknown']);

/** `claude-haiku-5-5 · general-purpose · blue · teammate`, as much as fits. */
export function aboutSpans({ member, message }: AgentCard, look: CardLook): Span[] {
  const { paint } = look;
  const about = [
    span(member.model ?? ''),
    span(member.agent_type ?? ''),
    span(member.color ?? '', (text) => paintName(paint, text, member.color)),
    span(message === undefined ? '' : member.kind),
  ];
  return joinedSpans(about, dot(look), innerWidth(look));
}

export function innerWidth({ width }: CardLook): number {
  return Math.max(0, width - 4);
}
