// Chooses lines of a story, and makes rows of them.
import { type Facts, type LineKind, noFacts, type StoryLine } from '../../core/story/line.js';
import { commonName } from '../../core/tables/order.js';
import { mannerOf, shownTool } from '../../core/wire/tools/about.js';
import type { Signs } from '../../view/signs.js';
import { byteText, compact, duration, money, thousands } from '../../view/text.js';
import type { LogRow } from './row.js';

export function logRowOf(line: StoryLine): LogRow {
  const { time, session_id, team, agent, name, kind, text, tool, target, status, tool_use_id } = line;
  const ms = line.facts.ms ?? null;
  return { time, session_id, team, agent, name, kind, text, tool, target, status, ms, tool_use_id, line: line.line };
}

export const lineChoices = ['text', 'calls', 'messages', 'tasks', 'agents', 'errors'] as const;

const kindsOf: Readonly<Record<Exclude<(typeof lineChoices)[number], 'errors'>, readonly LineKind[]>> = {
  text: ['prompt', 'text', 'thinking'],
  calls: ['call'],
  messages: ['message'],
  tasks: ['task'],
  agents: ['agent'],
};

export interface LogQuery {
  /** Words of `lineChoices`; empty for all. */
  readonly only: readonly string[];
  /** Names or ids; empty for all. */
  readonly agents: readonly string[];
}

export function lineFilter({ only, agents }: LogQuery): (line: StoryLine) => boolean {
  const kinds = new Set(
    lineChoices.flatMap((word) => (word === 'errors' || !only.includes(word) ? [] : kindsOf[word])),
  );
  const isOnly = (line: StoryLine) =>
    only.length === 0 || kinds.has(line.kind) || (only.includes('errors') && isError(line));
  const names = new Set(agents.map(commonName));
  return (line) =>
    isOnly(line) && (names.size === 0 || agentsOf(line).some((who) => who !== null && names.has(commonName(who))));
}

function isError({ bad, status }: StoryLine): boolean {
  return bad || status === 'retried';
}

/** The words of `lineChoices` that choose a line. */
export function lineChoicesOf(line: StoryLine): string[] {
  return lineChoices.filter((word) => (word === 'errors' ? isError(line) : kindsOf[word].includes(line.kind)));
}

/** The agent of a line, and the one it is about. */
export function agentsOf({ kind, name, agent, target }: StoryLine): readonly (string | null)[] {
  return kind === 'message' || kind === 'agent' ? [name, agent, target] : [name, agent];
}

// The words of a line of the log, for people. Text, Markdown, CI logs and the page of a report draw the same words.

/** All of it is as it came from the input: whoever draws it makes it safe. */
export interface Words {
  /** What it is, in a sign or a word. */
  readonly mark: string;
  /** What it is about. */
  readonly about: string;
  /** What was said, or why it failed. */
  readonly said: string;
  readonly facts: readonly string[];
  readonly tone: 'plain' | 'dim' | 'bad' | 'good' | 'warning';
}

type Tone = Words['tone'];

export function wordsOf(line: StoryLine, signs: Signs): Words {
  const words = ofKind(line, signs);
  if (!line.bad) return words;
  // A failure is seen at the left edge.
  const { mark, about, said, facts } = words;
  return { mark: mark === signs.wrong ? mark : `${signs.wrong} ${mark}`.trimEnd(), about, said, facts, tone: 'bad' };
}

function ofKind(line: StoryLine, signs: Signs): Words {
  const { status, kind } = line;
  const target = line.target ?? '';
  // What we join ourselves is joined by our own sign.
  const isOurs = kind === 'session' || kind === 'task' || status === 'limited';
  const text = (isOurs ? line.text?.replaceAll(' · ', ` ${signs.dot} `) : line.text) ?? '';
  const wording = (mark: string, about: string, tone: Tone = 'plain', said = text, facts = line.facts): Words => ({
    mark,
    about,
    said,
    facts: factWords(facts, signs),
    tone,
  });
  switch (kind) {
    case 'session':
      return status === 'turn'
        ? wording(text, '', 'dim', '')
        : wording('session', line.session_id?.slice(0, 8) ?? '', 'dim');
    case 'prompt':
      // Nobody typed what the program or another agent asks.
      return wording(status === 'inserted' ? 'prompt:' : 'you:', '');
    case 'text':
      return line.text === null ? wording('said something', '', 'dim') : wording('', '');
    case 'thinking':
      return wording('thinking:', '', 'dim');
    case 'call':
      return callWords(line, signs);
    case 'message':
      return wording(signs.to, target || 'somebody');
    case 'agent': {
      if (status === 'started') return wording(signs.starts, target);
      if (status === 'resumed') return wording(signs.starts, `${target} resumed`);
      const ended = status === 'shutdown' ? 'shut down' : status === 'completed' ? 'finished' : (status ?? 'ended');
      const about = target === '' ? ended : `${target}: ${ended}`;
      return wording(line.bad ? signs.wrong : signs.ends, about, status === 'stopped' ? 'warning' : 'plain');
    }
    case 'task':
      return wording((status === 'completed' ? signs.right : taskMarks.get(status)) ?? '*', target);
    case 'result':
      return wording(
        line.bad ? signs.wrong : signs.right,
        [status ?? 'ended', target].filter(Boolean).join(': '),
        'good',
      );
    case 'notice': {
      if (status === 'retried') {
        const { attempt, attempts, wait_ms } = line.facts;
        const count = [attempt, attempts].filter(isKnown).join(' of ');
        return wording('API retry', count, 'warning', text, { wait_ms });
      }
      if (status === 'limited') return wording(line.bad ? 'reached the' : 'near the', '', 'warning');
      if (status === 'asked') {
        const asked = [line.tool === null ? '' : shownTool(line.tool), target];
        return wording('? asks to use', asked.filter(Boolean).join(' '), 'warning');
      }
      const notice = notices.get(status);
      if (notice !== undefined) return wording(notice.mark, target, notice.tone);
      // What went wrong speaks for itself.
      return line.bad && text !== ''
        ? wording(signs.wrong, '')
        : wording(status?.replaceAll('_', ' ') ?? '', target, 'dim');
    }
  }
}

function callWords(line: StoryLine, signs: Signs): Words {
  const { tool, status, folded, text } = line;
  const about = shownTarget(line);
  const facts = factWords(line.facts, signs);
  const said = text ?? '';
  if (folded !== null) {
    const counts = [
      folded.reads === 0 ? null : `Read ${counted(folded.reads, 'file')}`,
      folded.searches === 0 ? null : counted(folded.searches, 'search', 'searches'),
    ];
    const mark = counts.filter((one) => one !== null).join(', ');
    return { mark, about: about === '' ? '' : `in ${about}`, said, facts, tone: 'plain' };
  }
  if (status === 'open') facts.unshift('no result');
  if (status === 'denied') facts.unshift('denied');
  const tone = status === 'open' ? 'warning' : status === 'running' ? 'dim' : 'plain';
  const mark = mannerOf(tool) === 'shell' && about !== '' ? '$' : shownTool(tool ?? 'call');
  return { mark, about, said, facts, tone };
}

/** A path as seen from where the session works. */
export function shownTarget({ tool, target, cwd, folded }: StoryLine): string {
  const text = target?.trim() ?? '';
  if (cwd === null || !text.startsWith(cwd)) return text;
  const manner = folded === null ? mannerOf(tool) : 'read';
  if (manner !== 'read' && manner !== 'edit') return text;
  return text === cwd ? '' : text[cwd.length] === '/' ? text.slice(cwd.length + 1) : text;
}

const taskMarks: ReadonlyMap<string | null, string> = new Map([
  ['created', '+'],
  ['claimed', '~'],
  ['deleted', '-'],
]);

const notices: ReadonlyMap<string | null, { readonly mark: string; readonly tone: Tone }> = new Map([
  ['compacted', { mark: 'compacted the context', tone: 'warning' }],
  ['reset', { mark: 'cleared the conversation', tone: 'warning' }],
  ['cost', { mark: 'cost of the session', tone: 'plain' }],
  ['model_switched', { mark: 'switched the model', tone: 'warning' }],
  ['hook', { mark: 'hook', tone: 'plain' }],
  ['team_created', { mark: '+ team', tone: 'plain' }],
  ['team_deleted', { mark: '- team', tone: 'plain' }],
]);

function factWords(facts: Facts, { minus, to }: Signs): string[] {
  const words: string[] = [];
  if (facts === noFacts) return words;
  const { exit, added, removed, lines, files, from_tokens, to_tokens, cost_usd, ms } = facts;
  if (isKnown(exit)) words.push(`exit ${exit}`);
  if (isKnown(facts.background)) words.push('in the background');
  if (isKnown(added) && isKnown(removed)) words.push(`+${thousands(added)} ${minus}${thousands(removed)}`);
  if (isKnown(lines)) words.push(counted(lines, 'line'));
  if (isKnown(files)) words.push(counted(files, 'file'));
  if (isKnown(facts.bytes)) words.push(byteText(facts.bytes));
  if (isKnown(facts.wait_ms)) words.push(`in ${duration(facts.wait_ms)}`);
  if (isKnown(from_tokens)) {
    const after = isKnown(to_tokens) ? ` ${to} ${compact(to_tokens)}` : '';
    words.push(`${compact(from_tokens)}${after} tokens`);
  }
  if (isKnown(facts.context)) words.push(`context ${compact(facts.context)}`);
  if (isKnown(facts.calls)) words.push(counted(facts.calls, 'call'));
  if (isKnown(cost_usd)) words.push(money(cost_usd));
  // What goes on in the background has only started.
  if (isKnown(ms) && ms >= shortestShown && !isKnown(facts.background)) words.push(duration(ms));
  if (isKnown(facts.turns)) words.push(counted(facts.turns, 'turn'));
  if (isKnown(facts.agents)) words.push(counted(facts.agents, 'agent'));
  return words;
}

function isKnown(figure: number | null | undefined): figure is number {
  return typeof figure === 'number';
}

/** Nobody waits for a call that takes less. */
const shortestShown = 100;

function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${thousands(count)} ${count === 1 ? noun : nouns}`;
}
