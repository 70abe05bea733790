// Web vitals of the page as it is: what the browser has recorded since the document began to load.

import * as safe from "./safe";
import { frames } from "./motion";
import { page } from "./safe";

interface Shift extends PerformanceEntry { value: number; hadRecentInput: boolean; sources?: { node: Node | null }[] }
interface Paint extends PerformanceEntry { element: Element | null; size: number; url: string }
interface Interaction extends PerformanceEntry { interactionId?: number }

export interface Vitals {
  url: string;
  ttfb: number | null;
  fcp: number | null;
  inp: number | null;
  lcp: { element: string | null; size: number; startTime: number; url: string | null } | null;
  cls: { score: number; entries: { value: number; startTime: number; sources: string[] }[] };
  loaded: boolean;
  hidden: boolean; // it was never drawn, or is not now
  interactions: number; // how many there were, 0 where the browser does not say
}

const most = 50; // layout shifts that are listed

// recorded are the entries of a type that the browser has kept. Entries that came before are there at once.
function recorded<T extends PerformanceEntry>(type: string, options: object = {}): T[] {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return [];
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type, buffered: true, ...options });
  const entries = observer.takeRecords() as T[];
  observer.disconnect();
  return entries;
}

// rounded is a time without what the clock does not resolve.
const rounded = (time: number): number => Math.round(time * 10) / 10;

// calm is how long nothing must have moved or been painted larger until a page that has just loaded counts as complete, and most of that
// in all, in ms.
const calm = 150;
const longest = 1500;

// comesToRest waits until nothing has moved, or been painted as the largest, for a moment.
async function comesToRest(): Promise<void> {
  let last = performance.now();
  const observers = ["layout-shift", "largest-contentful-paint"].filter((type) => PerformanceObserver.supportedEntryTypes.includes(type)).map((type) => {
    const observer = new PerformanceObserver(() => { last = performance.now(); });
    observer.observe({ type });
    return observer;
  });
  for (const end = last + longest; performance.now() < Math.min(last + calm, end); ) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const observer of observers) observer.disconnect();
}

/**
 * vitals returns the metrics as web.dev/articles/vitals defines them. Times are in ms since the navigation began. The
 * last interaction is recorded with the frame after it, which is awaited. A page that was loaded for this may still move.
 */
export async function vitals(arg: { loaded: boolean }): Promise<Vitals> {
  if (arg.loaded) await comesToRest();
  await frames();
  const navigation = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
  const start = (navigation as { activationStart?: number } | undefined)?.activationStart ?? 0;
  const since = (time: number): number => rounded(Math.max(0, time - start));
  const fcp = recorded<PerformanceEntry>("paint").find((entry) => entry.name === "first-contentful-paint");
  const lcp = recorded<Paint>("largest-contentful-paint").at(-1);
  return {
    url: page.URL,
    ttfb: navigation && navigation.responseStart > 0 ? since(navigation.responseStart) : null,
    fcp: fcp ? since(fcp.startTime) : null,
    inp: slowestInteraction(),
    lcp: lcp ? { element: lcp.element && selectorOf(lcp.element), size: lcp.size, startTime: since(lcp.startTime), url: lcp.url.slice(0, 2000) || null } : null,
    cls: layoutShift(),
    loaded: page.readyState === "complete",
    hidden: page.visibilityState === "hidden" || recorded<PerformanceEntry>("visibility-state").some((entry) => entry.name === "hidden"),
    interactions: (performance as { interactionCount?: number }).interactionCount ?? 0,
  };
}

// layoutShift is the largest sum of shifts in a session window: at most 1 s from one to the next, and 5 s in all.
function layoutShift(): Vitals["cls"] {
  const shifts = recorded<Shift>("layout-shift").filter((shift) => !shift.hadRecentInput);
  let score = 0;
  let sum = 0;
  let first = 0;
  let last = 0;
  for (const shift of shifts) {
    if (sum > 0 && (shift.startTime - last >= 1000 || shift.startTime - first >= 5000)) sum = 0;
    if (sum === 0) first = shift.startTime;
    last = shift.startTime;
    sum += shift.value;
    score = Math.max(score, sum);
  }
  const entries = shifts.slice(0, most).map((shift) => ({
    value: shift.value, startTime: rounded(shift.startTime),
    sources: (shift.sources ?? []).flatMap(({ node }) => (node instanceof Element ? [selectorOf(node)] : [])),
  }));
  return { score, entries };
}

// slowestInteraction is the longest duration of an interaction; of many, one in fifty is left out.
function slowestInteraction(): number | null {
  const byId = new Map<number, number>();
  const events = [...recorded<Interaction>("event", { durationThreshold: 16 }), ...recorded<Interaction>("first-input")];
  for (const { interactionId, duration } of events) {
    if (interactionId) byId.set(interactionId, Math.max(byId.get(interactionId) ?? 0, duration));
  }
  const slowest = [...byId.values()].sort((a, b) => b - a);
  const count = Math.max((performance as { interactionCount?: number }).interactionCount ?? 0, slowest.length);
  return slowest[Math.min(slowest.length - 1, Math.floor(count / 50))] ?? null;
}

// selectorOf is how an element is named in a report: tag, id and first classes.
function selectorOf(el: Element): string {
  const id = safe.id(el);
  const classes = [...safe.classList(el)].slice(0, 3).map((name) => "." + CSS.escape(name));
  return (safe.localName(el) + (id ? "#" + CSS.escape(id) : "") + classes.join("")).slice(0, 200);
}
