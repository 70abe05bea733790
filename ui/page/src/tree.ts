// The composed tree as actions need it: parents across shadow boundaries,
// every reachable root, and whether an element takes part in the page at all.

import { alive } from "./alive";
import { parentNode, shadowOf } from "./dom";

// composedParent goes to the slot an element is assigned to, or out of a shadow
// root to its host: the parent whose box and state apply to it.
export function composedParent(el: Element): Element | null {
  const parent = parentNode(el); // a form's own property may be hidden behind a control of that name
  if (parent instanceof ShadowRoot) return parent.host;
  if (!(parent instanceof Element)) return null;
  return (parent.shadowRoot instanceof ShadowRoot && el.assignedSlot) || parent;
}

// composedContains says whether inner is outer or below it, through shadow roots.
export function composedContains(outer: Element, inner: Element): boolean {
  for (let at: Element | null = inner; at; at = composedParent(at)) if (at === outer) return true;
  // A slotted element is also below the host it is written in.
  for (let at: Element | null = inner; at; ) {
    if (outer.contains(at)) return true;
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return false;
}

export function composedClosest(el: Element, selector: string): Element | null {
  for (let at: Element | null = el; at; at = composedParent(at)) if (Element.prototype.matches.call(at, selector)) return at;
  return null;
}

// rootsOf lists a root and the shadow roots below it, in document order.
export function rootsOf(root: Document | ShadowRoot): (Document | ShadowRoot)[] {
  const roots: (Document | ShadowRoot)[] = [root];
  for (const el of root.querySelectorAll("*")) {
    alive();
    const shadow = shadowOf(el);
    if (shadow) for (const inner of rootsOf(shadow)) roots.push(inner);
  }
  return roots;
}

// isRendered: has a box and is not made invisible.
export function isRendered(el: Element): boolean {
  return el.checkVisibility({ visibilityProperty: true });
}

// isHidden: not rendered, or hidden from assistive technology.
export function isHidden(el: Element): boolean {
  return !isRendered(el) || composedClosest(el, "[aria-hidden=true]") !== null;
}
