// What `usher react` runs in the page's own script context, because React's data is there. The page is not changed,
// except by install and while renders are recorded.

import * as safe from "../safe";
import { type Fiber, attempt, field, isComponent, nameOf, parents, walk } from "./fiber";
import { alternateOf } from "./hooks";
import * as hook from "./hook";
import { type Details, detailsOf, elementsOf } from "./inspect";
import { Recorder, type Report } from "./renders";
import { type Root, fiberOf, findRoots, topOf } from "./roots";
import { type Boundary, boundariesOf, cacheOf, promiseText } from "./suspense";
import { type Tree, treeOf } from "./tree";

const ids = new WeakMap<Fiber, number>();
let last = 0;

// idOf returns the number of a fiber, which both its versions have.
function idOf(fiber: Fiber): number {
  const other = alternateOf(fiber);
  let id = ids.get(fiber) ?? (other ? ids.get(other) : undefined);
  if (id === undefined) id = ++last;
  ids.set(fiber, id);
  if (other) ids.set(other, id);
  return id;
}

const roots = (): Root[] => findRoots(attempt(() => [...(hook.shared()?.roots.keys() ?? [])], []));
const exact = (root: Root): string => hook.versionOf(root, hook.shared());

// find returns the fiber with a number, as it is in the tree now.
function find(id: number): { fiber: Fiber; root: Root; top: Fiber } | null {
  let found: { fiber: Fiber; root: Root; top: Fiber } | null = null;
  for (const root of roots()) {
    const top = topOf(root);
    if (!top) continue;
    walk<null>(top, null, (fiber) => {
      const other = alternateOf(fiber);
      if (!found && (ids.get(fiber) === id || other && ids.get(other) === id)) found = { fiber, root, top };
      return null;
    });
    if (found) break;
  }
  return found;
}

/** State is how the page stands with React. */
export interface State { hook: boolean; other: boolean; recording: boolean }

export const state = (): State => ({ hook: hook.shared() !== null, other: hook.otherHook(), recording: recorder !== null || (hook.shared()?.recorder ?? null) !== null });

/** startAt makes numbers begin after those that were used before. */
export function startAt(used: number): void {
  last = Math.max(last, used);
}

export const used = (): number => last;

/** tree returns the rows; null if id is of no component now. */
export function tree(options: { id: number; components: boolean; depth: number; limit: number }): Tree | null {
  const from = options.id ? find(options.id) : null;
  if (options.id && !from) return null;
  return treeOf(roots(), exact, idOf, { top: from?.fiber, components: options.components, depth: options.depth < 0 ? undefined : options.depth, limit: options.limit });
}

/** inspect describes a component; null if id is of none now. */
export function inspect(id: number): Details | null {
  const found = find(id);
  if (!found) return null;
  return detailsOf(found.fiber, found.top, exact(found.root), idOf, (fiber) => ids.has(fiber) || inTree(fiber, found.top));
}

function inTree(fiber: Fiber, top: Fiber): boolean {
  let up: unknown = fiber;
  for (let n = 0; n < 10_000 && up; n++) {
    if (up === top || up === alternateOf(top)) return true;
    up = field(up, "return");
  }
  return false;
}

/** element returns the first element of a component. */
export function element(id: number): Element | null {
  const found = find(id);
  return found ? elementsOf(found.fiber)[0] ?? null : null;
}

/** at returns the number of the component that rendered a node, or the nearest one around it; 0 if React rendered none of them. */
export function at(node: Node): number {
  for (let up: Node | null = node, n = 0; up && n < 10_000; up = safe.parentNode(up), n++) {
    const fiber = fiberOf(up);
    const owner = fiber && (isComponent(fiber) ? fiber : parents(fiber).find(isComponent));
    if (owner) return idOf(owner);
  }
  return 0;
}

/** named returns the numbers of the components of a name, at most most. */
export function named(of: { name: string; most: number }): number[] {
  const found: number[] = [];
  for (const root of roots()) {
    const top = topOf(root);
    if (top) walk<null>(top, null, (fiber) => {
      if (found.length < of.most && isComponent(fiber) && nameOf(fiber) === of.name) found.push(idOf(fiber));
      return null;
    });
  }
  return found;
}

/** component returns a component's function or class. */
export function component(id: number): unknown {
  const found = find(id);
  let type: unknown = found && field(found.fiber, "type");
  for (let n = 0; n < 5 && typeof type === "object"; n++) type = field(type, "render") ?? field(type, "type");
  return typeof type === "function" ? type : null;
}

export const suspense = (): { boundaries: Boundary[]; total: number; roots: number } => {
  const all = roots();
  return { ...boundariesOf(all, idOf), roots: all.length };
};

/** waiting returns the set of the promises that a boundary waits for. */
export function waiting(id: number): object | null {
  const found = find(id);
  return found ? cacheOf(found.fiber) : null;
}

export { promiseText };

let recorder: Recorder | null = null;

/** record begins to record renders, in this document. It returns the number of roots. */
export function record(): number {
  const own = hook.shared();
  if (!recorder && own?.recorder) recorder = own.recorder;
  recorder ??= new Recorder();
  const all = roots();
  if (own) own.recorder = recorder;
  for (const root of all) if (!own?.roots.has(root)) recorder.watch(root);
  return all.length;
}

/** stop ends that, and returns what was recorded; null if nothing is. */
export function stop(): Report | null {
  const own = hook.shared();
  const from = recorder ?? own?.recorder ?? null;
  if (own) own.recorder = null;
  recorder = null;
  return from ? from.end() : null;
}

export const { install } = hook;
