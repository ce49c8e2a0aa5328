// What a reader of a report sees first: how each run ended, its cost and time, who took part, what went wrong; and how two
// runs differ.

import type { Event } from '../../core/event/event.js';
import type { Ending } from '../../core/event/usage-row.js';
import { idOf } from '../../core/record/json.js';
import { groupBy } from '../../core/tables/order.js';
import { endingText, isBad, isByCct, toldEnding } from '../../core/tables/outcome.js';
import { sessionKey } from '../../core/tables/usage/sessions.js';
import { endingByStop } from '../../core/wire/outcome.js';
import { duration, money, thousands } from '../../view/text.js';
import type { FindingRow } from '../audit/row.js';
import { costOfRows, type UsageRow } from '../usage/rows.js';
import { lanesOf, type RunCost } from './lanes.js';
import { Playback } from './playback.js';
import { askedIn, statusWords } from './story.js';

/** The figures of one run: a session with its agents. */
export interface RunFigures extends RunCost {
  readonly session_id: string | null;
  /** Its own session, and those of its agents. */
  readonly sessions: readonly (string | null)[];
  readonly title: string;
  /** The first line of what was asked; null if it is not in the input. */
  readonly asked: string | null;
  /** In milliseconds since 1970; null if records have no times. */
  readonly began: number | null;
  readonly ending: Ending;
  readonly tokens: number;
  /** From its first to its last record; if records have no times, what its results say. */
  readonly ms: number | null;
  readonly agents: number;
  readonly calls: number;
  readonly errors: number;
  readonly tasks: number;
  readonly done: number;
  readonly messages: number;
  readonly findings: number;
  /** Those of them that are problems. */
  readonly problems: number;
}

function figuresOf({ end, messages, moments, traces }: Playback, findings: readonly FindingRow[]): RunFigures[] {
  const asked = askedIn(moments);
  // A row does not say what `cct run` stopped the run for.
  const stops = new Map(
    moments.flatMap(({ event }) => (event.event === 'run:stopped' ? [[event.session_id, event] as const] : [])),
  );
  // What is known of each session, by its key.
  const usageOf = groupBy(end.sessions, (row) => sessionKey(idOf(row['session_id'])));
  const tasksOf = groupBy(end.tasks, (task) => sessionKey(task.session_id));
  const messagesOf = groupBy(messages, ({ row }) => sessionKey(row.session_id));
  const findingsOf = groupBy(findings, (row) => sessionKey(row.session_id));
  return traces.map((trace): RunFigures => {
    const sessions = new Set([trace.session_id, ...trace.actors.map(({ session_id }) => session_id)]);
    const allOf = <T>(rows: ReadonlyMap<string, readonly T[]>) =>
      [...sessions].flatMap((session) => rows.get(sessionKey(session)) ?? []);
    const usage = allOf(usageOf);
    const own = usage.find((row) => row['session_id'] === trace.session_id);
    const calls = trace.actors.flatMap((actor) => actor.calls);
    const tasks = allOf(tasksOf).filter((task) => task.kind !== 'background');
    const ending = toldEnding(own);
    const stop = isByCct(ending) ? stops.get(trace.session_id) : undefined;
    const found = allOf(findingsOf);
    return {
      session_id: trace.session_id,
      sessions: [...sessions],
      asked: asked.get(trace.session_id)?.trim().split('\n', 1)[0]?.slice(0, longestPrompt) ?? null,
      began: trace.toScale ? trace.root.start : null,
      title: trace.team ?? trace.root.name,
      ending: stop === undefined ? ending : endingByStop(stop),
      ...costOfRows(usage),
      tokens: usage.reduce((sum, row) => sum + row.total_tokens, 0),
      ms: trace.toScale ? trace.root.end - trace.root.start : saidDuration(own),
      agents: trace.actors.length,
      calls: calls.length,
      errors: calls.filter(({ failed }) => failed).length,
      tasks: tasks.length,
      done: tasks.filter(({ status }) => status === 'completed').length,
      messages: allOf(messagesOf).length,
      findings: found.length,
      problems: found.filter(({ severity }) => severity === 'problem').length,
    };
  });
}

function saidDuration(row: UsageRow | undefined): number | null {
  const ms = row?.['duration_ms'];
  return typeof ms === 'number' && ms > 0 ? ms : null;
}

const longestPrompt = 300;

/** One line of a summary: `cost $0.2831`. */
export interface SummaryEntry {
  readonly name: string;
  readonly value: string;
  readonly tone: 'good' | 'bad' | 'plain';
}

export function entriesOf(run: RunFigures): SummaryEntry[] {
  const plainEntry = (name: string, value: string): SummaryEntry => ({ name, value, tone: 'plain' });
  return [
    outcomeOf(run.ending),
    plainEntry('time', run.ms === null ? 'unknown' : duration(run.ms)),
    plainEntry('cost', costText(run)),
    plainEntry('tokens', thousands(run.tokens)),
    plainEntry('agents', String(run.agents)),
    {
      name: 'calls',
      value: run.errors === 0 ? String(run.calls) : `${run.calls}, ${run.errors} failed`,
      tone: run.errors === 0 ? 'plain' : 'bad',
    },
    ...(run.tasks === 0 ? [] : [plainEntry('tasks', `${run.done} of ${run.tasks} done`)]),
    ...(run.messages === 0 ? [] : [plainEntry('messages', String(run.messages))]),
    { name: 'findings', value: String(run.findings), tone: run.problems === 0 ? 'plain' : 'bad' },
  ];
}

/** `≥ $0.0219`: at least. */
export function costText({ cost_usd, cost_source }: RunCost): string {
  return cost_usd === null ? 'unknown' : `${cost_source === 'lower_bound' ? '≥ ' : ''}${money(cost_usd)}`;
}

/** A transcript has no result, so it is nothing bad if nobody knows. */
function outcomeOf(ending: Ending): SummaryEntry {
  const { outcome } = ending;
  const value = outcome === null ? 'not shown (a transcript has no result)' : endingText(ending);
  return { name: 'outcome', value, tone: isBad(ending) ? 'bad' : outcome === null ? 'plain' : 'good' };
}

// Two runs side by side: their figures, agents and tasks, matched by name. Nothing is ever added up.

/** One of several runs: a session with its agents. */
export interface OneRun {
  readonly events: readonly Event[];
  readonly playback: Playback;
  readonly findings: readonly FindingRow[];
  /** Of each session with a lead. */
  readonly figures: readonly RunFigures[];
}

/** All that is known from the input; perhaps of several runs. */
export function openInput(
  events: readonly Event[],
  findings: readonly FindingRow[],
  known: readonly RunFigures[] | null = null,
): OneRun {
  const playback = new Playback(events);
  return { events, findings, playback, figures: known ?? figuresOf(playback, findings) };
}

/** One run, as if nothing else were in the input. */
export function openRun(figures: RunFigures, { events, findings }: Pick<OneRun, 'events' | 'findings'>): OneRun {
  const own = new Set(figures.sessions);
  const isOfRun = (row: { readonly session_id: string | null }) => own.has(row.session_id);
  return openInput(events.filter(isOfRun), findings.filter(isOfRun), [figures]);
}

/** Runs in the order in which they were given. */
export function asGiven({ events, figures }: Pick<OneRun, 'events' | 'figures'>): RunFigures[] {
  const given = [...new Set(events.map(({ session_id }) => session_id))];
  return figures.toSorted((a, b) => given.indexOf(a.session_id) - given.indexOf(b.session_id));
}

export function runsOf(whole: OneRun): OneRun[] {
  return asGiven(whole).map((figures) => openRun(figures, whole));
}

/** Something of two runs, and how the second differs. */
export interface Compared {
  readonly name: string;
  readonly first: string;
  readonly second: string;
  readonly difference: string;
  readonly tone: 'good' | 'bad' | 'plain';
}

export interface Comparison {
  readonly title: string;
  readonly rows: readonly Compared[];
}

export function comparisonsOf(one: OneRun, other: OneRun): Comparison[] {
  const [[first], [second]] = [one.figures, other.figures];
  return [
    { title: 'Comparison', rows: first === undefined || second === undefined ? [] : comparedFigures(first, second) },
    { title: 'Agents compared', rows: matched(agentWork(one.playback), agentWork(other.playback)) },
    { title: 'Tasks compared', rows: matched(tasksOf(one.playback), tasksOf(other.playback)) },
  ].filter(({ rows }) => rows.length > 0);
}

function comparedFigures(one: RunFigures, other: RunFigures): Compared[] {
  const textRow = (name: string, of: (run: RunFigures) => string): Compared => ({
    ...{ name, first: of(one), second: of(other), difference: '', tone: 'plain' },
  });
  const figure = (
    name: string,
    field: keyof NumbersOf<RunFigures>,
    show: (value: number) => string = String,
  ): Compared => {
    const [a, b] = [one[field], other[field]];
    const { difference, tone } = differenceOf(a, b, show);
    const percent = (value: number) => `${Math.round((value / (a ?? 1)) * 100)} %`;
    const share = a === null || b === null || a === 0 || a === b ? '' : ` (${signed(b - a, percent)})`;
    return {
      ...textRow(name, (run) => (run[field] === null ? 'unknown' : show(run[field]))),
      difference: difference + share,
      tone: neutral.has(field) ? 'plain' : tone,
    };
  };
  return [
    textRow('run', ({ title }) => title),
    textRow('outcome', (run) => entriesOf(run).find(({ name }) => name === 'outcome')?.value ?? ''),
    figure('time', 'ms', duration),
    { ...figure('cost', 'cost_usd', money), first: costText(one), second: costText(other) },
    figure('tokens', 'tokens', thousands),
    figure('agents', 'agents'),
    figure('calls', 'calls'),
    figure('failed calls', 'errors'),
    figure('tasks', 'tasks'),
    figure('tasks done', 'done'),
    figure('messages', 'messages'),
    figure('findings', 'findings'),
  ];
}

/** More of these is neither good nor bad. */
const neutral: ReadonlySet<string> = new Set(['agents', 'tasks', 'done', 'messages']);

type NumbersOf<T> = { [K in keyof T as T[K] extends number | null ? K : never]: T[K] };

function signed(value: number, show: (value: number) => string): string {
  return `${value > 0 ? '+' : value < 0 ? '−' : '±'}${show(Math.abs(value))}`;
}

/** More is worse: time, money, calls. */
function differenceOf(
  a: number | null,
  b: number | null,
  show: (value: number) => string,
): Pick<Compared, 'difference' | 'tone'> {
  if (a === null || b === null) return { difference: 'unknown', tone: 'plain' };
  return { difference: signed(b - a, show), tone: b > a ? 'bad' : b < a ? 'good' : 'plain' };
}

/** An agent or a task, with figures that are compared in this order. */
interface Named {
  readonly name: string;
  readonly status: string | null;
  readonly text: string;
  readonly figures: readonly { readonly value: number | null; show(value: number): string }[];
}

/** Pairs what has the same name: the first with the first, the second with the second. */
function matched(ones: readonly Named[], others: readonly Named[]): Compared[] {
  const [first, second] = [ones, others].map((all) => groupBy(all, ({ name }) => name));
  return [...new Set([...ones, ...others].map(({ name }) => name))].flatMap((name) => {
    const [left = [], right = []] = [first?.get(name), second?.get(name)];
    return Array.from({ length: Math.max(left.length, right.length) }, (_, place): Compared => {
      const [one, other] = [left[place], right[place]];
      return { name, first: one?.text ?? '', second: other?.text ?? '', ...differenceBetween(one, other) };
    });
  });
}

/** Of several figures the cost says whether it is better. */
function differenceBetween(one: Named | undefined, other: Named | undefined): Pick<Compared, 'difference' | 'tone'> {
  if (one === undefined || other === undefined)
    return { difference: one === undefined ? 'only in the second' : 'only in the first', tone: 'plain' };
  if (one.status !== other.status) {
    const tone = other.status === 'completed' ? 'good' : one.status === 'completed' ? 'bad' : 'plain';
    return { difference: `${one.status} → ${other.status}`, tone };
  }
  const parts = one.figures.map(({ value, show }, at) => differenceOf(value, other.figures[at]?.value ?? null, show));
  const known = parts.map(({ difference }) => (difference === 'unknown' ? null : difference));
  return { difference: joinedFacts(known), tone: (parts[1] ?? parts[0])?.tone ?? 'plain' };
}

/** What each agent did. Leads are the same agent, whatever they are called. */
function agentWork(playback: Playback): Named[] {
  const { lanes, spent } = lanesOf(playback);
  return lanes.map(({ id, isLead, name, bars }) => {
    const life = bars.find(({ kind }) => kind === 'life');
    const ms = life === undefined || !playback.isToScale ? null : life.end - life.start;
    const calls = bars.filter(({ kind }) => kind === 'call');
    const failed = calls.filter((call) => call.failed).length;
    const cost = spent().get(id);
    const texts = [
      ms === null ? null : duration(ms),
      cost === undefined || cost.cost_usd === null ? null : costText(cost),
      `${calls.length} calls${failed === 0 ? '' : `, ${failed} failed`}`,
    ];
    const figures = [
      { value: ms, show: duration },
      { value: cost?.cost_usd ?? null, show: money },
      { value: calls.length, show: (count: number) => `${count} calls` },
    ];
    return { name: isLead ? 'main' : name, status: null, text: joinedFacts(texts), figures };
  });
}

function tasksOf({ end }: Playback): Named[] {
  return end.tasks
    .filter(({ kind }) => kind !== 'background')
    .map(({ id, subject, status, owner, duration_ms: ms }) => ({
      name: subject ?? `task ${id}`,
      status: statusWords(status),
      text: joinedFacts([statusWords(status), owner, ms === null ? null : duration(ms)]),
      figures: [{ value: ms, show: duration }],
    }));
}

function joinedFacts(texts: readonly (string | null)[]): string {
  return texts.filter((text) => text !== null).join(' · ');
}
