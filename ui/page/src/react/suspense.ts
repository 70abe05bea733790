// Suspense boundaries: which show their fallback, and what they wait for.

import { type Fiber, attempt, field, isComponent, isObject, nameOf, parents, plain, suspended, tagOf, tags, typeName, walk } from "./fiber";
import { type Root, topOf } from "./roots";
import { type Source, sourceOf } from "./inspect";
import { show } from "./values";

export interface Boundary {
  id: number;
  name: string | null; // its prop, since React 19
  inside: string[]; // the components around it, nearest first
  state: "suspended" | "hydrating" | "client rendered" | "shown";
  fallback: string;
  children: string[]; // what it has to show
  waits: string[];
  everSuspended: boolean; // it has shown its fallback before
  source: Source | null;
}

const most = 200; // boundaries that are listed
const few = 8;

/** boundariesOf returns the boundaries of some roots, in document order. */
export function boundariesOf(roots: Root[], idOf: (fiber: Fiber) => number): { boundaries: Boundary[]; total: number } {
  const boundaries: Boundary[] = [];
  let total = 0;
  for (const root of roots) {
    const top = topOf(root);
    if (!top) continue;
    walk<null>(top, null, (fiber) => {
      if (tagOf(fiber) === tags.suspense && total++ < most) boundaries.push(boundaryOf(fiber, idOf));
      return null;
    });
  }
  return { boundaries, total };
}

/** cacheOf returns the set of the promises that a boundary waits for; scripts cannot read its members. */
export function cacheOf(fiber: Fiber): object | null {
  const cache = field(fiber, "stateNode");
  return attempt(() => (cache instanceof WeakSet || cache instanceof Set ? cache : null), null);
}

function boundaryOf(fiber: Fiber, idOf: (fiber: Fiber) => number): Boundary {
  const props = field(fiber, "memoizedProps");
  const waits: string[] = [];
  const name = field(props, "name");
  const children = field(props, "children");
  const state = attempt(() => stateOf(fiber), "suspended");
  if (state === "suspended") attempt(() => look(children, waits, 0), undefined);
  return {
    id: idOf(fiber), name: typeof name === "string" ? plain(name) : null, inside: parents(fiber).filter(isComponent).slice(0, few).map(nameOf), state, fallback: show(field(props, "fallback")),
    children: attempt(() => named(children), ["(not readable)"]), waits: waits.slice(0, few), everSuspended: cacheOf(fiber) !== null, source: attempt(() => sourceOf(fiber), null),
  };
}

// stateOf tells boundaries of pages that the server rendered by the comment that stands for them.
function stateOf(fiber: Fiber): Boundary["state"] {
  if (!suspended(fiber)) return "shown";
  const comment = field(field(fiber, "memoizedState"), "dehydrated");
  if (!(comment instanceof Comment)) return "suspended";
  const data = Object.getOwnPropertyDescriptor(CharacterData.prototype, "data")!.get!.call(comment) as string;
  return data === "$!" ? "client rendered" : "hydrating";
}

const listOf = (children: unknown): unknown[] => (Array.isArray(children) ? children.slice(0, 50) : [children]);

// named returns what the children of a boundary are.
function named(children: unknown): string[] {
  const out: string[] = [];
  for (const child of listOf(children)) {
    if (child === null || child === undefined || typeof child === "boolean") continue;
    if (out.length >= few) {
      out.push("…");
      break;
    }
    out.push(show(child));
  }
  return out;
}

// look adds what of the children is not ready: lazy components, and promises that are a child or in a prop.
function look(children: unknown, waits: string[], depth: number): void {
  for (const child of listOf(children)) {
    if (!isObject(child) || depth > 5 || waits.length >= few) continue;
    const lazy = lazyState(child) ?? lazyState(field(child, "type"));
    if (lazy === "pending") waits.push("lazy component: its code is loading");
    if (lazy === "failed") waits.push("lazy component: its code failed to load");
    if (pending(child)) waits.push("a child that is a promise");
    const props = field(child, "props");
    if (!isObject(props)) continue;
    for (const name of Object.keys(props).slice(0, 50)) {
      const value = field(props, name);
      if (name !== "children" && isObject(value) && pending(value)) waits.push(`promise in prop ${plain(name, 40)} of <${typeName(field(child, "type"))} />`);
    }
    look(field(props, "children"), waits, depth + 1);
  }
}

// pending: React marks promises that it has read; others are not known.
function pending(value: object): boolean {
  return typeof field(value, "then") !== "undefined" || value instanceof Promise ? field(value, "status") === "pending" : false;
}

// lazyState: of React.lazy, since 17 in _payload, before in the object itself.
function lazyState(type: unknown): "pending" | "failed" | "ready" | null {
  if (!isObject(type)) return null;
  const payload = field(type, "_payload");
  const status = isObject(payload) ? field(payload, "_status") : field(type, "_ctor") === undefined ? undefined : field(type, "_status");
  if (status === undefined) return null;
  return status === 1 ? "ready" : status === 2 ? "failed" : "pending";
}

/** promiseText describes one promise of a boundary's set. */
export function promiseText(value: unknown): string {
  const parts: string[] = [];
  for (const key of ["displayName", "name", "_debugName"]) {
    const name = field(value, key);
    if (typeof name === "string" && name !== "" && parts.length === 0) parts.push(plain(name));
  }
  const info = field(value, "_debugInfo");
  const io = Array.isArray(info) ? field(field(info[0], "awaited"), "name") : undefined;
  if (typeof io === "string" && io !== "") parts.push("awaits " + plain(io));
  const others = isObject(value) ? attempt(() => Object.keys(value), []).filter((key) => !/^(status|value|reason|_|displayName|name|then)/.test(key)).slice(0, 4) : [];
  if (others.length > 0) parts.push("with " + others.map((key) => `${plain(key, 30)}: ${plain(show(field(value, key)), 60)}`).join(", "));
  return `promise${parts.length > 0 ? " " + parts.join(", ") : ""}`;
}
