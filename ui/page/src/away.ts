// What lies where no scrolling shows it: menus that wait beside the window, links that show only with the keyboard.

import * as safe from "./safe";
import { page } from "./safe";
import { flatParent } from "./dom";
import { traits } from "./styles";

/**
 * isAway reports whether el lies outside of what can be scrolled to. It is called for elements that a rule may have
 * put there, by a class or a style, and everything in what is away already.
 */
export function isAway(el: Element, around: boolean): boolean {
  if (!around) {
    if (!traits().placed || !safe.hasAttributes(el)) return false;
    if (!safe.hasAttribute(el, "class") && !safe.hasAttribute(el, "style")) return false;
  }
  const box = safe.getBoundingClientRect(el);
  if (box.width === 0 || box.height === 0) return around;
  if (isBeyond(el, box)) return true;
  return (box.left >= innerWidth || box.top >= innerHeight || box.right <= 0 || box.bottom <= 0) && (around || isFixed(el));
}

/** isBeyond reports whether el lies above or left of the page, where no scrolling shows it. */
export function isBeyond(el: Element, box = safe.getBoundingClientRect(el)): boolean {
  const { scrollX: x, scrollY: y } = window;
  if (box.bottom + y <= 0 && box.bottom + y + scrolled(el, "scrollTop") <= 0) return true;
  const rightToLeft = page.scrollingElement !== null && getComputedStyle(page.scrollingElement).direction === "rtl";
  return !rightToLeft && box.right + x <= 0 && box.right + x + scrolled(el, "scrollLeft") <= 0;
}

// scrolled is how far what is around el has been scrolled, the page left out.
function scrolled(el: Element, way: "scrollTop" | "scrollLeft"): number {
  let sum = 0;
  for (let at = flatParent(el); at && at !== page.scrollingElement; at = flatParent(at)) sum += Math.abs(safe[way](at));
  return sum;
}

function isFixed(el: Element): boolean {
  return getComputedStyle(el).position === "fixed";
}
