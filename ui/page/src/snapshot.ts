// What the agent sees of one frame: one walk over the flat tree, one string out.

import * as safe from "./safe";
import { page } from "./safe";
import { isAway } from "./away";
import { delegateIn, isEmpty, setListeners, encodeListeners, listensInside, moreOf, Region, type Ways, waysOf } from "./clickable";
import { crossRow } from "./cross";
import { flatChildren, flatContains, flatParent, isSilenced, shadowOf, suspect, visible } from "./dom";
import { Flow, flowOf, isBlock } from "./flow";
import { isFormField } from "./formfield";
import { inertRow } from "./inert";
import { listedInternals, listInternals } from "./internals";
import { actionable, cells, escape, holdsItems, isFolded, landmarks, longestAddress, options, writeElement } from "./line";
import { isMiddleOf } from "./middle";
import { contributes, From, naming, transformed } from "./name";
import { holdsOwned, isOwned, noteScope, ownedBy, ownerOf } from "./owns";
import { byId, departed } from "./refs";
import { roleOf } from "./role";
import { isPartOfToggle, isToggleRole } from "./toggle";
import { first } from "./selector";
import { hiddenControl, isSpokenElsewhere, labelText, shortened } from "./accessible";
import { note, traits } from "./styles";
import { cut, Refused } from "./describe";
import { isBesideTwin, isDrawnElsewhere, optionOf } from "./twin";
import { opensList } from "./value";
import { flat, type Inside, type SnapshotOptions, Walk } from "./walk";
import { longestName, placeOf } from "./marks";

// Shown with -i, too, although they cannot be acted on: which cells belong together, and what the page reports.
const always = new Set(["alert", "alertdialog", "dialog", "row", "status"]);

// Their text is shown, too.
const reports = new Set(["alert", "alertdialog", "status"]);

// Inline semantics that would break a sentence into pieces: their text joins the text around them.
const inlineText = new Set([
  "generic", "none", "Abbr", "code", "deletion", "emphasis", "insertion", "mark", "strong", "subscript", "superscript", "term", "time",
]);

const mostSuspects = 400; // examining one costs a tenth of a millisecond; the rest is examined next time
const deepest = 500; // nested elements; the recursion below must fit the stack

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
 *	usher1 TAB url TAB number of suspects[+those whose internals, see listedInternals, are to be read] TAB local ids that departed, by commas [TAB title, if requested [TAB what listens, see encodeListeners; ? if it does not fit]]
 *	depth[/level][marks] TAB role, or ! for a part that could not be read TAB local id TAB name TAB states TAB value TAB url TAB kind TAB hints TAB label TAB error TAB number of options TAB text
 *
 * depth counts the lines written around a node, level the ancestor elements with a role, given where it differs and
 * not every element is written. marks are there if requested, see marksOf, except k: a press on a clickable ancestor of the element
 * arrives at it. kind is as in Ways, or editor for a document that is edited as a whole. text is that of an element which has another
 * name, if it may be part of what stands for a name in a line above. In values, tabs and line ends are written \t and \n,
 * backslashes \\. Or a single line: "!" TAB code TAB message.
 */
export function snapshot(options: SnapshotOptions): string {
  const unlike = options.listening !== undefined && !setListeners(options.listening) ? "?" : "";
  const walk = new Walk(options);
  const top: Inside = { depth: 0, level: 0, nesting: 0, region: Region.none, delegate: undefined, nameGiven: false, quoted: false, toggle: undefined, words: false, place: "", away: false, around: undefined, rendered: true };
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
  // Another walk of the same look does not find the suspects of the first again.
  waiting = options.again ? [...waiting, ...walk.suspects] : walk.suspects;
  const hosts = listedInternals();
  let header = `usher1\t${escape(cut(location.href, longestAddress))}\t${waiting.length}${hosts && `+${hosts}`}\t${gone}`;
  const listeners = unlike || encodeListeners();
  if (options.title || listeners !== "") header += `\t${options.title ? escape(cut(page.title, longestName)) : ""}`;
  if (listeners !== "") header += `\t${listeners}`;
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

// failed returns the line of an element that could not be read, and goes on with those in it. What was too deep for the
// stack is too deep for them, too.
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
    return children(walk, el, { ...inside, nameGiven: true, nesting: inside.nesting + 1 }, false, true);
  }
  if (isSilenced(el)) {
    if (inside.rendered) silenced(walk, el, inside);
    return;
  }
  if (inside.rendered && !safe.checkVisibility(el, visible)) {
    if (name === "area") return; // shown with the picture it belongs to
    const style = getComputedStyle(el);
    if (style.display === "none") return;
    if (style.display !== "contents" && style.visibility === "visible") return; // content-visibility, closed details
    if (style.visibility !== "visible") shown = false;
  }
  if (inside.rendered && !walk.options.unfold && el !== walk.root && isFormField(el)) return;
  walk.place = inside.place;
  let role = roleOf(el);
  if (role.startsWith("LayoutTable")) role = "generic";
  if ((role === "option" || role === "listbox") && !walk.options.unfold && el !== walk.root && isDrawnElsewhere(el, role)) {
    if (role === "option") return;
    role = "none";
  }
  if (role === "combobox" && isAroundCombobox(el) || role === "textbox" && isTextOfCombobox(el)) role = "none";
  const option = optionOf(el);
  if (role === "generic" && (option || isBesideTwin(el))) role = "option";
  let region = inside.region;
  let { delegate, nameGiven, quoted, words, around, toggle } = inside;
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
      region = !holdsOthers.has(role) ? Region.control : cursorOf(el, inside) === "pointer" ? Region.pointer : Region.none;
    } else {
      const cursor = name !== "body" && name !== "html" ? cursorOf(el, inside) : "";
      const pointer = cursor === "pointer";
      ways = waysOf(el, name, inside.region, cursor, delegate);
      delegate = delegateIn(el, name, ways, pointer, delegate);
      if (!pointer) region = ways.kind === "clickable" ? Region.pointer : Region.none;
      else if (region === Region.none && (ways.kind === "clickable" || name === "label")) region = Region.pointer;
    }
    const { hints } = ways;
    let { kind } = ways;
    if (toggle !== undefined && isPartOfToggle(el, role, kind, hints, toggle)) [role, kind] = ["none", ""];
    if (kind !== "" && role === "none") role = "generic";
    const spoken = isSpokenElsewhere(el, name);
    if (spoken) nameGiven = true;
    const pictured = nameGiven && kind === "" && (role === "image" || role === "SvgRoot" || (role === "group" && name === "g")); // its text is in a name already
    const silent = spoken || pictured || role === "generic" || role === "none" || (inlineText.has(role) && kind === "");
    if (!silent || kind !== "") {
      const wanted = acts || kind !== "" || landmarks.has(role) || always.has(role) || role === "Canvas";
      if (wanted || !walk.options.interactive) {
        const named = proxied ? { name: labelText(el), from: From.contents } : naming(el, role);
        const ref = acts || kind !== "" || (landmarks.has(role) && (named.name !== "" || cells.has(role))) || (role === "Canvas" && !isEmpty(el));
        if (ref || !walk.options.interactive || always.has(role)) {
          let text = named.name;
          let from = named.from;
          if (kind !== "" && text === "" && kind !== "editable" && !holdsItems.has(role)) {
            text = shortened(holdsOwned(el) || holdsSlot(el) || shadowOf(el) ? naming(el, "rowheader").name : labelText(el));
            from = text !== "" && text.length < 100 ? From.contents : From.nothing;
            quoted = true;
          }
          const said = inside.quoted && ref && from === From.author ? shortened(labelText(el)) : "";
          if (from === From.contents || tellsValue.has(role) || kind === "editable" || (role === "button" && opensList(el))) nameGiven = true;
          else if (from === From.author || !contributes(role)) nameGiven = false;
          const pressed = acts || kind !== "";
          const covers = pressed && around !== undefined && isMiddleOf(el, role, around);
          writeElement(walk, el, role, text, depth, level, ref, kind, hints, proxied !== undefined, away && pressed, option, covers, said === text ? "" : said);
          if (pressed) around = el;
          if (isToggleRole(role)) toggle ??= text;
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
    if (name.includes("-")) listInternals(el, kind !== "");
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
  children(walk, el, { depth, level, nesting: inside.nesting + 1, region, delegate, nameGiven, quoted, toggle, words, place: walk.options.weigh ? placeOf(role, inside.place) : "", away, around, rendered: inside.rendered && name !== "canvas" }, shown, false);
}

// isAroundCombobox reports whether el is the box around a field that is the combobox, and says the same of itself without a name.
function isAroundCombobox(el: Element): boolean {
  if (safe.hasAttribute(el, "aria-label") || safe.hasAttribute(el, "aria-labelledby") || safe.localName(el) === "input" || safe.localName(el) === "select") return false;
  const field = safe.querySelector(el, "input[role=combobox]");
  return field !== null && safe.checkVisibility(field, visible) && safe.getAttribute(field, "aria-expanded") === safe.getAttribute(el, "aria-expanded");
}

// isTextOfCombobox reports whether el only shows what is chosen in the combobox around it.
function isTextOfCombobox(el: Element): boolean {
  const around = safe.getAttribute(el, "aria-readonly") === "true" && !safe.hasAttribute(el, "tabindex") ? safe.parentElement(el) : null;
  return around !== null && safe.getAttribute(around, "role") === "combobox" && safe.localName(el) !== "input" && safe.localName(el) !== "textarea";
}

// silenced shows of what is hidden from assistive technology as much as a person can use or should know.
function silenced(walk: Walk, el: Element, inside: Inside): void {
  const inert = safe.hasAttribute(el, "inert");
  const row = inert ? (inside.nameGiven ? "" : inertRow(el)) : crossRow(el);
  if (row !== "") walk.write(inside.depth, inside.level, row);
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
  const texts = shown && !onlyWay && !inside.nameGiven && (!walk.options.interactive || inside.words) && inside.rendered;
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

// isIcon reports whether a drawing has nothing in it that could be shown.
function isIcon(el: Element, inside: Inside): boolean {
  if (safe.childElementCount(el) === 0 || safe.querySelector(el, "a,text,[tabindex],[role],title,foreignObject,[onclick]") || listensInside(el) || pointsInside(el)) return false;
  const box = safe.getBoundingClientRect(el);
  return inside.region === Region.control || (box.width <= largestIcon && box.height <= largestIcon);
}

const largestIcon = 64; // CSS pixels

// mostShapes is how many shapes of a drawing are looked at for a cursor of their own.
const mostShapes = 20;

// pointsInside reports whether a shape of a drawing has the cursor of what can be clicked and the drawing has not.
function pointsInside(svg: Element): boolean {
  if (getComputedStyle(svg).cursor === "pointer") return false;
  const shapes = [...safe.children(svg)].slice(0, mostShapes);
  return shapes.some((shape) => getComputedStyle(shape).cursor === "pointer");
}

// holdsSlot reports whether el shows what a page puts into a component: the browser does not count it as its text.
function holdsSlot(el: Element): boolean {
  return safe.rootOf(el) instanceof ShadowRoot && safe.querySelector(el, "slot") !== null;
}

// Controls that others may be in: the expander of an item, the cross of a tab.
const holdsOthers = new Set(["combobox", "gridcell", "listbox", "menuitem", "option", "tab", "treeitem"]);

function cursorOf(el: Element, inside: Inside): string {
  return inside.rendered ? getComputedStyle(el).cursor : "";
}

// Roles whose text is their value, or only shows their state.
const tellsValue = new Set([
  "checkbox", "combobox", "menuitemcheckbox", "menuitemradio", "meter", "option", "progressbar", "radio", "scrollbar", "searchbox",
  "slider", "spinbutton", "switch", "textbox",
]);

function areas(walk: Walk, image: HTMLImageElement, inside: Inside): void {
  const name = image.useMap.replace(/^#/, "");
  if (name === "" || image.naturalWidth === 0) return; // a picture that is not there has no areas
  const map = [...page.querySelectorAll("map")].find((candidate) => candidate.name === name);
  for (const area of map?.querySelectorAll("area[href]") ?? []) {
    part(walk, area, { ...inside, rendered: false, nameGiven: true, nesting: inside.nesting + 1 });
  }
}
