// Scrolling: what is scrolled, and how far.

import * as safe from "./safe";
import { page } from "./safe";
import { mustBeVisible, waiting } from "./check";
import { describe, type Reply } from "./describe";
import { hitTest } from "./hit";
import { locate, type Target } from "./locate";
import { composedContains, composedParent, isRendered } from "./tree";
import { visitTrees } from "./trees";

export interface Scrolled {
  moved: { x: number; y: number }; // CSS px, as the scroller reports it
  left: { x: number; y: number }; // what can still be scrolled that way
  scroller: string;
  outside: boolean; // it is around what was named, which does not scroll
  point: { x: number; y: number }; // where a wheel would reach the scroller
  fixed: boolean; // nothing there scrolls that way at all: try the wheel
  elements: number; // of the document, if fixed
}

// scroll moves a scroller by a distance at once. Without a target it is the
// document, or when that has nothing to scroll the largest scroller in view:
// applications often keep their page in one.
export async function scroll(arg: { target?: Target; dx: number; dy: number; wait?: number }): Promise<Reply<Scrolled>> {
  return waiting(arg.wait ?? 0, () => {
    const start = arg.target ? locate(arg.target) : undefined;
    if (start) mustBeVisible(start);
    const found = start && start !== page.body ? scrollerOf(start, arg.dx, arg.dy) : mainScroller(arg.dx, arg.dy);
    const scroller = found ?? start ?? page.documentElement;
    const isRoot = scroller === page.scrollingElement || scroller === page.documentElement;
    const hit = isRoot && !start ? undefined : hitTest(start ?? scroller).point;
    const point = hit ?? { x: innerWidth / 2, y: innerHeight / 2 };
    const name = isRoot ? "the page" : describe(scroller);
    if (!found) return { moved: { x: 0, y: 0 }, left: { x: 0, y: 0 }, scroller: name, outside: false, point, fixed: true, elements: safe.elementCount() };
    const before = { x: safe.scrollLeft(scroller), y: safe.scrollTop(scroller) };
    safe.scrollBy(scroller, { left: arg.dx, top: arg.dy, behavior: "instant" });
    const moved = { x: safe.scrollLeft(scroller) - before.x, y: safe.scrollTop(scroller) - before.y };
    const left = { x: remaining(scroller, "x", arg.dx), y: remaining(scroller, "y", arg.dy) };
    const outside = start !== undefined && start !== scroller && start !== page.body && composedContains(scroller, start);
    return { moved, left, scroller: name, outside, point, fixed: false, elements: 0 };
  });
}

function remaining(el: Element, axis: "x" | "y", delta: number): number {
  const size = axis === "x" ? safe.scrollWidth(el) - safe.clientWidth(el) : safe.scrollHeight(el) - safe.clientHeight(el);
  const at = axis === "x" ? safe.scrollLeft(el) : safe.scrollTop(el);
  if (delta === 0) return 0;
  // Right-to-left scrollers count from 0 down to -size.
  const rtl = axis === "x" && getComputedStyle(el).direction === "rtl";
  const low = rtl ? -size : 0;
  const high = rtl ? 0 : size;
  return Math.max(0, Math.round(delta > 0 ? high - at : at - low));
}

function canScroll(el: Element, dx: number, dy: number): boolean {
  if (el === page.scrollingElement) return rootCanScroll(el, dx, dy);
  const style = getComputedStyle(el);
  const open = (overflow: string) => overflow === "auto" || overflow === "scroll" || overflow === "overlay";
  return (dy !== 0 && open(style.overflowY) && safe.scrollHeight(el) > safe.clientHeight(el)) ||
    (dx !== 0 && open(style.overflowX) && safe.scrollWidth(el) > safe.clientWidth(el));
}

function rootCanScroll(el: Element, dx: number, dy: number): boolean {
  const shown = (at: Element | null) => {
    const style = at && getComputedStyle(at);
    return !style || (style.overflowY !== "hidden" && style.overflowY !== "clip");
  };
  if (!shown(page.documentElement) || !shown(page.body)) return false;
  return (dy !== 0 && safe.scrollHeight(el) > safe.clientHeight(el)) || (dx !== 0 && safe.scrollWidth(el) > safe.clientWidth(el));
}

// scrollerOf is the element itself, one in it that fills most of it (the list in a component, what a library for scrollbars puts in),
// or the nearest one around it that a person can scroll that way.
function scrollerOf(el: Element, dx: number, dy: number): Element | undefined {
  if (canScroll(el, dx, dy)) return el;
  const inner = scrollerIn(el, dx, dy);
  if (inner) return inner;
  for (let at = composedParent(el); at; at = composedParent(at)) {
    if (canScroll(at, dx, dy)) return at;
  }
  return undefined;
}

function scrollerIn(el: Element, dx: number, dy: number): Element | undefined {
  const whole = safe.getBoundingClientRect(el);
  const trees: (Element | ShadowRoot)[] = [el];
  visitTrees(el, (tree) => { if (tree instanceof ShadowRoot) trees.push(tree); });
  const all = trees.flatMap((tree) => [...(tree instanceof Element ? safe.querySelectorAll(tree, "*") : tree.querySelectorAll("*"))]);
  const { best, area } = largest(all, whole, dx, dy);
  return 2 * area >= whole.width * whole.height ? best : undefined;
}

function mainScroller(dx: number, dy: number): Element | undefined {
  const root = page.scrollingElement;
  if (root && rootCanScroll(root, dx, dy)) return root;
  const view = new DOMRect(0, 0, innerWidth, innerHeight);
  return largest(page.querySelectorAll("body *"), view, dx, dy).best;
}

// largest is the scroller that takes up most of a part of the viewport.
function largest(all: Iterable<Element>, part: DOMRect, dx: number, dy: number): { best?: Element; area: number } {
  let best: Element | undefined;
  let area = 0;
  for (const el of all) {
    if (safe.scrollHeight(el) <= safe.clientHeight(el) && safe.scrollWidth(el) <= safe.clientWidth(el)) continue;
    if (!canScroll(el, dx, dy) || !isRendered(el)) continue;
    const box = safe.getBoundingClientRect(el);
    const width = Math.min(box.right, part.right) - Math.max(box.left, part.left);
    const height = Math.min(box.bottom, part.bottom) - Math.max(box.top, part.top);
    if (width > 0 && height > 0 && width * height > area) {
      best = el;
      area = width * height;
    }
  }
  return { best, area };
}
