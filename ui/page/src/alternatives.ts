// What a person uses in place of a control that cannot be hit itself: check boxes, radio buttons and fields that a page
// hides behind a label, a drawing of its own, or the rest of their component.

import * as safe from "./safe";
import { page } from "./safe";
import { flatChildren, shadowOf } from "./dom";
import { boxesOf, hitTest } from "./hit";
import { composedClosest, composedParent, isRendered } from "./tree";
import { twinOf } from "./twin";

const controlRoles = new Set([
  "checkbox", "radio", "switch", "combobox", "textbox", "searchbox", "spinbutton", "slider", "listbox", "option",
  "menuitemcheckbox", "menuitemradio", "treeitem",
]);

/** isControl reports whether an element has a value or state that a person changes. */
export function isControl(el: Element): boolean {
  if (el instanceof HTMLInputElement) return el.type !== "hidden";
  return el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement || controlRoles.has(safe.getAttribute(el, "role") ?? "");
}

const others = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],' +
  '[role=switch],[role=combobox],[role=option],[role=menuitem],[role=tab],[contenteditable=""],[contenteditable=true],[tabindex]';

// outermost is how many elements up a component may reach, and widest how much of the window it may take.
const outermost = 6;
const widest = 0.4;

/**
 * alternatives yields the elements that can be hit in place of a control, best first: what is drawn for it, its labels, and what is around it, as far as its component may
 * reach. A press on its label switches a check box, but it only gives the focus to what opens a popup: there the labels come last.
 */
export function* alternatives(el: Element): Generator<Element> {
  const host = hostForPointer(el);
  if (host) yield host;
  if (!isControl(el)) return;
  const twin = twinOf(el);
  if (twin) yield twin;
  const part = partOfSwitch(el);
  if (part) yield part;
  if (opens(el)) yield* componentsOf(el);
  for (const label of labelsOf(el)) if (isRendered(label) && boxesOf(label).length > 0) yield label;
  if (!opens(el)) yield* componentsOf(el);
}

// partOfSwitch is what is drawn beside the input of a switch that has no size. The page keeps its state, and may not follow a click on
// the input, which is what one on its label becomes.
function partOfSwitch(el: Element): Element | undefined {
  if (!(el instanceof HTMLInputElement) || safe.getAttribute(el, "role") !== "switch" || !safe.hasAttribute(el, "aria-checked")) return undefined;
  if (boxesOf(el).length > 0) return undefined;
  for (let at = safe.nextElementSibling(el); at; at = safe.nextElementSibling(at)) {
    if (safe.localName(at) === "label" || isControl(at) || safe.querySelector(at, others)) return undefined;
    if (isRendered(at) && boxesOf(at).length > 0) return at;
  }
  return undefined;
}

// labelsOf returns the labels of a control: of an element with labels by HTML, or of one that the page makes a control
// with aria-labelledby, if the page forwards clicks on the label.
function labelsOf(el: Element): Iterable<Element> {
  const labels = [...safe.labels(el)];
  if (labels.length > 0) return labels;
  const root = safe.rootOf(el);
  const ids = (safe.getAttribute(el, "aria-labelledby") ?? "").split(/\s+/).filter((id) => id !== "");
  return ids.map((id) => root.getElementById(id)).filter((label) => label instanceof HTMLLabelElement);
}

// hostForPointer is the component whose only control, or the text in it, lets the pointer through, so that what a person presses is the
// component. A control that is clipped to nothing is for assistive technology.
function hostForPointer(el: Element): Element | undefined {
  const control = composedClosest(el, others) ?? el;
  const root = safe.rootOf(control);
  if (!(root instanceof ShadowRoot)) return undefined;
  const style = getComputedStyle(el);
  if (style.pointerEvents !== "none" && !(el === control && clippedAway(style))) return undefined;
  return root.querySelectorAll(others).length === 1 && !holdsOthers(root.host, control) ? root.host : undefined;
}

// clippedAway reports whether an element takes its place and shows nothing.
function clippedAway(style: CSSStyleDeclaration): boolean {
  return style.position === "absolute" && style.clip === "rect(0px, 0px, 0px, 0px)" && style.opacity === "0";
}

// tickOf is the box drawn in an item of a tree or table that has the state itself: elsewhere a click on the item opens or selects it.
export function tickOf(item: Element): Element | undefined {
  const role = safe.getAttribute(item, "role");
  if (!safe.hasAttribute(item, "aria-checked") || role !== "treeitem" && role !== "row") return undefined;
  const ticks = [...safe.querySelectorAll(item, "[role=checkbox],[role=radio],input[type=checkbox],input[type=radio]")]
    .filter((tick) => safe.closest(tick, "[role=treeitem],[role=row]") === item && boxesOf(tick).length > 0);
  const outer = ticks.filter((tick) => !ticks.some((other) => other !== tick && safe.contains(other, tick)));
  return outer.length === 1 ? outer[0] : undefined;
}

// opens reports whether an element is there to open a popup.
function opens(el: Element): boolean {
  return safe.getAttribute(el, "role") === "combobox" || (safe.getAttribute(el, "aria-haspopup") ?? "false") !== "false";
}

// componentsOf lists the elements around a control that can be seen and have no other control in them.
function* componentsOf(el: Element): Generator<Element> {
  let at = composedParent(el);
  for (let up = 0; at && up < outermost; up++, at = composedParent(at)) {
    if (at === page.body || at === page.documentElement || safe.localName(at) === "form") return;
    if (holdsOthers(at, el)) return;
    const box = isRendered(at) ? boxesOf(at)[0] : undefined;
    if (!box) continue;
    if (box.width * box.height > innerWidth * innerHeight * widest) return;
    yield at;
  }
}

function holdsOthers(at: Element, el: Element): boolean {
  for (const other of safe.querySelectorAll(at, others)) {
    if (other === el || safe.contains(other, el) || safe.contains(el, other)) continue;
    if (safe.getAttribute(other, "aria-hidden") === "true" || safe.getAttribute(other, "tabindex") === "-1") continue;
    if (opens(el) && opens(other) && safe.matches(other, "button,[role=button]")) continue; // the arrow that opens the same popup
    if (safe.checkVisibility(other, { visibilityProperty: true })) return true;
  }
  return false;
}

/**
 * clickableAround is the nearest element around one that takes clicks, can be seen and is not covered where it is in view, for
 * those that look for what to use instead.
 */
export function clickableAround(el: Element): Element | undefined {
  for (let at = composedParent(el); at && at !== page.body && at !== page.documentElement; at = composedParent(at)) {
    if (!isRendered(at) || boxesOf(at).length === 0) continue;
    const clickable = safe.matches(at, "a[href],button,label,summary,[role],[onclick],[tabindex]") || safe.localName(at).includes("-") ||
      getComputedStyle(at).cursor === "pointer";
    if (!clickable) continue;
    const { point, blocker } = hitTest(at);
    if (point || !blocker) return at;
  }
  return undefined;
}

// looked is how many elements are looked through for the field of a component.
const looked = 500;

/** innerOf is the only element within a host of a component that fits; undefined for elements that are no hosts. */
export function innerOf(host: Element, fits: (el: Element) => boolean): Element | undefined {
  if (!shadowOf(host) && !safe.localName(host).includes("-")) return undefined;
  const found: Element[] = [];
  const open: Element[] = [host];
  for (let n = 0; open.length > 0 && n < looked; n++) {
    const at = open.pop() as Element;
    if (at !== host && fits(at)) found.push(at);
    else for (const child of flatChildren(at)) if (child instanceof Element) open.push(child);
  }
  return found.length === 1 ? found[0] : undefined;
}
