// Elements and their local ids.
//
// A local id is a small integer that belongs to one element of this document for
// as long as the document lives: handed out on first use, counted up from 1,
// never given to another element. Nothing is kept alive by it: the element holds
// its id weakly, and the id its element.

import * as safe from "./safe";

const ids = new WeakMap<Element, number>();
const held = new Map<number, WeakRef<Element>>();
let last = 0;

// Ids reported by `departed` whose element may still come back.
const away = new Set<number>();

/** idOf returns the local id of el, handing one out if it has none. */
export function idOf(el: Element): number {
  let id = ids.get(el);
  if (id === undefined) {
    id = ++last;
    ids.set(el, id);
    held.set(id, new WeakRef(el));
  }
  return id;
}

/** byId returns the element with that id, also one that is no longer in the document; undefined if it is gone for good. */
export function byId(id: number): Element | undefined {
  return held.get(id)?.deref();
}

/**
 * departed returns the ids whose elements left the document since the last call. An element that was only removed and
 * is inserted again keeps its id, and may depart again.
 */
export function departed(): number[] {
  const gone: number[] = [];
  for (const [id, ref] of held) {
    const el = ref.deref();
    if (el && safe.isConnected(el)) {
      if (away.size > 0) away.delete(id);
      continue;
    }
    if (!away.has(id)) {
      gone.push(id);
      away.add(id);
    }
    if (!el) {
      held.delete(id);
      away.delete(id);
    }
  }
  return gone;
}

/** elements returns the elements with these ids, null where one is gone: for the protocol, which can hold objects. */
export function elements(list: number[]): (Element | null)[] {
  return list.map((id) => byId(id) ?? null);
}
