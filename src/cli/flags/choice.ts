// Flags that select rows by a value: --session by prefix, and the message when nothing has the value.
import type { AgentsState } from '../../core/tables/agents.js';
import { commonName, type Place } from '../../core/tables/order.js';
import { UsageError } from '../../io/exit.js';
import { visibleName } from '../../view/text.js';
import type { Context, Options } from '../command.js';
import { suggestion, textOf } from './flags.js';

/** --session: the id of a session, or its beginning. */
export class SessionChoice {
  readonly #typed: string | null;
  readonly #writesAtOnce: boolean;
  readonly #seen = new Set<string>();
  #chosen: string | null = null;

  /** `writesAtOnce`: rows of the chosen session are already written, so the choice cannot be taken back. */
  constructor(typed: string | null, writesAtOnce = false) {
    this.#typed = typed;
    this.#writesAtOnce = writesAtOnce;
  }

  /** Notes a session that was read. Throws if it is the second one that matches the prefix. */
  note(id: string): void {
    if (this.#typed === null || this.#seen.has(id)) return;
    this.#seen.add(id);
    if (!id.startsWith(this.#typed)) return;
    const other = this.#chosen;
    if (other === null || (id === this.#typed && !this.#writesAtOnce)) this.#chosen = id;
    else if (other !== this.#typed)
      throw new UsageError(`--session: '${this.#typed}' matches two sessions, ${other} and ${id}; use more of the id`);
  }

  /** The chosen session; what was typed, if no session matches so far; null without --session. */
  get id(): string | null {
    return this.#chosen ?? this.#typed;
  }

  includes(session: string | null): boolean {
    return this.#typed === null || session === this.#chosen;
  }

  /** The sessions read so far, if --session is given. */
  get seen(): ReadonlySet<string> {
    return this.#seen;
  }
}

/** A flag that selects rows by a value. */
export interface Choice<R> {
  readonly flag: string;
  readonly wanted: readonly string[];
  readonly one: string;
  readonly many: string;
  /** The words between rows and value: `with status`. */
  readonly relation: string;
  valuesOf(row: R): readonly (string | null)[];
  isSame?(wanted: string, value: string): boolean;
  /** All existing values, including those without rows. If absent, only the values of the rows are known. */
  known?(): Iterable<string>;
  shown?(values: readonly string[]): readonly string[];
}

/** Whether a row is of the chosen session and team. */
export function placeFilter({
  input: { session },
  options,
}: Pick<Context, 'input' | 'options'>): (at: Place) => boolean {
  const team = textOf(options, 'team');
  return (at) => (session.id === null || at.session_id === session.id) && (team === null || at.team === team);
}

/** --session and --team. */
export function placeChoices(
  { input, options }: Pick<Context, 'input' | 'options'>,
  agents: () => AgentsState,
): Choice<Place>[] {
  const { session } = input;
  return [
    {
      ...{ flag: '--session', wanted: typed(options, 'session'), one: 'session', many: 'sessions' },
      relation: 'of session',
      valuesOf: ({ session_id }) => [session_id],
      isSame: (_, value) => value === session.id,
      known: () => session.seen,
      shown: distinctPrefixes,
    },
    {
      ...{ flag: '--team', wanted: typed(options, 'team'), one: 'team', many: 'teams', relation: 'of team' },
      valuesOf: ({ team }) => [team],
      known: () =>
        agents()
          .sessions.values()
          .flatMap(({ team }) => team ?? []),
    },
  ];
}

/** --project: a part of the path of projects. */
export function projectChoice(options: Options): Choice<{ readonly project: string | null }> {
  return {
    ...{ flag: '--project', wanted: typed(options, 'project'), one: 'project', many: 'projects' },
    relation: 'of project',
    valuesOf: ({ project }) => [project],
    isSame: (wanted, value) => value.includes(wanted),
  };
}

/** A flag that names agents. */
export function agentChoice<R>(
  flag: string,
  wanted: readonly string[],
  relation: string,
  agents: () => AgentsState,
  valuesOf: (row: R) => readonly (string | null)[],
): Choice<R> {
  return {
    ...{ flag, wanted, one: 'agent', many: 'agents', relation: `${relation} agent` },
    valuesOf,
    isSame: (one, other) => commonName(one) === commonName(other),
    known() {
      const { entries, sessions } = agents();
      const named = entries.values().flatMap(({ name, turnOnly }) => (name === null || turnOnly ? [] : [name]));
      const leads = sessions.values().map(({ leadName }) => leadName);
      return [...named, ...(leads.length === 0 ? ['main'] : leads)];
    },
  };
}

/** Whether a flag selects by a value. If so, Matches reports what is missing. */
export function isChosen(options: Options): boolean {
  return [
    'session',
    'team',
    'owner',
    'status',
    'kind',
    'from',
    'to',
    'with',
    'type',
    'tool',
    'agent',
    'project',
    'grep',
  ].some((name) => options[name] !== undefined);
}

/** Finds the requested values that no row has. */
export class Matches<R> {
  readonly #choices: readonly { choice: Choice<R>; values: Set<string>; hits: Set<string> }[];
  #rows = 0;
  #together = false;

  constructor(choices: readonly Choice<R>[]) {
    const asked = choices.filter(({ wanted }) => wanted.length > 0);
    this.#choices = asked.map((choice) => ({ choice, values: new Set(), hits: new Set() }));
  }

  /** Takes every row, selected or not. */
  note(row: R): void {
    if (this.#choices.length === 0) return;
    this.#rows++;
    let fitsAll = true;
    for (const { choice, values, hits } of this.#choices) {
      const own = choice.valuesOf(row).filter((value) => value !== null);
      for (const value of own) values.add(value);
      const found = choice.wanted.filter((wanted) => own.some((value) => isWantedValue(choice, wanted, value)));
      for (const wanted of found) hits.add(wanted);
      fitsAll &&= found.length > 0;
    }
    this.#together ||= fitsAll;
  }

  /**
   * Reports what does not exist. `rows` is the plural name of the rows. `isGood`: having no rows is good news, so only
   * an unknown name is reported.
   */
  say({ input, diagnostics, streams }: Context, rows: string, printed: number, isGood = false): void {
    if (this.#choices.length === 0 || input.seen.isForeign) return;
    const { records, account } = input.seen;
    if (records + account.events === 0) return;
    const missing = this.#choices.flatMap((asked) => missingIn(asked, rows, this.#rows > 0 && !isGood));
    for (const text of missing) diagnostics.warn(text);
    if (missing.length > 0 || printed > 0 || isGood) return;
    if (this.#rows === 0) diagnostics.warn(`no ${rows} here`);
    else if (!this.#together)
      diagnostics.warn(`no ${rows} match ${this.#choices.map(({ choice }) => choice.flag).join(' and ')} together`);
    else if (streams.stderr.isTTY) diagnostics.warn(`no ${rows}`);
  }
}

function missingIn<R>(
  { choice, values, hits }: { choice: Choice<R>; values: ReadonlySet<string>; hits: ReadonlySet<string> },
  rows: string,
  hasRows: boolean,
): string[] {
  const { wanted, one, many, relation } = choice;
  const all = new Set([...(choice.known?.() ?? []), ...values]);
  return wanted
    .filter((value) => !hits.has(value))
    .flatMap((value) => {
      const exists = [...all].some((other) => isWantedValue(choice, value, other));
      const quoted = `'${visibleName(shorten(value))}'`;
      const near = exists ? '' : suggestion(value, all);
      if (choice.known !== undefined && !exists)
        return [`no ${one} ${quoted} here${listOfValues(many, all, choice)}${near}`];
      if (!hasRows || (hits.size > 0 && near === '')) return [];
      const there = choice.known === undefined ? many : `${many} with ${rows}`;
      return [`no ${rows} ${relation} ${quoted} here${listOfValues(there, values, choice)}${near}`];
    });
}

function isWantedValue<R>(choice: Choice<R>, wanted: string, value: string): boolean {
  return choice.isSame?.(wanted, value) ?? wanted === value;
}

/** `; agents: main, writer and 3 more` */
function listOfValues<R>(title: string, values: ReadonlySet<string>, { shown }: Choice<R>): string {
  const names = [...values].sort();
  if (names.length === 0) return '';
  const first = names.slice(0, mostShown).map((name) => visibleName(shorten(name)));
  const more = names.length > mostShown ? ` and ${names.length - mostShown} more` : '';
  return `; ${title}: ${(shown?.(names).slice(0, mostShown) ?? first).join(', ')}${more}`;
}

/** The shortest prefixes that distinguish the ids. */
function distinctPrefixes(ids: readonly string[]): readonly string[] {
  let length = 8;
  while (length < 36 && new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length += 4;
  return ids.map((id) => visibleName(id.slice(0, length)));
}

function shorten(name: string): string {
  return name.length > longestShown ? `${name.slice(0, longestShown)}…` : name;
}

function typed(options: Options, name: string): readonly string[] {
  const value = textOf(options, name);
  return value === null ? [] : [value];
}

const mostShown = 10;
const longestShown = 60;
