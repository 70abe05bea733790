// Reading elements by the browser's own properties.
//
// A form hides any property behind a control of that name (<input name=parentNode>), in every world. So what may be a
// form is never read directly: each property is read with the function of its prototype, taken once. A direct read is
// an error of `make lint-types` (tools/clobber.mjs). Elements that cannot be forms (an input, a shadow root) need none
// of this.

function read<E extends Node, T>(prototype: E, property: keyof E & string): (of: Node) => T {
  const get = Object.getOwnPropertyDescriptor(prototype, property)?.get as () => T;
  return (of) => get.call(of) as T;
}

const N = Node.prototype;
const E = Element.prototype;
const H = HTMLElement.prototype;

export const childNodes = read<Node, NodeListOf<ChildNode>>(N, "childNodes");
export const firstChild = read<Node, ChildNode | null>(N, "firstChild");
export const isConnected = read<Node, boolean>(N, "isConnected");
export const nextSibling = read<Node, ChildNode | null>(N, "nextSibling");
export const nodeType = read<Node, number>(N, "nodeType");
export const previousSibling = read<Node, ChildNode | null>(N, "previousSibling");
export const parentElement = read<Node, HTMLElement | null>(N, "parentElement");
export const parentNode = read<Node, ParentNode | null>(N, "parentNode");
const contentOf = read<Node, string | null>(N, "textContent");
export const textContent = (of: Node): string => contentOf(of) ?? "";

export const assignedSlot = read<Element, HTMLSlotElement | null>(E, "assignedSlot");
export const childElementCount = read<Element, number>(E, "childElementCount");
export const children = read<Element, HTMLCollection>(E, "children");
export const classList = read<Element, DOMTokenList>(E, "classList");
export const clientHeight = read<Element, number>(E, "clientHeight");
export const clientWidth = read<Element, number>(E, "clientWidth");
export const firstElementChild = read<Element, Element | null>(E, "firstElementChild");
export const id = read<Element, string>(E, "id");
export const innerHTML = read<Element, string>(E, "innerHTML");
export const outerHTML = read<Element, string>(E, "outerHTML");
export const localName = read<Element, string>(E, "localName");
export const namespaceURI = read<Element, string | null>(E, "namespaceURI");
export const previousElementSibling = read<Element, Element | null>(E, "previousElementSibling");
export const nextElementSibling = read<Element, Element | null>(E, "nextElementSibling");
export const scrollHeight = read<Element, number>(E, "scrollHeight");
export const scrollLeft = read<Element, number>(E, "scrollLeft");
export const scrollTop = read<Element, number>(E, "scrollTop");
export const scrollWidth = read<Element, number>(E, "scrollWidth");
export const shadowRoot = read<Element, ShadowRoot | null>(E, "shadowRoot");

const html = "http://www.w3.org/1999/xhtml";
const svg = "http://www.w3.org/2000/svg";

/** tag is the local name of an element of HTML or SVG, empty for others: an element called "script" of any other kind is text. */
export function tag(of: Element): string {
  const space = namespaceURI(of);
  return space === html || space === svg ? localName(of) : "";
}

export const innerText = read<HTMLElement, string>(H, "innerText");
// Chromium has it since version 121; TypeScript does not declare it yet.
const editContextOf = Object.getOwnPropertyDescriptor(H, "editContext")?.get as (() => unknown) | undefined;
export const editContext = (of: HTMLElement): unknown => editContextOf?.call(of);
export const isContentEditable = read<HTMLElement, boolean>(H, "isContentEditable");
const styleOf = read<HTMLElement, CSSStyleDeclaration>(H, "style");

/** inlineStyle is what the style attribute of an HTML element declares, null for others. */
export const inlineStyle = (of: Element): CSSStyleDeclaration | null => (of instanceof HTMLElement ? styleOf(of) : null);
const tabIndexOf = read<HTMLElement, number>(H, "tabIndex");
export const tabIndex = (of: Element): number => (of instanceof HTMLElement ? tabIndexOf(of) : of instanceof SVGElement ? of.tabIndex : -1);

const createWalker = Document.prototype.createTreeWalker;

/** elementsBelow walks over the elements below a node, in document order. */
export const elementsBelow = (top: Node): TreeWalker => createWalker.call(document, top, NodeFilter.SHOW_ELEMENT);

const byTagName = Document.prototype.getElementsByTagName;

/** elementCount is the number of elements of the document, without those of shadow trees. */
export const elementCount = (): number => byTagName.call(document, "*").length;

export const designMode = read<Document, string>(Document.prototype, "designMode");

const nodes = {
  contains: N.contains, dispatchEvent: N.dispatchEvent, getRootNode: N.getRootNode,
};
export const contains = (of: Node, other: Node | null): boolean => nodes.contains.call(of, other);
export const dispatchEvent = (of: Node, event: Event): boolean => nodes.dispatchEvent.call(of, event);
export const getRootNode = (of: Node): Node => nodes.getRootNode.call(of);

const { getAttributeNames } = E;
export const attributeNames = (of: Element): string[] => getAttributeNames.call(of);

const { checkVisibility: seen, getAttribute: attribute, hasAttribute: has, hasAttributes: hasAny, matches: match } = E;
const compared = Node.prototype.compareDocumentPosition;
export const compareDocumentPosition = (of: Node, other: Node): number => compared.call(of, other);
export const checkVisibility = (of: Element, options: CheckVisibilityOptions): boolean => seen.call(of, options);
export const getAttribute = (of: Element, name: string): string | null => attribute.call(of, name);
export const hasAttribute = (of: Element, name: string): boolean => has.call(of, name);
export const hasAttributes = (of: Element): boolean => hasAny.call(of);
export const matches = (of: Element, selector: string): boolean => match.call(of, selector);

const elements = {
  closest: E.closest, getAnimations: E.getAnimations, getAttributeNS: E.getAttributeNS, hasAttributeNS: E.hasAttributeNS,
  getBoundingClientRect: E.getBoundingClientRect, getClientRects: E.getClientRects, querySelector: E.querySelector,
  querySelectorAll: E.querySelectorAll, scrollBy: E.scrollBy, scrollIntoView: E.scrollIntoView,
};
export const closest = (of: Element, selector: string): Element | null => elements.closest.call(of, selector);
export const getAnimations = (of: Element): Animation[] => elements.getAnimations.call(of);
export const getAttributeNS = (of: Element, space: string, name: string): string | null => elements.getAttributeNS.call(of, space, name);
export const hasAttributeNS = (of: Element, space: string, name: string): boolean => elements.hasAttributeNS.call(of, space, name);
export const getBoundingClientRect = (of: Element): DOMRect => elements.getBoundingClientRect.call(of);
export const getClientRects = (of: Element): DOMRectList => elements.getClientRects.call(of);
export const scrollBy = (of: Element, options: ScrollToOptions): void => (elements.scrollBy as (options: ScrollToOptions) => void).call(of, options);
export const scrollIntoView = (of: Element, options: ScrollIntoViewOptions): void => elements.scrollIntoView.call(of, options);

/** focus gives an element the keyboard; nothing happens where it cannot have it. */
export function focus(of: Element, options: FocusOptions): void {
  if (of instanceof HTMLElement) H.focus.call(of, options);
  else if (of instanceof SVGElement) of.focus(options);
}

/** labels are the label elements of a control; none for what cannot have any. */
export function labels(of: Element): Iterable<HTMLLabelElement> {
  if (of instanceof HTMLInputElement || of instanceof HTMLTextAreaElement || of instanceof HTMLSelectElement ||
    of instanceof HTMLButtonElement || of instanceof HTMLMeterElement || of instanceof HTMLOutputElement || of instanceof HTMLProgressElement) {
    return of.labels ?? [];
  }
  return [];
}

export const querySelector = (of: Element, selector: string): Element | null => elements.querySelector.call(of, selector);
export const querySelectorAll = (of: Element, selector: string): NodeListOf<Element> => elements.querySelectorAll.call(of, selector);

declare const genuine: unique symbol;

/** Page is the document with the browser's own properties. It is no node: pass `document` where one is needed. */
export type Page = Document & { readonly [genuine]: true };

/** page is the document of this world's window now: an empty window gets another one with its first page. */
export const page = new Proxy(Object.create(null) as Page, {
  get(_, key) {
    const value: unknown = Reflect.get(Document.prototype, key, document);
    return typeof value === "function" ? value.bind(document) : value;
  },
});

/** Root is what has a tree of its own. */
export type Root = Page | ShadowRoot;

/** rootOf returns the document or shadow root el is in; the document for one that is in neither. */
export function rootOf(el: Element): Root {
  const root = getRootNode(el);
  return root instanceof ShadowRoot ? root : page;
}
