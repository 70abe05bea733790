// React's fibers as they are in memory, in React 16.9 to 19. They belong to the page, which may imitate or change them:
// every field is read as data, so that no getter of the page runs, and what is not as expected is left out.

/** Fiber is an object that looks like a fiber. */
export type Fiber = object & { readonly fiber?: unique symbol };

const describe = Object.getOwnPropertyDescriptor;

export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** field returns an own data property; undefined for a getter, an inherited one, and of what is no object. */
export function field(of: unknown, key: PropertyKey): unknown {
  if (!isObject(of) && typeof of !== "function") return undefined;
  try {
    const property = describe(of, key);
    return property && "value" in property ? property.value : undefined;
  } catch { // a proxy
    return undefined;
  }
}

/** attempt returns what read returns, or else otherwise: objects of the page may refuse anything, as proxies do. */
export function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** fiberIn returns a field that is a fiber. */
export function fiberIn(of: unknown, key: PropertyKey): Fiber | null {
  const value = field(of, key);
  return isFiber(value) ? value : null;
}

export const isFiber = (value: unknown): value is Fiber => isObject(value) && typeof field(value, "tag") === "number" && field(value, "memoizedProps") !== undefined;

export const tagOf = (fiber: Fiber): number => field(fiber, "tag") as number;

// The kinds of fibers (ReactWorkTags.js). Numbers above 21 differ between versions; what only has children is not shown.
export const tags = {
  fn: 0, cls: 1, indeterminate: 2, root: 3, portal: 4, host: 5, text: 6, fragment: 7, mode: 8, consumer: 9, provider: 10,
  forwardRef: 11, profiler: 12, suspense: 13, memo: 14, simpleMemo: 15, lazy: 16, incompleteClass: 17, dehydrated: 18,
  suspenseList: 19, hoistable: 26, singleton: 27, viewTransition: 30, activity: 31,
} as const;

/** isComponent reports whether the page wrote the fiber's type: a function or class that renders. */
export function isComponent(fiber: Fiber): boolean {
  const tag = tagOf(fiber);
  return tag <= tags.indeterminate || tag === tags.forwardRef || tag === tags.simpleMemo || tag === tags.incompleteClass;
}

export const isHost = (fiber: Fiber): boolean => {
  const tag = tagOf(fiber);
  return tag === tags.host || tag === tags.hoistable || tag === tags.singleton;
};

/** shown reports whether a fiber is a row of the tree: others only have children. */
export function shown(fiber: Fiber): boolean {
  if (isComponent(fiber) || isHost(fiber)) return true;
  switch (tagOf(fiber)) {
    case tags.root: case tags.portal: case tags.consumer: case tags.provider: case tags.profiler: case tags.suspense:
    case tags.lazy: case tags.suspenseList: case tags.viewTransition: case tags.activity:
      return true;
    case tags.fragment:
      return field(fiber, "key") !== null;
  }
  return false;
}

/** plain is a text of the page as one short line. */
export function plain(text: string, most = 80): string {
  const line = text.slice(0, 4 * most).replace(/[\s\p{C}]+/gu, " ").trim();
  return line.length > most ? line.slice(0, most) + "…" : line;
}

function ownName(type: unknown): string {
  for (const key of ["displayName", "name"]) {
    const name = field(type, key);
    if (typeof name === "string" && name !== "") return plain(name);
  }
  return "";
}

/** typeName returns how a type is called, with what wraps it; "Anonymous" for a function without a name. */
export function typeName(type: unknown, depth = 0): string {
  if (typeof type === "string") return plain(type);
  if (typeof type === "function") return ownName(type) || "Anonymous";
  if (typeof type === "symbol") return symbolName(type.description ?? "");
  if (!isObject(type) || depth > 5) return "Unknown";
  const name = field(type, "displayName");
  const called = typeof name === "string" ? plain(name) : "";
  const render = field(type, "render");
  const inner = field(type, "type");
  const context = field(type, "_context");
  if (typeof render === "function") return called || wrapped("ForwardRef", ownName(render));
  if (inner !== undefined) return called || wrapped("Memo", typeName(inner, depth + 1));
  if (field(type, "_payload") !== undefined || field(type, "_ctor") !== undefined) return called || "Lazy";
  return called || ownName(context) || "Context";
}

// symbolName: Suspense for react.suspense.
const symbolName = (name: string): string => plain(name.replace(/^react\.(\w)/, (_, first: string) => first.toUpperCase())) || "Anonymous";

const wrapped = (by: string, name: string): string => (name === "" ? by : `${by}(${name})`);

/** contextOf returns the context of a provider or consumer. */
export function contextOf(type: unknown): unknown {
  return field(type, "_context") ?? type;
}

/** nameOf returns the name of a fiber in the tree. */
export function nameOf(fiber: Fiber): string {
  const type = field(fiber, "type");
  switch (tagOf(fiber)) {
    case tags.root: return "Root";
    case tags.portal: return "Portal";
    case tags.fragment: return "Fragment";
    case tags.suspense: return "Suspense";
    case tags.suspenseList: return "SuspenseList";
    case tags.viewTransition: return "ViewTransition";
    case tags.activity: return "Activity";
    case tags.lazy: return "Lazy";
    case tags.provider: return (ownName(contextOf(type)) || "Context") + ".Provider";
    case tags.consumer: return (ownName(contextOf(type)) || "Context") + ".Consumer";
    case tags.profiler: {
      const id = field(field(fiber, "memoizedProps"), "id");
      return wrapped("Profiler", typeof id === "string" ? plain(id) : "");
    }
  }
  const outer = fiberIn(fiber, "return");
  if (outer && tagOf(outer) === tags.memo) return typeName(field(outer, "elementType") ?? field(outer, "type"));
  if (tagOf(fiber) === tags.simpleMemo) return typeName(field(fiber, "elementType"));
  return typeName(type);
}

/** kindOf returns what a fiber is, in a word. */
export function kindOf(fiber: Fiber): string {
  switch (tagOf(fiber)) {
    case tags.fn: case tags.indeterminate: {
      const outer = fiberIn(fiber, "return");
      return outer && tagOf(outer) === tags.memo ? "memo" : "function";
    }
    case tags.cls: case tags.incompleteClass: return "class";
    case tags.forwardRef: return "forwardRef";
    case tags.simpleMemo: return "memo";
    case tags.host: case tags.hoistable: case tags.singleton: return "element";
    case tags.provider: case tags.consumer: return "context";
    case tags.root: return "root";
    case tags.portal: return "portal";
  }
  return nameOf(fiber).replace(/\(.*/, "").toLowerCase();
}

/** keyOf returns the key of a fiber; null without one. */
export function keyOf(fiber: Fiber): string | null {
  const key = field(fiber, "key");
  return typeof key === "string" ? plain(key) : null;
}

/** flagsOf returns what a render did to a fiber; bit 1 says that its component was called. */
export function flagsOf(fiber: Fiber): number {
  const flags = field(fiber, "flags") ?? field(fiber, "effectTag");
  return typeof flags === "number" ? flags : 0;
}

/** hidden reports whether a suspense boundary shows its fallback. */
export const suspended = (fiber: Fiber): boolean => tagOf(fiber) === tags.suspense && isObject(field(fiber, "memoizedState"));

// most and patience bound the fibers that are visited: a page may have made a tree without end.
const most = 300_000;
const patience = 3000; // ms

/**
 * walk visits a fiber and those below it in document order, with what visit returned for the one above. A fiber that is met
 * again, as in a cycle, is left out. It returns false if there are more than it visits.
 */
export function walk<T>(top: Fiber, above: T, visit: (fiber: Fiber, above: T) => T, seen = new Set<Fiber>()): boolean {
  const stack: { fiber: Fiber; above: T }[] = [{ fiber: top, above }];
  const until = performance.now() + patience;
  let siblings = false; // of the top are not below it
  while (stack.length > 0) {
    const { fiber, above: outer } = stack.pop()!;
    if (seen.has(fiber)) continue;
    if (seen.size >= most || seen.size % 500 === 499 && performance.now() > until) return false;
    seen.add(fiber);
    const inner = visit(fiber, outer);
    const sibling = siblings ? fiberIn(fiber, "sibling") : null;
    const child = fiberIn(fiber, "child");
    if (sibling) stack.push({ fiber: sibling, above: outer });
    if (child) stack.push({ fiber: child, above: inner });
    siblings = true;
  }
  return true;
}

/** parents returns the fibers above one, nearest first. */
export function parents(fiber: Fiber): Fiber[] {
  const list: Fiber[] = [];
  const seen = new Set<Fiber>([fiber]);
  for (let up = fiberIn(fiber, "return"); up && !seen.has(up) && list.length < 10_000; up = fiberIn(up, "return")) {
    seen.add(up);
    list.push(up);
  }
  return list;
}
