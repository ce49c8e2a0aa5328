import type { PatchOperation } from '../src/commands/replay/rows.js';

type Container = Record<string, unknown> | unknown[];

/** Applies RFC 6902 patches, for the operations cct writes. */
export function applyPatch(document: unknown, changes: readonly PatchOperation[]): unknown {
  const holder = { root: structuredClone(document) };
  for (const { op, path, value } of changes) {
    const keys = [
      'root',
      ...path
        .split('/')
        .slice(1)
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
    ];
    const last = keys.pop() ?? 'root';
    let at: Container = holder;
    for (const key of keys) at = inside(at, key);
    if (Array.isArray(at))
      at.splice(Number(last), op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [structuredClone(value)]));
    else if (op === 'remove') delete at[last];
    else at[last] = structuredClone(value);
  }
  return holder.root;
}

function inside(container: Container, key: string): Container {
  const value = Array.isArray(container) ? container[Number(key)] : container[key];
  if (typeof value !== 'object' || value === null) throw new Error(`nothing at ${key}`);
  return value as Container;
}
