// What the agent sees of one frame: one walk over the flat tree, one string out.

import { find, firstChild, flatChildren, flatContains, flatParent, isMasked, nextSibling, nodeType, page, shadowOf, suspect, visible } from "./dom";
import { collapse, contributes, From, naming, transformed } from "./name";
import { isOwned, noteScope, ownedBy } from "./owns";
import { departed, byId, idOf } from "./refs";
import { isEditingHost, roleOf } from "./role";
import { statesOf } from "./state";
import { note, traits } from "./styles";
import { valueText } from "./value";
import { focused, weigh } from "./weigh";

export interface SnapshotOptions {
  interactive?: boolean; // only elements that carry a local id
  urls?: boolean; // targets of links
  root?: number | string; // local id or CSS selector: only that element and what is below it
  weigh?: boolean; // what tells how much a line matters
  title?: boolean; // tell it in the header
}

// Always worth a ref: an agent can act on them.
const actionable = new Set([
  "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio",
  "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem", "Iframe",
  "ColorWell", "Date", "DateTime", "InputTime", "DisclosureTriangle", "DisclosureTriangleGrouped",
]);

// Worth a ref if they have a name: an agent reads them and scopes by them.
const landmarks = new Set([
  "heading", "cell", "gridcell", "columnheader", "rowheader", "listitem", "article", "region", "main", "navigation",
]);

// Inline semantics that would break a sentence into pieces: their text joins the text around them.
const inlineText = new Set([
  "generic", "none", "Abbr", "code", "deletion", "emphasis", "insertion", "mark", "strong", "subscript", "superscript", "term", "time",
]);

const mostSuspects = 400; // asking about one costs a tenth of a millisecond; the rest is asked about next time
const deepest = 2500; // nested elements; the recursion below must fit the stack

class Walk {
  readonly lines: string[] = [];
  suspects: Element[] = [];
  text = ""; // static text not written yet
  textDepth = 0;
  textMarks = "";
  readonly focus: Element | null;
  readonly modal: Set<Element> | undefined; // the modal dialog and everything around it
  readonly dialog: Element | undefined;
  readonly hasInert: boolean;

  constructor(readonly options: SnapshotOptions) {
    this.dialog = topModal();
    if (this.dialog) {
      this.modal = new Set();
      for (let at: Element | null = this.dialog; at; at = flatParent(at)) this.modal.add(at);
    }
    this.hasInert = true;
    this.focus = options.weigh ? focused() : null;
  }

  flushText(): void {
    if (this.text === "") return;
    const text = collapse(this.text);
    this.text = "";
    if (text !== "") this.lines.push(`${this.textDepth}${this.textMarks}\tStaticText\t\t${text}`);
  }

  write(depth: number, level: number, fields: string, marks = ""): void {
    this.flushText();
    this.lines.push(level === depth || !this.options.interactive ? `${depth}${marks}\t${fields}` : `${depth}/${level}${marks}\t${fields}`);
  }

  beginText(depth: number, parent: Element): void {
    if (this.text !== "") return;
    this.textDepth = depth;
    if (this.options.weigh) this.textMarks = weigh(parent, "StaticText", null, false, true);
  }
}

// What an element passes on to those inside it.
interface Inside {
  depth: number; // lines written around it
  level: number; // elements with a meaning around it
  nesting: number;
  pointer: boolean; // the cursor is a pointer already
  said: boolean; // the text is part of a name written above
  rendered: boolean; // false below a canvas: alternatives are not rendered, but told
}

let waiting: Element[] = [];

/** suspects returns the elements the last snapshot thinks may have closed shadow roots. */
export function suspects(): Element[] {
  const found = waiting;
  waiting = [];
  return found;
}

/**
 * snapshot describes the frame. The answer is lines: a header, then one line for
 * each node in reading order, fields separated by tabs, empty ones at the end
 * left out:
 *
 *	usher1 TAB url TAB number of suspects TAB local ids that departed, by commas [TAB title, if asked for]
 *	depth[/level][marks] TAB role TAB local id TAB name TAB states TAB value TAB url TAB kind TAB hints TAB label
 *
 * depth counts the lines written around a node, level the elements with a meaning around it, given where it differs and
 * not every element is told. marks are there if asked for, see weigh. In values, tabs and line ends are written \t and \n, backslashes \\. Or a
 * single line: "!" TAB code TAB message.
 */
export function snapshot(options: SnapshotOptions): string {
  const walk = new Walk(options);
  const top: Inside = { depth: 0, level: 0, nesting: 0, pointer: false, said: false, rendered: true };
  let gone = "";
  if (options.root === undefined) {
    if (page.documentElement) element(walk, page.documentElement, top);
    gone = departed().join(",");
  } else {
    const root = rootOf(options.root);
    if (typeof root === "string") return root;
    const parent = flatParent(root);
    if (parent) top.pointer = getComputedStyle(parent).cursor === "pointer";
    if (!hiddenAbove(walk, root)) element(walk, root, top);
  }
  walk.flushText();
  waiting = walk.suspects;
  let header = `usher1\t${escape(location.href)}\t${walk.suspects.length}\t${gone}`;
  if (options.title) header += `\t${escape(page.title)}`;
  return walk.lines.length === 0 ? header : `${header}\n${walk.lines.join("\n")}`;
}

function rootOf(root: number | string): Element | string {
  if (typeof root === "number") {
    const el = byId(root);
    return el?.isConnected ? el : `!\tstale_ref\tthe element is gone from the page`;
  }
  try {
    return find(root) ?? `!\telement_not_found\tnothing matches the selector`;
  } catch {
    return `!\tinvalid_selector\tthe browser does not understand the selector`;
  }
}

function hiddenAbove(walk: Walk, root: Element): boolean {
  if (walk.modal && !walk.modal.has(root) && !flatContains(walk.dialog as Element, root)) return true;
  for (let at = flatParent(root); at; at = flatParent(at)) if (isSilenced(at)) return true;
  return false;
}

// The dialog or full-screen element that makes everything else inert.
function topModal(): Element | undefined {
  const full = page.fullscreenElement;
  const modals = page.querySelectorAll("dialog:modal");
  if (modals.length === 0) return full ?? undefined;
  if (modals.length === 1) return modals[0];
  // The top layer has an order scripts cannot ask for; what is in the middle of
  // the last opened dialog shows which one lies on top.
  for (const modal of [...modals].reverse()) {
    const box = modal.getBoundingClientRect();
    const hit = page.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (hit && modal.contains(hit)) return modal;
  }
  return modals[modals.length - 1];
}

function isSilenced(el: Element): boolean {
  if (isMasked(el)) return false;
  if (!el.hasAttributes()) return false;
  if (el.hasAttribute("inert")) return true;
  if (el.getAttribute("aria-hidden") !== "true") return false;
  if (el === page.documentElement || el === page.body) return false;
  return true;
}

const unread = new Set(["script", "style", "template", "noscript", "head", "meta", "link", "base", "param", "source", "track", "col", "colgroup"]);

function element(walk: Walk, el: Element, inside: Inside): void {
  if (isMasked(el)) return maskedForm(walk, el, inside);
  const name = el.localName;
  if (unread.has(name) || inside.nesting > deepest) return;
  let { depth, level } = inside;
  let shown = true; // false for visibility: hidden, which a child can undo
  if (walk.modal?.has(el) && el !== walk.dialog) {
    // Around the modal dialog: nothing here but the way to it.
    return children(walk, el, { ...inside, said: true, nesting: inside.nesting + 1 }, false, true);
  }
  if (isSilenced(el)) return;
  if (inside.rendered && !el.checkVisibility(visible)) {
    if (name === "area") return; // told with the picture it belongs to
    const style = getComputedStyle(el);
    if (style.display === "none") return;
    if (style.display !== "contents" && style.visibility === "visible") return; // content-visibility, closed details
    if (style.visibility !== "visible") shown = false;
  }
  let role = roleOf(el);
  if (role.startsWith("LayoutTable")) role = "generic";
  let pointer = inside.pointer;
  let said = inside.said;
  if (shown) {
    let kind = "";
    let hints = "";
    let proxied: string | undefined;
    if (name === "label") {
      proxied = hiddenControl(el as HTMLLabelElement);
      if (proxied) role = proxied;
    }
    const acts = actionable.has(role);
    const cursor = inside.rendered && !acts && name !== "body" && name !== "html" ? getComputedStyle(el).cursor === "pointer" : false;
    if (!acts) {
      if (cursor && !inside.pointer && !(name === "label" && (el as HTMLLabelElement).control)) hints = "cursor:pointer";
      if (el.hasAttributes()) {
        if (el.hasAttribute("onclick")) hints = hints === "" ? "onclick" : `${hints}, onclick`;
        if (hints !== "") kind = "clickable";
        const tabindex = el.getAttribute("tabindex");
        if (tabindex !== null && tabindex.trim() !== "-1" && Number.isInteger(parseInt(tabindex, 10))) {
          hints = hints === "" ? "tabindex" : `${hints}, tabindex`;
          kind ||= "focusable";
        }
        if (isEditingHost(el)) {
          hints = hints === "" ? "contenteditable" : `${hints}, contenteditable`;
          kind = "editable";
        }
      }
      if (kind !== "" && (name === "body" || name === "html" || isEmpty(el))) {
        kind = "";
        hints = "";
      }
      pointer = cursor;
    } else {
      pointer = true;
    }
    const spoken = isSpokenElsewhere(el, name);
    if (spoken) said = true;
    const pictured = said && kind === "" && (role === "image" || role === "SvgRoot"); // its words are in a name already
    const silent = spoken || pictured || role === "generic" || role === "none" || (inlineText.has(role) && kind === "");
    if (!silent || kind !== "") {
      const wanted = acts || kind !== "" || landmarks.has(role);
      if (wanted || !walk.options.interactive) {
        const named = proxied ? { name: labelText(el), from: From.contents } : naming(el, role);
        const ref = acts || kind !== "" || (landmarks.has(role) && named.name !== "");
        if (ref || !walk.options.interactive) {
          let text = named.name;
          let from = named.from;
          if (kind !== "" && text === "") {
            text = shorten(labelText(el));
            from = text.length < 100 && kind !== "editable" ? From.contents : From.nothing;
          }
          if (from === From.contents || tellsValue.has(role)) said = true;
          else if (from === From.author || !contributes(role)) said = false;
          writeElement(walk, el, role, text, depth, level, ref, kind, hints, proxied !== undefined);
          depth++;
        }
      }
      level++;
    } else if (role === "generic" && !walk.options.interactive && name !== "html" && name !== "body" && name !== "slot") {
      if (isBlock(el)) {
        walk.write(depth, level, "generic");
        depth++;
      }
    }
    if (walk.suspects.length < mostSuspects && suspect(el)) walk.suspects.push(el);
  }
  if (el instanceof HTMLSelectElement) {
    for (const option of el.options) writeOption(walk, option, depth, level);
    return;
  }
  if (name === "img") {
    areas(walk, el as HTMLImageElement, { ...inside, depth, level });
    return;
  }
  if (name === "iframe" || name === "frame" || name === "textarea" || name === "input" || name === "video" || name === "audio") return;
  if (name === "svg" && el.childElementCount > 0 && !el.querySelector("a,text,[tabindex],[role],title,foreignObject")) return;
  children(walk, el, { depth, level, nesting: inside.nesting + 1, pointer, said, rendered: inside.rendered && name !== "canvas" }, shown, false);
}

// A form whose own properties cannot be read is told by what is in it.
function maskedForm(walk: Walk, el: Element, inside: Inside): void {
  walk.flushText();
  for (let node = firstChild(el); node; node = nextSibling(node)) {
    if (nodeType(node) === 1) element(walk, node as unknown as Element, { ...inside, nesting: inside.nesting + 1 });
    else if (nodeType(node) === 3 && !inside.said && !walk.options.interactive) {
      walk.beginText(inside.depth, el);
      walk.text += (node as unknown as Text).data;
    }
  }
  walk.flushText();
}

function children(walk: Walk, el: Element, inside: Inside, shown: boolean, onlyWay: boolean): void {
  const root = shadowOf(el);
  if (root) {
    note(root);
    noteScope(root);
  }
  const flow = flowOf(el);
  if (flow === Flow.block) walk.flushText();
  else if (flow === Flow.apart) walk.text += " ";
  const texts = shown && !onlyWay && !inside.said && !walk.options.interactive && inside.rendered;
  const visit = (node: Node): void => {
    const type = nodeType(node);
    if (type === 1) {
      const child = node as Element;
      if ((onlyWay && !walk.modal?.has(child)) || isOwned(child)) return;
      if (child.localName === "br") walk.text += " ";
      else element(walk, child, inside);
    } else if (texts && type === 3) text(walk, node as Text, el, inside.depth);
  };
  // Following siblings is much cheaper than a list of them, and nearly every element has just its own children.
  if (root || el.localName === "slot") for (const node of flatChildren(el)) visit(node);
  else for (let node = firstChild(el); node; node = nextSibling(node)) visit(node);
  for (const owned of ownedBy(el)) if (!onlyWay) element(walk, owned, inside);
  if (flow === Flow.block) walk.flushText();
  else if (flow === Flow.apart) walk.text += " ";
}

function text(walk: Walk, node: Text, parent: Element, depth: number): void {
  let data = node.data;
  const style = traits();
  if (style.skipped && getComputedStyle(parent).contentVisibility === "hidden") return;
  if (style.transform && data.trim() !== "") data = transformed(data, parent);
  walk.beginText(depth, parent);
  walk.text += data;
}

// Elements that end a line of text, by name; others are asked for their display only where it matters.
const inlineTags = new Set([
  "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd", "label",
  "mark", "q", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "slot", "tspan",
]);

// How an element's text goes with the text beside it.
const enum Flow {
  inline, // in the same line, without a gap
  apart, // in the same line, as a box of its own
  block, // in a line of its own
}

function flowOf(el: Element): Flow {
  if (!inlineTags.has(el.localName)) return Flow.block;
  const display = getComputedStyle(el).display;
  if (display === "inline" || display === "contents" || display.startsWith("ruby")) return Flow.inline;
  return display.startsWith("inline") ? Flow.apart : Flow.block;
}

function isBlock(el: Element): boolean {
  return !inlineTags.has(el.localName);
}

function isEmpty(el: Element): boolean {
  const box = el.getBoundingClientRect();
  return box.width === 0 || box.height === 0;
}

// The text of some elements is the name of another one, and told there.
function isSpokenElsewhere(el: Element, name: string): boolean {
  switch (name) {
    case "label": {
      const control = (el as HTMLLabelElement).control;
      return control !== null && !isNamedByAttribute(control) && control.checkVisibility(visible);
    }
    case "caption":
    case "figcaption":
    case "legend": {
      const parent = el.parentElement;
      return parent !== null && captioned.has(parent.localName) && !isNamedByAttribute(parent);
    }
  }
  return false;
}

const captioned = new Set(["fieldset", "figure", "table"]);

function isNamedByAttribute(el: Element): boolean {
  return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby");
}

// Roles whose text is their value, or only shows their state.
const tellsValue = new Set([
  "checkbox", "combobox", "menuitemcheckbox", "menuitemradio", "meter", "option", "progressbar", "radio", "scrollbar", "searchbox",
  "slider", "spinbutton", "switch", "textbox",
]);

// A label of a checkbox or radio button that is not rendered stands for it:
// clicking the label is the only way to it.
function hiddenControl(label: HTMLLabelElement): string | undefined {
  const control = label.control;
  if (!(control instanceof HTMLInputElement) || (control.type !== "checkbox" && control.type !== "radio")) return undefined;
  if (control.checkVisibility(visible)) return undefined;
  return roleOf(control);
}

function labelText(el: Element): string {
  const only = el.firstChild;
  if (only?.nodeType === 3 && !only.nextSibling && !traits().transform) return collapse((only as Text).data);
  return collapse(el instanceof HTMLElement ? el.innerText : (el.textContent ?? ""));
}

function shorten(text: string): string {
  if (text.length <= 100) return text;
  return [...text.slice(0, 101)].slice(0, -1).join("").slice(0, 100);
}

function writeElement(
  walk: Walk, el: Element, role: string, name: string, depth: number, level: number, ref: boolean, kind: string, hints: string, proxied: boolean,
): void {
  const control = proxied ? ((el as HTMLLabelElement).control as Element) : el;
  const states = statesOf(control, role);
  let value = "";
  if (valued.has(role)) {
    value = valueText(el, role);
    if (value === name) value = "";
  }
  const url = walk.options.urls && role === "link" ? linkOf(el) : "";
  let line = `${role}\t${ref ? idOf(el) : ""}\t${name}`;
  const label = ref && name === "" ? labelOf(el) : "";
  if (label !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}\t${label}`;
  else if (hints !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}`;
  else if (url !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}`;
  else if (value !== "") line += `\t${states}\t${escape(value)}`;
  else if (states !== "") line += `\t${states}`;
  walk.write(depth, level, line, walk.options.weigh ? weigh(el, role, walk.focus, actionable.has(role) || kind !== "", ref) : "");
}

// What to call an element without an accessible name: authors often leave a tooltip or placeholder where the rules give
// it no say.
function labelOf(el: Element): string {
  return collapse(el.getAttribute("title") || el.getAttribute("placeholder") || "");
}

const valued = new Set([
  "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "progressbar", "meter", "scrollbar", "button",
  "ColorWell", "Date", "DateTime", "InputTime", "separator",
]);

function linkOf(el: Element): string {
  if (el instanceof HTMLAnchorElement || el instanceof HTMLAreaElement) return el.href;
  if (el instanceof SVGAElement) return new URL(el.href.baseVal, page.baseURI).href;
  return "";
}

function writeOption(walk: Walk, option: HTMLOptionElement, depth: number, level: number): void {
  if (option.hidden || isSilenced(option) || getComputedStyle(option).display === "none") return;
  const role = roleOf(option);
  const named = naming(option, role);
  writeElement(walk, option, role, named.name, depth, level, actionable.has(role), "", "", false);
}

function areas(walk: Walk, image: HTMLImageElement, inside: Inside): void {
  const name = image.useMap.replace(/^#/, "");
  if (name === "" || image.naturalWidth === 0) return; // a picture that is not there has no areas
  const map = [...page.querySelectorAll("map")].find((candidate) => candidate.name === name);
  for (const area of map?.querySelectorAll("area[href]") ?? []) {
    element(walk, area, { ...inside, rendered: false, said: true, nesting: inside.nesting + 1 });
  }
}

function escape(value: string): string {
  if (!/[\\\t\n\r]/.test(value)) return value;
  return value.replace(/\\/g, "\\\\").replace(/\t/g, "\\t").replace(/\r?\n|\r/g, "\\n");
}
