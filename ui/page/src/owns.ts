// aria-owns: elements that belong elsewhere in the accessible tree than in the
// document. Resolved once per task, and only in documents that use it.

import * as safe from "./safe";
import { page, type Root } from "./safe";
import { flatParent, isSilenced, visible } from "./dom";

let owners: Map<Element, Element[]> | undefined;
let owned = new Map<Element, Element>(); // to their owners

// Elements that cannot own: they have no accessible children of their own.
const childless = new Set([
  "area", "audio", "br", "frame", "hr", "iframe", "img", "input", "map", "meter", "optgroup", "option", "progress", "select", "svg", "textarea",
  "video",
]);

function resolve(): Map<Element, Element[]> {
  if (owners) return owners;
  owners = new Map();
  owned = new Map();
  queueMicrotask(() => (owners = undefined));
  addScope(page, owners);
  return owners;
}

function addScope(scope: Root, into: Map<Element, Element[]>): void {
  for (const owner of scope.querySelectorAll("[aria-owns]")) {
    if (into.has(owner) || childless.has(safe.localName(owner))) continue;
    const children: Element[] = [];
    for (const id of (safe.getAttribute(owner, "aria-owns") ?? "").split(/\s+/)) {
      const child = id === "" ? null : scope.getElementById(id);
      // The first owner in the document wins, and nothing owns what it is inside of. What is not told owns nothing that is:
      // else a page could take what people see out of the outline.
      if (!child || owned.has(child) || isInside(owner, child) || (isShown(child) && !isTold(owner))) continue;
      children.push(child);
      owned.set(child, owner);
    }
    if (children.length > 0) into.set(owner, children);
  }
}

// isInside says whether el is outer or below it, where elements stand below their owners.
function isInside(el: Element, outer: Element): boolean {
  for (let at: Element | null = el; at; at = owned.get(at) ?? flatParent(at)) if (at === outer) return true;
  return false;
}

function isShown(el: Element): boolean {
  return safe.checkVisibility(el, visible) || getComputedStyle(el).display === "contents";
}

// isTold says whether a walk of the document comes to el: it is shown, and nothing around it is silenced or told without what
// is in it.
function isTold(el: Element): boolean {
  if (!isShown(el)) return false;
  for (let at: Element | null = el; at; at = flatParent(at)) {
    if (isSilenced(at) || getComputedStyle(at).display === "none" || (at !== el && childless.has(safe.localName(at)))) return false;
    if (!flatParent(at)) return at === page.documentElement;
  }
  return false;
}

/** noteScope adds the relations inside a shadow root. */
export function noteScope(root: ShadowRoot): void {
  addScope(root, resolve());
}

/** ownedBy returns the elements el owns by aria-owns, in the order it names them. */
export function ownedBy(el: Element): Element[] {
  return resolve().get(el) ?? nobody;
}

const nobody: Element[] = [];

/** isOwned reports whether el belongs to an owner elsewhere. */
export function isOwned(el: Element): boolean {
  return resolve().size > 0 && owned.has(el);
}

/** ownerOf returns the element that owns el by aria-owns. */
export function ownerOf(el: Element): Element | undefined {
  return resolve().size > 0 ? owned.get(el) : undefined;
}
