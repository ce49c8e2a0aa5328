import type { Event } from '../../src/lib.js';
import { isObject, type JsonObject } from '../json.js';
import { type Place, Places, under } from './places.js';

/** By kind of record: its fields, with their counts. */
export type Fields = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Provides records that note which of their fields are read. */
export class Watcher {
  readonly #places = new Places();
  readonly #placeOf = new WeakMap<object, Place>();
  readonly #proxies = new WeakMap<object, object>();
  readonly #targets = new WeakMap<object, object>();
  /** By kind of record and path. */
  readonly #present = new Map<string, Map<string, number>>();
  readonly #read = new Map<string, Set<string>>();

  watch(record: JsonObject): JsonObject {
    for (const [object, place] of this.#places.in(record)) {
      this.#placeOf.set(object, place);
      for (const key of Object.keys(object)) {
        const { within, path } = under(place, key);
        const counts = this.#present.get(within) ?? new Map<string, number>();
        this.#present.set(within, counts.set(path, (counts.get(path) ?? 0) + 1));
      }
    }
    const watched = this.#wrap(record);
    return isObject(watched) ? watched : record;
  }

  /** What an event takes over whole counts as read. But every call and result is in an event, read or not. */
  noteEvent(event: Event): void {
    for (const [key, value] of Object.entries(event))
      if (key !== 'raw' && !(event.event.startsWith('tool:') && (key === 'input' || key === 'result')))
        this.#noteWhole(value);
  }

  /** All fields, by kind of record. */
  get fields(): Fields {
    return this.#present;
  }

  /**
   * Fields that were never read and are not among those known before, and how often they occurred. What is inside such a
   * field is not listed again.
   */
  unread(before: Fields): Map<string, Map<string, number>> {
    const found = new Map<string, Map<string, number>>();
    for (const [within, counts] of this.#present) {
      const read = this.#read.get(within) ?? new Set();
      const paths = [...counts].filter(([path]) => !read.has(path) && !before.get(within)?.has(path));
      const top = paths.filter(([path]) => !paths.some(([other]) => isInside(path, other)));
      if (top.length > 0) found.set(within, new Map(top));
    }
    return found;
  }

  #wrap(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const made = this.#proxies.get(value);
    if (made !== undefined) return made;
    const proxy = new Proxy(value, {
      get: (target, key, receiver) => {
        this.#note(target, key);
        return this.#wrap(Reflect.get(target, key, receiver));
      },
      has: (target, key) => {
        this.#note(target, key);
        return Reflect.has(target, key);
      },
    });
    this.#proxies.set(value, proxy);
    this.#targets.set(proxy, value);
    return proxy;
  }

  #note(target: object, key: string | symbol): void {
    const place = this.#placeOf.get(target);
    if (place === undefined || typeof key === 'symbol') return;
    const { within, path } = under(place, key);
    this.#read.set(within, (this.#read.get(within) ?? new Set()).add(path));
  }

  #noteWhole(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const target = this.#targets.get(value) ?? value;
    for (const [key, inner] of Object.entries(target)) {
      this.#note(target, key);
      this.#noteWhole(inner);
    }
  }
}

function isInside(path: string, other: string): boolean {
  return path.startsWith(`${other}.`) || path.startsWith(`${other}[]`);
}
