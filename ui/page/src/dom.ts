// The flat tree: what is rendered, in reading order. Shadow roots replace the children of their hosts, slots have their
// assigned nodes.

import * as safe from "./safe";
import { page, type Root, rootOf } from "./safe";

/** visible calls checkVisibility: rendered, and not made invisible. Chromium before 121 has only the second name. */
export const visible: CheckVisibilityOptions = { visibilityProperty: true, checkVisibilityCSS: true };

// Closed roots are invisible to scripts. The engine finds them through the
// protocol and hands them in with adoptClosedRoot.
const closedRoots = new WeakMap<Element, ShadowRoot>();

let anyClosed = false; // spares the look into closedRoots, which few pages have

// Elements that the engine has examined (see suspects), with their size at that time.
const asked = new WeakMap<Element, string>();

/** shadowOf returns the shadow root of el, open or adopted. */
export function shadowOf(el: Element): ShadowRoot | null {
  return safe.shadowRoot(el) ?? closedRoots.get(el) ?? null;
}

/** adoptClosedRoot makes a closed shadow root part of every later walk. */
export function adoptClosedRoot(root: ShadowRoot): void {
  anyClosed = true;
  closedRoots.set(root.host, root);
}

/** flatChildren returns the children of el in the flat tree. */
export function flatChildren(el: Element): Iterable<Node> {
  const root = shadowOf(el);
  if (root) return root.childNodes;
  if (safe.localName(el) === "slot" && el instanceof HTMLSlotElement) {
    const assigned = el.assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return safe.childNodes(el);
}

/** flatParent returns the parent of a node in the flat tree; null for a root element and for a node no slot takes. */
export function flatParent(node: Node): Element | null {
  const parent = safe.parentNode(node);
  if (!parent) return null;
  if (parent instanceof ShadowRoot) return parent.host;
  if (!(parent instanceof Element)) return null;
  if (safe.shadowRoot(parent) instanceof ShadowRoot) return slotFor(node);
  const closed = closedRoots.get(parent);
  return closed ? closedSlotFor(node, closed) : parent;
}

function slotFor(node: Node): Element | null {
  return node instanceof Text ? node.assignedSlot : node instanceof Element ? safe.assignedSlot(node) : null;
}

/** slotOf returns the slot that takes a child of host; null where the host has none for it, or no shadow root. */
export function slotOf(node: Element | Text, host: Element): Element | null {
  if (safe.shadowRoot(host)) return node instanceof Text ? node.assignedSlot : safe.assignedSlot(node);
  const closed = anyClosed && closedRoots.get(host);
  return closed ? closedSlotFor(node, closed) : null;
}

// assignedSlot hides the slots of closed roots.
function closedSlotFor(node: Node, root: ShadowRoot): Element | null {
  for (const slot of root.querySelectorAll("slot")) {
    if (slot.assignedNodes().includes(node as Element)) return slot;
  }
  return null;
}

/** contains reports whether node is el or below it in the flat tree. */
export function flatContains(el: Element, node: Node | null): boolean {
  for (let at: Node | null = node; at; at = flatParent(at)) if (at === el) return true;
  return false;
}

/**
 * isSilenced reports whether the page removes el, and what is in it, from what assistive technology reads and people
 * can act on.
 */
export function isSilenced(el: Element): boolean {
  if (!safe.hasAttributes(el)) return false;
  if (safe.hasAttribute(el, "inert")) return true;
  if (safe.getAttribute(el, "aria-hidden") !== "true") return false;
  if (el === page.documentElement || el === page.body) return false;
  return true;
}

/** scopeOf returns the document or shadow root whose ids el can refer to. */
export const scopeOf: (el: Element) => Root = rootOf;

// The elements besides custom ones that may have a shadow root (DOM, "valid shadow host name").
const hosts = new Set([
  "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
  "header", "main", "nav", "p", "section", "span",
]);

/**
 * suspect reports whether a rendered element may have a closed shadow root that has not been examined: a custom
 * element, or an element without content that has a size all the same. It returns true once per element and size.
 */
export function suspect(el: Element): boolean {
  const name = safe.localName(el);
  const custom = name.includes("-");
  if (!custom && (safe.firstChild(el) || !hosts.has(name))) return false;
  if (shadowOf(el)) return false;
  const box = safe.getBoundingClientRect(el);
  if (!custom && (box.width < 8 || box.height < 8)) return false;
  const size = custom ? "custom" : `${box.width}x${box.height}`;
  if (asked.get(el) === size) return false;
  asked.set(el, size);
  return true;
}

// isClosing reports whether the page is closing its tab.
export function isClosing(): boolean {
  return (window.top ?? window).closed;
}
