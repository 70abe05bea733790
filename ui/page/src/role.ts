// The role of an element: WAI-ARIA 1.2 for the role attribute, HTML-AAM 1.0 for the elements of HTML. Roles are named
// as in Chromium's accessibility tree, which agents are used to: ARIA names if ARIA has one, else Chromium's own
// (LabelText, DisclosureTriangle, StaticText, Iframe).

import * as safe from "./safe";
import { flatParent, scopeOf } from "./dom";
import { internalsOf } from "./internals";
import { ownerOf } from "./owns";

/** authoredRoles are the roles an author may write; abstract roles are not among them. */
export const authoredRoles = new Set(
  (
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox comment " +
    "complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell " +
    "group heading image img insertion link list listbox listitem log main mark marquee math menu menubar menuitem " +
    "menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup " +
    "region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status " +
    "strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree " +
    "treegrid treeitem doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry " +
    "doc-bibliography doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication " +
    "doc-endnote doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary " +
    "doc-glossref doc-index doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist " +
    "doc-part doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc graphics-document graphics-object " +
    "graphics-symbol"
  ).split(" "),
);

/** roleOf returns the role of el; "generic" if it has none worth a name, "none" if it is presentational. */
export function roleOf(el: Element): string {
  if (safe.hasAttribute(el, "role")) {
    const role = authoredRole(el);
    if (role) return role;
  }
  return internalsOf(el)?.role ?? nativeRole(el);
}

function authoredRole(el: Element): string | undefined {
  for (const token of (safe.getAttribute(el, "role") as string).toLowerCase().split(/\s+/)) {
    if (!authoredRoles.has(token)) continue;
    if (token === "none" || token === "presentation") {
      if (!mayBePresentational(el)) return undefined;
      return "none";
    }
    if ((token === "region" || token === "form") && !hasLabel(el)) continue;
    if (lacksContext(el, token)) continue;
    if (!controls.has(token) && isField(el)) continue;
    if (token === "img") return "image";
    if (token === "directory") return "list";
    return token;
  }
  return undefined;
}

// Roles that a field of a form can have. With any other, such as alert for a field that may be announced, its value and
// that it takes one would be lost.
const controls = new Set(
  (
    "button cell checkbox columnheader combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option progressbar radio rowheader " +
    "scrollbar search searchbox slider spinbutton switch tab textbox treeitem"
  ).split(" "),
);

// isField reports whether el is a field for text or a list of options.
function isField(el: Element): boolean {
  if (!(el instanceof HTMLInputElement)) return el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement;
  return !buttonLike.has(el.type);
}

const buttonLike = new Set(["button", "checkbox", "color", "file", "hidden", "image", "radio", "reset", "submit"]);

// A role that means something only inside another one is nothing outside of it (WAI-ARIA 1.2, "Required Accessibility
// Parent Role").
function lacksContext(el: Element, role: string): boolean {
  switch (role) {
    case "option":
      return !within(el, "listbox", "combobox");
    case "treeitem":
      return !within(el, "tree", "treeitem");
    case "listitem":
      return !hasLabel(el) && !within(el, "list", "directory"); // a name would be lost with the role
  }
  return false;
}

// The result for each element, until the task ends: without it, elements of such a role inside each other would be
// evaluated again and again, twice as often with each level.
let contexts: Map<Element, boolean> | undefined;

function within(el: Element, one: string, other: string): boolean {
  if (!contexts) {
    contexts = new Map();
    queueMicrotask(() => (contexts = undefined));
  }
  let found = contexts.get(el);
  if (found === undefined) contexts.set(el, (found = isWithin(el, one, other)));
  return found;
}

function isWithin(el: Element, one: string, other: string): boolean {
  for (let at = parentOf(el); at; at = parentOf(at)) {
    const role = roleOf(at);
    if (role === one || role === other || (one === "list" && isList(at))) return true;
    if (role !== "generic" && role !== "none" && role !== "group" && !(role === "listitem" && isBare(at))) return false;
  }
  return false;
}

// isBare reports whether the list around an item became something else, of which its own content has the items.
function isBare(el: Element): boolean {
  const list = flatParent(el);
  return safe.localName(el) === "li" && !safe.hasAttribute(el, "role") && list !== null && safe.hasAttribute(list, "role");
}

function parentOf(el: Element): Element | null {
  return ownerOf(el) ?? flatParent(el);
}

// Global properties that keep an element from being presentational (WAI-ARIA 1.2,
// "Presentational Roles Conflict Resolution").
const globals = [
  "aria-atomic", "aria-busy", "aria-controls", "aria-current", "aria-describedby", "aria-details", "aria-dropeffect",
  "aria-flowto", "aria-grabbed", "aria-hidden", "aria-keyshortcuts", "aria-label", "aria-labelledby", "aria-live",
  "aria-owns", "aria-relevant", "aria-roledescription", "aria-braillelabel", "aria-brailleroledescription",
];

function mayBePresentational(el: Element): boolean {
  if (isFocusable(el)) return false;
  return !saysMore(el);
}

// saysMore reports whether an attribute of el would be lost with its role; an empty value does not count.
function saysMore(el: Element): boolean {
  return globals.some((name) => name !== "aria-hidden" && safe.hasAttribute(el, name) && safe.getAttribute(el, name)?.trim() !== "");
}

/** isFocusable reports whether el can take the focus by itself: natively, by tabindex, or by being editable. */
export function isFocusable(el: Element): boolean {
  if (safe.hasAttribute(el, "tabindex") && Number.isInteger(parseInt(safe.getAttribute(el, "tabindex") ?? "", 10))) return true;
  switch (safe.localName(el)) {
    case "a":
    case "area":
      return safe.hasAttribute(el, "href") || safe.hasAttributeNS(el, "http://www.w3.org/1999/xlink", "href");
    case "button":
    case "input":
    case "select":
    case "textarea":
      return !safe.matches(el, ":disabled");
    case "iframe":
    case "embed":
    case "object":
      return true;
    case "summary":
      return isSummary(el);
    case "audio":
    case "video":
      return safe.hasAttribute(el, "controls");
  }
  return isEditingHost(el);
}

/** isEditingHost reports whether el itself, not an ancestor, makes its text editable. */
export function isEditingHost(el: Element): boolean {
  if (!safe.hasAttribute(el, "contenteditable")) return false;
  const value = (safe.getAttribute(el, "contenteditable") as string).toLowerCase();
  return value === "" || value === "true" || value === "plaintext-only";
}

/** isSummary reports whether el is the summary that opens its details. */
export function isSummary(el: Element): boolean {
  const details = safe.parentElement(el);
  if (!details || safe.localName(details) !== "details") return false;
  for (let child = safe.firstElementChild(details); child; child = safe.nextElementSibling(child)) {
    if (safe.localName(child) === "summary") return child === el;
  }
  return false;
}

// hasLabel reports whether the author named el by attributes.
function hasLabel(el: Element): boolean {
  if (safe.getAttribute(el, "aria-label")?.trim()) return true;
  if (safe.getAttribute(el, "title")?.trim()) return true;
  const ids = safe.getAttribute(el, "aria-labelledby");
  if (!ids) return false;
  const scope = scopeOf(el);
  return ids.split(/\s+/).some((id) => id !== "" && scope.getElementById(id));
}

const html = "http://www.w3.org/1999/xhtml";

function nativeRole(el: Element): string {
  if (safe.namespaceURI(el) !== html) return foreignRole(el);
  switch (safe.localName(el)) {
    case "a":
      return safe.hasAttribute(el, "href") || safe.hasAttribute(el, "onclick") ? "link" : "generic";
    case "abbr":
    case "acronym":
      return "Abbr";
    case "address":
      return "group";
    case "area":
      return safe.hasAttribute(el, "href") ? "link" : "generic";
    case "article":
      return "article";
    case "aside":
      return hasLabel(el) || !inside(el, sectioning) ? "complementary" : "generic";
    case "audio":
      return "Audio";
    case "blockquote":
      return "blockquote";
    case "button":
      return "button";
    case "canvas":
      return "Canvas";
    case "caption":
      return "caption";
    case "code":
      return "code";
    case "datalist":
      return "listbox";
    case "dd":
      return inDescriptionList(el) ? "definition" : "generic";
    case "del":
    case "s":
      return "deletion";
    case "details":
    case "hgroup":
      return "group";
    case "dfn":
      return "term";
    case "dialog":
      return "dialog";
    case "dl":
      return "DescriptionList";
    case "dt":
      return inDescriptionList(el) ? "term" : "generic";
    case "em":
      return "emphasis";
    case "embed":
      return "EmbeddedObject";
    case "fieldset":
      return "group";
    case "figcaption":
      return "Figcaption";
    case "figure":
      return "figure";
    case "footer":
      return inside(el, sectioningAndMain) ? "sectionfooter" : "contentinfo";
    case "form":
      return "form";
    case "frame":
    case "iframe":
    case "fencedframe":
      return "Iframe";
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return "heading";
    case "header":
      return inside(el, sectioningAndMain) ? "sectionheader" : "banner";
    case "hr":
      return "separator";
    case "img":
      return imageRole(el);
    case "input":
      return inputRole(el as HTMLInputElement);
    case "ins":
      return "insertion";
    case "label":
      return "LabelText";
    case "legend":
      return "Legend";
    case "li":
      return listItemRole(el);
    case "main":
      return "main";
    case "mark":
      return "mark";
    case "dir":
    case "menu":
    case "ol":
    case "ul":
      return "list";
    case "meter":
      return "meter";
    case "nav":
      return "navigation";
    case "object":
      return "PluginObject";
    case "optgroup":
      return "group";
    case "option":
      return "option";
    case "output":
      return "status";
    case "p":
      return "paragraph";
    case "progress":
      return "progressbar";
    case "search":
      return "search";
    case "section":
      return hasLabel(el) ? "region" : "generic";
    case "select":
      return (el as HTMLSelectElement).multiple || (el as HTMLSelectElement).size > 1 ? "listbox" : "combobox";
    case "strong":
      return "strong";
    case "sub":
      return "subscript";
    case "summary":
      if (!isSummary(el)) return "generic";
      return (safe.parentElement(el) as Element) && safe.hasAttribute(safe.parentElement(el) as Element, "name") ? "DisclosureTriangleGrouped" : "DisclosureTriangle";
    case "sup":
      return "superscript";
    case "table":
    case "tbody":
    case "td":
    case "tfoot":
    case "th":
    case "thead":
    case "tr":
      return tableRole(el);
    case "textarea":
      return "textbox";
    case "time":
      return "time";
    case "video":
      return "Video";
  }
  return "generic";
}

const sectioning = new Set(["article", "aside", "nav", "section"]);
const sectioningAndMain = new Set(["article", "aside", "main", "nav", "section"]);
const sectioningRoles = new Set(["article", "complementary", "main", "navigation", "region"]);

function inside(el: Element, names: Set<string>): boolean {
  for (let at = flatParent(el); at; at = flatParent(at)) {
    if (names.has(safe.localName(at))) {
      if (!safe.hasAttribute(at, "role")) return true;
    }
    if (safe.hasAttribute(at, "role") && sectioningRoles.has(safe.getAttribute(at, "role") ?? "")) return true;
  }
  return false;
}

function inDescriptionList(el: Element): boolean {
  let parent: Element | null = safe.parentElement(el);
  if (parent && safe.localName(parent) === "div") parent = safe.parentElement(parent);
  return parent !== null && safe.localName(parent) === "dl";
}

function imageRole(el: Element): string {
  if (safe.getAttribute(el, "alt") === "" && !safe.hasAttribute(el, "tabindex")) {
    return saysMore(el) ? "image" : "none";
  }
  return "image";
}

function inputRole(el: HTMLInputElement): string {
  switch (el.type) {
    case "button":
    case "image":
    case "reset":
    case "submit":
    case "file":
      return "button";
    case "checkbox":
      return "checkbox";
    case "radio":
      return "radio";
    case "range":
      return "slider";
    case "number":
      return "spinbutton";
    case "color":
      return "ColorWell";
    case "date":
      return "Date";
    case "datetime-local":
    case "month":
    case "week":
      return "DateTime";
    case "time":
      return "InputTime";
    case "hidden":
      return "none";
    case "search":
      return el.hasAttribute("list") ? "combobox" : "searchbox";
  }
  return el.hasAttribute("list") ? "combobox" : "textbox";
}

const lists = new Set(["dir", "menu", "ol", "slot", "ul"]);

// isList reports whether el is written as a list, whatever its role.
function isList(el: Element): boolean {
  return lists.has(safe.localName(el)) && safe.localName(el) !== "slot";
}

function listItemRole(el: Element): string {
  let parent = flatParent(el);
  while (parent && safe.localName(parent) === "li" && !safe.hasAttribute(parent, "role")) parent = flatParent(parent);
  const role = parent ? roleOf(parent) : "generic";
  if (role === "none") return "none";
  // An item of no list has no role; one of a list that became a menu or the like is shown as written.
  return role === "generic" && !(parent && lists.has(safe.localName(parent))) ? "generic" : "listitem";
}

// A table's parts mean nothing without the table, and turn into grid parts in a grid.
function tableRole(el: Element): string {
  const table = safe.localName(el) === "table" ? el : safe.closest(el, "table");
  const kind = table && safe.hasAttribute(table, "role") ? roleOfTable(table) : "table";
  if (table instanceof HTMLTableElement && kind === "table" && isLayout(table)) return el === table ? "LayoutTable" : layoutPart(el);
  if (el === table) return kind;
  if (kind !== "table" && kind !== "grid" && kind !== "treegrid") return kind === "none" ? "none" : "generic";
  switch (safe.localName(el)) {
    case "tr":
      return "row";
    case "tbody":
    case "tfoot":
    case "thead":
      return "rowgroup";
    case "td":
      return kind === "table" ? "cell" : "gridcell";
  }
  return headerRole(el as HTMLTableCellElement);
}

// isLayout guesses whether a table only arranges things: nothing in it indicates data.
function isLayout(table: HTMLTableElement): boolean {
  if (table.hasAttribute("role") || table.summary || table.caption || table.tHead || table.tFoot || parseInt(table.border, 10) > 0) return false;
  if (table.rows.length >= 20) return false;
  return !table.querySelector(":scope > colgroup, :scope > col, :scope > * > tr > :is(th, [headers], [scope], [abbr])");
}

function layoutPart(el: Element): string {
  switch (safe.localName(el)) {
    case "tr":
      return "LayoutTableRow";
    case "td":
    case "th":
      return "LayoutTableCell";
  }
  return "generic";
}

function roleOfTable(table: Element): string {
  return authoredRole(table) ?? "table";
}

function headerRole(th: HTMLTableCellElement): string {
  switch (th.scope) {
    case "col":
    case "colgroup":
      return "columnheader";
    case "row":
    case "rowgroup":
      return "rowheader";
  }
  const row = th.parentElement;
  const group = row && safe.parentElement(row);
  if (group && safe.localName(group) === "thead") return "columnheader";
  if (row && [...safe.children(row)].every((cell) => safe.localName(cell) === "th")) return "columnheader";
  // Among data it is the header of its row, except in the first row: there an empty cell is often in the corner.
  const table = safe.closest(th, "table");
  return th.cellIndex > 0 && table instanceof HTMLTableElement && table.rows[0] === row ? "columnheader" : "rowheader";
}

function foreignRole(el: Element): string {
  switch (safe.localName(el)) {
    case "svg":
      return "SvgRoot";
    case "a":
      return safe.hasAttribute(el, "href") || safe.hasAttributeNS(el, "http://www.w3.org/1999/xlink", "href") ? "link" : "generic";
    case "image":
      return "image";
    case "math":
      return "MathMLMath";
    case "g":
      return safe.hasAttribute(el, "aria-label") || safe.hasAttribute(el, "aria-labelledby") || safe.querySelector(el, ":scope > title") ? "group" : "generic";
    case "path":
    case "rect":
    case "circle":
    case "ellipse":
    case "line":
    case "polygon":
    case "polyline":
    case "use":
      return safe.querySelector(el, ":scope > title") || safe.hasAttribute(el, "aria-label") ? "image" : "generic";
  }
  return "generic";
}
