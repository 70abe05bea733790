// The flat tree: what is rendered, in reading order. Shadow roots stand in for
// the children of their hosts, slots hold what is assigned to them.

// A page can hide any property of the document and of its forms behind an element of that name (<img name=body>,
// <input name=parentNode>), in every world. So those are read through the prototypes.

/** page is the document, with its properties as the browser means them. It is no node: pass `document` where one is asked for. */
export const page: Document = new Proxy(document, {
  get(target, key) {
    const value: unknown = Reflect.get(Document.prototype, key, target);
    return typeof value === "function" ? value.bind(target) : value;
  },
});

function reader<T>(prototype: object, property: string): (of: Node) => T {
  const read = Object.getOwnPropertyDescriptor(prototype, property)?.get as () => T;
  return (of) => read.call(of);
}

export const nodeType = reader<number>(Node.prototype, "nodeType");
export const parentNode = reader<ParentNode | null>(Node.prototype, "parentNode");
export const firstChild = reader<ChildNode | null>(Node.prototype, "firstChild");
export const nextSibling = reader<ChildNode | null>(Node.prototype, "nextSibling");
const childNodes = reader<NodeListOf<ChildNode>>(Node.prototype, "childNodes");

// What the walk reads of an element, and what would break it if it were something else.
const read = [
  "attributes", "checkVisibility", "childElementCount", "childNodes", "closest", "firstChild", "firstElementChild", "getAttribute",
  "getAttributeNS", "getBoundingClientRect", "getRootNode", "hasAttribute", "hasAttributeNS", "hasAttributes", "innerText",
  "isConnected", "localName", "matches", "namespaceURI", "nextElementSibling", "nextSibling", "nodeType", "parentElement",
  "parentNode", "querySelector", "querySelectorAll", "shadowRoot", "textContent",
];

/** isMasked reports whether el is a form some of whose properties are hidden behind its controls. */
export function isMasked(el: Element): boolean {
  return el instanceof HTMLFormElement && read.some((name) => Object.prototype.hasOwnProperty.call(el, name));
}

/** visible asks checkVisibility for what can be seen at all: rendered, and not made invisible. Chromium before 121 knows the second name. */
export const visible: CheckVisibilityOptions = { visibilityProperty: true, checkVisibilityCSS: true };

// Closed roots are invisible to scripts. The engine finds them through the
// protocol and hands them in with adoptClosedRoot.
const closedRoots = new WeakMap<Element, ShadowRoot>();

// Elements the engine was asked about (see suspects), with the size they had.
const asked = new WeakMap<Element, string>();

/** shadowOf returns the shadow root of el, open or adopted. */
export function shadowOf(el: Element): ShadowRoot | null {
  return el.shadowRoot ?? closedRoots.get(el) ?? null;
}

/** adoptClosedRoot makes a closed shadow root part of every later walk. */
export function adoptClosedRoot(root: ShadowRoot): void {
  closedRoots.set(root.host, root);
}

/** flatChildren returns the children of el in the flat tree. */
export function flatChildren(el: Element): Iterable<Node> {
  if (isMasked(el)) return childNodes(el);
  const root = shadowOf(el);
  if (root) return root.childNodes;
  if (el.localName === "slot" && el instanceof HTMLSlotElement) {
    const assigned = el.assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return el.childNodes;
}

/** flatParent returns the parent of a node in the flat tree; null for a root element and for a node no slot takes. */
export function flatParent(node: Node): Element | null {
  const parent = parentNode(node);
  if (!parent) return null;
  if (parent instanceof ShadowRoot) return parent.host;
  if (!(parent instanceof Element)) return null;
  if (parent.shadowRoot instanceof ShadowRoot) return slotFor(node);
  const closed = closedRoots.get(parent);
  return closed ? closedSlotFor(node, closed) : parent;
}

function slotFor(node: Node): Element | null {
  return node instanceof Element || node instanceof Text ? node.assignedSlot : null;
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

/** scopeOf returns the document or shadow root whose ids el can refer to. */
export function scopeOf(el: Element): Document | ShadowRoot {
  const root = el.getRootNode();
  return root instanceof ShadowRoot ? root : page;
}

/**
 * find returns the first element a CSS selector matches: in the document, or
 * else inside shadow roots in tree order. Throws SyntaxError for a selector the
 * browser does not understand.
 */
export function find(selector: string, scope: Document | ShadowRoot = page): Element | null {
  const here = scope.querySelector(selector);
  if (here) return here;
  const walker = page.createTreeWalker(scope === page ? document : scope, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const root = shadowOf(node as Element);
    const inside = root && find(selector, root);
    if (inside) return inside;
  }
  return null;
}

// The elements besides custom ones that may have a shadow root (DOM, "valid shadow host name").
const hosts = new Set([
  "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
  "header", "main", "nav", "p", "section", "span",
]);

/**
 * suspect reports whether a rendered element may have a closed shadow root
 * nobody has looked at: a custom element, or an element without content that
 * takes up room all the same. It answers true once per element and size.
 */
export function suspect(el: Element): boolean {
  const name = el.localName;
  const custom = name.includes("-");
  if (!custom && (el.firstChild || !hosts.has(name))) return false;
  if (shadowOf(el)) return false;
  const box = el.getBoundingClientRect();
  if (!custom && (box.width < 8 || box.height < 8)) return false;
  const size = custom ? "custom" : `${box.width}x${box.height}`;
  if (asked.get(el) === size) return false;
  asked.set(el, size);
  return true;
}

// isClosing says that the page is closing its tab.
export function isClosing(): boolean {
  return (window.top ?? window).closed;
}
