// Event delegation: what can be clicked because an ancestor listens for it: the items of a list, the rows of a table,
// similar siblings. A listener does not show which elements it is for, so they are recognised by their form.

import * as safe from "./safe";

/** Delegate is an element that listens for clicks, as those inside of it see it. */
export interface Delegate {
  el: Element;
  type: string; // of event
  list: boolean; // it is a list or a table
  near: boolean; // what is in it is what it is there for
  inItem: boolean; // an item of it is around
}

const lists = new Set(["ul", "ol", "menu", "table", "tbody"]);

/** delegateOf is el as a delegate, given what it listens for. */
export function delegateOf(el: Element, name: string, type: string, pointer: boolean): Delegate | undefined {
  const list = lists.has(name);
  // With the cursor of what can be clicked it is itself what is clicked.
  if ((pointer && !list) || safe.childElementCount(el) === 0) return undefined;
  return { el, type, list, near: list || isSmall(el, 4), inItem: false };
}

// isSmall reports whether el covers no more than a part of the window.
function isSmall(el: Element, part: number): boolean {
  const box = safe.getBoundingClientRect(el);
  return box.width * box.height <= (innerWidth * innerHeight) / part;
}

const controls = "a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=option],[role=menuitem],[role=tab],[contenteditable]";

/** isItem reports whether el looks like an element in a delegate that the delegate listens for. */
export function isItem(el: Element, name: string, delegate: Delegate): boolean {
  if (delegate.inItem && name !== "li") return false;
  if (!isListed(el, name, delegate)) {
    if (never.has(name) || !isOneOf(el, delegate) || safe.querySelector(el, controls) !== null) return false;
    return isSmall(el, 8);
  }
  return isSmall(el, 4) && (safe.querySelector(el, controls) === null || (delegate.list && saysMore(el)));
}

// isListed reports whether el is an item of a list or a row of a table.
function isListed(el: Element, name: string, delegate: Delegate): boolean {
  if (name === "li") return delegate.near || isOneOf(el, delegate);
  if (name !== "tr" || !delegate.list) return false;
  const first = safe.firstElementChild(el);
  return first !== null && !headers(el) && (ownData(el) !== "" || ownData(first) === "");
}

function headers(row: Element): boolean {
  for (let cell = safe.firstElementChild(row); cell; cell = safe.nextElementSibling(cell)) if (safe.localName(cell) !== "th") return false;
  return true;
}

// Parts of a text, and of what is shown in another way.
const never = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "label", "legend", "br", "hr", "dt", "dd", "form", "iframe", "ul", "ol", "dl", "table", "tbody", "thead", "tfoot"]);

// isOneOf reports whether el is one of several similar elements: by data for a script that listens, or right below what
// listens.
function isOneOf(el: Element, delegate: Delegate): boolean {
  const data = ownData(el);
  if (data !== "") return isAmong(el, data) && !holdsSuch(el, data);
  return safe.parentElement(el) === delegate.el && delegate.near && safe.classList(el).length > 0 && areAlike(delegate.el);
}

// isAmong reports whether another element of the kind is beside el, with the same kind of data.
function isAmong(el: Element, data: string): boolean {
  return neighbours(el).some((one) => safe.hasAttribute(one, data) && safe.localName(one) === safe.localName(el));
}

// holdsSuch reports whether el only wraps elements with such data.
function holdsSuch(el: Element, data: string): boolean {
  for (let child = safe.firstElementChild(el); child; child = safe.nextElementSibling(child)) {
    if (safe.hasAttribute(child, data) && isAmong(child, data)) return true;
  }
  return false;
}

// areAlike reports whether el contains only elements of the same class, three at least.
function areAlike(el: Element): boolean {
  const first = safe.firstElementChild(el) as Element;
  if (safe.childElementCount(el) < 3) return false;
  const tokens = [...safe.classList(first)];
  for (let one = safe.firstElementChild(el); one; one = safe.nextElementSibling(one)) {
    if (safe.localName(one) !== safe.localName(first) || !tokens.some((token) => safe.classList(one as Element).contains(token))) return false;
  }
  return true;
}

function neighbours(el: Element): Element[] {
  return [safe.previousElementSibling(el), safe.nextElementSibling(el)].filter((one) => one !== null);
}

// Data that frameworks, tests and measuring write on every element.
const foreign = /^data-(?:v-|s-|astro|react|svelte|test|cy$|qa$|aos|track|analytics|ga-|gtm|darkreader|emotion|styled|hydr|reactid|server|turbo|lang$|theme|sort$)/;

// ownData is the name of an attribute with data of the page's author; empty if there is none.
function ownData(el: Element): string {
  if (!safe.hasAttributes(el)) return "";
  for (const name of safe.attributeNames(el)) if (name.startsWith("data-") && !foreign.test(name)) return name;
  return "";
}

// saysMore reports whether there is text in el beside that of the controls in it.
function saysMore(el: Element): boolean {
  let inside = 0;
  for (const control of safe.querySelectorAll(el, controls)) inside += safe.textContent(control).trim().length;
  return safe.textContent(el).trim().length > inside;
}

const parts = /(?:^|[-_])(?:expand|expander|collapse|collapser|toggle|toggler|twisty|checkbox|close|remove|delete|clear|caret|chevron|arrow)(?:[-_]|$)/i;
const leastPart = 6; // CSS pixels
const mostPart = 40;

/** isPartOfItem reports for a drawing in an item of a delegate whether a class marks it as clickable by itself. */
export function isPartOfItem(el: Element, delegate: Delegate): boolean {
  if (!delegate.inItem || safe.childElementCount(el) > 0 || safe.textContent(el).trim() !== "") return false;
  if (![...safe.classList(el)].some((token) => parts.test(token))) return false;
  const box = safe.getBoundingClientRect(el);
  return Math.min(box.width, box.height) >= leastPart && Math.max(box.width, box.height) <= mostPart && draws(el);
}

// draws reports whether anything is drawn in an element without text.
function draws(el: Element): boolean {
  const style = getComputedStyle(el);
  if (style.backgroundImage !== "none" || style.maskImage !== "none" || style.borderTopWidth !== "0px") return true;
  return ["::before", "::after"].some((part) => !/^(?:none|normal|(["'])\s*\1)$/.test(getComputedStyle(el, part).content));
}

const entries = /(?:^|[-_])(?:item|option|choice|entry)(?:[-_]|$)/i;

/**
 * isEntry reports whether an element in something with the cursor of a press is one of the entries of a list drawn
 * there.
 */
export function isEntry(el: Element): boolean {
  const kind = [...safe.classList(el)].find((token) => entries.test(token));
  if (kind === undefined || safe.querySelector(el, controls) !== null || safe.textContent(el).trim() === "") return false;
  return neighbours(el).some((one) => safe.classList(one).contains(kind) && safe.localName(one) === safe.localName(el));
}
