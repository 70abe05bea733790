// The composed tree as actions need it: parents across shadow boundaries,
// every reachable root, and whether an element takes part in the page at all.

import * as safe from "./safe";
import { page } from "./safe";
import { alive } from "./alive";
import { flatChildren, shadowOf, slotOf } from "./dom";

// composedParent goes to the slot an element is assigned to, or out of a shadow
// root to its host: the parent whose box and state apply to it.
export function composedParent(el: Element): Element | null {
  const parent = safe.parentNode(el);
  if (parent instanceof ShadowRoot) return parent.host;
  if (!(parent instanceof Element)) return null;
  return slotOf(el, parent) ?? parent;
}

// composedContains reports whether inner is outer or below it, through shadow roots.
export function composedContains(outer: Element, inner: Element): boolean {
  for (let at: Element | null = inner; at; at = composedParent(at)) if (at === outer) return true;
  // A slotted element is also below the host it is written in.
  for (let at: Element | null = inner; at; ) {
    if (safe.contains(outer, at)) return true;
    const root: Node = safe.getRootNode(at);
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return false;
}

export function composedClosest(el: Element, selector: string): Element | null {
  for (let at: Element | null = el; at; at = composedParent(at)) if (safe.matches(at, selector)) return at;
  return null;
}

// rootsOf lists the document and the shadow roots below it, in document order.
export function rootsOf(): safe.Root[] {
  const roots: safe.Root[] = [safe.page];
  const open = [safe.page.querySelectorAll("*").values()];
  for (let at = open.at(-1); at; at = open.at(-1)) {
    const { value: el, done } = at.next();
    if (done) {
      open.pop();
      continue;
    }
    alive();
    const shadow = shadowOf(el);
    if (!shadow) continue;
    roots.push(shadow);
    open.push(shadow.querySelectorAll("*").values());
  }
  return roots;
}

// isRendered: has a box and is not made invisible. What has no box of its own (display: contents) is rendered if something in it is.
export function isRendered(el: Element): boolean {
  return safe.checkVisibility(el, { visibilityProperty: true }) || showsContents(el);
}

// showsContents reports whether an element without a box of its own shows an element or a text.
function showsContents(top: Element): boolean {
  const open = [top];
  for (let at = open.pop(); at; at = open.pop()) {
    alive();
    const style = getComputedStyle(at);
    if (style.display !== "contents") continue;
    for (const child of flatChildren(at)) {
      if (child instanceof Element) {
        if (safe.checkVisibility(child, { visibilityProperty: true })) return true;
        open.push(child);
      } else if (child instanceof Text && style.visibility === "visible" && textBoxes(child).length > 0 && !skipsContents(at)) return true;
    }
  }
  return false;
}

// skipsContents reports whether the browser leaves out what is in the box around an element without one.
function skipsContents(el: Element): boolean {
  let at = composedParent(el);
  while (at && getComputedStyle(at).display === "contents") at = composedParent(at);
  return at !== null && (!safe.checkVisibility(at, {}) || getComputedStyle(at).contentVisibility === "hidden");
}

/** textBoxes are the boxes of a text that is shown. */
export function textBoxes(text: Text): DOMRect[] {
  const range = page.createRange();
  range.selectNodeContents(text);
  return [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
}

/** imageOf is the image that shows an area. */
export function imageOf(area: HTMLAreaElement): HTMLImageElement | undefined {
  const map = safe.closest(area, "map");
  if (!(map instanceof HTMLMapElement) || !map.name) return undefined;
  return [...page.images].find((image) => image.useMap === "#" + map.name && safe.getClientRects(image).length > 0);
}

// isHidden: not rendered, or hidden from assistive technology. An area is shown with its image.
export function isHidden(el: Element): boolean {
  if (composedClosest(el, "[aria-hidden=true]") !== null) return true;
  const image = el instanceof HTMLAreaElement ? imageOf(el) : undefined;
  return image ? isHidden(image) : !isRendered(el);
}
