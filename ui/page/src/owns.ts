// aria-owns: elements that belong elsewhere in the accessible tree than in the
// document. Resolved once per task, and only in documents that use it.

import * as safe from "./safe";
import { page, type Root } from "./safe";
import { flatContains, flatParent, isSilenced, visible } from "./dom";

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
      // The first owner in the document wins, and an element does not own its ancestors. An element that is not in the
      // outline owns nothing that is: else a page could remove what people see from the outline.
      if (!child || owned.has(child) || isInside(owner, child) || (isShown(child) && !isWalked(owner))) continue;
      children.push(child);
      owned.set(child, owner);
    }
    if (children.length > 0) into.set(owner, children);
  }
}

// isInside reports whether el is outer or below it, in the tree where elements are below their owners.
function isInside(el: Element, outer: Element): boolean {
  for (let at: Element | null = el; at; at = owned.get(at) ?? flatParent(at)) if (at === outer) return true;
  return false;
}

function isShown(el: Element): boolean {
  return safe.checkVisibility(el, visible) || getComputedStyle(el).display === "contents";
}

// isWalked reports whether a walk of the document reaches el: it is shown, and no ancestor is silenced or shown without
// its content.
function isWalked(el: Element): boolean {
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

/** holdsOwned reports whether an element below el belongs to an owner outside of el, and is shown there. */
export function holdsOwned(el: Element): boolean {
  if (resolve().size === 0) return false;
  for (const [child, owner] of owned) if (flatContains(el, child) && !flatContains(el, owner)) return true;
  return false;
}
