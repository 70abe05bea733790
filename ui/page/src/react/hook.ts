// The hook that React looks for when it loads. It reports roots that have no container in the document, exact versions
// and commits, and makes development and profiling builds measure renders.

import { attempt, field, fiberIn, isObject } from "./fiber";
import { type Recorder } from "./renders";
import { type Root, topOf } from "./roots";

const global = "__REACT_DEVTOOLS_GLOBAL_HOOK__";
const ours = Symbol.for("usher.react");

/** Shared is what the hook of a document knows. */
export interface Shared {
  roots: Map<Root, number>; // with the renderer
  renderers: Map<number, unknown>;
  recorder: Recorder | null;
}

/** shared returns what our hook knows; null where it is not installed. */
export function shared(): Shared | null {
  const hook = field(globalThis, global);
  const own = isObject(hook) ? field(hook, ours) : undefined;
  return attempt(() => (isObject(own) && field(own, "roots") instanceof Map && field(own, "renderers") instanceof Map ? (own as Shared) : null), null);
}

/** otherHook reports whether a hook is there that is not ours, as one of a development server. */
export const otherHook = (): boolean => shared() === null && Object.hasOwn(globalThis, global);

/** versionOf returns what the renderer of a root says of itself; "" if that is not known. */
export function versionOf(root: Root, known: Shared | null): string {
  const renderer = known?.renderers.get(known.roots.get(root) ?? 0);
  const version = field(renderer, "version") ?? field(renderer, "reconcilerVersion");
  return typeof version === "string" ? version.slice(0, 40) : "";
}

/** install installs the hook; nothing happens where there is one. */
export function install(): Shared | null {
  const there = shared();
  if (there || Object.hasOwn(globalThis, global)) return there;
  const own: Shared = { roots: new Map(), renderers: new Map(), recorder: null };
  let last = 0;
  const nothing = (): void => {};
  const hook = {
    supportsFiber: true, isDisabled: false, renderers: own.renderers, rendererInterfaces: new Map(), backends: new Map(),
    inject(renderer: unknown): number {
      own.renderers.set(++last, renderer);
      return last;
    },
    onCommitFiberRoot(renderer: number, root: unknown): void {
      if (!isObject(root)) return;
      const top = topOf(root);
      if (top && fiberIn(top, "child")) own.roots.set(root, renderer);
      else own.roots.delete(root);
      own.recorder?.committed(top);
    },
    onCommitFiberUnmount: nothing, onPostCommitFiberRoot: nothing, onScheduleFiberRoot: nothing, setStrictMode: nothing, checkDCE: nothing,
    getFiberRoots: (renderer: number): Set<Root> => new Set([...own.roots].filter(([, by]) => by === renderer).map(([root]) => root)),
    on: nothing, off: nothing, emit: nothing, sub: () => nothing,
  };
  Object.defineProperty(hook, ours, { value: own });
  Object.defineProperty(globalThis, global, { value: hook, configurable: false, enumerable: false, writable: false });
  return own;
}
