/**
 * A persistent map: set() and delete() give a new table that shares all but one path with the old one, so a reducer
 * stays pure and a stream with thousands of tasks or agents still takes linear time (copying a Map per event does not).
 * Entries come back in the order in which their keys were first set.
 */
export class Table<V> {
  static of<V>(entries: Iterable<readonly [string, V]>): Table<V> {
    let table = new Table<V>();
    for (const [key, value] of entries) table = table.set(key, value);
    return table;
  }

  readonly #root: Node<V>;
  readonly #next: number;
  readonly size: number;

  constructor(root: Node<V> = empty, next = 0, size = 0) {
    this.#root = root;
    this.#next = next;
    this.size = size;
  }

  get(key: string): V | undefined {
    return find(this.#root, hash(key), key)?.value;
  }

  has(key: string): boolean {
    return find(this.#root, hash(key), key) !== undefined;
  }

  set(key: string, value: V): Table<V> {
    const code = hash(key);
    const known = find(this.#root, code, key);
    if (known !== undefined && Object.is(known.value, value)) return this;
    const leaf = { key, value, at: known?.at ?? this.#next };
    return new Table(put(this.#root, code, 0, leaf), this.#next + 1, known === undefined ? this.size + 1 : this.size);
  }

  delete(key: string): Table<V> {
    const code = hash(key);
    if (find(this.#root, code, key) === undefined) return this;
    return new Table(cut(this.#root, code, key), this.#next, this.size - 1);
  }

  entries(): [string, V][] {
    const leaves: Leaf<V>[] = [];
    collect(this.#root, leaves);
    leaves.sort((a, b) => a.at - b.at);
    return leaves.map(({ key, value }) => [key, value]);
  }

  values(): V[] {
    return this.entries().map(([, value]) => value);
  }

  [Symbol.iterator](): Iterator<[string, V]> {
    return this.entries()[Symbol.iterator]();
  }
}

interface Leaf<V> {
  key: string;
  value: V;
  at: number;
}

/** A branch has 32 children, a bucket the leaves whose hashes agree so far as they were looked at. */
type Node<V> = { children: (Node<V> | undefined)[] } | { leaves: readonly Leaf<V>[] };

const empty: Node<never> = { leaves: [] };
const bits = 5;
const mask = 31;
const deepest = 30;
const crowded = 8;

function find<V>(root: Node<V>, code: number, key: string): Leaf<V> | undefined {
  let node: Node<V> | undefined = root;
  for (let shift = 0; node !== undefined; shift += bits) {
    if ('leaves' in node) return node.leaves.find((leaf) => leaf.key === key);
    node = node.children[(code >>> shift) & mask];
  }
  return undefined;
}

function put<V>(node: Node<V> | undefined, code: number, shift: number, leaf: Leaf<V>): Node<V> {
  if (node === undefined) return { leaves: [leaf] };
  if ('children' in node) {
    const children = node.children.slice();
    const slot = (code >>> shift) & mask;
    children[slot] = put(children[slot], code, shift + bits, leaf);
    return { children };
  }
  const leaves = [...node.leaves.filter(({ key }) => key !== leaf.key), leaf];
  if (leaves.length <= crowded || shift > deepest) return { leaves };
  let branch: Node<V> = { children: new Array(mask + 1) };
  for (const one of leaves) branch = put(branch, hash(one.key), shift, one);
  return branch;
}

function cut<V>(node: Node<V>, code: number, key: string, shift = 0): Node<V> {
  if ('leaves' in node) return { leaves: node.leaves.filter((leaf) => leaf.key !== key) };
  const slot = (code >>> shift) & mask;
  const child = node.children[slot];
  if (child === undefined) return node;
  const children = node.children.slice();
  children[slot] = cut(child, code, key, shift + bits);
  return { children };
}

function collect<V>(node: Node<V>, into: Leaf<V>[]): void {
  if ('leaves' in node) into.push(...node.leaves);
  else for (const child of node.children) if (child !== undefined) collect(child, into);
}

function hash(key: string): number {
  let code = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) code = Math.imul(code ^ key.charCodeAt(at), 0x01000193);
  return (code ^ (code >>> 15)) >>> 0;
}
