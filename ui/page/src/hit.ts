// Where an element can be hit, and what is hit there.

import * as safe from "./safe";
import { page } from "./safe";
import { flatChildren, shadowOf, slotOf } from "./dom";
import { describe } from "./describe";
import { composedClosest, composedContains, composedParent, imageOf, isRendered, textBoxes } from "./tree";

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
  if (el === page.documentElement) return [new DOMRect(0, 0, innerWidth, innerHeight)]; // all that nothing else takes
  const own = [...safe.getClientRects(el)].filter((box) => box.width > 0 && box.height > 0);
  if (own.length > 0) return own;
  if (el instanceof HTMLAreaElement) return boxesOfArea(el);
  const inner: DOMRect[] = [];
  for (const child of flatChildren(el)) {
    if (child instanceof Element && isRendered(child)) inner.push(...boxesOf(child));
    if (inner.length > 50) break;
  }
  if (inner.length === 0 && getComputedStyle(el).display === "contents") return boxesOfText(el);
  return inner;
}

// boxesOfText are those of the text right below an element that has no box of its own, such as a slot.
function boxesOfText(el: Element): DOMRect[] {
  const boxes: DOMRect[] = [];
  for (const node of flatChildren(el)) if (node instanceof Text) boxes.push(...textBoxes(node));
  return boxes;
}

// boxesOfArea returns a box of the part of an image that an area covers: for a circle or polygon one around a point in
// it, for what lies at the edge of the whole box may belong to another area.
function boxesOfArea(area: HTMLAreaElement): DOMRect[] {
  const image = imageOf(area);
  if (!image) return [];
  const { left, top } = safe.getBoundingClientRect(image);
  const style = getComputedStyle(image);
  const x0 = left + parseFloat(style.borderLeftWidth) + parseFloat(style.paddingLeft);
  const y0 = top + parseFloat(style.borderTopWidth) + parseFloat(style.paddingTop);
  const at = area.coords.split(",").map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = at;
  switch (area.shape.toLowerCase()) {
    case "default":
      return [safe.getBoundingClientRect(image)];
    case "circle":
      return [new DOMRect(x0 + a - c / 2, y0 + b - c / 2, c, c)];
    case "poly": {
      const inside = pointIn(at);
      return inside ? [new DOMRect(x0 + inside.x - 1, y0 + inside.y - 1, 2, 2)] : [];
    }
  }
  return [new DOMRect(x0 + Math.min(a, c), y0 + Math.min(b, d), Math.abs(c - a), Math.abs(d - b))];
}

// pointIn finds a point inside a polygon: in the middle of the widest part of a line through it.
function pointIn(coords: number[]): Point | undefined {
  const corners: Point[] = [];
  for (let i = 0; i + 1 < coords.length; i += 2) corners.push({ x: coords[i] ?? 0, y: coords[i + 1] ?? 0 });
  const ys = corners.map((corner) => corner.y);
  const low = Math.min(...ys);
  const high = Math.max(...ys);
  let best: Point | undefined;
  let width = 0;
  for (const part of [0.5, 0.3, 0.7]) {
    const y = low + (high - low) * part + 0.01; // beside the corners
    const cuts = corners.flatMap((p, i) => {
      const q = corners[(i + 1) % corners.length] as Point;
      return (p.y > y) === (q.y > y) ? [] : [p.x + ((y - p.y) / (q.y - p.y)) * (q.x - p.x)];
    }).sort((m, n) => m - n);
    for (let i = 0; i + 1 < cuts.length; i += 2) {
      const [from, to] = [cuts[i] ?? 0, cuts[i + 1] ?? 0];
      if (to - from > width) [best, width] = [{ x: (from + to) / 2, y }, to - from];
    }
  }
  return best;
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
    const shadow = shadowOf(hit);
    if (!shadow) return hit;
    const inner = shadow.elementFromPoint(point.x, point.y);
    // Text that is written in a host shows in a slot of it, and the host is named as what was hit.
    if (!inner || inner === hit) return slotAt(hit, point) ?? hit;
    hit = inner;
  }
}

function slotAt(host: Element, point: Point): Element | null {
  for (const node of safe.childNodes(host)) {
    if (!(node instanceof Text)) continue;
    const here = textBoxes(node).some((box) => point.x >= box.left && point.x < box.right && point.y >= box.top && point.y < box.bottom);
    if (here) return slotOf(node, host);
  }
  return null;
}

const interactive = "a[href],button,input,select,textarea,label,summary,option,[role],[onclick],[tabindex],[contenteditable]";

// accepts reports whether an event on `hit` is an event for `target`: the target itself, something inside it, the label
// of a control or the control of a label, or the interactive element both belong to (a span inside a button that lets
// the pointer through).
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
  where?: Point; // where that is hit
  framed?: boolean; // a frame in the target is hit: the events go to the document in it
  scroll: boolean; // scrolling may help: it is out of view, or under a bar that stays
}

// isFrame reports whether an element holds a document of its own.
export function isFrame(el: Element): boolean {
  return el instanceof HTMLIFrameElement || safe.tag(el) === "frame";
}

// hitTest finds a point where the target is hit. Where a frame in the target would take the events, it looks for a point that
// belongs to the target itself.
export function hitTest(target: Element, at?: Point): Hit {
  const points = at ? [at] : pointsOf(target);
  let blocker: Element | undefined;
  let where: Point | undefined;
  let shared: Point | undefined; // where an event goes to the interactive element around the target
  let framed: Point | undefined;
  for (const point of points) {
    const hit = elementAt(point);
    if (hit && accepts(target, hit)) {
      if (hit === target || !framed && !isFrame(hit) && (composedContains(target, hit) || !composedContains(hit, target))) return { point, scroll: false };
      if (isFrame(hit)) framed ??= point;
      else if (!shared && notClipped(target, hit)(point)) shared = point;
    }
    if (hit && !blocker) [blocker, where] = [hit, point];
  }
  if (framed) return { point: framed, framed: true, scroll: false };
  if (shared) return { point: shared, scroll: false };
  return { blocker, where, scroll: !blocker || stays(blocker) || isBeside(blocker, target) || !points.some(notClipped(target)) };
}

// stays reports whether an element keeps its position when the page scrolls.
function stays(el: Element): boolean {
  for (let at: Element | null = el; at; at = composedParent(at)) {
    const { position } = getComputedStyle(at);
    if (position === "fixed" || position === "sticky") return true;
  }
  return false;
}

// scrollersAround are the elements around one that scroll, the innermost first, and the one of the page.
export function scrollersAround(el: Element): Element[] {
  const scrollers: Element[] = [];
  for (let at = composedParent(el); at; at = composedParent(at)) {
    if (at === page.body || at === page.documentElement) break;
    const { overflowX, overflowY } = getComputedStyle(at);
    const scrolls = (overflow: string, size: number, shown: number) => overflow !== "visible" && overflow !== "clip" && size > shown;
    if (scrolls(overflowY, safe.scrollHeight(at), safe.clientHeight(at)) || scrolls(overflowX, safe.scrollWidth(at), safe.clientWidth(at))) scrollers.push(at);
  }
  return page.scrollingElement ? [...scrollers, page.scrollingElement] : scrollers;
}

// isBeside reports whether something stays where it is when what is around the target scrolls.
function isBeside(blocker: Element, target: Element): boolean {
  const [scroller] = scrollersAround(target);
  return scroller !== undefined && scroller !== page.scrollingElement && !composedContains(scroller, blocker) && !composedContains(blocker, target);
}

// notClipped returns a function that reports whether a point of the target lies inside every element around it, up to
// outer, that clips its overflow.
function notClipped(target: Element, outer: Element | null = null): (point: Point) => boolean {
  const windows: DOMRect[] = [];
  for (let at = composedParent(target); at && at !== outer; at = composedParent(at)) {
    if (at === page.body || at === page.documentElement) break;
    const style = getComputedStyle(at);
    if (style.overflowX !== "visible" || style.overflowY !== "visible") windows.push(safe.getBoundingClientRect(at));
  }
  return (p) => windows.every((box) => p.x >= box.left && p.x < box.right && p.y >= box.top && p.y < box.bottom);
}

// coverOf is the outermost element around what is hit that does not hold the target.
export function coverOf(target: Element, hit: Element): Element {
  let outer = hit;
  for (let at = composedParent(hit); at && !composedContains(at, target); at = composedParent(at)) outer = at;
  return outer;
}

// throughOf says why a target lets the pointer through to what is hit in its place. What stays in the page beside a dialog may do so
// because of the dialog that covers it: then it is that.
export function throughOf(target: Element, hit: Element): string | undefined {
  if (getComputedStyle(target).pointerEvents !== "none") return undefined;
  let by = target;
  for (let at = composedParent(by); at && getComputedStyle(at).pointerEvents === "none"; at = composedParent(at)) by = at;
  if (by !== target && !composedContains(hit, target)) return undefined;
  return `${by === target ? "it" : `${describe(by)} around it`} has pointer-events: none`;
}

// nameBlocker describes what covers a target: the outermost element above it in
// the page that does not hold the target, so that the banner is named and not
// the span inside it, followed by the element itself when that differs.
export function nameBlocker(target: Element, hit: Element): string {
  if (composedContains(hit, target)) return `${describe(hit)}, which holds it: nothing of it can be hit`;
  const outer = coverOf(target, hit);
  return outer === hit ? describe(hit) : `${describe(hit)} in ${describe(outer)}`;
}

// boxedIn is an element, or the first in it, that has a box.
function boxedIn(el: Element): Element | undefined {
  let at: Element | null = el;
  while (at && safe.getClientRects(at).length === 0) at = safe.firstElementChild(at);
  return at ?? undefined;
}

function composedParentWithBox(el: Element): Element {
  for (let at: Element | null = el; at; at = composedParent(at)) if (safe.getClientRects(at).length > 0) return at;
  return el;
}

// scrollTo scrolls an element into view at once, independent of scroll-behavior.
export function scrollTo(el: Element, block: ScrollLogicalPosition): void {
  const boxed = boxedIn(el) ?? composedParentWithBox(el);
  safe.scrollIntoView(boxed, { block, inline: block === "nearest" ? "nearest" : "center", behavior: "instant" });
}

// placeIn is a place of the window, from one that is counted from the top left corner of an element.
export function placeIn(el: Element, at: Point): Point {
  const box = safe.getBoundingClientRect(el);
  return { x: box.left + at.x, y: box.top + at.y };
}

// scrollToPoint brings a place of an element that is larger than what shows of it into the middle of its scrollers.
export function scrollToPoint(el: Element, at: Point): void {
  for (const scroller of scrollersAround(el)) {
    const root = scroller === page.scrollingElement;
    const box = root ? new DOMRect(0, 0, innerWidth, innerHeight) : safe.getBoundingClientRect(scroller);
    const { x, y } = placeIn(el, at);
    if (x >= box.left && x < box.right && y >= box.top && y < box.bottom) continue;
    safe.scrollBy(scroller, { left: x - box.left - box.width / 2, top: y - box.top - box.height / 2, behavior: "instant" });
  }
}
