// React's roots in a document: those that renderers report to our hook, and those whose containers and elements have
// React's keys. The keys are there in every build, so no hook is needed to find them.

import * as safe from "../safe";
import { type Fiber, attempt, fiberIn, field, isObject, tagOf, tags } from "./fiber";

/** Root is a FiberRoot: what React has one of for each createRoot. */
export type Root = object;

/** held are roots whose field "current" is an accessor of ours, with its value. */
export const held = new WeakMap<Root, { value: unknown }>();

/** topOf returns the present topmost fiber of a root. */
export function topOf(root: Root): Fiber | null {
  const own = held.get(root);
  const top = own ? own.value : field(root, "current");
  return isObject(top) && tagOf(top) === tags.root ? top : null;
}

// rootOf returns the root of a fiber at the top.
function rootOf(fiber: Fiber | null): Root | null {
  const root = fiber && tagOf(fiber) === tags.root ? field(fiber, "stateNode") : null;
  return isObject(root) && topOf(root) ? root : null;
}

// keyed returns the value of a node's own property whose name begins like this: what follows is random in each page.
function keyed(names: string[], node: Node, prefix: string): unknown {
  for (const name of names) {
    if (name.startsWith(prefix)) return field(node, name);
  }
  return undefined;
}

/** fiberOf returns the fiber of a DOM node; null for one that is not React's. */
export function fiberOf(node: Node): Fiber | null {
  const names = Object.getOwnPropertyNames(node);
  const fiber = keyed(names, node, "__reactFiber$") ?? keyed(names, node, "__reactInternalInstance$");
  return isObject(fiber) && typeof field(fiber, "tag") === "number" ? fiber : null;
}

/** findRoots returns the roots in the document, in document order; reported ones that are not there come last. */
export function findRoots(reported: Iterable<Root>): Root[] {
  const found = new Set<Root>();
  const add = (root: Root | null): void => {
    if (root) found.add(root);
  };
  const look = (node: Node): void => {
    const names = Object.getOwnPropertyNames(node);
    if (names.length === 0) return;
    const container = keyed(names, node, "__reactContainer$");
    if (isObject(container)) add(rootOf(container));
    const legacy = field(node, "_reactRootContainer");
    if (isObject(legacy)) {
      const inner = field(legacy, "_internalRoot");
      const root = isObject(inner) ? inner : legacy;
      if (topOf(root)) found.add(root);
    }
    // The container may be detached, or not an element: then the root is above the first element that React made.
    const parent = safe.parentNode(node);
    const fiber = fiberOf(node);
    if (fiber && !(parent && fiberOf(parent))) {
      let top: Fiber = fiber;
      for (let up = fiberIn(top, "return"), n = 0; up && n < 10_000; up = fiberIn(up, "return"), n++) top = up;
      add(rootOf(top));
    }
  };
  look(document);
  each(document, look);
  for (const root of reported) {
    if (topOf(root) && fiberIn(topOf(root), "child")) found.add(root);
  }
  return [...found];
}

// each visits the elements below a node, also in open shadow roots.
function each(top: Node, visit: (node: Node) => void): void {
  const elements = safe.elementsBelow(top);
  for (let el = elements.nextNode() as Element | null; el; el = elements.nextNode() as Element | null) {
    visit(el);
    const shadow = safe.shadowRoot(el);
    if (shadow) {
      visit(shadow);
      each(shadow, visit);
    }
  }
}

/** buildOf says which React made a fiber: its major version, by the fields of its fibers, and its build. */
export function buildOf(top: Fiber): { version: string; build: "development" | "profiling" | "production" } {
  const has = (name: string): boolean => attempt(() => Object.hasOwn(top, name), false);
  const version = has("refCleanup") ? "19" : has("subtreeFlags") ? "18" : has("flags") ? "17" : "16";
  return { version, build: has("_debugOwner") || has("_debugHookTypes") ? "development" : has("actualDuration") ? "profiling" : "production" };
}
