// Inert parts of a page: a person sees them, and cannot act on them. Each is shown in one row.

import * as safe from "./safe";
import { flatParent } from "./dom";
import { collapse, naming } from "./name";
import { roleOf } from "./role";
import { statesOf } from "./state";
import { cut } from "./describe";
import { valueText } from "./value";

const controls = "a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex],[role=button],[role=link],[role=checkbox],[role=tab]";
const longestInert = 80; // characters of its text
const least = 8; // CSS pixels that have to show

/**
 * inertRow returns the row of an element with the attribute inert, from its role on; empty if it is not visible or has
 * no text.
 */
export function inertRow(el: Element): string {
  if (safe.getAttribute(el, "aria-hidden") === "true" || !shows(el)) return "";
  const only = innermost(el);
  const held = safe.querySelectorAll(only, controls).length;
  const role = roleOf(only);
  let name = naming(only, role).name;
  if (name === "") name = collapse(only instanceof HTMLElement ? safe.innerText(only) : safe.textContent(only));
  if (name === "" && held === 0 && role === "generic") return "";
  const states = statesOf(only, role);
  const value = held > 1 ? `${held} controls` : held === 0 ? collapse(valueText(only, role)) : "";
  return `${role === "none" ? "generic" : role}\t\t${cut(name, longestInert)}\tinert${states === "" ? "" : `,${states}`}\t${value}`.trimEnd();
}

// innermost goes down to what an element is only a box around.
function innermost(el: Element): Element {
  for (let at = el; ; ) {
    const child = safe.firstElementChild(at);
    if (!child || safe.childElementCount(at) !== 1 || roleOf(at) !== "generic" || !(child instanceof HTMLElement)) return at;
    for (const node of safe.childNodes(at)) if (node instanceof Text && node.data.trim() !== "") return at;
    at = child;
  }
}

// shows reports whether something of el is visible: slides beside a window and collapsed panels are not.
function shows(el: Element): boolean {
  if (!safe.checkVisibility(el, { visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true })) return false;
  let { left, top, right, bottom } = safe.getBoundingClientRect(el);
  for (let at = flatParent(el); at; at = flatParent(at)) {
    const style = getComputedStyle(at);
    if (style.overflowX === "visible" && style.overflowY === "visible") continue;
    const box = safe.getBoundingClientRect(at);
    left = Math.max(left, box.left);
    top = Math.max(top, box.top);
    right = Math.min(right, box.right);
    bottom = Math.min(bottom, box.bottom);
  }
  return right - left >= least && bottom - top >= least;
}
