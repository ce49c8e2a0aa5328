// Tells the story of a run: takes what happened, in order, and gives lines. Keeps what is open: calls without a result,
// lines that the next ones may be folded into, and who was told of already.
import { type AgentsState, scopeOf } from '../tables/agents.js';
import { resolveAgent } from '../tables/directory.js';
import { isLeadId } from '../tables/order.js';
import { mannerOf } from '../wire/tools/about.js';
import { endOfCall, isToldElsewhere } from './call.js';
import { type About, blank, type Happening, type OpenedCall } from './draft.js';
import type { Draft, Facts, Folded, Origin, StoryLine } from './line.js';

export interface TellerOptions {
  /** Tell everything, also what is usually left out. */
  readonly everything: boolean;
  /** Tell where each turn begins. */
  readonly turns: boolean;
  /** Inputs, results and changes are wanted. */
  readonly parts: boolean;
  /** Things of a kind that follow each other become one line. */
  readonly folds: boolean;
  /** Who is who, as far as it is known when a line is told. */
  agents(): AgentsState;
  /** The colour of an agent. */
  colorOf(session: string | null, agent: string | null): string | null;
}

type TellIt = Extract<Happening, { does: 'tell' }>;
type Return = Extract<Happening, { does: 'return' }>;

/** A line that waits for others of its kind. */
interface Held {
  readonly lines: StoryLine[];
  readonly paths: Set<string>;
}

/** An agent or other work that was told of. */
interface Run {
  readonly name: string | null;
  ended: boolean;
  /** Whoever started it waited for it. */
  readonly waited: boolean;
}

export class Teller {
  readonly #options: TellerOptions;
  readonly #write: (line: StoryLine) => void;
  readonly #open = new Map<string, OpenedCall>();
  readonly #held = new Map<string, Held>();
  /** Sessions that were told of, and where they work. */
  readonly #sessions = new Map<string | null, string | null>();
  /** Agents and background work that were told of, by every id, and whether they run. */
  readonly #running = new Map<string, Run>();
  /** How many agents a session has started. */
  readonly #agentsOf = new Map<string | null, number>();
  /** Messages that were told when they were sent. */
  readonly #sent = new Set<string>();
  /** Tasks, and what was told of them last. */
  readonly #tasks = new Map<string, { readonly subject: string | null; readonly told: string }>();
  /** What main conversations said lately. */
  readonly #said = new Set<string>();

  constructor(options: TellerOptions, write: (line: StoryLine) => void) {
    this.#options = options;
    this.#write = write;
  }

  tell(happening: Happening): void {
    switch (happening.does) {
      case 'call':
        this.#open.set(happening.id, happening);
        return;
      case 'return':
        return this.#returned(happening);
      case 'retract':
        for (const id of happening.ids) this.#open.delete(id);
        return;
      case 'tell':
        return this.#tell(happening);
    }
  }

  /** Calls that wait for their results, the oldest first. */
  get open(): StoryLine[] {
    return [...this.#open.values()].filter(({ draft }) => this.#isWanted(draft)).map((call) => this.#openLine(call));
  }

  /** What waits for others of its kind, as it would be told now. */
  get held(): StoryLine[] {
    return [...this.#held.values()].map(({ lines, paths }) => foldedLine(lines, paths));
  }

  /** Tells what is held back and what never ended. */
  end(): void {
    this.flush();
    for (const line of this.open) this.#write(line);
    this.#open.clear();
  }

  /** Writes what waits for others of its kind. */
  flush(): void {
    if (this.#held.size === 0) return;
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const { lines, paths } of held) this.#write(foldedLine(lines, paths));
  }

  #tell({ draft, origin, about }: TellIt): void {
    if (about?.is === 'text') this.#hear(about.said);
    const told = about === null ? draft : this.#told(about, draft, origin);
    if (told === null || !this.#isWanted(told)) return;
    this.#put(this.#line(origin, told, about));
  }

  /** The draft with what only the story knows; null if it was told before. */
  #told(about: About, draft: Draft, origin: Origin): Draft | null {
    switch (about.is) {
      case 'session':
        if (this.#sessions.has(origin.session_id)) return null;
        this.#sessions.set(origin.session_id, about.cwd);
        return draft;
      case 'text':
        return draft;
      case 'result': {
        this.#closeLead(origin.session_id);
        // Its text is usually what was said last, or before other agents woke the conversation again.
        const isNew = !this.#said.has(about.said) && draft.text?.trim() !== '';
        const agents = this.#agentsOf.get(origin.session_id) ?? 0;
        const facts = agents === 0 ? draft.facts : { ...draft.facts, agents: agents + 1 };
        return { ...draft, facts, ...(isNew ? {} : { text: null, left: 0 }) };
      }
      case 'started':
        return this.#started(about, draft, origin);
      case 'finished':
        return this.#finished(about, draft, origin);
      case 'sent':
      case 'received': {
        if (about.is === 'received' && this.#sent.has(about.body)) return null;
        this.#sent.add(about.body);
        return draft;
      }
      case 'task': {
        const { team } = resolveAgent(this.#options.agents(), origin, null);
        // The team of a session may be known only after its first task.
        const keys = [team, origin.session_id].map((place) => `${about.kind} ${place} ${about.id}`);
        const known = keys.map((key) => this.#tasks.get(key)).find((one) => one !== undefined);
        const subject = about.subject ?? known?.subject ?? null;
        // A list that somebody else reads shows the same change again.
        const told = `${draft.status} ${draft.text}`;
        for (const key of keys) this.#tasks.set(key, { subject, told });
        if (known?.told === told && known.subject === subject) return null;
        return { ...draft, text: [subject, draft.text].filter(Boolean).join(' ') || null };
      }
    }
  }

  #hear(said: string): void {
    this.#said.add(said);
    const [oldest = ''] = this.#said;
    if (this.#said.size > mostHeard) this.#said.delete(oldest);
  }

  #started(told: About & { is: 'started' }, draft: Draft, origin: Origin): Draft | null {
    const { session_id } = origin;
    const about = { ...told, ids: this.#allIds(told, origin) };
    const known = this.#runOf(session_id, about.ids);
    const isAgain = about.again && (known === undefined || known.ended);
    if (known !== undefined && !isAgain) {
      this.#run(session_id, about.ids, known);
      return null;
    }
    if (known !== undefined) known.ended = false;
    this.#run(session_id, about.ids, known ?? { name: draft.target, ended: false, waited: told.waited });
    // The call that started other work is told.
    if (about.work) return null;
    if (known === undefined) this.#agentsOf.set(session_id, (this.#agentsOf.get(session_id) ?? 0) + 1);
    return draft;
  }

  #finished(told: About & { is: 'finished' }, draft: Draft, origin: Origin): Draft | null {
    const { session_id } = origin;
    const about = { ...told, ids: this.#allIds(told, origin) };
    const run = this.#runOf(session_id, about.ids) ?? { name: null, ended: false, waited: false };
    this.#run(session_id, about.ids, run);
    if (run.ended) {
      this.#complete(session_id, about.ids, draft);
      return null;
    }
    run.ended = true;
    // Of a shell that its agent waited for, the call is told.
    if (about.work && run.waited && !draft.bad) return null;
    return about.work ? { ...draft, target: run.name, text: draft.text === run.name ? null : draft.text } : draft;
  }

  /** Claude Code may say twice that an agent ended, and only the second time what it used. */
  #complete(session: string | null, ids: readonly string[], draft: Draft): void {
    for (const id of ids) {
      const held = this.#held.get(finishKey(session, id));
      const [line] = held?.lines ?? [];
      if (held === undefined || line === undefined) continue;
      const { text, parts } = line.parts.length === 0 ? { text: line.text ?? draft.text, parts: draft.parts } : line;
      held.lines[0] = { ...line, text, parts, facts: { ...draft.facts, ...line.facts } };
    }
  }

  /** An agent may be told of under any of its ids. */
  #allIds({ ids, work }: { readonly ids: readonly string[]; readonly work: boolean }, origin: Origin): string[] {
    const agents = this.#options.agents();
    const known = work ? [] : ids.map((id) => resolveAgent(agents, origin, id).agent);
    return [...new Set([...ids, ...known])];
  }

  #runOf(session: string | null, ids: readonly string[]) {
    return ids.map((id) => this.#running.get(runKey(session, id))).find((run) => run !== undefined);
  }

  #run(session: string | null, ids: readonly string[], run: Run): void {
    for (const id of ids) this.#running.set(runKey(session, id), run);
  }

  #returned({ id, end, origin, own, opened }: Return): void {
    const call = opened ?? this.#open.get(id);
    this.#open.delete(id);
    const tool = call?.draft.tool ?? end.tool;
    if (!end.bad && !this.#options.everything && mannerOf(tool) === 'quiet') return;
    if (isToldElsewhere(tool, end.bad)) return;
    const found = end.found || call?.draft.found === true;
    if (!found) return;
    // Work that goes on in the background has a name, even if its call does not say it.
    const target = call?.draft.target ?? this.#runOf(origin.session_id, [id])?.name ?? null;
    const more = endOfCall(tool, call?.input ?? null, end, this.#options.parts);
    const ms = end.facts.ms ?? between(call?.own ?? null, own);
    const facts: Facts = { ...end.facts, ...more.facts, ...(ms !== null && { ms }) };
    const line = this.#line(
      { ...origin, agent: call?.origin.agent ?? origin.agent, line: call?.origin.line ?? origin.line },
      {
        ...(call?.draft ?? noCall),
        tool,
        target,
        tool_use_id: id,
        status: end.status,
        bad: end.bad,
        text: end.text,
        left: end.left,
        facts,
        parts: [...(call?.draft.parts ?? []), ...more.parts],
      },
    );
    this.#put(line);
  }

  /** What the main conversation had called when its turn ended never returns. */
  #closeLead(session: string | null): void {
    for (const [id, call] of this.#open) {
      if (call.origin.session_id !== session || !isLeadId(call.origin.agent)) continue;
      this.#open.delete(id);
      if (this.#isWanted(call.draft)) this.#put(this.#openLine(call));
    }
  }

  #openLine(call: OpenedCall): StoryLine {
    return this.#line(call.origin, call.draft);
  }

  #isWanted({ quiet, bad, found, tool, kind, status }: Draft): boolean {
    if (!found) return false;
    if (kind === 'session' && status === 'turn' && this.#options.turns) return true;
    return this.#options.everything || bad || !(quiet || (kind === 'call' && mannerOf(tool) === 'quiet'));
  }

  /** Field by field, because a spread takes ten times as long. */
  #line(origin: Origin, draft: Draft, about: About | null = null): StoryLine {
    const { time, session_id, agent, line } = origin;
    const { kind, status, bad, tool, tool_use_id, text, left, facts, parts } = draft;
    const who = resolveAgent(this.#options.agents(), origin, isLeadId(agent) ? null : agent);
    return {
      time,
      session_id,
      team: who.team,
      agent: who.agent,
      line,
      // A message that somebody else received is told by its sender.
      name: about?.is === 'received' ? (about.from ?? 'somebody') : who.name,
      color: this.#options.colorOf(session_id, who.agent),
      kind,
      status,
      bad,
      tool,
      target: this.#targetOf(origin, about, draft),
      tool_use_id,
      text,
      left,
      facts,
      parts,
      cwd: this.#sessions.get(session_id) ?? null,
      folded: null,
    };
  }

  /** Agents by their names: a message may be addressed to an id. */
  #targetOf(origin: Origin, about: About | null, { target }: Draft): string | null {
    const id = about?.is === 'started' ? about.ids[0] : about?.is === 'sent' ? target : null;
    if (id === null) return target;
    const { name, isNamed, kind } = resolveAgent(this.#options.agents(), origin, id ?? '');
    return isNamed || (about?.is === 'sent' && kind !== null) ? name : target;
  }

  #put(line: StoryLine): void {
    const key = line.kind === 'agent' || this.#options.folds ? foldKey(line) : null;
    if (key === null) {
      this.flush();
      this.#write(line);
      return;
    }
    const held = this.#held.get(key);
    // New tasks follow each other directly; other agents may read in between.
    if (held === undefined && line.kind !== 'call') this.flush();
    const group: Held = held ?? { lines: [], paths: new Set() };
    if (held === undefined) this.#held.set(key, group);
    group.lines.push(line);
    if (line.target !== null) group.paths.add(line.target);
  }
}

/** How many texts are compared with that of a result. */
const mostHeard = 100;

const noCall: Draft = { ...blank, kind: 'call' };

/** A teammate with a session of its own is known by its name and team in both sessions. */
function runKey(session: string | null, id: string): string {
  return id.includes('@') ? id : `${session} ${id}`;
}

function finishKey(session: string | null, agent: string): string {
  return `finished ${session} ${agent}`;
}

/** Lines with the same key may become one; null for a line that stands alone. */
function foldKey({ kind, status, bad, tool, session_id, team, agent, target }: StoryLine): string | null {
  if (bad) return null;
  const whose = `${scopeOf({ session_id, team })} ${agent}`;
  if (kind === 'call' && status === 'ok' && /^(?:read|search)$/.test(mannerOf(tool))) return `reads ${whose}`;
  if (kind === 'task' && status === 'created') return `tasks ${whose} ${target === 'todo'}`;
  if (kind === 'agent' && status === 'completed') return finishKey(session_id, agent ?? '');
  return null;
}

function foldedLine(lines: readonly StoryLine[], paths: ReadonlySet<string>): StoryLine {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) throw new Error('nothing was held');
  if (lines.length === 1) return first;
  if (first.kind === 'task')
    return { ...first, text: lines.map(taskWords).join(' · '), parts: lines.flatMap(({ parts }) => parts) };
  const read = lines.filter(({ tool }) => mannerOf(tool) === 'read');
  const files = new Set(read.map(({ target }) => target));
  const sums = lines.reduce((total, { facts }) => total + (facts.lines ?? 0), 0);
  const folded: Folded = {
    reads: read.length === 0 ? 0 : files.size,
    searches: lines.length - read.length,
    folder: commonFolder([...(read.length === 0 ? paths : files)].filter((path) => path !== null)),
  };
  const facts = sums > 0 && read.length === lines.length ? { lines: sums } : {};
  return { ...last, target: folded.folder, text: null, facts, parts: [], tool_use_id: null, folded };
}

/** `1 Survey the sources`; the first one begins with the word task. */
function taskWords({ target, text }: StoryLine, index: number): string {
  const id = target?.replace(/^(?:task|todo) ?/, '') ?? '';
  return index === 0 ? (text ?? '') : [id, text].filter(Boolean).join(' ');
}

/** The folder that all paths are in; null if there is none. */
export function commonFolder(paths: readonly string[]): string | null {
  const [first = ''] = paths;
  let parts = first.split('/').slice(0, -1);
  for (const path of paths) {
    const other = path.split('/').slice(0, -1);
    let same = 0;
    while (same < parts.length && parts[same] === other[same]) same += 1;
    parts = parts.slice(0, same);
  }
  return parts.join('/') || null;
}

function between(start: string | null, end: string | null): number | null {
  if (start === null || end === null) return null;
  const ms = Date.parse(end) - Date.parse(start);
  return ms >= 0 ? ms : null;
}
