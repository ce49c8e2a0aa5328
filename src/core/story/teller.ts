// Tells the story of a run: takes what happened, in order, and gives lines. Keeps what is open: calls without a result,
// lines that the next ones may be folded into, and who was told of already.
import { getOrCreate } from '../record/json.js';
import { type AgentsState, scopeOf } from '../tables/agents.js';
import { resolveAgent } from '../tables/directory.js';
import { isLeadId } from '../tables/order.js';
import { mannerOf } from '../wire/tools/about.js';
import { actOf } from '../wire/tools/table.js';
import {
  type About,
  type Draft,
  draftOf,
  endOfCall,
  type Facts,
  foldedLine,
  type Happening,
  isToldElsewhere,
  type LineOrigin,
  type OpenedCall,
  type StoryLine,
  type Wants,
  type Work,
} from './line.js';

type TellIt = Extract<Happening, { does: 'tell' }>;
type Return = Extract<Happening, { does: 'return' }>;

/** An agent or other work that was told of. */
interface Run {
  readonly name: string | null;
  ended: boolean;
  /** Whoever started it waited for it. */
  readonly waited: boolean;
}

export class Teller {
  readonly #open = new Map<string, OpenedCall>();
  /** Lines that wait for others of their kind, by what they share. */
  readonly #held = new Map<string | Run, StoryLine[]>();
  readonly #sessions = new Map<string | null, SessionTold>();
  /** Agents and background work that were told of, by every id. */
  readonly #runs = new Map<string, Run>();
  /** Messages that were told, by their content. */
  readonly #mail = new Map<string, Mail>();
  /** The session of each prompt. */
  readonly #prompts = new Map<string, string | null>();
  /** Tasks, and what was told of them last. */
  readonly #tasks = new Map<string, { readonly subject: string | null; readonly told: string }>();
  /** What main conversations said lately. */
  readonly #said = new Set<string>();

  constructor(
    private readonly wants: Wants,
    /** Who is who, as far as it is known when a line is told. */
    private readonly agents: AgentsState,
    /** The colours of agents, by session and id. */
    private readonly colors: ReadonlyMap<string, string>,
    private readonly write: (line: StoryLine) => void,
  ) {}

  tell(happening: Happening): void {
    switch (happening.does) {
      case 'call':
        this.#open.set(happening.id, happening);
        return;
      case 'return':
        return this.#endCall(happening);
      case 'retract':
        for (const id of happening.ids) this.#open.delete(id);
        return;
      case 'tell':
        return this.#tellNews(happening);
    }
  }

  /** Calls that wait for their results, the oldest first. */
  get open(): StoryLine[] {
    const calls = [...this.#open.values()].filter(({ draft }) => this.#isShown(draft));
    return calls.map(({ origin, draft }) => this.#storyLine(origin, draft));
  }

  /** What waits for others of its kind, as it would be told now. */
  get held(): StoryLine[] {
    const told: StoryLine[] = [];
    for (const lines of this.#held.values()) {
      if (this.wants.folds) told.push(foldedLine(lines));
      else told.push(...lines);
    }
    return told;
  }

  /** Tells what is held back and what never ended. */
  end(): void {
    this.flush();
    for (const line of this.open) this.write(line);
    this.#open.clear();
    const isOne = this.#sessions.size === 1;
    for (const [id, { cost, forkOf }] of this.#sessions)
      if (cost !== null && forkOf === null)
        this.write(this.#storyLine(cost.origin, { ...cost.draft, target: isOne ? null : (id?.slice(0, 8) ?? null) }));
  }

  /** Writes what waits for others of its kind. */
  flush(): void {
    if (this.#held.size === 0) return;
    const { held } = this;
    this.#held.clear();
    for (const line of held) {
      if (line.kind === 'result') this.#session(line.session_id).since = null;
      this.write(line);
    }
  }

  #tellNews({ draft, origin, about }: TellIt): void {
    const told = about === null ? draft : this.#newsIn(about, draft, origin);
    if (told === null || !this.#isShown(told)) return;
    const line = this.#storyLine(origin, told, about);
    // How it ended may be said again, with what it used.
    const isEnd = about?.is === 'finished' && told.status === 'completed' && !told.bad;
    this.#place(line, isEnd ? this.#knownRun(origin.session_id, about.ids) : undefined);
  }

  /** The draft with what only the story knows; null if it was told before. */
  #newsIn(about: About, draft: Draft, origin: LineOrigin): Draft | null {
    const { session_id } = origin;
    switch (about.is) {
      case 'session': {
        const session = this.#session(session_id);
        if (session.isTold) return null;
        Object.assign(session, { isTold: true, cwd: about.cwd });
        if (session.forkOf === null) return draft;
        return { ...draft, text: [`fork of ${session.forkOf.slice(0, 8)}`, draft.text].filter(Boolean).join(' · ') };
      }
      case 'turn': {
        const session = this.#session(session_id);
        session.turns += 1;
        return session.turns === 1 ? null : { ...draft, text: `turn ${session.turns}` };
      }
      case 'cost':
        this.#session(session_id).cost = { draft, origin };
        return null;
      case 'prompt': {
        if (!this.#isShown(draft)) return null;
        // A fork repeats the prompts of its parent.
        const known = this.#prompts.get(about.copy);
        if (known === undefined) this.#prompts.set(about.copy, session_id);
        if (known === undefined || known === session_id) return draft;
        this.#session(session_id).forkOf ??= known;
        return null;
      }
      case 'text':
        this.#hear(about.said);
        return draft;
      case 'result': {
        this.#closeLead(session_id);
        // Its text is usually what was said last, or before other agents woke the conversation again.
        const isNew = !this.#said.has(about.said) && draft.text?.trim() !== '';
        const session = this.#session(session_id);
        session.cost = null;
        const { agents } = session;
        const facts = agents === 0 ? draft.facts : { ...draft.facts, agents: agents + 1 };
        return { ...draft, facts, ...(isNew ? {} : { text: null, left: 0 }) };
      }
      case 'started':
        return this.#startRun({ ...about, ids: this.#allIds(about, origin) }, draft, session_id);
      case 'finished':
        return this.#endRun({ ...about, ids: this.#allIds(about, origin) }, draft, session_id);
      case 'sent':
      case 'received': {
        const known = this.#mail.get(about.body);
        if (about.is === 'received' && known !== undefined) return null;
        this.#mail.set(about.body, about);
        // A recipient may show a message before its sender does.
        return known?.is === 'received' && known.from === about.from ? null : draft;
      }
      case 'task':
        return this.#changeTask(about, draft, origin);
    }
  }

  #hear(said: string): void {
    this.#said.add(said);
    const [oldest = ''] = this.#said;
    if (this.#said.size > mostHeard) this.#said.delete(oldest);
  }

  #startRun(about: About & { is: 'started' }, draft: Draft, session: string | null): Draft | null {
    const known = this.#knownRun(session, about.ids);
    const run = known ?? { name: draft.target, ended: false, waited: about.waited };
    this.#noteRun(session, about.ids, run);
    if (known !== undefined && !(about.again && known.ended)) return null;
    run.ended = false;
    // The call that started other work is told.
    if (!about.isAgent) return null;
    if (known === undefined) this.#session(session).agents += 1;
    return draft;
  }

  #endRun({ ids, isAgent }: Work, draft: Draft, session: string | null): Draft | null {
    const run = this.#knownRun(session, ids) ?? { name: null, ended: false, waited: false };
    this.#noteRun(session, ids, run);
    if (run.ended) {
      this.#complete(run, draft);
      return null;
    }
    run.ended = true;
    // Of a shell that its agent waited for, the call is told.
    if (!isAgent && run.waited && !draft.bad) return null;
    return isAgent ? draft : { ...draft, target: run.name };
  }

  /** Claude Code may say twice that an agent ended, and only the second time what it used. */
  #complete(run: Run, draft: Draft): void {
    const [line] = this.#held.get(run) ?? [];
    if (line === undefined) return;
    const parts = line.parts.length === 0 ? draft.parts : line.parts;
    const { context, calls, ms } = line.facts;
    const more = draft.facts;
    const facts = { context: context ?? more.context, calls: calls ?? more.calls, ms: ms ?? more.ms };
    this.#held.set(run, [{ ...line, parts, facts }]);
  }

  #changeTask(about: About & { is: 'task' }, draft: Draft, origin: LineOrigin): Draft | null {
    const { team } = resolveAgent(this.agents, origin, null);
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

  /** An agent may be told of under any of its ids. */
  #allIds({ ids, isAgent }: Work, origin: LineOrigin): readonly string[] {
    if (!isAgent) return ids;
    return [...new Set([...ids, ...ids.map((id) => resolveAgent(this.agents, origin, id).agent)])];
  }

  #knownRun(session: string | null, ids: readonly string[]): Run | undefined {
    return ids.map((id) => this.#runs.get(runKey(session, id))).find((run) => run !== undefined);
  }

  #noteRun(session: string | null, ids: readonly string[], run: Run): void {
    for (const id of ids) this.#runs.set(runKey(session, id), run);
  }

  #endCall({ id, end, origin, own, opened }: Return): void {
    const call = opened ?? this.#open.get(id);
    this.#open.delete(id);
    const { bad, status, text, left } = end;
    const draft = call?.draft ?? draftOf('call', {}, { ...this.wants, whole: true, find: null });
    const tool = draft.tool ?? end.tool;
    if (!bad && !this.wants.everything && mannerOf(tool) === 'quiet') return;
    if (isToldElsewhere(tool, bad) || !(end.found || (call !== undefined && draft.found))) return;
    const more = endOfCall({ tool, parts: draft.parts }, call?.input ?? null, end, this.wants.parts);
    const ms = end.facts.ms ?? between(call?.own ?? null, own);
    const { exit, background, lines, files, bytes } = end.facts;
    const { added, removed } = more.facts;
    const facts: Facts = { exit, background, added, removed, lines, files, bytes, ms };
    const { time, session_id, team } = origin;
    const { agent, line } = call?.origin ?? origin;
    const target = this.#workName(draft.target, tool, session_id, id);
    const at: LineOrigin = { time, session_id, team, agent: agent ?? origin.agent, line: line ?? origin.line };
    const { parts } = more;
    // Not a spread: there are many calls.
    const told = { kind: 'call', status, bad, tool, target, tool_use_id: id, text, left, facts, parts } as const;
    this.#place(this.#storyLine(at, told));
  }

  /** Work that goes on in the background has a name, even if its call does not say it or says an id. */
  #workName(target: string | null, tool: string | null, session: string | null, id: string): string | null {
    if (target === null) return this.#knownRun(session, [id])?.name ?? null;
    const act = actOf(tool ?? '');
    return (act === 'stop' || act === 'readOutput' ? this.#knownRun(session, [target])?.name : null) ?? target;
  }

  /** What the main conversation had called when its turn ended never returns. */
  #closeLead(session: string | null): void {
    for (const [id, { origin, draft }] of this.#open) {
      if (origin.session_id !== session || !isLeadId(origin.agent)) continue;
      this.#open.delete(id);
      if (this.#isShown(draft)) this.#place(this.#storyLine(origin, draft));
    }
  }

  #isShown({ quiet, bad, found, tool, kind, status }: Draft): boolean {
    if (!found) return false;
    if (this.wants.everything || bad) return true;
    if (kind === 'session' && status === 'turn') return this.wants.turns;
    return !quiet && !(kind === 'call' && mannerOf(tool) === 'quiet');
  }

  #session(id: string | null): SessionTold {
    return getOrCreate(this.#sessions, id, () => new SessionTold());
  }

  #storyLine(origin: LineOrigin, draft: Omit<Draft, 'quiet' | 'found'>, about: About | null = null): StoryLine {
    const { time, session_id } = origin;
    const { kind, status, bad, tool, tool_use_id, text, left, facts, parts } = draft;
    const who = resolveAgent(this.agents, origin, isLeadId(origin.agent) ? null : origin.agent);
    const session = this.#session(session_id);
    session.since ??= time;
    return {
      time,
      session_id,
      team: who.team,
      agent: who.agent,
      line: origin.line,
      // A message that somebody else received is told by its sender.
      name: about?.is === 'received' ? (about.from ?? 'somebody') : who.name,
      color: this.colors.get(`${session_id} ${who.agent}`) ?? null,
      kind,
      status,
      bad,
      tool,
      target: about === null ? draft.target : this.#targetName(origin, about, draft),
      tool_use_id,
      text,
      left,
      facts,
      parts,
      cwd: session.cwd,
      folded: null,
    };
  }

  /** Who was started, and who sent or received a message, by name where an id is said. */
  #targetName(origin: LineOrigin, about: About, { target }: Pick<Draft, 'target'>): string | null {
    const isMail = about.is === 'received' || about.is === 'sent';
    const id = about.is === 'started' ? (about.ids[0] ?? '') : isMail ? target : null;
    if (id === null) return target;
    const { name, isNamed, kind } = resolveAgent(this.agents, origin, id);
    return isNamed || (about.is === 'sent' && kind !== null) ? name : target;
  }

  /** `key`: lines with the same key may become one. */
  #place(line: StoryLine, key: string | Run | null = this.#foldKey(line)): void {
    const held = key === null ? undefined : this.#held.get(key);
    if (held !== undefined) {
      if (line.kind === 'result') held.splice(0, 1, this.#addResult(held[0] ?? line, line));
      else held.push(line);
      return;
    }
    // Reads and searches of several agents may be between each other. Everything else follows directly.
    const [[other] = []] = this.#held.values();
    if (line.kind !== 'call' || key === null || other?.kind !== 'call') this.flush();
    if (key === null) this.write(line);
    else this.#held.set(key, [line]);
  }

  /** Lines with the same key may become one; null for a line that stands alone. */
  #foldKey({ kind, status, bad, tool, session_id, team, agent, target, text }: StoryLine): string | null {
    if (bad || !this.wants.folds) return null;
    if (kind === 'call' && status === 'ok') {
      const manner = mannerOf(tool);
      return manner === 'read' || manner === 'search' ? `reads ${scopeOf({ session_id, team })} ${agent}` : null;
    }
    if (kind === 'task' && status === 'created')
      return `tasks ${scopeOf({ session_id, team })} ${agent} ${target === 'todo'}`;
    // Where agents work in the background, the results of several turns come together at the end.
    return kind === 'result' && text === null && this.#session(session_id).agents > 0 ? `results ${session_id}` : null;
  }

  /** One result for several: what they cost is the last count, and they took the time since the work began. */
  #addResult(sum: StoryLine, next: StoryLine): StoryLine {
    const ms = between(this.#session(next.session_id).since, next.time) ?? (sum.facts.ms ?? 0) + (next.facts.ms ?? 0);
    const turns = (sum.facts.turns ?? 0) + (next.facts.turns ?? 0);
    return { ...next, facts: { ...next.facts, ms, turns } };
  }
}

type Mail = Extract<About, { is: 'sent' | 'received' }>;

/** What was told of a session. */
class SessionTold {
  isTold = false;
  cwd: string | null = null;
  /** The session it repeats the beginning of. */
  forkOf: string | null = null;
  /** What it cost, if no result says it. It may be said again, and is told at the end. */
  cost: { readonly draft: Draft; readonly origin: LineOrigin } | null = null;
  /** How many agents and turns it has started. */
  agents = 0;
  turns = 0;
  /** The time of the first line after its last result. */
  since: string | null = null;
}

/** How many texts are compared with that of a result. */
const mostHeard = 100;

/** A teammate with a session of its own is known by its name and team in both sessions. */
function runKey(session: string | null, id: string): string {
  return id.includes('@') ? id : `${session} ${id}`;
}

function between(start: string | null, end: string | null): number | null {
  if (start === null || end === null) return null;
  const ms = Date.parse(end) - Date.parse(start);
  return ms >= 0 ? ms : null;
}
