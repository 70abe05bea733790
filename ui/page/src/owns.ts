// aria-owns: elements that belong elsewhere in the accessible tree than in the
// document. Resolved once per task, and only in documents that use it.

import { flatContains, page, scopeOf } from "./dom";

let owners: Map<Element, Element[]> | undefined;
let owned = new Map<Element, Element>(); // to their owners

// Elements that cannot own: they have no accessible children of their own.
const childless = new Set(["br", "img", "input", "textarea", "select", "progress", "meter", "iframe", "hr", "video", "audio"]);

function resolve(): Map<Element, Element[]> {
  if (owners) return owners;
  owners = new Map();
  owned = new Map();
  queueMicrotask(() => (owners = undefined));
  addScope(page, owners);
  return owners;
}

function addScope(scope: Document | ShadowRoot, into: Map<Element, Element[]>): void {
  for (const owner of scope.querySelectorAll("[aria-owns]")) {
    if (into.has(owner) || childless.has(owner.localName)) continue;
    const children: Element[] = [];
    for (const id of (owner.getAttribute("aria-owns") ?? "").split(/\s+/)) {
      const child = id === "" ? null : scopeOf(owner).getElementById(id);
      // The first owner in the document wins, and nothing owns what it is inside of.
      if (!child || owned.has(child) || flatContains(child, owner)) continue;
      children.push(child);
      owned.set(child, owner);
    }
    if (children.length > 0) into.set(owner, children);
  }
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
