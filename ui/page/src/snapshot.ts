// What the agent sees of one frame: one walk over the flat tree, one string out.

import * as safe from "./safe";
import { page } from "./safe";
import { delegateIn, isEmpty, learn, learned, listensInside, moreOf, Region, type Ways, waysOf } from "./clickable";
import { isChosen } from "./chosen";
import { flatChildren, flatContains, flatParent, isSilenced, shadowOf, suspect, visible } from "./dom";
import { inertRow } from "./inert";
import { listedInternals, listInternals } from "./internals";
import type { Delegate } from "./items";
import { labelOf } from "./label";
import { collapse, contributes, From, naming, references, transformed } from "./name";
import { Flow, flowOf, isBlock } from "./flow";
import { isAway } from "./away";
import { isOwned, noteScope, ownedBy, ownerOf } from "./owns";
import { textOfDrawing } from "./near";
import { departed, byId, idOf } from "./refs";
import { roleOf } from "./role";
import { first } from "./selector";
import { errorOf, isOpen, statesOf } from "./state";
import { note, traits } from "./styles";
import { cut, Refused } from "./tell";
import { linesOf, opensList, valueText } from "./value";
import { focused, longestName, type Place, placeOf, weigh } from "./weigh";

export interface SnapshotOptions {
  interactive?: boolean; // only elements that carry a local id
  urls?: boolean; // targets of links
  root?: number | string; // local id or CSS selector: only that element and what is below it
  weigh?: boolean; // what tells how much a line matters
  title?: boolean; // tell it in the header
  unfold?: boolean; // the options of closed lists, too
  listening?: string; // which elements listen for what, as learn takes it in
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

// Told with -i, too, although nothing can be done with them: which cells belong together, and what the page reports.
const always = new Set(["alert", "alertdialog", "dialog", "row", "status"]);

// Their words are told, too.
const reports = new Set(["alert", "alertdialog", "status"]);

// Inline semantics that would break a sentence into pieces: their text joins the text around them.
const inlineText = new Set([
  "generic", "none", "Abbr", "code", "deletion", "emphasis", "insertion", "mark", "strong", "subscript", "superscript", "term", "time",
]);

const mostSuspects = 400; // asking about one costs a tenth of a millisecond; the rest is asked about next time
const deepest = 500; // nested elements; the recursion below must fit the stack
const mostOptions = 300; // of one list
const longestText = 10_000; // characters of a text, a value, an address
const longestAddress = 2_000;

// What lies too deep for the recursion is walked when that is over, and told in its place.
interface Deep {
  el: Element;
  inside: Inside;
  lines: (string | Deep)[];
}

class Walk {
  lines: (string | Deep)[] = [];
  readonly deep: Deep[] = [];
  suspects: Element[] = [];
  text = ""; // static text not written yet
  textDepth = 0;
  textMarks = "";
  readonly focus: Element | null; // what has the keyboard
  readonly active: Element | null; // what the keyboard means in it
  readonly modal: Set<Element> | undefined; // the modal dialog and everything around it
  readonly dialog: Element | undefined;
  place: Place = ""; // of what is told next
  root: Element | undefined; // where the walk begins, if not at the top

  constructor(readonly options: SnapshotOptions) {
    this.dialog = topModal();
    if (this.dialog) {
      this.modal = new Set();
      for (let at: Element | null = this.dialog; at; at = flatParent(at)) this.modal.add(at);
    }
    this.focus = focused();
    this.active = this.focus && activeOf(this.focus);
  }

  // comesTo says whether the walk comes to an owner: if not, what it owns is told where it stands.
  comesTo(owner: Element | undefined): boolean {
    if (!owner || (this.dialog && !flatContains(this.dialog, owner))) return false;
    return !this.root || flatContains(this.root, owner);
  }

  flushText(): void {
    if (this.text === "") return;
    const { length } = this.text;
    let text = collapse(length > 4 * longestText ? this.text.slice(0, 4 * longestText) : this.text);
    this.text = "";
    if (text.length > longestText) text = cut(text, longestText, length);
    if (text !== "") this.lines.push(`${this.textDepth}${this.textMarks}\tStaticText\t\t${text}`);
  }

  write(depth: number, level: number, fields: string, marks = ""): void {
    this.flushText();
    this.lines.push(level === depth || !this.options.interactive ? `${depth}${marks}\t${fields}` : `${depth}/${level}${marks}\t${fields}`);
  }

  // fail tells of a part that could not be read, in its place.
  fail(error: unknown, depth: number): void {
    this.text = "";
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.lines.push(`${depth}\t!\t\tpart of the page could not be read: ${collapse(cut(why, 200))}`);
  }

  beginText(depth: number, parent: Element): void {
    if (this.text !== "") return;
    this.textDepth = depth;
    if (this.options.weigh) this.textMarks = weigh(parent, "StaticText", null, false, true, this.place);
  }
}

function activeOf(focus: Element): Element | null {
  return safe.hasAttribute(focus, "aria-activedescendant") ? (references(focus, "aria-activedescendant", "ariaActiveDescendantElement")[0] ?? null) : null;
}

// What an element passes on to those inside it.
interface Inside {
  depth: number; // lines written around it
  level: number; // elements with a meaning around it
  nesting: number;
  region: Region; // something that can be clicked around it
  delegate: Delegate | undefined; // what around it listens for clicks on what is in it
  said: boolean; // the text is part of a name written above
  away: boolean; // where no scrolling shows it
  place: Place;
  words: boolean; // its text is told whatever the options say
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
 *	usher1 TAB url TAB number of suspects[+those whose internals, see listedInternals, are to be asked for] TAB local ids that departed, by commas [TAB title, if asked for [TAB what listens, see learned; ? if it does not fit]]
 *	depth[/level][marks] TAB role, or ! for what could not be read TAB local id TAB name TAB states TAB value TAB url TAB kind TAB hints TAB label
 *
 * depth counts the lines written around a node, level the elements with a meaning around it, given where it differs and
 * not every element is told. kind is as in Ways, or editor for a document that is edited as a whole. marks are there if asked for, see weigh. In values, tabs and line ends are written \t and \n, backslashes \\. Or a
 * single line: "!" TAB code TAB message.
 */
export function snapshot(options: SnapshotOptions): string {
  const unlike = options.listening !== undefined && !learn(options.listening) ? "?" : "";
  const walk = new Walk(options);
  const top: Inside = { depth: 0, level: 0, nesting: 0, region: Region.none, delegate: undefined, said: false, words: false, place: "", away: false, rendered: true };
  let gone = "";
  if (options.root === undefined) {
    if (page.documentElement) part(walk, page.documentElement, top);
    gone = departed().join(",");
  } else {
    const root = rootOf(options.root);
    if (typeof root === "string") return root;
    walk.root = root;
    const parent = flatParent(root);
    if (parent && getComputedStyle(parent).cursor === "pointer") top.region = Region.pointer;
    if (!hiddenAbove(walk, root)) part(walk, root, top);
  }
  walk.flushText();
  const lines = walk.lines;
  descend(walk);
  // A second walk of the same look does not find the suspects of the first again.
  waiting = options.listening === undefined ? walk.suspects : [...waiting, ...walk.suspects];
  const hosts = listedInternals();
  let header = `usher1\t${escape(cut(location.href, longestAddress))}\t${waiting.length}${hosts && `+${hosts}`}\t${gone}`;
  const heard = unlike || learned();
  if (options.title || heard !== "") header += `\t${options.title ? escape(cut(page.title, longestName)) : ""}`;
  if (heard !== "") header += `\t${heard}`;
  return lines.length === 0 ? header : `${header}\n${flat(lines)}`;
}

// part walks an element; what throws costs no more than that element.
function part(walk: Walk, el: Element, inside: Inside): void {
  try {
    element(walk, el, inside);
  } catch (error) {
    failed(walk, el, inside, error);
  }
}

// failed tells of an element that could not be read, and goes on with those in it. What was too deep for the stack is too deep
// for them, too.
function failed(walk: Walk, el: Element, inside: Inside, error: unknown): void {
  walk.fail(error, inside.depth);
  if (error instanceof RangeError) return;
  for (let child = safe.firstElementChild(el); child; child = safe.nextElementSibling(child)) {
    part(walk, child, { ...inside, depth: inside.depth + 1, level: inside.level + 1, nesting: inside.nesting + 1 });
  }
}

// descend walks what lay too deep, from a stack that is empty again.
function descend(walk: Walk): void {
  for (let next = walk.deep.shift(); next; next = walk.deep.shift()) {
    walk.lines = next.lines;
    part(walk, next.el, { ...next.inside, nesting: 0 });
    walk.flushText();
  }
}

// flat joins the lines, those of what lay too deep in their places.
export function flat(lines: (string | Deep)[]): string {
  if (!lines.some((line) => typeof line !== "string")) return lines.join("\n");
  const all: string[] = [];
  const open = [lines.values()];
  for (let at = open.at(-1); at; at = open.at(-1)) {
    const { value, done } = at.next();
    if (done) open.pop();
    else if (typeof value === "string") all.push(value);
    else open.push(value.lines.values());
  }
  return all.join("\n");
}

function rootOf(root: number | string): Element | string {
  if (typeof root === "number") {
    const el = byId(root);
    return el && safe.isConnected(el) ? el : `!\tstale_ref\tthe element is gone from the page`;
  }
  try {
    return first(root) ?? `!\telement_not_found\tnothing matches the selector`;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
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
    const box = safe.getBoundingClientRect(modal);
    const hit = page.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (hit && safe.contains(modal, hit)) return modal;
  }
  return modals[modals.length - 1];
}

const unread = new Set(["script", "style", "template", "noscript", "head", "meta", "link", "base", "param", "source", "track", "col", "colgroup"]);

function element(walk: Walk, el: Element, inside: Inside): void {
  const name = safe.tag(el);
  if (unread.has(name)) return;
  if (inside.nesting > deepest) {
    walk.flushText();
    const deep = { el, inside, lines: [] };
    walk.deep.push(deep);
    walk.lines.push(deep);
    return;
  }
  let { depth, level } = inside;
  let shown = true; // false for visibility: hidden, which a child can undo
  if (walk.modal?.has(el) && el !== walk.dialog) {
    // Around the modal dialog: nothing here but the way to it.
    return children(walk, el, { ...inside, said: true, nesting: inside.nesting + 1 }, false, true);
  }
  if (isSilenced(el)) {
    const row = inside.rendered && !inside.said && safe.hasAttribute(el, "inert") ? inertRow(el) : "";
    if (row !== "") walk.write(depth, level, row);
    return;
  }
  if (inside.rendered && !safe.checkVisibility(el, visible)) {
    if (name === "area") return; // told with the picture it belongs to
    const style = getComputedStyle(el);
    if (style.display === "none") return;
    if (style.display !== "contents" && style.visibility === "visible") return; // content-visibility, closed details
    if (style.visibility !== "visible") shown = false;
  }
  walk.place = inside.place;
  let role = roleOf(el);
  if (role.startsWith("LayoutTable")) role = "generic";
  let region = inside.region;
  let { delegate, said, words } = inside;
  const away = inside.rendered && isAway(el, inside.away);
  if (shown) {
    let proxied: string | undefined;
    if (el instanceof HTMLLabelElement) {
      proxied = hiddenControl(el);
      if (proxied) role = proxied;
    }
    const acts = actionable.has(role);
    let ways: Ways;
    if (acts) {
      ways = moreOf(el);
      delegate = undefined;
      region = !holdsOthers.has(role) ? Region.control : isPointer(el, inside) ? Region.pointer : Region.none;
    } else {
      const pointer = name !== "body" && name !== "html" && isPointer(el, inside);
      ways = waysOf(el, name, inside.region, pointer, delegate);
      delegate = delegateIn(el, name, ways, pointer, delegate);
      if (!pointer) region = ways.kind === "clickable" ? Region.pointer : Region.none;
      else if (region === Region.none && (ways.kind === "clickable" || name === "label")) region = Region.pointer;
    }
    const { kind, hints } = ways;
    if (kind !== "" && role === "none") role = "generic";
    const spoken = isSpokenElsewhere(el, name);
    if (spoken) said = true;
    const pictured = said && kind === "" && (role === "image" || role === "SvgRoot" || (role === "group" && name === "g")); // its words are in a name already
    const silent = spoken || pictured || role === "generic" || role === "none" || (inlineText.has(role) && kind === "");
    if (!silent || kind !== "") {
      const wanted = acts || kind !== "" || landmarks.has(role) || always.has(role) || role === "Canvas";
      if (wanted || !walk.options.interactive) {
        const named = proxied ? { name: labelText(el), from: From.contents } : naming(el, role);
        const ref = acts || kind !== "" || (landmarks.has(role) && (named.name !== "" || role === "gridcell")) || (role === "Canvas" && !isEmpty(el));
        if (ref || !walk.options.interactive || always.has(role)) {
          let text = named.name;
          let from = named.from;
          if (kind !== "" && text === "" && kind !== "editable" && !holdsItems.has(role)) {
            text = shorten(labelText(el));
            from = text.length < 100 ? From.contents : From.nothing;
          }
          if (from === From.contents || tellsValue.has(role) || kind === "editable" || (role === "button" && opensList(el))) said = true;
          else if (from === From.author || !contributes(role)) said = false;
          writeElement(walk, el, role, text, depth, level, ref, kind, hints, proxied !== undefined, away && (acts || kind !== ""));
          depth++;
          if (reports.has(role)) words = true;
        }
      }
      level++;
    } else if (role === "generic" && !walk.options.interactive && name !== "html" && name !== "body" && name !== "slot") {
      if (isBlock(el) && !(el instanceof SVGElement)) {
        walk.write(depth, level, "generic");
        depth++;
      }
    }
    if (name.includes("-")) listInternals(el);
    if (walk.suspects.length < mostSuspects && suspect(el)) walk.suspects.push(el);
  }
  if (el instanceof HTMLSelectElement) {
    if (!isFolded(walk, el)) options(walk, el, depth, level);
    return;
  }
  if (el instanceof HTMLImageElement) {
    areas(walk, el, { ...inside, depth, level });
    return;
  }
  if (name === "iframe" || name === "frame" || name === "textarea" || name === "input" || name === "video" || name === "audio") return;
  if (name === "svg" && isIcon(el, inside)) return;
  children(walk, el, { depth, level, nesting: inside.nesting + 1, region, delegate, said, words, place: walk.options.weigh ? placeOf(role, inside.place) : "", away, rendered: inside.rendered && name !== "canvas" }, shown, false);
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
  const texts = shown && !onlyWay && !inside.said && (!walk.options.interactive || inside.words) && inside.rendered;
  const visit = (node: Node): void => {
    const type = safe.nodeType(node);
    if (type === 1) {
      const child = node as Element;
      if ((onlyWay && !walk.modal?.has(child)) || (isOwned(child) && walk.comesTo(ownerOf(child)))) return;
      if (safe.localName(child) === "br") walk.text += " ";
      else {
        try {
          element(walk, child, inside);
        } catch (error) {
          failed(walk, child, inside, error);
        }
      }
    } else if (texts && type === 3) {
      walk.place = inside.place;
      text(walk, node as Text, el, inside.depth);
    }
  };
  // Following siblings is much cheaper than a list of them, and nearly every element has just its own children.
  if (root || safe.localName(el) === "slot") for (const node of flatChildren(el)) visit(node);
  else for (let node = safe.firstChild(el); node; node = safe.nextSibling(node)) visit(node);
  for (const owned of ownedBy(el)) if (!onlyWay) part(walk, owned, inside);
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

// isIcon says whether a drawing has nothing in it that could be told.
function isIcon(el: Element, inside: Inside): boolean {
  if (safe.childElementCount(el) === 0 || safe.querySelector(el, "a,text,[tabindex],[role],title,foreignObject,[onclick]") || listensInside(el)) return false;
  const box = safe.getBoundingClientRect(el);
  return inside.region === Region.control || (box.width <= largestIcon && box.height <= largestIcon);
}

const largestIcon = 64; // CSS pixels

// What holds items is not called by the words of all of them: each is told.
const holdsItems = new Set([
  "DescriptionList", "feed", "grid", "list", "menu", "menubar", "radiogroup", "rowgroup", "table", "tablist", "toolbar", "tree", "treegrid",
]);

// Controls that others may be in: the expander of an item, the cross of a tab.
const holdsOthers = new Set(["combobox", "gridcell", "listbox", "menuitem", "option", "tab", "treeitem"]);

function isPointer(el: Element, inside: Inside): boolean {
  return inside.rendered && getComputedStyle(el).cursor === "pointer";
}

// The text of some elements is the name of another one, and told there.
function isSpokenElsewhere(el: Element, name: string): boolean {
  switch (name) {
    case "label": {
      const control = el instanceof HTMLLabelElement ? el.control : null;
      return control !== null && !isNamedByAttribute(control) && safe.checkVisibility(control, visible);
    }
    case "caption":
    case "figcaption":
    case "legend": {
      const parent = safe.parentElement(el);
      return parent !== null && captioned.has(safe.localName(parent)) && !isNamedByAttribute(parent) && !(name === "figcaption" && safe.getAttribute(parent, "title")?.trim());
    }
  }
  return false;
}

const captioned = new Set(["fieldset", "figure", "table"]);

function isNamedByAttribute(el: Element): boolean {
  return safe.hasAttribute(el, "aria-label") || safe.hasAttribute(el, "aria-labelledby");
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
  const only = safe.firstChild(el);
  if (only && safe.nodeType(only) === 3 && !safe.nextSibling(only) && !traits().transform) return collapse((only as Text).data);
  if (el instanceof SVGElement) return textOfDrawing(el) || collapse(safe.textContent(el));
  return collapse(el instanceof HTMLElement ? safe.innerText(el) : safe.textContent(el));
}

export function shorten(text: string): string {
  if (text.length <= 100) return text;
  return [...text.slice(0, 101)].slice(0, -1).join("").slice(0, 100);
}

function writeElement(
  walk: Walk, el: Element, role: string, name: string, depth: number, level: number, ref: boolean, kind: string, hints: string, proxied: boolean, away = false,
): void {
  const control = proxied && el instanceof HTMLLabelElement && el.control ? el.control : el;
  let states = statesOf(control, role);
  if (control === walk.focus) states = states === "" ? "focused" : `${states},focused`;
  else if (control === walk.active) states = states === "" ? "active" : `${states},active`;
  if (away) states = states === "" ? "offscreen" : `${states},offscreen`;
  let value = "";
  if (kind === "editable") value = linesOf(el);
  else if (valued.has(role)) value = valueText(el, role);
  if (value === name || (role === "button" && ` ${name} `.includes(` ${value} `))) value = "";
  else if (value.length > longestText) value = cut(value, longestText);
  const url = walk.options.urls && role === "link" ? cut(linkOf(el), longestAddress) : "";
  if (ref && traits().placed && (kind !== "" || actionable.has(role)) && isChosen(control)) hints = hints === "" ? byClass : `${hints}, ${byClass}`;
  if (kind === "editable" && el === page.body) kind = "editor";
  let line = `${role}\t${ref ? idOf(el) : ""}\t${name.length > longestName ? cut(name, longestName) : name}`;
  const label = ref && name === "" ? labelOf(el, !landmarks.has(role) && (kind !== "" || actionable.has(role)), holdsItems.has(role)) : "";
  const wrong = states.includes("invalid") ? errorOf(control) : "";
  const list = el instanceof HTMLSelectElement && isFolded(walk, el) ? String(el.options.length) : "";
  if (list !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}\t${label}\t${wrong}\t${list}`;
  else if (wrong !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}\t${label}\t${wrong}`;
  else if (label !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}\t${label}`;
  else if (hints !== "" || kind !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}`;
  else if (url !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}`;
  else if (value !== "") line += `\t${states}\t${escape(value)}`;
  else if (states !== "") line += `\t${states}`;
  walk.write(depth, level, line, walk.options.weigh ? weigh(el, role, walk.focus, actionable.has(role) || kind !== "", ref, walk.place) : "");
}

const byClass = "selected by class";

const valued = new Set([
  "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "progressbar", "meter", "scrollbar", "button",
  "ColorWell", "Date", "DateTime", "InputTime", "separator",
]);

function linkOf(el: Element): string {
  if (el instanceof HTMLAnchorElement || el instanceof HTMLAreaElement) return el.href;
  if (el instanceof SVGAElement) return URL.canParse(el.href.baseVal, page.baseURI) ? new URL(el.href.baseVal, page.baseURI).href : el.href.baseVal;
  return "";
}

// A list with more options than this is folded while it is closed: they are told by their number.
const mostListed = 8;

// isFolded says whether the options of a list are told by their number; not if they hang open or were asked for.
function isFolded(walk: Walk, el: HTMLSelectElement): boolean {
  return !walk.options.unfold && el.options.length > mostListed && !el.multiple && el.size <= 1 && !isOpen(el) && el !== walk.root;
}

function options(walk: Walk, el: HTMLSelectElement, depth: number, level: number): void {
  let told = 0;
  for (const option of el.options) if (told++ < mostOptions || option.selected) writeOption(walk, option, depth, level);
  if (told > mostOptions) walk.write(depth, level, `!\t\t${told} options; the first ${mostOptions} and those that are selected are told, and any can be selected`);
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
    part(walk, area, { ...inside, rendered: false, said: true, nesting: inside.nesting + 1 });
  }
}

export function escape(value: string): string {
  if (!/[\\\t\n\r]/.test(value)) return value;
  return value.replace(/\\/g, "\\\\").replace(/\t/g, "\\t").replace(/\r?\n|\r/g, "\\n");
}
