// The way from events to lines of a story: what happened, in order, each thing once.
import type { Event } from '../event/event.js';
import { getOrCreate } from '../record/json.js';
import { isOfAgents, newAgents, noteAgents } from '../tables/agents.js';
import { compare, earliestOf, latest } from '../tables/order.js';
import { happeningOf } from './happening.js';
import type { Happening, OpenedCall, StoryLine, Wants } from './line.js';
import { Teller } from './teller.js';

export class Storyteller {
  /** Who is who, as far as it is known. */
  readonly agents = newAgents();
  readonly #wants: Wants;
  readonly #colors = new Map<string, string>();
  /** Sessions that repeat calls of another. */
  readonly #forks = new Set<string | null>();
  readonly #teller: Teller;
  readonly #clock = new StreamClock((happening) => this.#teller.tell(happening));
  /** null for a single stream, which is told as it comes. */
  #merge: Merge | null;

  /** `follows`: more comes of the files, and they are told in pieces, by `catchUp`. */
  constructor(wants: Wants, write: (line: StoryLine) => void, follows = false) {
    this.#wants = wants;
    this.#merge = follows ? new Merge() : null;
    this.#teller = new Teller(wants, this.agents, this.#colors, write);
  }

  note(event: Event): void {
    if (isOfAgents(event)) noteAgents(this.agents, event);
    if (event.event === 'team:member:joined' && event.member.color !== null)
      this.#colors.set(`${event.session_id} ${event.member.agent_id ?? event.agent}`, event.member.color);
    // Only events of several files say which one they are from, also when they are read back.
    if (event.source !== undefined && this.#merge === null) {
      this.#clock.end();
      this.#merge = new Merge();
    }
    if (event.event === 'tool:called' && event.copied === true) this.#forks.add(event.session_id);
    // The cost of a fork includes what its parent had spent.
    const isPartly = event.event === 'usage:reported' && this.#forks.has(event.session_id);
    const happening = isPartly ? null : happeningOf(event, this.#wants);
    if (happening !== null) (this.#merge ?? this.#clock).add(happening);
    else if (event.time !== null) this.passTime(event.time, event.source);
  }

  /** A record has this time, whatever it says. */
  passTime(time: string, source = ''): void {
    (this.#merge ?? this.#clock).passTime(time, source);
  }

  /** Tells what files that are followed have brought. */
  catchUp(isLast = false): void {
    for (const happening of this.#merge?.take({ isLast }) ?? []) this.#teller.tell(happening);
    this.#teller.flush();
  }

  /** What is open now, and what waits for others of its kind. */
  get open(): StoryLine[] {
    return [...this.#teller.held, ...this.#teller.open];
  }

  end(): void {
    this.catchUp(true);
    this.#clock.end();
    this.#teller.end();
  }
}

// Brings together what several files say of a run, in order of time, each thing once, whichever file came first.

/** Something that happened, with the time it counts at: its own, or that of the nearest record before it in its file. */
interface Timed {
  readonly happening: Happening;
  readonly key: string;
  /** null until a record of its file has a time. */
  at: string | null;
}

class SourceClock {
  last: string | null = null;
  /** What came before the first time. */
  readonly early: Timed[] = [];
  /** How often each key came. */
  readonly counts = new Map<string, number>();
}

class Merge {
  readonly #sources = new Map<string, SourceClock>();
  readonly #all: Timed[] = [];
  /** The keys of what was told, and the content of messages that were sent. */
  readonly #told = new Set<string>();
  readonly #sent = new Set<string>();
  /** When each session began. A fork begins after what it repeats. */
  readonly #begun = new Map<string | null, string>();

  add(happening: Happening): void {
    const { source, own } = happening;
    if (own !== null) this.passTime(own, source);
    const clock = this.#clockOf(source);
    // In one file, things that look alike are not copies.
    const key = happening.key();
    // It would keep the whole event in memory.
    happening.key = () => key;
    const nth = (clock.counts.get(key) ?? 0) + 1;
    clock.counts.set(key, nth);
    const timed: Timed = { happening, key: nth === 1 ? key : `${key} ${nth}`, at: own ?? clock.last };
    if (timed.at === null) clock.early.push(timed);
    this.#all.push(timed);
  }

  /** A record of this file has this time. */
  passTime(time: string, source: string): void {
    const clock = this.#clockOf(source);
    for (const timed of clock.early.splice(0)) timed.at = time;
    clock.last = latest(clock.last, time);
  }

  /**
   * What came since the last time, in order, once. Calls stand where they returned. One that has not returned stands
   * where it was made if nothing more comes, and else stays open.
   */
  *take({ isLast }: { isLast: boolean }): Generator<Happening> {
    this.#dateStarts();
    const news = this.#all.splice(0);
    for (const body of news.flatMap(({ happening }) => bodyOf(happening, 'sent') ?? [])) this.#sent.add(body);
    const sorted = news
      .filter(({ happening }) => !this.#sent.has(bodyOf(happening, 'received') ?? ''))
      .sort(compareTimes);
    for (const { happening, at } of sorted) this.#noteBegin(happening, at);
    const calls = new Map<string, OpenedCall>();
    const over = new Set<string>();
    const owners = new Map<string, Timed>();
    const prompts = new Map<string, Timed>();
    let hasCopies = false;
    for (const timed of sorted) {
      const { happening, key } = timed;
      this.#setOwner(owners, key, timed);
      const prompt = promptOf(happening);
      if (prompt !== null && this.#setOwner(prompts, prompt, timed)) hasCopies = true;
      if (happening.does === 'call') calls.set(happening.id, this.#ownCall(calls.get(happening.id), happening));
      else if (happening.does === 'return') over.add(happening.id);
      else if (happening.does === 'retract') for (const id of happening.ids) over.add(id);
    }
    for (const copy of hasCopies ? writersFirst(sorted, prompts) : sorted) {
      if (this.#told.has(copy.key)) continue;
      this.#told.add(copy.key);
      const { happening, at } = owners.get(copy.key) ?? copy;
      happening.origin.time = at;
      if (happening.does === 'return') yield { ...happening, opened: calls.get(happening.id) ?? null };
      else if (happening.does !== 'call') yield happening;
      else if (!over.has(happening.id)) yield isLast ? { ...happening, does: 'tell', about: null } : happening;
    }
  }

  #noteBegin(happening: Happening, at: string | null): void {
    if (at === null || happening.does !== 'tell' || happening.about?.is !== 'session') return;
    const { session_id } = happening.origin;
    this.#begun.set(session_id, earliestOf([this.#begun.get(session_id) ?? null, at]) ?? at);
  }

  /** Returns false if it is the first. */
  #setOwner(owners: Map<string, Timed>, key: string, timed: Timed): boolean {
    const known = owners.get(key);
    if (known === undefined || this.#isOwner(timed.happening, known.happening)) owners.set(key, timed);
    return known !== undefined;
  }

  /** Of two copies of one thing, whether the first is that of the session that did it. */
  #isOwner({ origin: a }: Happening, { origin: b }: Happening): boolean {
    const [one, other] = [this.#begun.get(a.session_id), this.#begun.get(b.session_id)];
    return one !== undefined && other !== undefined && one < other;
  }

  /** The copy of its session, else the first, with the time that the first copy with a time says. */
  #ownCall(known: OpenedCall | undefined, copy: OpenedCall): OpenedCall {
    if (known === undefined) return copy;
    const own = known.own ?? copy.own;
    return this.#isOwner(copy, known) ? { ...copy, own } : { ...known, own };
  }

  /** Of an agent whose start has no time, only that of the first thing it did is known. */
  #dateStarts(): void {
    const undated = this.#all.filter(({ at, happening }) => at === null && idsOfStart(happening).length > 0);
    if (undated.length === 0) return;
    const first = new Map<string, string>();
    for (const { at, happening } of this.#all) {
      const key = `${happening.origin.session_id} ${happening.origin.agent}`;
      const known = first.get(key);
      if (at !== null && (known === undefined || at < known)) first.set(key, at);
    }
    for (const timed of undated) {
      const { origin } = timed.happening;
      const times = idsOfStart(timed.happening).map((id) => first.get(`${origin.session_id} ${id}`) ?? null);
      timed.at = earliestOf(times);
    }
  }

  #clockOf(source: string): SourceClock {
    return getOrCreate(this.#sources, source, () => new SourceClock());
  }
}

function idsOfStart(happening: Happening): readonly string[] {
  return happening.does === 'tell' && happening.about?.is === 'started' ? happening.about.ids : [];
}

/** What a prompt shares with its copies in forks. */
function promptOf(happening: Happening): string | null {
  return happening.does === 'tell' && happening.about?.is === 'prompt' ? happening.about.copy : null;
}

/** The same, with copies of a prompt after it: whose prompt is told first is taken for its writer. */
function* writersFirst(sorted: readonly Timed[], prompts: ReadonlyMap<string, Timed>): Generator<Timed> {
  const early = new Map<Timed, Timed[]>();
  const written = new Set<Timed>();
  for (const timed of sorted) {
    const prompt = promptOf(timed.happening);
    const writer = prompt === null ? timed : (prompts.get(prompt) ?? timed);
    if (writer === timed || written.has(writer)) {
      if (prompt !== null) written.add(timed);
      yield timed;
      yield* early.get(timed) ?? [];
    } else getOrCreate(early, writer, () => []).push(timed);
  }
}

/** The content of a message that was sent, or received. */
function bodyOf(happening: Happening, is: 'sent' | 'received'): string | null {
  return happening.does === 'tell' && happening.about?.is === is ? happening.about.body : null;
}

/** What has no time comes last, as files of a team do that were left behind; but an agent starts before it does anything. */
function compareTimes(a: Timed, b: Timed): number {
  if (a.at === null || b.at === null) return a.at === b.at ? comparePlaces(a, b) : a.at === null ? 1 : -1;
  return compare(a.at, b.at) || Number(isUndatedStart(b)) - Number(isUndatedStart(a)) || comparePlaces(a, b);
}

function isUndatedStart({ happening }: Timed): boolean {
  return happening.own === null && idsOfStart(happening).length > 0;
}

function comparePlaces(a: Timed, b: Timed): number {
  return (
    compare(a.happening.source, b.happening.source) || (a.happening.origin.line ?? 0) - (b.happening.origin.line ?? 0)
  );
}

/** The same for a single stream, which is told as it is read. What comes before the first time waits for it a little. */
class StreamClock {
  #last: string | null = null;
  #early: Happening[] | null = [];

  /** `tell` gets what is due, with its time. */
  constructor(private readonly tell: (happening: Happening) => void) {}

  /** A record has this time. */
  passTime(time: string): void {
    // An event may have an earlier time, such as that of the call that started an agent.
    if (this.#last === null || time > this.#last) this.#last = latest(this.#last, time);
    this.end();
  }

  add(happening: Happening): void {
    if (happening.own !== null) this.passTime(happening.own);
    if (this.#last !== null || this.#early === null) return this.#tellDated(happening);
    this.#early.push(happening);
    if (this.#early.filter(({ does }) => does === 'tell').length >= mostEarly) this.end();
  }

  end(): void {
    if (this.#early === null) return;
    const early = this.#early;
    this.#early = null;
    for (const happening of early) this.#tellDated(happening);
  }

  #tellDated(happening: Happening): void {
    happening.origin.time ??= this.#last;
    this.tell(happening);
  }
}

/** A stream of an older version has no times at all. */
const mostEarly = 5;
