// Small actions, and the functions called after an action.

import * as safe from "./safe";
import { page } from "./safe";
import { isToggle, mustBeVisible, toggleOf, waiting } from "./check";
import { hitTest, type Point, scrollTo } from "./hit";
import { internalsOf, mustBeCurrent } from "./internals";
import { type Located, locate, located, type Target } from "./locate";
import { checkedOf, type Status } from "./read";
import { describe, Refused, type Reply } from "./describe";
import { idOf } from "./refs";
import { composedParent, isRendered } from "./tree";

// --- check and uncheck ---

export interface Toggle {
  element: Located;
  shape: string;
  checked: Status["checked"];
  radio: boolean; // can be turned on, not off
}

export async function toggle(arg: { target: Target; wait?: number }): Promise<Reply<Toggle>> {
  return waiting(arg.wait ?? 0, () => {
    const named = locate(arg.target);
    mustBeCurrent(named);
    const el = toggleOf(named);
    const radio = el instanceof HTMLInputElement ? el.type === "radio"
      : el instanceof HTMLOptionElement ? el.closest("select")?.multiple !== true
      : safe.getAttribute(el, "role") === "radio" || safe.getAttribute(el, "role") === "menuitemradio" ||
        internalsOf(el)?.role === "radio";
    return { element: located(el), shape: describe(el), checked: checkedOf(el), radio };
  });
}

// awaitChecked gives the page a moment to follow the click: a component that
// renders later sets aria-checked only then.
export async function awaitChecked(arg: { target: Target; checked: boolean; wait?: number }): Promise<Reply<{ checked: string }>> {
  return waiting(arg.wait ?? 0, () => {
    const named = locate(arg.target);
    mustBeCurrent(named);
    const el = isToggle(named) ? named : toggleOf(named);
    const now = checkedOf(el);
    if (now === String(arg.checked)) return { checked: now };
    const state = now === "mixed" ? "in the mixed state" : now === "true" ? "checked" : "not checked";
    throw new Refused("action_not_delivered", `${describe(el)} was clicked and is still ${state}`, true);
  });
}

// --- scrolling ---

export interface Scrolled {
  moved: { x: number; y: number }; // CSS px, as the scroller reports it
  left: { x: number; y: number }; // what can still be scrolled that way
  scroller: string;
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
    const found = start ? scrollerOf(start, arg.dx, arg.dy) : mainScroller(arg.dx, arg.dy);
    const scroller = found ?? start ?? page.documentElement;
    const isRoot = scroller === page.scrollingElement || scroller === page.documentElement;
    const hit = isRoot && !start ? undefined : hitTest(start ?? scroller).point;
    const point = hit ?? { x: innerWidth / 2, y: innerHeight / 2 };
    const name = isRoot ? "the page" : describe(scroller);
    if (!found) return { moved: { x: 0, y: 0 }, left: { x: 0, y: 0 }, scroller: name, point, fixed: true, elements: safe.elementCount() };
    const before = { x: safe.scrollLeft(scroller), y: safe.scrollTop(scroller) };
    safe.scrollBy(scroller, { left: arg.dx, top: arg.dy, behavior: "instant" });
    const moved = { x: safe.scrollLeft(scroller) - before.x, y: safe.scrollTop(scroller) - before.y };
    const left = { x: remaining(scroller, "x", arg.dx), y: remaining(scroller, "y", arg.dy) };
    return { moved, left, scroller: name, point, fixed: false, elements: 0 };
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

// scrollerOf is the element itself or the nearest one around it that a person
// can scroll that way.
function scrollerOf(el: Element, dx: number, dy: number): Element | undefined {
  for (let at: Element | null = el; at; at = composedParent(at)) {
    if (canScroll(at, dx, dy)) return at;
  }
  return undefined;
}

function mainScroller(dx: number, dy: number): Element | undefined {
  const root = page.scrollingElement;
  if (root && rootCanScroll(root, dx, dy)) return root;
  let best: Element | undefined;
  let area = 0;
  for (const el of page.querySelectorAll("body *")) {
    if (safe.scrollHeight(el) <= safe.clientHeight(el) && safe.scrollWidth(el) <= safe.clientWidth(el)) continue;
    if (!canScroll(el, dx, dy) || !isRendered(el)) continue;
    const box = safe.getBoundingClientRect(el);
    const width = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
    const height = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    if (width > 0 && height > 0 && width * height > area) {
      best = el;
      area = width * height;
    }
  }
  return best;
}

// intoView scrolls an element into view. covered: it may stay covered, only its id is returned, and revealed returns it.
export async function intoView(arg: { target: Target; wait?: number; covered?: boolean }): Promise<Reply<{ element: Located; point: Point }>> {
  shown = null;
  return waiting(arg.wait ?? 0, () => {
    const el = locate(arg.target);
    mustBeVisible(el);
    const before = safe.getBoundingClientRect(el);
    const inside = before.top >= 0 && before.left >= 0 && before.bottom <= innerHeight && before.right <= innerWidth;
    if (!inside || !arg.covered && hitTest(el).point === undefined) scrollTo(el, "center");
    const box = safe.getBoundingClientRect(el);
    const point = (arg.covered ? undefined : hitTest(el).point) ?? { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    if (!arg.covered) return { element: located(el), point };
    shown = el;
    return { element: { id: idOf(el), role: "", name: "", tag: "" }, point };
  });
}

let shown: Element | null = null;

// revealed returns the element that the last call of intoView has found already, and forgets it.
export function revealed(): Element | null {
  const el = shown;
  shown = null;
  return el;
}

// link is where a link leads, for opening it in another tab.
export async function link(arg: { target: Target; wait?: number }): Promise<Reply<{ url: string }>> {
  return waiting(arg.wait ?? 0, () => {
    const el = locate(arg.target);
    const anchor = safe.closest(el, "a[href],area[href]") ?? safe.querySelector(el, "a[href]");
    if ((anchor instanceof HTMLAnchorElement || anchor instanceof HTMLAreaElement) && anchor.href) return { url: anchor.href };
    throw new Refused("element_unsuitable", `${describe(el)} is not a link: it has no href to open in a new tab`, false);
  });
}

