// The hooks of a function component, from the list that React keeps. A development build says which hook made which
// entry; else that is inferred from what the entry holds.

import { type Fiber, contextOf, field, fiberIn, isObject, parents, tagOf, tags, typeName } from "./fiber";
import { show } from "./values";

export interface Hook { name: string; value: string }

/** Cell is one entry of the list. */
interface Cell { value: unknown; queue: unknown }

// How many entries a hook makes, where that is not one.
const cells: Record<string, number> = {
  useContext: 0, use: 0, useDebugValue: 0, useHostTransitionStatus: 0, useCacheRefresh: 1, useTransition: 2, useSyncExternalStore: 2,
  useActionState: 3, useFormState: 3, useEffectEvent: 0, useMemoCache: 0,
};

/** cellsOf returns the entries of a component that is not a class. */
export function cellsOf(fiber: Fiber): Cell[] {
  const out: Cell[] = [];
  if (tagOf(fiber) === tags.cls) return out;
  const seen = new Set<object>();
  for (let at = field(fiber, "memoizedState"); isObject(at) && Object.hasOwn(at, "next") && !seen.has(at) && out.length < 200; at = field(at, "next")) {
    seen.add(at);
    out.push({ value: field(at, "memoizedState"), queue: field(at, "queue") });
  }
  return out;
}

/** isState reports whether a render with another value of the entry has another state: it is no effect, memo or ref. */
export const isState = (cell: Cell): boolean => isObject(cell.queue);

/** hooksOf returns the hooks with their values. inferred says that the names are. */
export function hooksOf(fiber: Fiber, major: number): { list: Hook[]; inferred: boolean } {
  const list = cellsOf(fiber);
  const names = field(fiber, "_debugHookTypes");
  if (Array.isArray(names) && names.length > 0) {
    const out: Hook[] = [];
    let at = 0;
    for (let i = 0; i < names.length && i < 200; i++) {
      const name: unknown = field(names, i);
      if (typeof name !== "string") continue;
      const count = cells[name] ?? 1;
      const cell = list[at];
      if (count > 0 && cell) out.push({ name: label(name), value: valueOf(cell) });
      at += count;
    }
    if (at === list.length) return { list: out, inferred: false };
  }
  const out: Hook[] = [];
  for (let i = 0; i < list.length; i++) {
    const name = infer(list[i], major);
    out.push({ name, value: valueOf(list[i]) });
    if (name === "SyncExternalStore" && isEffect(list[i + 1]?.value)) i++; // its own
  }
  return { list: out, inferred: list.length > 0 };
}

// label is the name of a hook as reports have it: State for useState.
const label = (name: string): string => name.replace(/^use(?=[A-Z])/, "").slice(0, 40);

const isEffect = (value: unknown): value is object => isObject(value) && typeof field(value, "create") === "function" && Object.hasOwn(value, "deps");

const isRef = (value: unknown): value is object => isObject(value) && !Array.isArray(value) && Object.keys(value).join() === "current";

const isMemo = (value: unknown): value is unknown[] => Array.isArray(value) && value.length === 2 && (value[1] === null || Array.isArray(value[1]));

function infer(cell: Cell, major: number): string {
  const { value, queue } = cell;
  if (isObject(queue)) {
    if (typeof field(queue, "getSnapshot") === "function") return "SyncExternalStore";
    const reducer = field(queue, "lastRenderedReducer");
    if (typeof reducer !== "function") return "State";
    const source = Function.prototype.toString.call(reducer);
    return source.length < 160 && /typeof/.test(source) && /function/.test(source) ? "State" : "Reducer";
  }
  if (isEffect(value)) return effectName(field(value, "tag"), major);
  if (isMemo(value)) return typeof value[0] === "function" ? "Callback" : "Memo";
  if (isRef(value)) return "Ref";
  if (typeof value === "string" && /^[:«_]/.test(value)) return "Id";
  if (typeof value === "function") return "Transition";
  return "Hook";
}

// effectName: the bits of ReactHookEffectTags.js, which changed with 18.
function effectName(tag: unknown, major: number): string {
  const bits = typeof tag === "number" ? tag : 0;
  if (major >= 18) return bits & 8 ? "Effect" : bits & 4 ? "LayoutEffect" : "InsertionEffect";
  return bits & 4 ? "Effect" : "LayoutEffect";
}

function valueOf({ value, queue }: Cell): string {
  if (!isObject(queue) && isEffect(value)) {
    const deps = field(value, "deps");
    return deps === null || deps === undefined ? "after every render" : `when ${show(deps)} changes`;
  }
  if (!isObject(queue) && isMemo(value)) return show(value[0]);
  if (!isObject(queue) && isRef(value)) return show(field(value, "current"));
  return show(value);
}

/** Context is a context that a component has read. */
export interface Context { context: unknown; value: unknown }

/** contextsOf returns the contexts that a component has read, with their values. */
export function contextsOf(fiber: Fiber): Context[] {
  const out: Context[] = [];
  const dependencies = field(fiber, "dependencies") ?? field(fiber, "contextDependencies");
  const seen = new Set<object>();
  for (let at = field(dependencies, "firstContext") ?? field(dependencies, "first"); isObject(at) && !seen.has(at) && out.length < 50; at = field(at, "next")) {
    seen.add(at);
    const context = field(at, "context");
    if (out.some((known) => known.context === context)) continue;
    out.push({ context, value: Object.hasOwn(at, "memoizedValue") ? field(at, "memoizedValue") : provided(fiber, context) });
  }
  return out;
}

// provided is what the nearest provider gives, or else the default.
function provided(fiber: Fiber, context: unknown): unknown {
  for (const up of parents(fiber)) {
    if (tagOf(up) === tags.provider && contextOf(field(up, "type")) === context) return field(field(up, "memoizedProps"), "value");
  }
  return field(context, "_currentValue");
}

export const contextName = (context: unknown): string => typeName(context);

/** alternateOf is the other version of a fiber: after a commit the one before. */
export const alternateOf = (fiber: Fiber): Fiber | null => fiberIn(fiber, "alternate");
