// What the mouse takes hold of: the edges and corners by which a box is made larger, the bar between two panes, a handle of an item.

import * as safe from "./safe";
import { flatParent } from "./dom";

const holding = /^(?:[a-z]+-resize|grab|move|all-scroll)$/;
const largest = 1 / 16; // of the window
const headers = "th,[role=columnheader]"; // each has an edge

/** gripOf returns the cursor of a handle over el that is not over its parent; empty if there is none. */
export function gripOf(el: Element, cursor: string): string {
  if (!holding.test(cursor)) return "";
  const parent = flatParent(el);
  if (!parent || getComputedStyle(parent).cursor === cursor || safe.closest(el, headers)) return "";
  const box = safe.getBoundingClientRect(el);
  return box.width * box.height <= innerWidth * innerHeight * largest ? cursor : "";
}
