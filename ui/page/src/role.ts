// The role of an element: WAI-ARIA 1.2 for the role attribute, HTML-AAM 1.0 for
// the elements of HTML. Roles are spelled as Chromium's accessibility tree does,
// which is what agents know: ARIA names where ARIA has one, else Chromium's own
// (LabelText, DisclosureTriangle, StaticText, Iframe).

import { flatParent, isMasked, scopeOf } from "./dom";
import { ownerOf } from "./owns";

// Every role an author may write; abstract roles are not among them.
const authored = new Set(
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
  if (isMasked(el)) return "form";
  if (el.hasAttribute("role")) {
    const role = authoredRole(el);
    if (role) return role;
  }
  return nativeRole(el);
}

function authoredRole(el: Element): string | undefined {
  for (const token of (el.getAttribute("role") as string).toLowerCase().split(/\s+/)) {
    if (!authored.has(token)) continue;
    if (token === "none" || token === "presentation") {
      if (!mayBePresentational(el)) return undefined;
      return "none";
    }
    if ((token === "region" || token === "form") && !hasLabel(el)) continue;
    if (lacksContext(el, token)) continue;
    if (token === "img") return "image";
    if (token === "directory") return "list";
    return token;
  }
  return undefined;
}

// A role that means something only inside another one is nothing outside of it (WAI-ARIA 1.2, "Required Accessibility
// Parent Role").
function lacksContext(el: Element, role: string): boolean {
  switch (role) {
    case "option":
      return !within(el, "listbox", "combobox");
    case "treeitem":
      return !within(el, "tree", "treeitem");
  }
  return false;
}

function within(el: Element, one: string, other: string): boolean {
  for (let at = parentOf(el); at; at = parentOf(at)) {
    const role = roleOf(at);
    if (role === one || role === other) return true;
    if (role !== "generic" && role !== "none" && role !== "group") return false;
  }
  return false;
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
  return !globals.some((name) => el.hasAttribute(name) && name !== "aria-hidden");
}

/** isFocusable reports whether el can take the focus by itself: natively, by tabindex, or by being editable. */
export function isFocusable(el: Element): boolean {
  if (el.hasAttribute("tabindex") && Number.isInteger(parseInt(el.getAttribute("tabindex") ?? "", 10))) return true;
  switch (el.localName) {
    case "a":
    case "area":
      return el.hasAttribute("href") || el.hasAttributeNS("http://www.w3.org/1999/xlink", "href");
    case "button":
    case "input":
    case "select":
    case "textarea":
      return !el.matches(":disabled");
    case "iframe":
    case "embed":
    case "object":
      return true;
    case "summary":
      return isSummary(el);
    case "audio":
    case "video":
      return el.hasAttribute("controls");
  }
  return isEditingHost(el);
}

/** isEditingHost reports whether el itself, not an ancestor, makes its text editable. */
export function isEditingHost(el: Element): boolean {
  if (!el.hasAttribute("contenteditable")) return false;
  const value = (el.getAttribute("contenteditable") as string).toLowerCase();
  return value === "" || value === "true" || value === "plaintext-only";
}

/** isSummary reports whether el is the summary that opens its details. */
export function isSummary(el: Element): boolean {
  const details = el.parentElement;
  if (details?.localName !== "details") return false;
  for (let child = details.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName === "summary") return child === el;
  }
  return false;
}

// hasLabel reports whether the author named el by attributes.
function hasLabel(el: Element): boolean {
  if (el.getAttribute("aria-label")?.trim()) return true;
  if (el.getAttribute("title")?.trim()) return true;
  const ids = el.getAttribute("aria-labelledby");
  if (!ids) return false;
  const scope = scopeOf(el);
  return ids.split(/\s+/).some((id) => id !== "" && scope.getElementById(id));
}

const html = "http://www.w3.org/1999/xhtml";

function nativeRole(el: Element): string {
  if (el.namespaceURI !== html) return foreignRole(el);
  switch (el.localName) {
    case "a":
      return el.hasAttribute("href") || el.hasAttribute("onclick") ? "link" : "generic";
    case "abbr":
    case "acronym":
      return "Abbr";
    case "address":
      return "group";
    case "area":
      return el.hasAttribute("href") ? "link" : "generic";
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
    case "pre":
      return "Pre";
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
      return el.parentElement?.hasAttribute("name") ? "DisclosureTriangleGrouped" : "DisclosureTriangle";
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
    if (isMasked(at)) continue;
    if (names.has(at.localName)) {
      if (!at.hasAttribute("role")) return true;
    }
    if (at.hasAttribute("role") && sectioningRoles.has(at.getAttribute("role") ?? "")) return true;
  }
  return false;
}

function inDescriptionList(el: Element): boolean {
  const parent = el.parentElement?.localName === "div" ? el.parentElement.parentElement : el.parentElement;
  return parent?.localName === "dl";
}

function imageRole(el: Element): string {
  if (el.getAttribute("alt") === "" && !el.hasAttribute("tabindex")) {
    return globals.some((name) => name !== "aria-hidden" && el.hasAttribute(name)) ? "image" : "none";
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

function listItemRole(el: Element): string {
  const parent = flatParent(el);
  if (!parent) return "listitem";
  const role = roleOf(parent);
  if (role === "list") return "listitem";
  return role === "none" ? "none" : "listitem";
}

// A table's parts mean nothing without the table, and turn into grid parts in a grid.
function tableRole(el: Element): string {
  const table = el.localName === "table" ? el : el.closest("table");
  const kind = table?.hasAttribute("role") ? roleOfTable(table) : "table";
  if (table && kind === "table" && isLayout(table as HTMLTableElement)) return el === table ? "LayoutTable" : layoutPart(el);
  if (el === table) return kind;
  if (kind !== "table" && kind !== "grid" && kind !== "treegrid") return kind === "none" ? "none" : "generic";
  switch (el.localName) {
    case "tr":
      return "row";
    case "tbody":
    case "tfoot":
    case "thead":
      return "rowgroup";
    case "td":
      return kind === "table" ? "cell" : "gridcell";
  }
  return headerRole(el as HTMLTableCellElement, kind);
}

// isLayout guesses whether a table only arranges things: nothing in it speaks of data.
function isLayout(table: HTMLTableElement): boolean {
  if (table.hasAttribute("role") || table.summary || table.caption || table.tHead || table.tFoot || parseInt(table.border, 10) > 0) return false;
  if (table.rows.length >= 20) return false;
  return !table.querySelector(":scope > colgroup, :scope > col, :scope > * > tr > :is(th, [headers], [scope], [abbr])");
}

function layoutPart(el: Element): string {
  switch (el.localName) {
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

function headerRole(th: HTMLTableCellElement, kind: string): string {
  switch (th.scope) {
    case "col":
    case "colgroup":
      return "columnheader";
    case "row":
    case "rowgroup":
      return "rowheader";
  }
  const row = th.parentElement;
  if (row?.parentElement?.localName === "thead") return "columnheader";
  if (row && [...row.children].every((cell) => cell.localName === "th")) return "columnheader";
  return th.cellIndex === 0 || kind === "" ? "rowheader" : "columnheader";
}

function foreignRole(el: Element): string {
  switch (el.localName) {
    case "svg":
      return "SvgRoot";
    case "a":
      return el.hasAttribute("href") || el.hasAttributeNS("http://www.w3.org/1999/xlink", "href") ? "link" : "generic";
    case "image":
      return "image";
    case "math":
      return "MathMLMath";
    case "g":
    case "path":
    case "rect":
    case "circle":
    case "ellipse":
    case "line":
    case "polygon":
    case "polyline":
    case "use":
      return el.querySelector(":scope > title") || el.hasAttribute("aria-label") ? "image" : "generic";
  }
  return "generic";
}
