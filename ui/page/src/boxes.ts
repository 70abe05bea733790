// Where elements show: for marks on a picture of the page.

import * as safe from "./safe";
import { page } from "./safe";
import { flatParent } from "./dom";
import { accepts, boxesOf, elementAt } from "./hit";
import { byId } from "./refs";

export interface Shown {
  id: number;
  // The part of the element's box that is not clipped away, in the viewport of the frame.
  x: number;
  y: number;
  width: number;
  height: number;
}

/** pixelRatio is the number of device pixels to a CSS pixel. */
export function pixelRatio(): number {
  return devicePixelRatio;
}

interface Clip {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * boxes returns where the elements with these ids show, without those that do
 * not: not rendered, clipped away or covered by something else. With beyond, what
 * lies outside of the window counts as shown.
 */
export function boxes(arg: { ids: number[]; beyond: boolean }): { width: number; height: number; shown: Shown[] } {
  const shown: Shown[] = [];
  const clips = new Map<Element, Clip>();
  for (const id of arg.ids) {
    const el = byId(id);
    if (!el || !safe.isConnected(el) || !safe.checkVisibility(el, { visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true })) continue;
    const box = intersect(outline(el), clipOf(el, arg.beyond, clips));
    // A field of one pixel is how pages hide the real one behind a drawing of it.
    if (box.right - box.left < 2 || box.bottom - box.top < 2 || !reachable(el, box)) continue;
    shown.push({ id, x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
  }
  return { width: innerWidth, height: innerHeight, shown };
}

/** outline is the box around all boxes of an element. */
function outline(el: Element): Clip {
  const all: Clip = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const box of boxesOf(el)) {
    all.left = Math.min(all.left, box.left);
    all.top = Math.min(all.top, box.top);
    all.right = Math.max(all.right, box.right);
    all.bottom = Math.max(all.bottom, box.bottom);
  }
  return all;
}

/** clipOf is the part of the window in which el can show: what the boxes around it that scroll or hide their overflow leave of it. */
function clipOf(el: Element, beyond: boolean, known: Map<Element, Clip>): Clip {
  const window: Clip = beyond
    ? { left: -scrollX, top: -scrollY, right: Infinity, bottom: Infinity }
    : { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const style = getComputedStyle(el);
  if (style.position === "fixed") return window;
  const parent = flatParent(el);
  if (!parent) return window;
  let clip = known.get(parent);
  if (!clip) {
    clip = clipOf(parent, beyond, known);
    const { overflowX, overflowY } = getComputedStyle(parent);
    // The overflow of the root and the body is that of the window.
    if ((overflowX !== "visible" || overflowY !== "visible") && parent !== page.documentElement && parent !== page.body) {
      clip = intersect(clip, safe.getBoundingClientRect(parent));
    }
    known.set(parent, clip);
  }
  return clip;
}

function intersect(a: Clip, b: Clip): Clip {
  return { left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) };
}

/**
 * reachable reports whether el is on top at any of five points of its box; points outside of the window cannot be
 * tested.
 */
function reachable(el: Element, box: Clip): boolean {
  for (const [fx, fy] of [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]] as const) {
    const x = box.left + (box.right - box.left) * fx;
    const y = box.top + (box.bottom - box.top) * fy;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return true;
    const hit = elementAt({ x, y });
    if (hit && accepts(el, hit)) return true;
  }
  return false;
}
