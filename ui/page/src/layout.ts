// Where elements are beside each other: Playwright's pseudo-classes of layout.

import * as safe from "./safe";
import { alive } from "./alive";

/** Side is where an element is, seen from another. */
export type Side = "left-of" | "right-of" | "above" | "below" | "near";

const nearby = 50; // CSS pixels: how far "near" reaches if nothing is said

/** nearest returns the elements that are on a side of one of the others, the nearest first. most is the largest distance in CSS pixels. */
export function nearest(side: Side, elements: Element[], others: Element[], most = side === "near" ? nearby : Infinity): Element[] {
  const boxes = others.map((el) => ({ el, box: safe.getBoundingClientRect(el) }));
  const found: { el: Element; far: number }[] = [];
  for (const el of elements) {
    alive();
    const box = safe.getBoundingClientRect(el);
    let far = Infinity;
    for (const other of boxes) if (other.el !== el) far = Math.min(far, distance(side, box, other.box, most));
    if (far < Infinity) found.push({ el, far });
  }
  return found.sort((a, b) => a.far - b.far).map(({ el }) => el);
}

// distance is how far a box is from another: the gap between them, and how far the other one reaches beyond it crosswise. It is infinite
// if the box is not on that side, or if the gap is too large.
function distance(side: Side, box: DOMRect, from: DOMRect, most: number): number {
  const rows = Math.max(from.bottom - box.bottom, 0) + Math.max(box.top - from.top, 0);
  const columns = Math.max(box.left - from.left, 0) + Math.max(from.right - box.right, 0);
  const within = (gap: number, beyond: number) => (gap < 0 || gap > most ? Infinity : gap + beyond);
  switch (side) {
    case "left-of": return within(from.left - box.right, rows);
    case "right-of": return within(box.left - from.right, rows);
    case "above": return within(from.top - box.bottom, columns);
    case "below": return within(box.top - from.bottom, columns);
  }
  const gaps = [box.left - from.right, from.left - box.right, from.top - box.bottom, box.top - from.bottom];
  return within(gaps.reduce((sum, gap) => sum + Math.max(gap, 0), 0), 0);
}
