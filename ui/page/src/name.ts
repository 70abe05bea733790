// The accessible name of an element: AccName 1.2 with HTML-AAM 1.0. Where the specifications allow several results,
// Chromium's is used, so that an agent reads the same names here as a screen reader gets from Chromium.

import * as safe from "./safe";
import { page } from "./safe";
import { flatChildren, scopeOf, shadowOf, visible } from "./dom";
import { internalsOf } from "./internals";
import { ownedBy, isOwned } from "./owns";
import { isSummary, roleOf } from "./role";
import { generatedText, note, traits } from "./styles";
import { valueText } from "./value";

// Where a name came from.
export const enum From {
  nothing,
  author, // aria-label, aria-labelledby, alt, title, a label element ...
  contents, // the element's own text
}

export interface Named {
  name: string;
  from: From;
}

/** nameOf returns the accessible name of el, white space collapsed; empty if it has none. */
export function nameOf(el: Element): string {
  return naming(el, roleOf(el)).name;
}

/** naming is nameOf for an element whose role is known, with the source of the name. */
export function naming(el: Element, role: string): Named {
  // Most elements that are named at all are buttons and links around one piece of text.
  if (fromContents.has(role) && !safe.hasAttribute(el, "aria-labelledby") && !safe.hasAttribute(el, "aria-label") && !safe.hasAttribute(el, "aria-labeledby")) {
    const only = safe.firstChild(el);
    if (only && !safe.nextSibling(only) && safe.nodeType(only) === Node.TEXT_NODE && !special.has(safe.localName(el))) {
      const style = traits();
      if (!style.generated && !style.transform && !style.skipped && !shadowOf(el) && ownedBy(el).length === 0 && !isLabelled(el)) {
        const name = collapse((only as Text).data);
        if (name) return { name, from: From.contents };
      }
    }
  }
  const walk: Walk = { target: el, visited: new Set(), labelling: false, depth: 0, unhidden: false, from: From.nothing };
  const name = collapse(alternative(el, role, walk, false));
  return { name, from: name === "" ? From.nothing : walk.from };
}

/** collapse is how every text is shown: runs of white space become one space; invisible characters go, and those of icon fonts. */
export function collapse(text: string): string {
  if (!/[^\x21-\x7e]/.test(text)) return text;
  return text.replace(invisible, "").replace(/[\s\u00a0\u0085]+/g, " ").trim();
}

const invisible = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u{e0000}-\u{e007f}\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;

// Elements whose native name does not come from their text alone.
const special = new Set(["input", "select", "textarea", "fieldset", "table", "figure", "details", "option", "optgroup", "svg"]);

// Elements inside each other whose text is gathered by the rules; the recursion must fit what the walk leaves of the stack.
const deepest = 300;

interface Walk {
  target: Element;
  visited: Set<Element>;
  labelling: boolean; // below an aria-labelledby reference, which is followed only once
  depth: number; // of elements inside each other
  unhidden: boolean; // a hidden element was referred to: its hidden contents count
  from: From;
}

// Roles named by their contents (WAI-ARIA 1.2, 5.2.8.4, with Chromium's additions).
const fromContents = new Set([
  "button", "cell", "checkbox", "columnheader", "DisclosureTriangle", "DisclosureTriangleGrouped", "doc-backlink", "doc-biblioref", "doc-glossref",
  "doc-noteref", "gridcell", "heading", "link", "math", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio",
  "rowheader", "switch", "tab", "tooltip", "treeitem",
]);

// Roles whose contents are not part of a name around them: containers of much else, and controls, which count with
// their value.
const opaque = new Set(
  (
    "alert alertdialog application Audio article banner blockquote ColorWell combobox comment complementary contentinfo Date " +
    "DateTime dialog document EmbeddedObject feed figure form grid group Iframe image InputTime listbox log main marquee menu " +
    "menubar meter navigation note PluginObject progressbar radiogroup rowgroup scrollbar search searchbox sectionfooter " +
    "sectionheader separator slider spinbutton status suggestion table tablist tabpanel textbox timer toolbar tree " +
    "treegrid Video"
  ).split(" "),
);

/** contributes reports whether the contents of an element with that role are part of a name around it. */
export function contributes(role: string): boolean {
  return !opaque.has(role);
}

function alternative(el: Element, role: string, walk: Walk, recursive: boolean): string {
  if (walk.visited.has(el) && recursive) return "";
  if (!recursive) walk.visited.add(el);
  const own = ownWords(el, role, walk, recursive);
  if (own !== undefined) {
    walk.from = From.author;
    return own;
  }
  walk.visited.add(el);
  if (recursive || fromContents.has(role) || (role === "row" && inGrid(el))) {
    const join = new Joining();
    gather(el, walk, join);
    if (join.text.trim() !== "" || (join.text !== "" && rendersSpace(el))) {
      walk.from = From.contents;
      return join.text;
    }
  }
  return tooltip(el, role, walk) || (headed.has(role) && !recursive ? fromHeading(el, walk) : "");
}

// Roles named by the first heading in them where the author gave no name (WAI-ARIA 1.3, "name from heading"). Articles
// are, too, but there are many of them on a page, and their headings are shown.
const headed = new Set(["alertdialog", "dialog"]);

function fromHeading(el: Element, walk: Walk): string {
  for (const heading of headingsIn(el)) {
    if (!safe.checkVisibility(heading, visible) || safe.closest(heading, "[aria-hidden=true]")) continue;
    const text = alternative(heading, roleOf(heading), walk, true);
    if (text.trim() === "") continue;
    walk.from = From.author;
    return text;
  }
  return "";
}

const headings = "h1,h2,h3,h4,h5,h6,[role=heading]";

// headingsIn returns the headings in el, and then those in what its slots take: a component's dialog is around both.
function* headingsIn(el: Element): Iterable<Element> {
  yield* safe.querySelectorAll(el, headings);
  for (const slot of safe.querySelectorAll(el, "slot")) {
    for (const node of flatChildren(slot)) {
      if (!(node instanceof Element)) continue;
      if (safe.matches(node, headings)) yield node;
      yield* safe.querySelectorAll(node, headings);
    }
  }
}

// ownWords returns the name of an element before its contents are used: steps 2B to 2E. undefined if there is none; an
// empty string is a name, too.
function ownWords(el: Element, role: string, walk: Walk, recursive: boolean): string | undefined {
  const attributes = safe.hasAttributes(el);
  if (attributes && !walk.labelling && (safe.hasAttribute(el, "aria-labelledby") || safe.hasAttribute(el, "aria-labeledby"))) {
    const text = labelledBy(el, walk);
    if (text) return text;
  }
  if (recursive && !walk.visited.has(el)) {
    const value = embedded(el, role, walk);
    if (value !== undefined) return value;
  }
  if (attributes) {
    const label = safe.getAttribute(el, "aria-label");
    if (label && label.trim() !== "") return label;
  }
  const internals = internalsOf(el);
  if (internals?.authored && internals.name !== "") return internals.name;
  return role === "none" ? undefined : native(el, role, walk);
}

function tooltip(el: Element, role: string, walk: Walk): string {
  if (role === "none" && safe.localName(el) === "img") return ""; // a picture without text
  const title = safe.hasAttributes(el) ? safe.getAttribute(el, "title") : null;
  if (title && title.trim() !== "" && (walk.labelling || !nameless.has(role))) {
    walk.from = From.author;
    return title;
  }
  return "";
}

// Roles that may not be named by their author (WAI-ARIA 1.2, "Roles which cannot be named").
const nameless = new Set([
  "caption", "code", "deletion", "emphasis", "generic", "insertion", "none", "paragraph", "strong", "subscript", "superscript",
]);

// Chromium uses white space with a size as the text of an element, and goes no further.
function rendersSpace(el: Element): boolean {
  const range = page.createRange();
  const walker = page.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    range.selectNodeContents(node);
    if (range.getClientRects().length > 0) return true;
  }
  return false;
}

function inGrid(row: Element): boolean {
  const parent = safe.parentElement(row);
  const around = parent && safe.closest(parent, "table,[role]:not([role=rowgroup],[role=group],[role=none],[role=presentation])");
  const role = around && safe.getAttribute(around, "role");
  return role === "grid" || role === "treegrid";
}

// labelling is the attribute that names an element by others: browsers take an old misspelling of it, too.
function labelling(el: Element): string {
  return safe.hasAttribute(el, "aria-labelledby") ? "aria-labelledby" : "aria-labeledby";
}

function labelledBy(el: Element, walk: Walk): string {
  const parts: string[] = [];
  for (const target of references(el, labelling(el), "ariaLabelledByElements")) {
    const inner: Walk = { ...walk, visited: new Set(walk.visited), labelling: true, unhidden: isHidden(target) };
    inner.visited.delete(target);
    if (target === el) inner.visited.add(target);
    const text = target === el ? selfText(el, inner) : alternative(target, roleOf(target), inner, true);
    if (text.trim() !== "") parts.push(text);
    if (el !== walk.target) walk.visited.add(target); // text used as a name is not repeated in its place
  }
  return parts.join(" ");
}

// An element that refers to itself contributes its other name, not its value.
function selfText(el: Element, walk: Walk): string {
  const role = roleOf(el);
  const own = ownWords(el, role, walk, true);
  if (own !== undefined) return own;
  const join = new Joining();
  gather(el, walk, join);
  return join.text.trim() !== "" ? join.text : tooltip(el, role, walk);
}

/** references resolves an attribute that lists ids, or the elements set by script in its place. */
export function references(el: Element, attribute: string, property: string): Element[] {
  const ids = safe.getAttribute(el, attribute);
  if (ids === null) return [];
  if (ids.trim() === "") {
    const set = (el as unknown as Record<string, Element | Element[] | null>)[property];
    return set instanceof Element ? [set] : [...(set ?? [])];
  }
  const scope = scopeOf(el);
  const found: Element[] = [];
  for (const id of ids.split(/\s+/)) {
    const target = id === "" ? null : scope.getElementById(id);
    if (target && !found.includes(target)) found.push(target);
  }
  return found;
}

// embedded is step 2E: a control inside a label counts with its value.
function embedded(el: Element, role: string, walk: Walk): string | undefined {
  switch (role) {
    case "textbox":
    case "searchbox":
    case "combobox":
    case "listbox":
    case "slider":
    case "spinbutton":
    case "scrollbar":
    case "progressbar":
    case "meter":
      if (el === walk.target && !walk.labelling) return "";
      return valueText(el, role);
  }
  return undefined;
}

// native is step 2D: what the markup language itself provides. undefined means that the element has no such source.
function native(el: Element, role: string, walk: Walk): string | undefined {
  if (safe.namespaceURI(el) === svg) return nativeGraphic(el);
  switch (safe.localName(el)) {
    case "input":
      return nativeInput(el as HTMLInputElement, role, walk);
    case "textarea":
      return fromLabels(el as HTMLTextAreaElement, walk) ?? hint(el, role);
    case "button":
    case "meter":
    case "output":
    case "progress":
    case "select":
      return fromLabels(el as HTMLButtonElement, walk);
    case "img":
    case "area":
      return words(safe.getAttribute(el, "alt"));
    case "fieldset":
      return words(fromChild(el, "legend", walk));
    case "figure":
      return el === walk.target && !safe.getAttribute(el, "title")?.trim() ? words(fromChild(el, "figcaption", walk)) : undefined;
    case "table":
      return words(fromChild(el, "caption", walk)) ?? words(safe.getAttribute(el, "summary"));
    case "optgroup":
      return words(safe.getAttribute(el, "label"));
    case "option":
      return words((el as HTMLOptionElement).label);
  }
  return typed.has(role) ? words(safe.getAttribute(el, "aria-placeholder")) : undefined;
}

const svg = "http://www.w3.org/2000/svg";
const typed = new Set(["textbox", "searchbox", "combobox"]);

function words(text: string | null | undefined): string | undefined {
  return text && text.trim() !== "" ? text : undefined;
}

// hint is the last native source of a text field: its title, then its placeholder.
function hint(el: Element, role: string): string | undefined {
  return words(safe.getAttribute(el, "title")) ?? words(safe.getAttribute(el, "placeholder")) ?? (typed.has(role) ? words(safe.getAttribute(el, "aria-placeholder")) : undefined);
}

function nativeInput(el: HTMLInputElement, role: string, walk: Walk): string | undefined {
  const label = fromLabels(el, walk);
  if (label !== undefined) return label;
  switch (el.type) {
    case "button":
    case "submit":
    case "reset":
      if (el.hasAttribute("value")) return el.value;
      if (el.type === "button") return undefined;
      return el.type === "submit" ? "Submit" : "Reset";
    case "image":
      return words(el.getAttribute("alt")) ?? words(el.getAttribute("value")) ?? words(el.getAttribute("title")) ?? "Submit";
    case "file":
      return words(el.title) ?? (el.multiple ? "Choose Files" : "Choose File");
    case "checkbox":
    case "radio":
    case "range":
    case "color":
      return undefined;
  }
  return hint(el, role);
}

function nativeGraphic(el: Element): string | undefined {
  for (let child = safe.firstElementChild(el); child; child = safe.nextElementSibling(child)) {
    if (safe.localName(child) === "title") return words(safe.textContent(child));
  }
  if (safe.localName(el) === "use") {
    const target = (el as SVGUseElement).href.baseVal;
    const symbol = target.startsWith("#") ? scopeOf(el).getElementById(target.slice(1)) : null;
    const title = symbol && safe.querySelector(symbol, ":scope > title");
    return title ? words(safe.textContent(title)) : undefined;
  }
  return safe.localName(el) === "a" ? words(safe.getAttributeNS(el, "http://www.w3.org/1999/xlink", "title")) : undefined;
}

// isLabelled reports whether label elements name a control; most documents have none to look for.
function isLabelled(el: Element): boolean {
  if (safe.localName(el) !== "button" || !traits().labels) return false;
  for (const _ of safe.labels(el)) return true;
  return false;
}

// fromLabels returns the text of the label elements of a control: undefined if it has none, empty if they have no text,
// which for Chromium is a name too: no placeholder replaces it.
function fromLabels(el: HTMLInputElement | HTMLTextAreaElement | HTMLButtonElement, walk: Walk): string | undefined {
  const labels = el.labels;
  if (!labels || labels.length === 0 || el.localName === "option") return undefined;
  const parts: string[] = [];
  for (const label of labels) {
    if (isHidden(label) && !walk.unhidden) continue;
    const text = collapse(alternative(label, roleOf(label), walk, true));
    if (text !== "") parts.push(text);
  }
  return parts.join(" ");
}

function fromChild(el: Element, name: string, walk: Walk): string | undefined {
  for (let child = safe.firstElementChild(el); child; child = safe.nextElementSibling(child)) {
    if (safe.localName(child) === name) return alternative(child, roleOf(child), walk, true);
  }
  return undefined;
}

/** isHidden reports whether el is not rendered, or taken out by aria-hidden on itself. */
export function isHidden(el: Element): boolean {
  if (safe.checkVisibility(el, visible)) return false;
  const style = getComputedStyle(el);
  return style.display !== "contents" || style.visibility !== "visible";
}

// Joining concatenates pieces of text. Pieces in one line of text follow each other directly; blocks, controls and
// replacement texts are separated by a space.
export class Joining {
  text = "";
  private gap = false;

  add(part: string, apart: boolean): void {
    if (part === "") return;
    if ((apart || this.gap) && this.text !== "" && !/\s$/.test(this.text) && !/^\s/.test(part)) this.text += " ";
    this.text += part;
    this.gap = apart;
  }

  apart(): void {
    this.gap = true;
  }
}

// gather is steps 2F and 2H: the text of the children, in reading order.
function gather(el: Element, walk: Walk, join: Joining): void {
  if (walk.depth > deepest) return join.add(el instanceof HTMLElement ? safe.innerText(el) : safe.textContent(el), false);
  walk.depth++;
  gatherChildren(el, walk, join);
  walk.depth--;
}

function gatherChildren(el: Element, walk: Walk, join: Joining): void {
  const root = shadowOf(el);
  if (root) note(root);
  const style = traits();
  if (el instanceof HTMLDetailsElement && !el.open && !walk.unhidden) {
    for (let child = el.firstElementChild; child; child = safe.nextElementSibling(child)) if (isSummary(child)) gatherElement(child, walk, join);
    return;
  }
  const generated = style.generated || safe.localName(el) === "q";
  if (generated) addGenerated(el, "::before", join);
  for (const node of flatChildren(el)) {
    const type = safe.nodeType(node);
    if (type === 3) join.add(textOf(node as Text, el, walk), false);
    else if (type === 1 && !isOwned(node as Element)) gatherElement(node as Element, walk, join);
  }
  for (const owned of ownedBy(el)) {
    join.apart();
    gatherElement(owned, walk, join);
    join.apart();
  }
  if (generated) addGenerated(el, "::after", join);
}

function addGenerated(el: Element, which: "::before" | "::after", join: Joining): void {
  const made = generatedText(el, which);
  if (!made) return;
  if (made.apart) join.apart();
  join.add(made.text, made.apart);
}

function gatherElement(child: Element, walk: Walk, join: Joining): void {
  const name = safe.tag(child);
  if (unread.has(name)) return;
  if (name === "br") return join.add("\n", false);
  let display = "";
  let invisible = false; // only what is made visible in it counts
  if (!walk.unhidden) {
    if (!safe.checkVisibility(child, visible)) {
      const style = getComputedStyle(child);
      display = style.display;
      invisible = style.visibility !== "visible";
      if (display === "none" || (display !== "contents" && style.visibility === "visible")) return;
    }
    if (safe.hasAttributes(child) && safe.getAttribute(child, "aria-hidden") === "true") {
      if (!isInline(display || getComputedStyle(child).display)) join.apart();
      return;
    }
  }
  if (name === "slot" && walk.depth <= deepest) { // it represents its content, whatever its own name
    join.apart();
    gather(child, walk, join);
    return join.apart();
  }
  if (walk.visited.has(child)) {
    if (!isInline(display || getComputedStyle(child).display)) join.apart();
    return;
  }
  if (invisible) return gather(child, walk, join);
  const role = roleOf(child);
  const own = ownWords(child, role, walk, true);
  walk.visited.add(child);
  if (own !== undefined) return join.add(own, true);
  if (opaque.has(role) && name !== "details") return join.add(tooltip(child, role, walk), true);
  const apart = role === "button" || !isInline(display || getComputedStyle(child).display);
  if (apart) join.apart();
  const before = join.text.length;
  gather(child, walk, join);
  if (join.text.slice(before).trim() === "") join.add(tooltip(child, role, walk), true);
  if (apart) join.apart();
}

function isInline(display: string): boolean {
  return display === "inline" || display.startsWith("ruby");
}

const unread = new Set(["script", "style", "template", "noscript", "head", "title", "meta", "link", "desc", "defs", "metadata", "symbol", "rt", "rp"]);

function textOf(node: Text, parent: Element, walk: Walk): string {
  const text = node.data;
  if (walk.unhidden || text.trim() === "") return text;
  const style = traits();
  if (style.skipped && getComputedStyle(parent).contentVisibility === "hidden") return "";
  if (!safe.checkVisibility(parent, visible) && getComputedStyle(parent).visibility !== "visible") return "";
  return style.transform ? transformed(text, parent) : text;
}

/** transformed applies text-transform as the page shows it. */
export function transformed(text: string, parent: Element): string {
  switch (getComputedStyle(parent).textTransform) {
    case "uppercase":
      return text.toLocaleUpperCase(languageOf(parent));
    case "lowercase":
      return text.toLocaleLowerCase(languageOf(parent));
    case "capitalize":
      return text.replace(/(^|[\s\u00a0\-\u2010-\u2015("'“‘/])(\p{L})/gu, (_, lead: string, letter: string) => lead + letter.toLocaleUpperCase());
  }
  return text;
}

function languageOf(el: Element): string | undefined {
  const speaks = safe.closest(el, "[lang]");
  const lang = (speaks && safe.getAttribute(speaks, "lang")) || undefined;
  try {
    if (lang) Intl.getCanonicalLocales(lang);
  } catch {
    return undefined; // not a language tag
  }
  return lang;
}
