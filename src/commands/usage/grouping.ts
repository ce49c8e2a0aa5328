// Groups parts of usage by the chosen keys and adds them up.
import {
  type CacheBreak,
  type CostSource,
  cacheBreaks,
  type contextFigures,
  costSources,
  type figures,
  type MessageRow,
  type Tokens,
} from '../../core/event/usage-row.js';
import { type Picos, plusPicos, promptOf, usdOf } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import { wallTime, zoneNamed } from '../../core/record/zone.js';
import type { SessionFacts } from '../../core/tables/usage/files.js';
import { addTokens, isNothing, noTokens, totalOf } from '../../core/tables/usage/messages.js';
import type { ResultUse } from '../../core/tables/usage/usage.js';
import { countsAsMessage, type Part, type Unit } from './parts.js';

export const usageKeys = [
  ...(['total', 'model', 'session', 'agent', 'team', 'turn', 'day', 'week', 'month'] as const),
  ...(['project', 'branch', 'version', 'program', 'agent_type', 'pr', 'label', 'message'] as const),
] as const;
export type UsageKey = (typeof usageKeys)[number];

/** The grouping and filters of a report. */
export interface UsageChoice {
  readonly by: readonly UsageKey[];
  readonly session?: string | null;
  readonly team?: string | null;
  /** Only these sessions. */
  readonly sessions?: ReadonlySet<string | null> | undefined;
  /** Whether a time is selected; null is an unknown time. Absent if all times are selected. */
  readonly includes?: ((time: string | null) => boolean) | undefined;
  /** The time zone of days, weeks and months. */
  readonly timezone?: string;
}

export function partFilter({ session = null, team = null, sessions, includes }: UsageChoice): (part: Part) => boolean {
  return (part) => {
    if (session !== null && part.session_id !== session) return false;
    if (team !== null && part.who.team !== team) return false;
    if (sessions?.has(part.session_id) === false) return false;
    if (includes === undefined) return true;
    // A result without a remainder does not count as left out because of its unknown time.
    if (part.time === null && part.message === null && isNothing(part.tokens)) return false;
    return includes(part.time);
  };
}

export type Key = string | number | null;

/** The fields that identify a row. */
export function fieldsOf(by: readonly UsageKey[]): KeyField[] {
  return [...new Set(by.flatMap((key) => keyFields[key]))];
}

/** `factsOf` gives the facts of a session. */
export function readerOf(
  field: KeyField,
  { timezone = 'UTC' }: UsageChoice,
  factsOf: (session_id: string | null) => SessionFacts,
): (part: Part) => Key {
  if (isSessionKey(field)) return ({ session_id }) => sessionKeys[field](factsOf(session_id));
  if (!isPeriod(field)) return readers[field];
  const dayOf = dayIn(timezone);
  const periodOf = periods[field];
  return ({ time }) => {
    const day = time === null ? null : dayOf(time);
    return day === null ? null : periodOf(day);
  };
}

export function isPeriod(key: string): key is Period {
  return Object.hasOwn(periods, key);
}

/** Whether all usage of an agent in a session has the same value. */
export function isOfSpeaker(field: KeyField): boolean {
  return isSessionKey(field) || speakerFields.has(field);
}
const speakerFields: ReadonlySet<string> = new Set(['session_id', 'agent', 'name', 'agent_type', 'team']);

/** Parts with the same id belong to the same row. */
export function idReader([first, ...rest]: readonly ((part: Part) => Key)[]): (part: Part) => Key {
  if (first === undefined) return () => '';
  if (rest.length === 0) return first;
  return (part) => {
    let id = `${first(part) ?? '\ue000'}`;
    for (const read of rest) id += `\u0000${read(part) ?? '\ue000'}`;
    return id;
  };
}

/** By one key after the other; null comes last. */
export function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  for (const [at, key] of a.entries()) {
    const other = b[at] ?? null;
    if (key === other) continue;
    if (key === null || other === null) return key === null ? 1 : -1;
    return key < other ? -1 : 1;
  }
  return 0;
}

export type Figures = Pick<MessageRow, keyof typeof figures | keyof typeof contextFigures>;

export type Spending = ReadonlyMap<CostSource, number>;

/** Adds up what parts used. Its cost source is the weakest of its parts; a complete report counts as one part. */
export class Sum {
  protected readonly tokens = noTokens();
  #messages = 0;
  /** Whether it has more than results without a remainder. */
  #isSolid = false;
  /** Some part says what was used. */
  #isTold = false;
  #isIncomplete = false;
  #hasParts = false;
  readonly #own = new Paid();
  /** Units of which it does not have all parts. */
  readonly #units = new Map<Unit, Paid>();

  constructor(readonly keys: readonly Key[]) {}

  add(part: Part): void {
    const { tokens, cost, unit, result } = part;
    addTokens(this.tokens, tokens);
    if (countsAsMessage(part)) this.#messages++;
    if (part.incomplete) this.#isIncomplete = true;
    this.#isTold ||= result === null || saysUsage(result);
    this.#hasParts = true;
    // A result without a remainder.
    const isRest = result !== null && isNothing(tokens) && cost !== null && Number(cost) === 0;
    this.#isSolid ||= !isRest || part.compactions > 0;
    const paid = unit === null ? this.#own : getOrCreate(this.#units, unit, newPaid);
    if (cost === null) paid.unpriced += totalOf(tokens);
    else if (!isRest) paid.add(part.source, cost);
    if (unit !== null) this.#addPaid(unit, paid, 1);
  }

  /** Adds all parts of another sum. */
  include(other: Sum): void {
    addTokens(this.tokens, other.tokens);
    this.#messages += other.#messages;
    this.#isSolid ||= other.#isSolid;
    this.#isTold ||= other.#isTold;
    this.#isIncomplete ||= other.#isIncomplete;
    this.#hasParts ||= other.#hasParts;
    this.#own.include(other.#own);
    for (const [unit, more] of other.#units) {
      const paid = getOrCreate(this.#units, unit, newPaid);
      paid.include(more);
      this.#addPaid(unit, paid, more.parts);
    }
  }

  #addPaid(unit: Unit, paid: Paid, parts: number): void {
    paid.parts += parts;
    if (paid.parts < unit.parts) return;
    this.#own.add(unit.source, paid.total);
    this.#own.unpriced += unit.unpriced;
    this.#units.delete(unit);
  }

  get isSolid(): boolean {
    return this.#isSolid;
  }

  /** The usage of an agent is not in the input. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  get spending(): Spending {
    const { sums } = this.#paid();
    // Always in the same order, whatever came first.
    return new Map(
      costSources.flatMap((source, at) => {
        const sum = sums[at] ?? null;
        return sum === null ? [] : [[source, usdOf(sum)]];
      }),
    );
  }

  /** `showsAgents`: a missing agent has its own row. */
  counts(showsAgents: boolean): Pick<Figures, keyof typeof figures> {
    const { sums, total, unpriced } = this.#paid();
    const { tokens } = this;
    const isSilent = !this.#isTold && this.#hasParts;
    const source = costSources.findLast((_, at) => sums[at] !== null) ?? (unpriced > 0 ? 'unpriced' : 'calculated');
    return {
      messages: this.#messages,
      input_tokens: tokens.input_tokens,
      output_tokens: tokens.output_tokens,
      cache_write_5m_tokens: tokens.cache_write_5m_tokens,
      cache_write_1h_tokens: tokens.cache_write_1h_tokens,
      cache_read_tokens: tokens.cache_read_tokens,
      total_tokens: totalOf(tokens),
      web_search_requests: tokens.web_search_requests,
      cost_usd: source === 'unpriced' || isSilent ? null : usdOf(total),
      cost_source: isSilent ? null : this.#isIncomplete && !showsAgents ? weaker(source, 'lower_bound') : source,
      unpriced_tokens: unpriced,
    };
  }

  #paid(): Paid {
    if (this.#units.size === 0) return this.#own;
    const all = new Paid();
    all.include(this.#own);
    for (const paid of this.#units.values()) all.include(paid);
    return all;
  }
}

/** A row of usage: what its parts used, and what else they say. */
export class Group extends Sum {
  #prompt: number | null = null;
  #window: number | null = null;
  /** Of models without messages. */
  readonly #windows = new Set<number>();
  #compactions = 0;
  #fetches = 0;
  readonly #breaks: CacheBreak[] = [];

  override add(part: Part): void {
    super.add(part);
    const { message, cacheBreak } = part;
    if (message !== null) this.#fetches += message.web_fetch_requests;
    if (part.result !== null && part.window !== null) this.#windows.add(part.window);
    this.#compactions += part.compactions;
    if (cacheBreak !== null) this.#breaks.push(cacheBreak);
    this.#addPrompt(part);
  }

  override include(other: Group): void {
    super.include(other);
    this.#addPrompt({ prompt: other.#prompt, window: other.#window });
    for (const window of other.#windows) this.#windows.add(window);
    this.#compactions += other.#compactions;
    for (const cause of other.#breaks) this.#breaks.push(cause);
    this.#fetches += other.#fetches;
  }

  #addPrompt(part: Pick<Part, 'prompt' | 'window'>): void {
    const { prompt } = part;
    if (prompt === null || prompt < (this.#prompt ?? 0)) return;
    const { window } = part;
    // Of two equal prompts the larger window, so that the order does not matter.
    this.#window = prompt === this.#prompt && (this.#window ?? 0) > (window ?? 0) ? this.#window : window;
    this.#prompt = prompt;
  }

  /** The columns of a turn. */
  get breaks() {
    const causes = cacheBreaks.filter((cause) => this.#breaks.includes(cause));
    return { cache_breaks: this.#breaks.length, cache_break_causes: causes };
  }

  figures(showsAgents: boolean): Figures {
    return { ...this.counts(showsAgents), ...this.context };
  }

  get context(): Pick<Figures, keyof typeof contextFigures> {
    return {
      cache_read_share: readShare(this.tokens),
      context_tokens: this.#prompt,
      context_window:
        this.#prompt === null && this.#windows.size === 1 ? ([...this.#windows][0] ?? null) : this.#window,
      compactions: this.#compactions,
    };
  }

  get last() {
    return { web_fetch_requests: this.#fetches };
  }
}

/** Other agents may end without a word about what they used. */
export function saysUsage({ said, models }: ResultUse): boolean {
  return models.size > 0 || said.total_cost_usd !== null || said.usage !== null;
}

/** With 4 decimals. */
export function readShare(tokens: Tokens): number | null {
  const prompt = promptOf(tokens);
  return prompt === 0 ? null : Math.round((tokens.cache_read_tokens / prompt) * 10_000) / 10_000;
}

const keyFields: Readonly<Record<UsageKey, readonly KeyField[]>> = {
  total: [],
  model: ['model'],
  session: ['session_id'],
  agent: ['agent', 'name', 'agent_type'],
  team: ['team'],
  turn: ['session_id', 'turn'],
  day: ['day'],
  week: ['week'],
  month: ['month'],
  project: ['project'],
  branch: ['branch'],
  version: ['version'],
  program: ['program'],
  agent_type: ['agent_type'],
  pr: ['pr'],
  label: ['label'],
  message: [],
};

const readers = {
  model: ({ model }: Part) => model,
  session_id: ({ session_id }: Part) => session_id,
  agent: ({ who }: Part) => who.agent,
  name: ({ who }: Part) => who.name,
  agent_type: ({ who }: Part) => who.agent_type,
  team: ({ who }: Part) => who.team,
  turn: ({ turn }: Part) => turn,
};
type KeyField = keyof typeof readers | Period | keyof typeof sessionKeys;

/** Keys that all usage of a session shares. */
const sessionKeys = {
  project: ({ project }: SessionFacts) => project,
  branch: ({ branch }: SessionFacts) => branch,
  version: ({ version }: SessionFacts) => version,
  program: ({ program }: SessionFacts) => program ?? 'claude',
  pr: ({ labels }: SessionFacts) => labels?.pull_request ?? null,
  label({ labels }: SessionFacts) {
    const { pull_request: _pr, ...others } = labels ?? {};
    const pairs = Object.entries(others).map(([name, value]) => `${name}=${value}`);
    return pairs.sort().join(',') || null;
  },
};

function isSessionKey(field: KeyField): field is keyof typeof sessionKeys {
  return Object.hasOwn(sessionKeys, field);
}

/** Each takes a day such as `2026-11-16`. */
const periods = { day: (day: string) => day, week: weekOf, month: (day: string) => day.slice(0, 7) };
type Period = keyof typeof periods;

/** The ISO 8601 week, as `2026-W47`. A week belongs to the year of its Thursday. */
function weekOf(day: string): string | null {
  const date = new Date(`${day}T00:00:00Z`);
  const thursday = date.getTime() + (4 - (date.getUTCDay() || 7)) * dayMs;
  if (Number.isNaN(thursday)) return null;
  const [year] = new Date(thursday).toISOString().split(/(?<=.)-/);
  const week = 1 + Math.floor((thursday - Date.parse(`${year}-01-01T00:00:00Z`)) / (7 * dayMs));
  return `${year}-W${String(week).padStart(2, '0')}`;
}
const dayMs = 24 * 60 * 60 * 1000;

/** The day of a time in a zone, as `2026-11-16`; null if it is not a time, which happens in events that are read back. */
function dayIn(name: string): (time: string) => string | null {
  if (name === 'UTC') return (time) => (isoTime.test(time) ? time.slice(0, 10) : null);
  const zone = zoneNamed(name);
  return (time) => {
    const instant = isoTime.test(time) ? Date.parse(time) : Number.NaN;
    return Number.isNaN(instant) ? null : wallTime(zone, instant).slice(0, 10);
  };
}
const isoTime = /^\d{4}-\d\d-\d\dT/;

class Paid {
  parts = 0;
  unpriced = 0;
  /** By their place in costSources. */
  readonly sums: (Picos | null)[] = [null, null, null, null, null];

  add(source: CostSource, cost: Picos): void {
    const at = costSources.indexOf(source);
    this.sums[at] = plusPicos(this.sums[at] ?? 0, cost);
  }

  include(other: Paid): void {
    for (const [at, sum] of other.sums.entries()) if (sum !== null) this.sums[at] = plusPicos(this.sums[at] ?? 0, sum);
    this.unpriced += other.unpriced;
  }

  get total(): Picos {
    return this.sums.reduce<Picos>((total, sum) => plusPicos(total, sum ?? 0), 0);
  }
}

const newPaid = () => new Paid();

function weaker(a: CostSource, b: CostSource): CostSource {
  return costSources.indexOf(a) > costSources.indexOf(b) ? a : b;
}
