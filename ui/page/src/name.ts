// The accessible name of an element: AccName 1.2 with HTML-AAM 1.0. Where the
// specifications leave room, Chromium's choice is ours, so that what an agent
// reads here and what Chromium tells a screen reader are the same words.

import { flatChildren, scopeOf, shadowOf } from "./dom";
import { ownedBy, isOwned } from "./owns";
import { isSummary, roleOf } from "./role";
import { generatedText, note, traits } from "./styles";
import { valueText } from "./value";

// Where a name came from.
export const enum From {
  nothing,
  author, // aria-label, aria-labelledby, alt, title, a label element ...
  contents, // the element's own text
  placeholder,
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
  if (fromContents.has(role) && !el.hasAttribute("aria-labelledby") && !el.hasAttribute("aria-label")) {
    const only = el.firstChild;
    if (only && !only.nextSibling && only.nodeType === Node.TEXT_NODE && !special.has(el.localName)) {
      const style = traits();
      if (!style.generated && !style.transform && !style.skipped && !shadowOf(el)) {
        const name = collapse((only as Text).data);
        if (name) return { name, from: From.contents };
      }
    }
  }
  const walk: Walk = { target: el, visited: new Set(), labelling: false, unhidden: false, from: From.nothing };
  const name = collapse(alternative(el, role, walk, false));
  return { name, from: name === "" ? From.nothing : walk.from };
}

/** collapse is how every text is shown: runs of white space become one space, invisible characters go. */
export function collapse(text: string): string {
  if (!/[^\x21-\x7e]/.test(text)) return text;
  return text.replace(invisible, "").replace(/[\s\u00a0]+/g, " ").trim();
}

const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u0000-\u0008\u000e-\u001f\u007f]/g;

// Elements whose native name does not come from their text alone.
const special = new Set(["input", "select", "textarea", "fieldset", "table", "figure", "details", "option", "optgroup", "svg"]);

interface Walk {
  target: Element;
  visited: Set<Element>;
  labelling: boolean; // below an aria-labelledby reference, which is followed only once
  unhidden: boolean; // a hidden element was referred to: its hidden contents count
  from: From;
}

// Roles named by their contents (WAI-ARIA 1.2, 5.2.8.4, with Chromium's additions).
const fromContents = new Set([
  "button", "cell", "checkbox", "columnheader", "DisclosureTriangle", "doc-backlink", "doc-biblioref", "doc-glossref",
  "doc-noteref", "gridcell", "heading", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio",
  "rowheader", "switch", "tab", "tooltip", "treeitem",
]);

// Roles whose contents are not part of a name around them: they are widgets or
// regions of their own.
const opaque = new Set([
  "alertdialog", "Audio", "dialog", "grid", "Iframe", "listbox", "log", "menu", "menubar", "radiogroup", "scrollbar",
  "searchbox", "slider", "spinbutton", "tablist", "textbox", "tree", "treegrid", "Video", "combobox", "EmbeddedObject",
  "PluginObject", "progressbar", "meter",
]);

function alternative(el: Element, role: string, walk: Walk, recursive: boolean): string {
  const labelling = walk.labelling;
  if (!labelling && el.hasAttribute("aria-labelledby")) {
    const text = labelledBy(el, walk);
    if (text) {
      walk.from = From.author;
      return text;
    }
  }
  if (recursive && el !== walk.target) {
    const value = embedded(el, role, walk);
    if (value !== undefined) {
      walk.from = From.author;
      return value;
    }
  }
  if (el.hasAttributes()) {
    const label = el.getAttribute("aria-label");
    if (label && label.trim() !== "") {
      walk.from = From.author;
      return label;
    }
  }
  if (walk.visited.has(el)) return "";
  walk.visited.add(el);
  if (role !== "none" || el.localName === "img") {
    const text = native(el, role, walk);
    if (text !== undefined && text.trim() !== "") return text;
    if (text !== undefined && el.localName === "img") return "";
  }
  if (recursive ? !opaque.has(role) || walk.labelling : fromContents.has(role) || (role === "row" && inGrid(el))) {
    const text = contents(el, walk);
    if (text.trim() !== "") {
      walk.from = From.contents;
      return text;
    }
  }
  return tooltip(el, role, walk);
}

function tooltip(el: Element, role: string, walk: Walk): string {
  const title = el.hasAttributes() ? el.getAttribute("title") : null;
  if (title && title.trim() !== "" && role !== "none") {
    walk.from = From.author;
    return title;
  }
  const hint = placeholder(el);
  if (hint) walk.from = From.placeholder;
  return hint;
}

function placeholder(el: Element): string {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) {
    const hint = el.getAttribute("placeholder");
    if (hint && hint.trim() !== "") return hint;
  }
  return el.getAttribute("aria-placeholder") ?? "";
}

function inGrid(row: Element): boolean {
  const role = row.closest("table,[role]:not([role=row],[role=rowgroup],[role=none],[role=presentation])");
  return role?.matches("[role=grid],[role=treegrid]") ?? false;
}

function labelledBy(el: Element, walk: Walk): string {
  const parts: string[] = [];
  for (const target of references(el, "aria-labelledby", "ariaLabelledByElements")) {
    const inner: Walk = {
      target: walk.target,
      visited: walk.visited.has(target) && target !== walk.target ? new Set(walk.visited) : walk.visited,
      labelling: true,
      unhidden: walk.unhidden || isHidden(target),
      from: From.nothing,
    };
    inner.visited.delete(target);
    const text = alternative(target, roleOf(target), inner, true);
    if (text.trim() !== "") parts.push(text);
  }
  return parts.join(" ");
}

/** references resolves an attribute that lists ids, or the elements set by script in its place. */
export function references(el: Element, attribute: string, property: string): Element[] {
  const ids = el.getAttribute(attribute);
  if (ids === null) return [];
  if (ids.trim() === "") return [...(((el as unknown as Record<string, unknown>)[property] as Element[] | null) ?? [])];
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
      if (walk.labelling && walk.visited.has(el)) return "";
      return valueText(el, role);
  }
  return undefined;
}

// native is step 2D: what the markup language itself provides. undefined means
// that the element has no such source.
function native(el: Element, role: string, walk: Walk): string | undefined {
  const author = (text: string | null | undefined): string | undefined => {
    if (text && text.trim() !== "") {
      walk.from = From.author;
      return text;
    }
    return undefined;
  };
  switch (el.localName) {
    case "input":
      return author(nativeInput(el as HTMLInputElement, walk));
    case "button":
    case "meter":
    case "output":
    case "progress":
    case "select":
    case "textarea":
      return author(fromLabels(el as HTMLInputElement, walk));
    case "img":
    case "area": {
      const alt = el.getAttribute("alt");
      return alt === null ? undefined : (author(alt) ?? "");
    }
    case "iframe":
    case "frame":
      return author(el.getAttribute("title"));
    case "fieldset":
      return author(fromChild(el, "legend", walk));
    case "figure":
      return author(fromChild(el, "figcaption", walk));
    case "table":
      return author(fromChild(el, "caption", walk)) ?? author(el.getAttribute("title")) ?? author(el.getAttribute("summary"));
    case "optgroup":
      return author(el.getAttribute("label"));
    case "option":
      return author(el.getAttribute("label"));
    case "details":
      return undefined;
    case "svg":
    case "g":
    case "path":
    case "rect":
    case "circle":
    case "a":
      if (el.namespaceURI === "http://www.w3.org/2000/svg") {
        const title = el.querySelector(":scope > title");
        return author(title?.textContent) ?? author(el.getAttributeNS("http://www.w3.org/1999/xlink", "title"));
      }
  }
  if (role === "none") return undefined;
  return undefined;
}

function nativeInput(el: HTMLInputElement, walk: Walk): string | undefined {
  switch (el.type) {
    case "button":
    case "submit":
    case "reset": {
      const label = fromLabels(el, walk);
      if (label) return label;
      if (el.value.trim() !== "") return el.value;
      if (el.type === "button") return undefined;
      return el.type === "submit" ? "Submit" : "Reset";
    }
    case "image": {
      const label = fromLabels(el, walk);
      if (label) return label;
      return el.getAttribute("alt") || el.getAttribute("value") || el.getAttribute("title") || "Submit";
    }
    case "file": {
      const chosen = el.files && el.files.length > 0 ? [...el.files].map((file) => file.name).join(", ") : "No file chosen";
      const label = fromLabels(el, walk) || el.title;
      return label ? label : `Choose File: ${chosen}`;
    }
  }
  return fromLabels(el, walk);
}

function fromLabels(el: HTMLInputElement, walk: Walk): string | undefined {
  const labels = el.labels;
  if (!labels || labels.length === 0) return undefined;
  const parts: string[] = [];
  for (const label of labels) {
    const inner: Walk = { ...walk, visited: walk.visited, unhidden: walk.unhidden || isHidden(label) };
    const text = alternative(label, roleOf(label), inner, true);
    if (text.trim() !== "") parts.push(text);
  }
  return parts.join(" ");
}

function fromChild(el: Element, name: string, walk: Walk): string | undefined {
  for (let child = el.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName === name) return alternative(child, roleOf(child), { ...walk }, true);
  }
  return undefined;
}

/** isHidden reports whether el is not rendered, or taken out by aria-hidden on itself. */
export function isHidden(el: Element): boolean {
  return !el.checkVisibility({ visibilityProperty: true }) && getComputedStyle(el).display !== "contents";
}

// One contribution to a text: what it says and how it stands beside its neighbours.
const enum Flow {
  inline,
  apart, // a block, a control, or a text that stands for a picture: separated by a space
}

/** contents is steps 2F and 2H: the text of the children, in reading order. */
function contents(el: Element, walk: Walk): string {
  const root = shadowOf(el);
  if (root) note(root);
  const style = traits();
  let text = "";
  let before = Flow.inline;
  let started = false;
  const join = (part: string, flow: Flow): void => {
    if (part === "") {
      if (flow === Flow.apart && started) before = Flow.apart;
      return;
    }
    if (started && (flow === Flow.apart || before === Flow.apart) && !/\s$/.test(text) && !/^\s/.test(part)) text += " ";
    text += part;
    before = flow;
    started = true;
  };
  if (style.generated) {
    const made = generatedText(el, "::before");
    if (made) join(made.text, made.block ? Flow.apart : Flow.inline);
  }
  const childNodes = flatChildren(el);
  const alone = !root && !el.firstChild?.nextSibling;
  for (const node of childNodes) {
    if (node.nodeType === Node.TEXT_NODE) join(textOf(node as Text, el, walk), Flow.inline);
    else if (node.nodeType === Node.ELEMENT_NODE) {
      if (isOwned(node as Element)) continue;
      const child = node as Element;
      const part = child.localName === "br" ? "\n" : fromChildElement(child, walk);
      join(part, alone || part === "\n" ? Flow.inline : flowOf(child, walk));
    }
  }
  for (const owned of ownedBy(el)) join(fromChildElement(owned, walk), Flow.apart);
  if (style.generated) {
    const made = generatedText(el, "::after");
    if (made) join(made.text, made.block ? Flow.apart : Flow.inline);
  }
  return text;
}

function fromChildElement(child: Element, walk: Walk): string {
  if (unread.has(child.localName)) return "";
  if (!walk.unhidden) {
    if (!child.checkVisibility({ visibilityProperty: true })) {
      const display = getComputedStyle(child);
      if (display.display === "none") return "";
      if (display.display !== "contents" && display.visibility === "visible") return "";
    }
  }
  if (child.hasAttributes() && child.getAttribute("aria-hidden") === "true") return "";
  walk.from = From.contents;
  return alternative(child, roleOf(child), walk, true);
}

const unread = new Set(["script", "style", "template", "noscript", "head", "title", "meta", "link", "desc", "defs", "metadata"]);

function flowOf(child: Element, walk: Walk): Flow {
  if (walk.from === From.author || walk.from === From.placeholder) return Flow.apart;
  if (inlineControls.has(child.localName)) return Flow.apart;
  const display = getComputedStyle(child).display;
  return display.startsWith("inline") || display === "ruby" ? Flow.inline : Flow.apart;
}

const inlineControls = new Set(["button", "input", "select", "textarea"]);

function textOf(node: Text, parent: Element, walk: Walk): string {
  const text = node.data;
  if (walk.unhidden || text.trim() === "") return text;
  const style = traits();
  if (style.skipped && getComputedStyle(parent).contentVisibility === "hidden") return "";
  if (!parent.checkVisibility({ visibilityProperty: true })) {
    const computed = getComputedStyle(parent);
    if (computed.visibility !== "visible") return "";
  }
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
  const lang = el.closest("[lang]")?.getAttribute("lang") || undefined;
  try {
    if (lang) Intl.getCanonicalLocales(lang);
  } catch {
    return undefined; // not a language tag
  }
  return lang;
}

/** summaryText reports the words a details element shows when closed. */
export function isNamedByContents(role: string): boolean {
  return fromContents.has(role);
}

export { isSummary };
