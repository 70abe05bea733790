// What is known of one component.

import { type Fiber, attempt, fiberIn, field, isComponent, isFiber, isHost, isObject, keyOf, kindOf, nameOf, parents, plain, suspended, tagOf, tags } from "./fiber";
import { contextName, contextsOf, hooksOf } from "./hooks";
import { buildOf } from "./roots";
import { type Entry, elementText, entries, show } from "./values";

/** Named is a component that is mentioned; id is 0 for one that is not in the tree. */
export interface Named { id: number; name: string }

export interface Source { url: string; line: number; column: number }

export interface Details {
  id: number; name: string; kind: string; key: string | null; build: string; version: string; suspended: boolean;
  props: Entry[]; moreProps: number; state: Entry[]; moreState: number; hooks: Entry[]; inferred: boolean; context: Entry[];
  source: Source | null; owners: Named[]; parents: Named[]; element: string | null; elements: number;
}

const unreadable = { list: [{ name: "…", value: "(not readable)" }], inferred: true };

const most = 20; // owners and parents that are listed

/** detailsOf describes a fiber. */
export function detailsOf(fiber: Fiber, top: Fiber, exact: string, idOf: (fiber: Fiber) => number, known: (fiber: Fiber) => boolean): Details {
  const { version, build } = buildOf(top);
  const props = field(fiber, "memoizedProps");
  const given = entries(isObject(props) ? props : {});
  const state = tagOf(fiber) === tags.cls ? entries(field(fiber, "memoizedState")) : { list: [], more: 0 };
  const { list: hooks, inferred } = isComponent(fiber) ? attempt(() => hooksOf(fiber, Number(version)), unreadable) : { list: [], inferred: false };
  const above = parents(fiber).filter(isComponent);
  const nodes = elementsOf(fiber);
  return {
    id: idOf(fiber), name: nameOf(fiber), kind: kindOf(fiber), key: keyOf(fiber), build, version: exact || version, suspended: suspended(fiber),
    props: given.list, moreProps: given.more, state: state.list, moreState: state.more, hooks, inferred,
    context: attempt(() => contextsOf(fiber), []).map(({ context, value }) => ({ name: contextName(context), value: show(value) })),
    source: attempt(() => sourceOf(fiber), null), owners: ownersOf(fiber).map((owner) => named(owner, idOf, known)), parents: above.slice(0, most).map((up) => named(up, idOf, known)),
    element: nodes.length > 0 ? elementText(nodes[0]) : null, elements: nodes.length,
  };
}

const named = (of: Fiber, idOf: (fiber: Fiber) => number, known: (fiber: Fiber) => boolean): Named =>
  (isFiber(of) ? { id: known(of) ? idOf(of) : 0, name: nameOf(of) } : { id: 0, name: plain(String(field(of, "name") ?? "Unknown")) });

// ownersOf returns the components whose render made the element, nearest first; none in a production build. With React 19
// one may be a component of the server, which has no fiber.
function ownersOf(fiber: Fiber): object[] {
  const list: object[] = [];
  for (let owner = field(fiber, "_debugOwner"); isObject(owner) && !list.includes(owner) && list.length < most;) {
    list.push(owner);
    owner = field(owner, "_debugOwner") ?? field(owner, "owner");
  }
  return list;
}

// sourceOf returns where the element was made, which development builds know: from the compiler until React 18, and from
// the stack in 19.
export function sourceOf(fiber: Fiber): Source | null {
  const given = field(fiber, "_debugSource");
  const url = field(given, "fileName");
  const line = field(given, "lineNumber");
  if (typeof url === "string" && typeof line === "number") {
    const column = field(given, "columnNumber");
    return { url: plain(url, 500), line, column: typeof column === "number" ? column : 0 };
  }
  const trace = field(fiber, "_debugStack");
  if (!(trace instanceof Error)) return null;
  const { stack } = trace as { stack: unknown }; // a page may prepare stacks itself
  if (typeof stack !== "string") return null;
  // The first frame is React's own function for elements.
  const at = /(?:\(|at )([^()\s]+):(\d+):(\d+)\)?$/.exec(stack.slice(0, 10_000).split("\n").filter((row) => /^\s+at /.test(row))[1] ?? "");
  if (!at || /react[-_]stack[-_]bottom/.test(at[0])) return null;
  return { url: plain(at[1], 500), line: Number(at[2]), column: Number(at[3]) };
}

/** elementsOf returns the topmost elements that a component has rendered. */
export function elementsOf(fiber: Fiber): Element[] {
  const list: Element[] = [];
  const own = (at: Fiber): boolean => {
    const node = isHost(at) ? field(at, "stateNode") : null;
    if (!attempt(() => node instanceof Element, false)) return false;
    list.push(node as Element);
    return true;
  };
  if (own(fiber)) return list;
  const seen = new Set<Fiber>([fiber]);
  const stack = [fiberIn(fiber, "child")];
  while (stack.length > 0 && list.length < 1000) {
    const at = stack.pop();
    if (!at || seen.has(at)) continue;
    seen.add(at);
    stack.push(fiberIn(at, "sibling"));
    if (!own(at)) stack.push(fiberIn(at, "child"));
  }
  return list;
}

