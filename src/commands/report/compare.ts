// Two runs side by side: their figures, agents and tasks, matched by name. Nothing is ever added up.
import type { Event } from '../../core/event/event.js';
import { groupBy } from '../../core/tables/order.js';
import { duration, money, thousands } from '../../view/text.js';
import type { FindingRow } from '../audit/row.js';
import { lanesOf } from './lanes.js';
import { Playback } from './playback.js';
import { statusWords } from './story.js';
import { costText, entriesOf, figuresOf, type RunFigures } from './summary.js';

/** One of several runs: a session with its agents. */
export interface OneRun {
  readonly events: readonly Event[];
  readonly playback: Playback;
  readonly findings: readonly FindingRow[];
  /** Of each session with a lead. */
  readonly figures: readonly RunFigures[];
}

/** All that is known from the input; perhaps of several runs. */
export function openInput(events: readonly Event[], findings: readonly FindingRow[]): OneRun {
  const playback = new Playback(events);
  return { events, findings, playback, figures: figuresOf(playback, findings) };
}

/** The events and findings of one run. */
export function eventsOfRun({ sessions }: RunFigures, { events, findings }: Pick<OneRun, 'events' | 'findings'>) {
  const own = new Set(sessions);
  const isOfRun = (row: { readonly session_id: string | null }) => own.has(row.session_id);
  return { events: events.filter(isOfRun), findings: findings.filter(isOfRun) };
}

/** Runs in the order in which they were given. */
export function asGiven({ events, figures }: Pick<OneRun, 'events' | 'figures'>): RunFigures[] {
  const given = [...new Set(events.map(({ session_id }) => session_id))];
  return figures.toSorted((a, b) => given.indexOf(a.session_id) - given.indexOf(b.session_id));
}

export function runsOf(whole: OneRun): OneRun[] {
  return asGiven(whole).map((figures) => {
    const own = eventsOfRun(figures, whole);
    return { ...own, playback: new Playback(own.events), figures: [figures] };
  });
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
    { title: 'Agents compared', rows: matched(workOf(one.playback), workOf(other.playback)) },
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
function workOf(playback: Playback): Named[] {
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
