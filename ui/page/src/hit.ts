// Where an element can be hit, and what is hit there.

import * as safe from "./safe";
import { page } from "./safe";
import { shadowOf } from "./dom";
import { describe } from "./tell";
import { composedClosest, composedContains, composedParent } from "./tree";

export interface Point {
  x: number;
  y: number;
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

// boxesOf are the boxes an element can be hit on: its own, or when it has none
// (display: contents, a collapsed link around a float) those of what it holds.
export function boxesOf(el: Element): DOMRect[] {
  const own = [...safe.getClientRects(el)].filter((box) => box.width > 0 && box.height > 0);
  if (own.length > 0) return own;
  const inner: DOMRect[] = [];
  for (const child of safe.children((shadowOf(el) ?? el))) {
    if (safe.checkVisibility(child, { visibilityProperty: true })) inner.push(...boxesOf(child));
    if (inner.length > 50) break;
  }
  return inner;
}

// sliver is the least of a box, in CSS pixels, that can be hit: less than that,
// at the edge of the window, may be rounded away to a neighbour.
const sliver = 2;

function clip(box: DOMRect): Box | undefined {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  const right = Math.min(box.right, innerWidth);
  const bottom = Math.min(box.bottom, innerHeight);
  const enough = right - left >= Math.min(sliver, box.width) && bottom - top >= Math.min(sliver, box.height);
  return enough && right > left && bottom > top ? { left, top, right, bottom } : undefined;
}

// pointsOf lists where to try, best first: the middle of each visible box, then
// points towards its corners and edges for boxes that are covered in part.
function pointsOf(el: Element): Point[] {
  const boxes = boxesOf(el).map(clip).filter((box): box is Box => box !== undefined).slice(0, 8);
  const spread = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.15, 0.15], [0.85, 0.15],
    [0.15, 0.85], [0.85, 0.85]] as const;
  const points: Point[] = [];
  for (const [fx, fy] of spread) {
    for (const box of boxes) {
      points.push({ x: box.left + (box.right - box.left) * fx, y: box.top + (box.bottom - box.top) * fy });
    }
  }
  return points;
}

// elementAt is the element hit, down through shadow roots.
export function elementAt(point: Point): Element | null {
  const hit = page.elementFromPoint(point.x, point.y);
  return hit && deepen(hit, point);
}

// deepen goes from a shadow host to the element hit inside of it.
export function deepen(hit: Element, point: Point): Element {
  for (;;) {
    const inner = shadowOf(hit)?.elementFromPoint(point.x, point.y);
    if (!inner || inner === hit) return hit;
    hit = inner;
  }
}

const interactive = "a[href],button,input,select,textarea,label,summary,option,[role],[onclick],[tabindex],[contenteditable]";

// accepts says whether an event on `hit` is an event for `target`: the target
// itself, something inside it, the label of a control or the control of a
// label, or the interactive element both belong to (a span inside a button that
// lets the pointer through).
export function accepts(target: Element, hit: Element): boolean {
  if (composedContains(target, hit)) return true;
  const label = composedClosest(hit, "label");
  if (label instanceof HTMLLabelElement && label.control === target) return true;
  if (target instanceof HTMLLabelElement && target.control && composedContains(target.control, hit)) return true;
  if (safe.localName(target) === "option" || safe.localName(target) === "optgroup") {
    return composedClosest(target, "select") === hit;
  }
  if (!composedContains(hit, target)) return false;
  const owner = composedClosest(target, interactive);
  return owner !== null && owner === composedClosest(hit, interactive);
}

export interface Hit {
  point?: Point;
  blocker?: Element; // what is hit instead, when nothing of the target is
  scroll: boolean; // scrolling may help: it is out of view, or under a bar that stays
}

// aim finds a point where the target is hit.
export function aim(target: Element, at?: Point): Hit {
  const points = at ? [at] : pointsOf(target);
  let blocker: Element | undefined;
  for (const point of points) {
    const hit = elementAt(point);
    if (hit && accepts(target, hit)) return { point, scroll: false };
    if (hit && !blocker) blocker = hit;
  }
  return { blocker, scroll: !blocker || stays(blocker) || !points.some(notClipped(target)) };
}

// stays says whether an element keeps its place when the page scrolls.
function stays(el: Element): boolean {
  for (let at: Element | null = el; at; at = composedParent(at)) {
    const { position } = getComputedStyle(at);
    if (position === "fixed" || position === "sticky") return true;
  }
  return false;
}

// notClipped judges whether a point of the target lies inside everything around
// it that cuts off what overflows.
function notClipped(target: Element): (point: Point) => boolean {
  const windows: DOMRect[] = [];
  for (let at = composedParent(target); at; at = composedParent(at)) {
    if (at === page.body || at === page.documentElement) break;
    const style = getComputedStyle(at);
    if (style.overflowX !== "visible" || style.overflowY !== "visible") windows.push(safe.getBoundingClientRect(at));
  }
  return (p) => windows.every((box) => p.x >= box.left && p.x < box.right && p.y >= box.top && p.y < box.bottom);
}

// nameBlocker describes what covers a target: the outermost element above it in
// the page that does not hold the target, so that the banner is named and not
// the span inside it, followed by the element itself when that differs.
export function nameBlocker(target: Element, hit: Element): string {
  if (composedContains(hit, target)) {
    const style = getComputedStyle(target);
    const why = style.pointerEvents === "none" ? "it lets the pointer through (pointer-events: none)" : "nothing of it can be hit";
    return `${describe(hit)}, which holds it: ${why}`;
  }
  let outer = hit;
  for (let at = composedParent(hit); at && !composedContains(at, target); at = composedParent(at)) outer = at;
  return outer === hit ? describe(hit) : `${describe(hit)} in ${describe(outer)}`;
}

// scrollTo brings an element into view at once, whatever scroll-behavior says.
export function scrollTo(el: Element, block: ScrollLogicalPosition): void {
  const boxed = safe.getClientRects(el).length > 0 ? el : (safe.firstElementChild(el) ?? el);
  safe.scrollIntoView(boxed, { block, inline: block === "nearest" ? "nearest" : "center", behavior: "instant" });
}
