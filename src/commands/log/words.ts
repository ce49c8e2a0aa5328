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
}

export const unicodeMarks: Marks = {
  to: '→',
  dot: '·',
  bad: '✗',
  good: '✓',
  starts: '▸',
  ends: '■',
  minus: '−',
};
export const asciiMarks: Marks = { to: '->', dot: '-', bad: 'x', good: 'ok', starts: '>', ends: '#', minus: '-' };

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

export function wordsOf(line: StoryLine, marks: Marks): Words {
  const words = ofKind(line, marks);
  const tone = line.bad ? 'bad' : (words.tone ?? 'plain');
  // A failure is seen at the left edge.
  const mark = line.bad && words.mark !== marks.bad ? `${marks.bad} ${words.mark}`.trim() : words.mark;
  return { about: '', said: line.text ?? '', facts: factWords(line.facts, marks), ...words, mark, tone };
}

function ofKind(line: StoryLine, marks: Marks): Partial<Words> & { mark: string } {
  const { target, status, text } = line;
  switch (line.kind) {
    case 'session':
      if (status === 'turn') return { mark: text ?? '', said: '', tone: 'dim' };
      return { mark: 'session', about: line.session_id?.slice(0, 8) ?? '', said: text ?? '', tone: 'dim' };
    case 'prompt':
      return { mark: 'you:' };
    case 'text':
      return text === null ? { mark: 'said something', tone: 'dim' } : { mark: '' };
    case 'thinking':
      return { mark: 'thinking:', tone: 'dim' };
    case 'call':
      return callWords(line, marks);
    case 'message':
      return { mark: marks.to, about: target ?? 'somebody' };
    case 'agent':
      return agentWords(line, marks);
    case 'task':
      return { mark: taskMarks(marks)[status ?? ''] ?? '*', about: target ?? '', tone: 'plain' };
    case 'notice':
      return noticeWords(line, marks);
    case 'result': {
      const said = [status ?? 'ended', target].filter(Boolean).join(': ');
      return { mark: line.bad ? marks.bad : marks.good, about: said, tone: 'good' };
    }
  }
}

function callWords(line: StoryLine, marks: Marks): Partial<Words> & { mark: string } {
  const { tool, status, folded } = line;
  const target = shownTarget(line);
  if (folded !== null) {
    const files =
      folded.reads === 0 ? null : `Read ${thousands(folded.reads)} ${folded.reads === 1 ? 'file' : 'files'}`;
    const searches =
      folded.searches === 0 ? null : `${folded.searches} ${folded.searches === 1 ? 'search' : 'searches'}`;
    const what = [files, searches].filter((one) => one !== null).join(', ');
    return { mark: what, about: target === '' ? '' : `in ${target}` };
  }
  const facts = factWords(line.facts, marks);
  const open = status === 'open' ? ['no result'] : status === 'denied' ? ['denied'] : [];
  const name = shownTool(tool ?? 'call');
  const tone = status === 'open' ? 'warning' : status === 'running' ? 'dim' : 'plain';
  return { mark: mannerOf(tool) === 'shell' ? '$' : name, about: target, facts: [...open, ...facts], tone };
}

/** A path as seen from where the session works. */
export function shownTarget({ tool, target, cwd, folded }: StoryLine): string {
  const text = target?.trim() ?? '';
  const isPath = folded !== null || /^(?:edit|read)$/.test(mannerOf(tool));
  if (!isPath || cwd === null || !text.startsWith(cwd)) return text;
  return text === cwd ? '' : text[cwd.length] === '/' ? text.slice(cwd.length + 1) : text;
}

function agentWords({ status, target, bad, text }: StoryLine, marks: Marks): Partial<Words> & { mark: string } {
  if (status === 'started') return { mark: marks.starts, about: target ?? '' };
  if (status === 'resumed') return { mark: marks.starts, about: `${target ?? ''} resumed` };
  const ended = status === 'shutdown' ? 'shut down' : status === 'completed' ? 'finished' : (status ?? 'ended');
  const about = target === null ? ended : `${target}: ${ended}`;
  return {
    mark: bad ? marks.bad : marks.ends,
    about,
    said: text ?? '',
    tone: status === 'stopped' ? 'warning' : 'plain',
  };
}

function taskMarks({ good }: Marks): Readonly<Record<string, string>> {
  return { created: '+', claimed: '~', completed: good, deleted: '-' };
}

function noticeWords(line: StoryLine, marks: Marks): Partial<Words> & { mark: string } {
  const { status, text, target } = line;
  const notice = notices[status ?? ''];
  if (notice !== undefined) return { about: target ?? '', ...notice };
  if (status === 'retried') {
    const facts = factWords(waitOf(line.facts), marks);
    return { mark: 'API retry', about: retryWords(line.facts), facts, tone: 'warning' };
  }
  if (status === 'limited') return { mark: line.bad ? 'reached the' : 'near the', tone: 'warning' };
  if (status === 'asked') {
    const tool = line.tool === null ? null : shownTool(line.tool);
    return { mark: '? asks to use', about: [tool, target].filter(Boolean).join(' '), tone: 'warning' };
  }
  // What went wrong speaks for itself.
  if (line.bad && text !== null) return { mark: marks.bad };
  return { mark: status?.replaceAll('_', ' ') ?? '', about: target ?? '', tone: 'dim' };
}

const notices: Readonly<Record<string, { readonly mark: string; readonly tone?: Words['tone'] }>> = {
  compacted: { mark: 'compacted the context', tone: 'warning' },
  reset: { mark: 'cleared the conversation', tone: 'warning' },
  hook: { mark: 'hook' },
  team_created: { mark: '+ team' },
  team_deleted: { mark: '- team' },
};

function retryWords({ attempt, attempts }: Facts): string {
  return [attempt, attempts].filter((one) => one !== undefined).join(' of ');
}

function waitOf({ wait_ms }: Facts): Facts {
  return wait_ms === undefined ? {} : { wait_ms };
}

function factWords(facts: Facts, { minus, to }: Marks): string[] {
  const { exit, added, removed, lines, files, from_tokens, to_tokens, cost_usd, ms } = facts;
  const words = [
    exit === undefined ? null : `exit ${exit}`,
    facts.background === undefined ? null : 'in the background',
    added === undefined || removed === undefined ? null : `+${thousands(added)} ${minus}${thousands(removed)}`,
    lines === undefined ? null : many(lines, 'line'),
    files === undefined ? null : many(files, 'file'),
    facts.bytes === undefined ? null : byteText(facts.bytes),
    facts.wait_ms === undefined ? null : `in ${duration(facts.wait_ms)}`,
    from_tokens === undefined ? null : contextWords(from_tokens, to_tokens, to),
    facts.tokens === undefined ? null : `${compact(facts.tokens)} tokens`,
    facts.calls === undefined ? null : many(facts.calls, 'call'),
    cost_usd === undefined ? null : money(cost_usd, Math.abs(cost_usd) >= 1 ? 2 : 4),
    ms === undefined || ms < shortestShown ? null : duration(ms),
    facts.turns === undefined ? null : many(facts.turns, 'turn'),
    facts.agents === undefined ? null : many(facts.agents, 'agent'),
  ];
  return words.filter((word) => word !== null);
}

/** Nobody waits for a call that takes less. */
const shortestShown = 100;

function contextWords(from: number, after: number | undefined, to: string): string {
  return `${compact(from)}${after === undefined ? '' : ` ${to} ${compact(after)}`} tokens`;
}

function many(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? '' : 's'}`;
}
