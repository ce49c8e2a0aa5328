import type { CostSource } from '../event/usage-row.js';
import type { UsageState } from '../state/usage/usage.js';
import { once } from './once.js';
import { orUnknown, partRows } from './usage.js';
import { type Figures, figuresOf, Group, type Settled } from './usage-group.js';
import { compareKeys, isWanted, type Key, layoutOf, type UsageChoice, type UsageRow } from './usage-keys.js';
import type { Part } from './usage-part.js';
import { LastParts, summaryOf } from './usage-summary.js';
import { addTokens, noTokens } from './usage-tokens.js';

/** The rows of a report that may have changed, and what everything comes to. */
export interface UsageNews {
  readonly rows: readonly UsageRow[];
  /** The keys of those that are no longer there. */
  readonly gone: readonly Readonly<Record<string, unknown>>[];
  readonly total: Figures;
}

/** A report that goes on: what each account adds to each row can be taken away and added anew. */
export class Book {
  readonly #choice: UsageChoice;
  readonly #layout;
  readonly #isAsked;
  readonly #byPart: boolean;
  readonly #accounts = new Map<string, Shares>();
  /** By session. */
  readonly #lasts = new Map<string | null, LastParts>();
  readonly #rows = new Map<Key, Sum>();
  readonly #total = new Sum([]);
  readonly #changed = new Set<Key>();
  /** By message, each part is a row: accounts that have new ones. */
  readonly #fresh = new Set<Shares>();

  constructor(choice: UsageChoice) {
    this.#choice = choice;
    this.#layout = layoutOf(choice);
    this.#isAsked = isWanted(choice);
    this.#byPart = choice.by.includes('message');
  }

  add(account: string, part: Part): void {
    if (!this.#isAsked(part) || !(this.#byPart || this.#layout.counts(part))) return;
    const own = once(this.#accounts, account, newShares);
    own.total.add(part);
    own.changed.add(own.total);
    if (this.#byPart) {
      own.parts.set(part.message?.key ?? part, part);
      this.#fresh.add(own);
      return;
    }
    if (this.#layout.bySession) {
      once(this.#lasts, part.session_id, () => new LastParts()).note(part);
      own.sessions.add(part.session_id);
    }
    const id = this.#layout.idOf(part);
    const share = once(own.rows, id, () => new Share(id, this.#layout.keysOf(part)));
    share.add(part);
    own.changed.add(share);
  }

  /** A message that was added, and that no report holds. */
  remove(account: string, part: Part): void {
    const own = this.#accounts.get(account);
    if (own === undefined || !this.#isAsked(part)) return;
    own.total.group.remove(part);
    own.changed.add(own.total);
    own.parts.delete(part.message?.key ?? part);
    const share = own.rows.get(this.#layout.idOf(part));
    if (this.#byPart || share === undefined) return;
    share.group.remove(part);
    own.changed.add(share);
  }

  /** All that an account added. */
  drop(account: string): void {
    const own = this.#accounts.get(account);
    if (own === undefined) return;
    this.#count(own.total, null);
    for (const share of own.rows.values()) this.#count(share, null);
    for (const session of own.sessions) this.#lasts.delete(session);
    this.#accounts.delete(account);
    this.#fresh.delete(own);
  }

  /** To be called when what an account adds has changed. */
  settle(account: string): void {
    const own = this.#accounts.get(account);
    if (own === undefined) return;
    for (const share of own.changed) this.#count(share, share.group.settled());
    own.changed.clear();
  }

  news(usage: UsageState): UsageNews {
    const { byAgent, isWhole } = this.#layout;
    const figures = (sum: Sum) => figuresOf(sum, sum.incomplete > 0 && !byAgent && !this.#byPart);
    const total = orUnknown(figures(this.#total), usage);
    const rows = this.#byPart
      ? partRows(this.#freshParts(), this.#choice)
      : isWhole
        ? [this.#layout.rowOf([], total)]
        : this.#changedSums().map((sum) => this.#rowOf(sum, figures(sum), usage));
    const gone = this.#byPart || isWhole ? [] : this.#goneSums();
    this.#changed.clear();
    return { rows, gone, total };
  }

  #freshParts(): Part[] {
    const parts: Part[] = [];
    for (const own of this.#fresh) {
      for (const part of own.parts.values()) parts.push(part);
      own.parts.clear();
    }
    this.#fresh.clear();
    return parts;
  }

  #changedSums(): Sum[] {
    const sums = [...this.#changed].flatMap((id) => this.#rows.get(id) ?? []);
    return sums.filter((sum) => this.#isShown(sum)).sort((a, b) => compareKeys(a.keys, b.keys));
  }

  #goneSums(): UsageNews['gone'] {
    const sums = [...this.#changed].flatMap((id) => this.#rows.get(id) ?? []);
    return sums.filter((sum) => !this.#isShown(sum)).map(({ keys }) => this.#layout.labelsOf(keys));
  }

  #isShown({ keys, solid, shares }: Sum): boolean {
    return shares > 0 && this.#layout.isShown(keys, solid > 0);
  }

  #rowOf({ keys }: Sum, figures: Figures, usage: UsageState): UsageRow {
    const row = this.#layout.rowOf(keys, figures);
    const session = keys[0] ?? null;
    if (!this.#layout.bySession || typeof session === 'number') return row;
    return { ...row, ...summaryOf(usage, session, this.#lasts.get(session)) };
  }

  #count(share: Share, settled: Settled | null): void {
    const isTotal = share.id === undefined;
    const sum = isTotal ? this.#total : once(this.#rows, share.id ?? null, () => new Sum(share.keys));
    if (share.counted !== null) sum.change(share.counted, share.incompleteCounted, -1);
    if (settled !== null) sum.change(settled, share.incomplete, 1);
    share.counted = settled;
    share.incompleteCounted = share.incomplete;
    if (!isTotal) this.#changed.add(share.id ?? null);
  }
}

/** What one account adds. */
interface Shares {
  readonly total: Share;
  readonly rows: Map<Key, Share>;
  readonly changed: Set<Share>;
  readonly sessions: Set<string | null>;
  /** New ones, a message by its key. */
  readonly parts: Map<string | Part, Part>;
}

const newShares = (): Shares => ({
  total: new Share(undefined, []),
  rows: new Map(),
  changed: new Set(),
  sessions: new Set(),
  parts: new Map(),
});

/** What one account adds to one row. */
class Share {
  readonly group = new Group();
  incomplete = false;
  /** What of it is counted in the sum. */
  counted: Settled | null = null;
  incompleteCounted = false;

  constructor(
    /** undefined for the total. */
    readonly id: Key | undefined,
    readonly keys: readonly Key[],
  ) {}

  add(part: Part): void {
    this.group.add(part);
    this.incomplete ||= part.incomplete;
  }
}

/** One row, of all accounts. */
class Sum implements Settled {
  readonly tokens = noTokens();
  messages = 0;
  solid = 0;
  unpriced = 0;
  readonly sums = new Map<CostSource, bigint>();
  readonly #payers = new Map<CostSource, number>();
  shares = 0;
  incomplete = 0;

  constructor(readonly keys: readonly Key[]) {}

  change({ tokens, messages, solid, unpriced, sums }: Settled, incomplete: boolean, times: 1 | -1): void {
    addTokens(this.tokens, tokens, times);
    this.messages += times * messages;
    this.solid += times * solid;
    this.unpriced += times * unpriced;
    this.shares += times;
    if (incomplete) this.incomplete += times;
    for (const [source, sum] of sums) {
      const payers = (this.#payers.get(source) ?? 0) + times;
      this.#payers.set(source, payers);
      if (payers === 0) this.sums.delete(source);
      else this.sums.set(source, (this.sums.get(source) ?? 0n) + BigInt(times) * sum);
    }
  }
}
