// How much a line of the outline matters, for an outline that has to be short.

import * as safe from "./safe";
import { page } from "./safe";
import { shadowOf } from "./dom";
import { idOf } from "./refs";
import { isInvalid } from "./state";

/** longestName is the largest length of the name of an element in the outline, in characters. */
export const longestName = 1_000;

// Elements so large that they may be shown in part: they can be requested by an id although they have no ref.
const containers = new Set([
  "article", "alertdialog", "banner", "complementary", "contentinfo", "DescriptionList", "dialog", "feed", "form", "grid", "group", "list",
  "main", "menu", "menubar", "navigation", "radiogroup", "region", "search", "sectionfooter", "sectionheader", "table", "tablist", "toolbar",
  "tree", "treegrid",
]);

/**
 * marksOf returns the marks of a line: v in the viewport of its frame, f focused, m a modal dialog,
 * i an invalid field, a can be acted on, c in the main content,
 * o in a form, s in a menu or at the edges, # and a local id for a container without a ref.
 */
export function marksOf(el: Element, role: string, focus: Element | null, acts: boolean, ref: boolean, place: Place): string {
  let marks = (inView(el) ? "v" : "") + place;
  if (el === focus) marks += "f";
  if (isModal(el, role)) marks += "m";
  if (acts) {
    marks += "a";
    if (isInvalid(el, role)) marks += "i";
  }
  return !ref && containers.has(role) ? `${marks}#${idOf(el)}` : marks;
}

/** Place is the mark of the part of the page that an element is in. */
export type Place = "" | "c" | "o" | "s";

const central = new Set(["main", "table", "grid", "treegrid", "feed", "tabpanel"]);
const forms = new Set(["form", "search", "dialog", "alertdialog"]);
const peripheral = new Set(["navigation", "menubar", "banner", "contentinfo", "complementary", "toolbar"]);

/** placeOf is the place of what is in an element of that role, around being its own. */
export function placeOf(role: string, around: Place): Place {
  if (forms.has(role)) return "o";
  if (central.has(role)) return around === "o" ? "o" : "c";
  return peripheral.has(role) ? "s" : around;
}

/** focused is the element that has the keyboard, inside of shadow roots, too. */
export function focused(): Element | null {
  let at = page.activeElement;
  if (at === page.body || at === page.documentElement) return null;
  for (let inner = at; inner; ) {
    at = inner;
    inner = shadowOf(at)?.activeElement ?? null;
  }
  return at;
}

function inView(el: Element): boolean {
  const box = safe.getBoundingClientRect(el);
  return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth && box.width > 0 && box.height > 0;
}

function isModal(el: Element, role: string): boolean {
  if (role !== "dialog" && role !== "alertdialog") return false;
  return safe.getAttribute(el, "aria-modal") === "true" || (safe.localName(el) === "dialog" && safe.matches(el, ":modal"));
}
