// How much a line of the outline matters, for an outline that has to be short.

import * as safe from "./safe";
import { page } from "./safe";
import { shadowOf } from "./dom";
import { idOf } from "./refs";

/** longestName is how many characters of the name of an element are told. */
export const longestName = 1_000;

// What holds so much that it may be told in part: it can be asked for by an id although it has no ref.
const containers = new Set([
  "article", "alertdialog", "banner", "complementary", "contentinfo", "DescriptionList", "dialog", "feed", "form", "grid", "group", "list",
  "main", "menu", "menubar", "navigation", "radiogroup", "region", "search", "sectionfooter", "sectionheader", "table", "tablist", "toolbar",
  "tree", "treegrid",
]);

/**
 * weigh returns marks: v in the viewport of its frame, f focused, m a modal dialog,
 * i a field with an error, a can be acted on, # and a local id for a container
 * without a ref.
 */
export function weigh(el: Element, role: string, focus: Element | null, acts: boolean, ref: boolean): string {
  let marks = inView(el) ? "v" : "";
  if (el === focus) marks += "f";
  if (isModal(el, role)) marks += "m";
  if (acts) {
    marks += "a";
    if (isInvalid(el)) marks += "i";
  }
  return !ref && containers.has(role) ? `${marks}#${idOf(el)}` : marks;
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

function isInvalid(el: Element): boolean {
  if (!safe.hasAttributes(el)) return false;
  const value = safe.getAttribute(el, "aria-invalid");
  if (value !== null) return value !== "" && value !== "false";
  knowsUser ??= CSS.supports("selector(:user-invalid)");
  return knowsUser && safe.matches(el, ":user-invalid");
}

let knowsUser: boolean | undefined;
