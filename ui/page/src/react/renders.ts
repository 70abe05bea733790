// Which components render, how often and why, from the commits of React's roots. A root is watched through its field
// "current", which React sets with every commit, or through our hook where that is installed. No reload is needed.

import { type Fiber, fiberIn, field, flagsOf, isComponent, isObject, nameOf, tagOf, tags } from "./fiber";
import { alternateOf, cellsOf, contextName, contextsOf, isState } from "./hooks";
import { type Root, buildOf, held } from "./roots";
import { show } from "./values";

export interface Component {
  name: string; instances: number; mounts: number; reRenders: number;
  total: number; self: number; measured: boolean; // milliseconds
  reasons: { reason: string; count: number }[];
  changes: string[];
}

export interface Report { elapsed: number; commits: number; mounts: number; reRenders: number; components: Component[]; more: number; partial: number; measured: boolean }

interface Stats {
  name: string; instances: WeakSet<Fiber>; count: number; mounts: number; reRenders: number; total: number; self: number; measured: boolean;
  reasons: Map<string, number>; changes: Set<string>;
}

const budget = 30; // ms for one commit; what is left is not counted
const mostTypes = 2000;
const listed = 200;

/** Recorder records the renders of a document. */
export class Recorder {
  private readonly started = performance.now();
  private readonly stats = new Map<unknown, Stats>();
  private readonly watched = new Set<Root>();
  private commits = 0;
  private partial = 0; // commits that took too long to read
  private others = 0; // renders of components beyond mostTypes

  /** watch records the commits of a root, until end. */
  watch(root: Root): void {
    if (held.has(root) || this.watched.has(root)) return;
    const property = Object.getOwnPropertyDescriptor(root, "current");
    if (!property || !("value" in property) || !property.configurable || !property.writable) return;
    const own = { value: property.value as unknown };
    held.set(root, own);
    this.watched.add(root);
    // The field stays as it was for the page, except that it is an accessor.
    Object.defineProperty(root, "current", {
      configurable: true, enumerable: property.enumerable, get: () => own.value,
      set: (next: unknown) => {
        own.value = next;
        this.committed(next);
      },
    });
  }

  /** committed reads one commit: the new top of a root. */
  committed(top: unknown): void {
    try {
      if (isObject(top) && tagOf(top) === tags.root) this.read(top);
    } catch {
      this.partial++; // what the page made cannot be read
    }
  }

  /** end stops recording and returns what was recorded. */
  end(): Report {
    for (const root of this.watched) {
      const own = held.get(root);
      held.delete(root);
      if (own) Object.defineProperty(root, "current", { configurable: true, enumerable: true, writable: true, value: own.value });
    }
    const all = [...this.stats.values()].sort((a, b) => b.total - a.total || b.mounts + b.reRenders - a.mounts - a.reRenders);
    return {
      elapsed: performance.now() - this.started, commits: this.commits, partial: this.partial,
      mounts: all.reduce((sum, s) => sum + s.mounts, 0), reRenders: all.reduce((sum, s) => sum + s.reRenders, 0), measured: all.some((s) => s.measured),
      components: all.slice(0, listed).map((s) => ({
        name: s.name, instances: s.count, mounts: s.mounts, reRenders: s.reRenders, total: s.total, self: s.self, measured: s.measured,
        reasons: [...s.reasons].sort((a, b) => b[1] - a[1]).slice(0, 5).map(([reason, count]) => ({ reason, count })), changes: [...s.changes],
      })),
      more: Math.max(0, all.length - listed) + this.others,
    };
  }

  private read(top: Fiber): void {
    this.commits++;
    const { version } = buildOf(top);
    const until = performance.now() + budget;
    const stack: { fiber: Fiber; fresh: boolean; by: string }[] = [];
    const seen = new Set<Fiber>();
    const push = (fiber: Fiber, before: Fiber | null, by: string): void => {
      const child = fiberIn(fiber, "child");
      if (before && child === fiberIn(before, "child")) return; // nothing below has rendered
      for (let at = child; at && !seen.has(at); at = fiberIn(at, "sibling")) {
        seen.add(at);
        stack.push({ fiber: at, fresh: before === null || alternateOf(at) === null, by });
      }
    };
    push(top, mounted(top), "");
    while (stack.length > 0) {
      if (seen.size % 100 === 0 && performance.now() > until) {
        this.partial++;
        return;
      }
      const { fiber, fresh, by } = stack.pop()!;
      const before = fresh ? null : alternateOf(fiber);
      const rendered = isComponent(fiber) && (before === null || (flagsOf(fiber) & 1) !== 0);
      if (rendered) this.count(fiber, before, by, Number(version));
      push(fiber, before, rendered ? nameOf(fiber) : by);
    }
  }

  private count(fiber: Fiber, before: Fiber | null, by: string, major: number): void {
    const type = field(fiber, "type");
    let stats = this.stats.get(type);
    if (!stats) {
      if (this.stats.size >= mostTypes) {
        this.others++;
        return;
      }
      stats = { name: nameOf(fiber), instances: new WeakSet(), count: 0, mounts: 0, reRenders: 0, total: 0, self: 0, measured: false, reasons: new Map(), changes: new Set() };
      this.stats.set(type, stats);
    }
    const other = alternateOf(fiber);
    if (!stats.instances.has(fiber) && !(other && stats.instances.has(other))) stats.count++;
    stats.instances.add(fiber);
    if (other) stats.instances.add(other);
    this.time(fiber, before, stats);
    if (!before) {
      stats.mounts++;
      bump(stats.reasons, "mount");
      return;
    }
    stats.reRenders++;
    const reasons = why(fiber, before, major);
    if (reasons.length === 0) {
      // Until 17, React does not keep which value of a context a render has read.
      const context = major < 18 && contextsOf(fiber).length > 0 ? ", or a context" : "";
      reasons.push({ reason: (by ? `parent (${by})` : "forced") + context, change: null });
    }
    for (const { reason, change } of reasons) {
      bump(stats.reasons, reason);
      if (change && stats.changes.size < 6) stats.changes.add(`${reason}: ${change}`);
    }
  }

  // time adds how long a render took. React measures where the build does and a hook was there when the root was made.
  private time(fiber: Fiber, before: Fiber | null, stats: Stats): void {
    const all = duration(fiber);
    if (all === null) return;
    let below = 0;
    const same = before ? fiberIn(before, "child") : null;
    let child = fiberIn(fiber, "child");
    if (child === same) child = null;
    for (let n = 0; child && n < 10_000; child = fiberIn(child, "sibling"), n++) below += duration(child) ?? 0;
    stats.measured = true;
    stats.total += all;
    stats.self += Math.max(0, all - below);
  }
}

// mounted returns the version of a root's top before the commit; null if it had nothing.
function mounted(top: Fiber): Fiber | null {
  const before = alternateOf(top);
  return before && fiberIn(before, "child") ? before : null;
}

function duration(fiber: Fiber): number | null {
  const time = field(fiber, "actualDuration");
  const start = field(fiber, "actualStartTime");
  return typeof time === "number" && typeof start === "number" && start >= 0 && time >= 0 ? time : null;
}

function bump(map: Map<string, number>, reason: string): void {
  if (map.size < 100 || map.has(reason)) map.set(reason, (map.get(reason) ?? 0) + 1);
}

interface Reason { reason: string; change: string | null }

const arrow = (before: unknown, now: unknown): string => `${show(before).slice(0, 80)} -> ${show(now).slice(0, 80)}`;

// why compares two versions of a component.
function why(fiber: Fiber, before: Fiber, major: number): Reason[] {
  const out: Reason[] = [];
  const contexts = contextsOf(before);
  for (const { context, value } of contextsOf(fiber)) {
    const old = contexts.find((c) => c.context === context);
    if (old && !Object.is(old.value, value) && major >= 18) out.push({ reason: `context (${contextName(context)})`, change: arrow(old.value, value) });
  }
  if (tagOf(fiber) === tags.cls) {
    for (const { name, change } of differences(field(before, "memoizedState"), field(fiber, "memoizedState"))) out.push({ reason: `state (${name})`, change });
  } else {
    const old = cellsOf(before);
    cellsOf(fiber).forEach((cell, i) => {
      if (isState(cell) && old[i] && !Object.is(old[i].value, cell.value)) out.push({ reason: `state (hook #${i})`, change: arrow(old[i].value, cell.value) });
    });
  }
  for (const { name, change } of differences(field(before, "memoizedProps"), field(fiber, "memoizedProps"))) out.push({ reason: `props (${name})`, change });
  return out;
}

// differences returns the members that are not the same, at most ten.
function differences(before: unknown, now: unknown): { name: string; change: string }[] {
  if (before === now || !isObject(before) || !isObject(now)) return [];
  const out: { name: string; change: string }[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [a, b] = [field(before, name), field(now, name)];
    if (!Object.is(a, b) && out.length < 10) out.push({ name: name.slice(0, 60), change: arrow(a, b) });
  }
  return out;
}
