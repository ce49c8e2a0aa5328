// The words of a line of the log, for people. Text, Markdown and CI logs draw the same words.
import type { Facts, StoryLine } from '../../core/story/line.js';
import { mannerOf, shownTool } from '../../core/wire/tools/about.js';
import { byteText, compact, duration, money, thousands } from '../../view/text.js';

export interface Marks {
  readonly to: string;
  readonly dot: string;
  readonly bad: string;
  readonly good: string;
  readonly starts: string;
  readonly ends: string;
  readonly minus: string;
  /** Something is left out; one column. */
  readonly more: string;
}

export const unicodeMarks: Marks = {
  to: '→',
  dot: '·',
  bad: '✗',
  good: '✓',
  starts: '▸',
  ends: '■',
  minus: '−',
  more: '…',
};
export const asciiMarks: Marks = {
  to: '->',
  dot: '-',
  bad: 'x',
  good: 'ok',
  starts: '>',
  ends: '#',
  minus: '-',
  more: '~',
};

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

export function wordsOf(line: StoryLine, marks: Marks): Words {
  const words = ofKind(line, marks);
  if (!line.bad) return words;
  // A failure is seen at the left edge.
  const { mark, about, said, facts } = words;
  return { mark: mark === marks.bad ? mark : `${marks.bad} ${mark}`.trimEnd(), about, said, facts, tone: 'bad' };
}

function ofKind(line: StoryLine, marks: Marks): Words {
  const { status, kind } = line;
  const target = line.target ?? '';
  const text = line.text ?? '';
  const wording = (mark: string, about: string, tone: Tone = 'plain', said = text, facts = line.facts): Words => ({
    mark,
    about,
    said,
    facts: factWords(facts, marks),
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
      return callWords(line, marks);
    case 'message':
      return wording(marks.to, target || 'somebody');
    case 'agent': {
      if (status === 'started') return wording(marks.starts, target);
      if (status === 'resumed') return wording(marks.starts, `${target} resumed`);
      const ended = status === 'shutdown' ? 'shut down' : status === 'completed' ? 'finished' : (status ?? 'ended');
      const about = target === '' ? ended : `${target}: ${ended}`;
      return wording(line.bad ? marks.bad : marks.ends, about, status === 'stopped' ? 'warning' : 'plain');
    }
    case 'task':
      return wording((status === 'completed' ? marks.good : taskMarks.get(status)) ?? '*', target);
    case 'result':
      return wording(line.bad ? marks.bad : marks.good, [status ?? 'ended', target].filter(Boolean).join(': '), 'good');
    case 'notice': {
      if (status === 'retried') {
        const { attempt, attempts, wait_ms } = line.facts;
        const count = [attempt, attempts].filter((one) => one !== undefined).join(' of ');
        return wording('API retry', count, 'warning', text, wait_ms === undefined ? {} : { wait_ms });
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
        ? wording(marks.bad, '')
        : wording(status?.replaceAll('_', ' ') ?? '', target, 'dim');
    }
  }
}

function callWords(line: StoryLine, marks: Marks): Words {
  const { tool, status, folded, text } = line;
  const about = shownTarget(line);
  const facts = factWords(line.facts, marks);
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
  ['hook', { mark: 'hook', tone: 'plain' }],
  ['team_created', { mark: '+ team', tone: 'plain' }],
  ['team_deleted', { mark: '- team', tone: 'plain' }],
]);

function factWords(facts: Facts, { minus, to }: Marks): string[] {
  const words: string[] = [];
  const { exit, added, removed, lines, files, from_tokens, to_tokens, cost_usd, ms } = facts;
  if (exit !== undefined) words.push(`exit ${exit}`);
  if (facts.background !== undefined) words.push('in the background');
  if (added !== undefined && removed !== undefined) words.push(`+${thousands(added)} ${minus}${thousands(removed)}`);
  if (lines !== undefined) words.push(counted(lines, 'line'));
  if (files !== undefined) words.push(counted(files, 'file'));
  if (facts.bytes !== undefined) words.push(byteText(facts.bytes));
  if (facts.wait_ms !== undefined) words.push(`in ${duration(facts.wait_ms)}`);
  if (from_tokens !== undefined) {
    const after = to_tokens === undefined ? '' : ` ${to} ${compact(to_tokens)}`;
    words.push(`${compact(from_tokens)}${after} tokens`);
  }
  if (facts.tokens !== undefined) words.push(`${compact(facts.tokens)} tokens`);
  if (facts.calls !== undefined) words.push(counted(facts.calls, 'call'));
  if (cost_usd !== undefined) words.push(money(cost_usd));
  // What goes on in the background has only started.
  if (ms !== undefined && ms >= shortestShown && facts.background === undefined) words.push(duration(ms));
  if (facts.turns !== undefined) words.push(counted(facts.turns, 'turn'));
  if (facts.agents !== undefined) words.push(counted(facts.agents, 'agent'));
  return words;
}

/** Nobody waits for a call that takes less. */
const shortestShown = 100;

function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${thousands(count)} ${count === 1 ? noun : nouns}`;
}
