// All checks before an action, in one call: attached, visible, stable, enabled, editable, and not covered. The call
// waits inside the page for at most the slice it is given, and the caller loops.

import * as safe from "./safe";
import { page } from "./safe";
import { hasEditContext } from "./editor";
import { hitTest, boxesOf, coverOf, isFrame, nameBlocker, placeIn, throughOf, type Point, scrollTo, scrollToPoint } from "./hit";
import { type Located, locate, located, type Target } from "./locate";
import { stateOf } from "./internals";
import { animatesUpTo, comesToRest, mustBeStable, treesNow } from "./motion";
import { clickableAround, innerOf, alternatives, tickOf } from "./alternatives";
import { describe, Refused, type Refusal, type Reply } from "./describe";
import { nameOf } from "./name";
import { composedClosest, composedContains, composedParent, imageOf, isRendered } from "./tree";
import { openerOf } from "./twin";
import { thumbOf } from "./thumb";
import { observe, type ObserverOptions } from "./observer";

export type Need = "visible" | "stable" | "enabled" | "editable" | "hit" | "middle" | "reaches";

export interface CheckArg {
  target: Target;
  needs: Need[];
  wait?: number; // the slice, in ms
  at?: Point; // where to hit, relative to the top left corner of its box
  padding?: boolean; // that of its padding box
  toggle?: boolean; // a hidden check box or radio may be hit on its label
  choose?: boolean; // an option that the browser draws may be chosen without being hit
  leave?: boolean; // it is no longer to be chosen
  grab?: boolean; // a slider of the browser is hit on its thumb
  trial?: boolean; // nothing is to be chosen
  watch?: ObserverOptions; // the events to observe from now on, see observer.ts
}

export interface Checked {
  element: Located;
  point: Point; // in the frame's viewport, CSS px; 0,0 when "hit" was not needed
  scrolled: boolean;
  framed?: boolean; // a frame in the element is hit: the element will get no event
  chosen?: boolean; // it was an option, and is chosen now: nothing is to be hit
  shape: string; // one line for people
}

// check answers once everything holds, or with the last refusal when the slice
// is over. A hidden document answers at once: its timers may be held back for
// seconds, so there the waiting is the caller's.
export async function check(arg: CheckArg): Promise<Reply<Checked>> {
  return waiting(arg.wait ?? 0, () => checkNow(arg));
}

// waiting repeats an attempt until it holds, cannot be mended by waiting, or
// the slice is over.
export async function waiting<T extends object>(slice: number, act: () => T | Promise<T>): Promise<Reply<T>> {
  const began = performance.now();
  const end = began + slice;
  if (began - lastWaited > forgotten) lastChange = began;
  noteChanges();
  for (;;) {
    let refusal: Refusal;
    try {
      return { ok: true, ...(await act()) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusal = error.refusal;
    }
    const now = lastWaited = performance.now();
    const left = end - now;
    if (comesToRest()) lastChange = now;
    for (const tree of treesNow()) notes.observe(tree, changes);
    if (!refusal.retry || left <= 0 || page.hidden) return { ok: false, refusal: { ...refusal, still: now - lastChange } };
    await change(Math.min(left, 50));
  }
}

// When the page last changed while something was waited for, and when something was. A wait that comes later than
// forgotten ms after the one before begins a new count.
let lastChange = 0;
let lastWaited = -Infinity;
const forgotten = 500;

// A change between two slices of one wait counts, too: changes are noted until no wait has begun for the time after which
// one counts as forgotten.
let noting: ReturnType<typeof setTimeout> | undefined;
const notes = new MutationObserver(() => { lastChange = performance.now(); });
const changes = { subtree: true, childList: true, attributes: true, characterData: true };

function noteChanges(): void {
  if (noting === undefined) notes.observe(document, changes);
  clearTimeout(noting);
  noting = setTimeout(endNotes, 2 * forgotten);
}

function endNotes(): void {
  if (performance.now() - lastWaited <= forgotten) {
    noting = setTimeout(endNotes, forgotten);
    return;
  }
  notes.disconnect();
  noting = undefined;
}

// change resolves at the next change of the document, at least a few
// milliseconds from now, or after `limit` ms. It needs no frame.
function change(limit: number): Promise<void> {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      observer.disconnect();
      setTimeout(finish, Math.min(limit, 8));
    });
    const timer = setTimeout(finish, limit);
    function finish() {
      observer.disconnect();
      clearTimeout(timer);
      resolve();
    }
    observer.observe(document, changes);
  });
}

async function checkNow(arg: CheckArg): Promise<Checked> {
  let el = locate(arg.target);
  if (arg.toggle && !itemOf(el)) el = toggleOf(el);
  const needs = new Set(arg.needs);
  if (needs.has("enabled")) mustBeEnabled(el);
  if (needs.has("editable")) mustBeEditable(el);
  let box = arg.toggle ? tickOf(el) ?? el : el;
  let found: Reached;
  try {
    if (arg.choose && el instanceof HTMLOptionElement && choose(el, !arg.leave, arg.trial)) {
      return { element: located(el), point: { x: 0, y: 0 }, scrolled: false, chosen: true, shape: describe(el) };
    }
    const at = arg.at && (arg.padding ? insideBorder(box, arg.at) : arg.at);
    found = await reach(box, needs, at ?? (arg.grab ? thumbOf(box) : undefined));
  } catch (error) {
    if (!(error instanceof Refused) || arg.at || !needs.has("hit") || !unreachable(error) || isBeingUncovered(el)) throw error;
    const other = await reachStandIn(el, needs);
    if (!other) throw withInstead(error, el);
    ({ box, found } = other);
  }
  if (arg.watch) {
    mustBeNoFrame(el); // its events go to the document in it
    if (!found.framed) observe(box, arg.watch);
  }
  return { element: located(el), ...found, shape: describe(el) };
}

function unreachable({ refusal }: Refused): boolean {
  return refusal.code === "element_not_visible" || refusal.code === "element_covered";
}

// isBeingUncovered reports whether what covers an element is about to go or to move: the list of another component that closes.
function isBeingUncovered(el: Element): boolean {
  const { blocker } = hitTest(el);
  return blocker !== undefined && !composedContains(blocker, el) && animatesUpTo(blocker, (at) => composedContains(at, el));
}

type Reached = Pick<Checked, "point" | "scrolled" | "framed">;

// reach makes sure that an element is there to be hit, and where.
async function reach(el: Element, needs: Set<Need>, at?: Point): Promise<Reached> {
  if (needs.has("visible")) mustBeVisible(el);
  if (needs.has("stable")) await mustBeStable(el);
  if (needs.has("hit")) return mustBeHit(el, at);
  if (needs.has("middle")) return middle(el, at);
  if (needs.has("reaches") && at) mustReach(el, at);
  return { point: { x: 0, y: 0 }, scrolled: false };
}

// reachStandIn tries what a person would hit in place of a control.
async function reachStandIn(el: Element, needs: Set<Need>): Promise<{ box: Element; found: Reached } | undefined> {
  for (const box of alternatives(el)) {
    try {
      return { box, found: await reach(box, needs) };
    } catch (error) {
      if (!(error instanceof Refused) || !unreachable(error)) throw error;
    }
  }
  return undefined;
}

// withInstead adds to a refusal what can be clicked around the element, or what opens the closed list that it is in: nothing
// else will make the option show.
function withInstead(error: Refused, el: Element): Refused {
  const opener = openerOf(el);
  if (opener) {
    const detail = `${describe(el)} is not visible: the list of ${describe(opener)} is closed`;
    return new Refused("element_not_visible", detail, false, { instead: located(opener), opens: true });
  }
  const around = clickableAround(el);
  if (around) error.refusal.instead = located(around);
  return error;
}

// choose chooses an option of a list as its user would: one that is not shown as an element of its own is picked from the
// list that the browser draws, and one of a list of several is added to those chosen, or taken from them. What its user would open or
// press has to be there to be hit: a component may have hidden the list and draw another. It returns whether that was done; other
// options are there to be hit.
function choose(option: HTMLOptionElement, wanted: boolean, trial = false): boolean {
  const list = option.closest("select");
  if (!list || hasBox(option) && !list.multiple) return false;
  mustBeEnabled(list);
  const pressed = hasBox(option) ? option : list;
  mustBeVisible(pressed);
  mustBeHit(pressed);
  if (option.selected === wanted || trial) return true;
  option.selected = wanted;
  chosen(list);
  return true;
}

/** chosen fires what a control fires when a person has chosen. */
export function chosen(el: Element): void {
  safe.dispatchEvent(el, new Event("input", { bubbles: true, composed: true }));
  safe.dispatchEvent(el, new Event("change", { bubbles: true }));
}

// --- attached and visible ---

export function hasBox(el: Element): boolean {
  return isRendered(el) && boxesOf(el).length > 0;
}

// mustBeRendered is what typing and focus need: not a box.
export function mustBeRendered(el: Element): void {
  if (!isRendered(el) && getComputedStyle(el).display !== "contents") {
    throw withInstead(new Refused("element_not_visible", `${describe(el)} is not visible: ${whyHidden(el)}`, true), el);
  }
}

// mustBeNoFrame sends the caller on into the document of a frame.
export function mustBeNoFrame(el: Element): void {
  if (isFrame(el)) throw new Refused("in_frame", `${describe(el)} holds a document of its own`, false);
}

export function mustBeVisible(el: Element): void {
  if (el instanceof HTMLAreaElement && imageOf(el)) return;
  if (!isRendered(el) && getComputedStyle(el).display !== "contents") {
    throw new Refused("element_not_visible", `${describe(el)} is not visible: ${whyHidden(el)}`, true);
  }
  if (boxesOf(el).length === 0) {
    throw new Refused("element_not_visible", `${describe(el)} is not visible: its box is empty`, true);
  }
}

function whyHidden(el: Element): string {
  for (let at: Element | null = el; at; at = composedParent(at)) {
    const style = getComputedStyle(at);
    const who = at === el ? "it" : describe(at) + " around it";
    if (style.display === "none") return `${who} has display: none`;
    if (at !== el && at instanceof HTMLDetailsElement && !at.open) return `${who} is closed`;
    if (style.contentVisibility === "hidden") return `${who} has content-visibility: hidden`;
  }
  const visibility = getComputedStyle(el).visibility;
  return visibility === "visible" ? "it is not rendered" : `visibility is ${visibility}`;
}

// --- enabled and editable ---

export function disabledBy(el: Element): string | undefined {
  const control = composedClosest(el, "button,input,select,textarea,option,optgroup,fieldset");
  if (control && safe.matches(control, ":disabled")) {
    const fieldset = safe.closest(control, "fieldset:disabled");
    if (fieldset && !safe.hasAttribute(control, "disabled")) return `${describe(fieldset)} around it is disabled`;
    return control === el ? "it has the attribute disabled" : `${describe(control)} around it is disabled`;
  }
  const aria = composedClosest(el, "[aria-disabled=true]");
  if (aria) return aria === el ? "it has aria-disabled" : `${describe(aria)} around it has aria-disabled`;
  const inert = composedClosest(el, "[inert]");
  if (inert) return inert === el ? "it is inert" : `${describe(inert)} around it is inert`;
  return undefined;
}

export function mustBeEnabled(el: Element): void {
  const by = disabledBy(el);
  if (by) throw new Refused("element_disabled", `${describe(el)} is disabled: ${by}`, true);
}

// Input types that hold no text to edit, with the command to use instead.
const otherCommand: Record<string, string> = {
  checkbox: "use check or uncheck", radio: "use check", file: "use upload", button: "use click", submit: "use click",
  reset: "use click", image: "use click", hidden: "it is not for people",
};

export function mustBeEditable(el: Element): void {
  const unsuitable = (why: string) => new Refused("element_unsuitable", `${describe(el)} cannot be filled: ${why}`, false);
  if (el instanceof HTMLInputElement) {
    const other = otherCommand[el.type];
    if (other) throw unsuitable(`it is an input of type ${el.type}; ${other}`);
  } else if (el instanceof HTMLSelectElement) {
    throw unsuitable("it is a list of options; use select");
  } else if (!(el instanceof HTMLTextAreaElement)) {
    if ((!(el instanceof HTMLElement) || !safe.isContentEditable(el)) && !hasEditContext(el)) throw unsuitable(otherRole(el));
    if (safe.getAttribute(el, "aria-readonly") === "true") throw readonly(el);
    return;
  }
  if (el.readOnly || el.getAttribute("aria-readonly") === "true") throw readonly(el);
}

const cell = "it is a cell, not a field; dblclick it, then fill the field that appears, or click it and use keyboard type";

/** isCell reports whether an element is a cell of a grid or a table. */
export function isCell(el: Element): boolean {
  const role = safe.getAttribute(el, "role");
  return role === "gridcell" || role === "cell" || role === null && safe.localName(el) === "td";
}

/** whyNoField says what to do with an element that is no field. */
export function whyNoField(el: Element): string {
  return isCell(el) ? cell : "it is not focusable";
}

/** isPressed reports whether a cell takes keys once it was pressed: a grid keeps a selection of its own, which the focus does not move. */
export function isPressed(el: Element): boolean {
  return isCell(el) && composedClosest(el, "[role=grid],[role=treegrid]") !== null &&
    safe.querySelector(el, "a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox]") === null;
}

// otherRole returns the hint for an element that is no field.
function otherRole(el: Element): string {
  switch (safe.getAttribute(el, "role")) {
    case "slider": case "spinbutton": case "scrollbar":
      return "it takes keys and no text; focus it and press ArrowRight, ArrowLeft, Home or End";
    case "combobox": case "listbox":
      return "it is a list without a field; click it, then click the option that appears";
    case "checkbox": case "radio": case "switch":
      return "use check or uncheck";
  }
  return isCell(el) ? cell : "it is not an editable field";
}

function readonly(el: Element): Refused {
  return new Refused("element_readonly", `${describe(el)} is read-only; if a click on it opens a calendar or a list, choose there`, false);
}

export function editable(el: Element): boolean {
  try {
    mustBeEditable(el);
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

// --- hit ---

// mustBeHit finds a point that hits the element, scrolling only if there is
// none: to the middle first, then to the edges, for pages with fixed bars. What
// is in plain view and covered is left where it is.
function mustBeHit(el: Element, at?: Point): Reached {
  const locked = page.pointerLockElement;
  if (locked && locked !== el) {
    throw new Refused("element_covered", `the page has locked the mouse pointer to ${describe(locked)}, which gets every press: \`press Escape\` ends that`, false);
  }
  const asked = () => at && placeIn(el, at);
  let hit = hitTest(el, asked());
  if (hit.point) return { point: hit.point, scrolled: false, framed: hit.framed };
  let blocker = hit.scroll ? undefined : hit.blocker;
  for (const block of ["center", "end", "start"] as const) {
    if (!hit.scroll) break;
    scrollTo(el, block);
    if (at) scrollToPoint(el, at);
    hit = hitTest(el, asked());
    if (hit.point) return { point: hit.point, scrolled: true, framed: hit.framed };
    blocker ??= hit.blocker;
  }
  const { where } = hit;
  if (at) mustReach(el, at);
  if (blocker) {
    // Its container may uncover it once the mouse is there: steppers of a field, the buttons of a row.
    const over = composedContains(blocker, el) ? where : undefined;
    const through = throughOf(el, blocker);
    if (through) throw new Refused("element_covered", `${describe(el)} takes no clicks: ${through}`, true, { through: true, over });
    const name = nameBlocker(el, blocker);
    throw new Refused("element_covered", `${describe(el)} is covered by ${name}`, true, { blocker: name, over, closers: closersOf(el, blocker) });
  }
  throw new Refused("element_not_visible", `${describe(el)} lies outside of what can be scrolled into view`, true);
}

// mustReach refuses a point outside of the element's box.
function mustReach(el: Element, at: Point): void {
  const box = safe.getBoundingClientRect(el);
  if (at.x >= 0 && at.y >= 0 && at.x <= box.width && at.y <= box.height) return;
  throw new Refused("invalid_argument", `${describe(el)} does not reach to ${at.x},${at.y}: it is ${Math.round(box.width)} by ${Math.round(box.height)} pixels large`, true);
}

const closing = /^\s*(close|dismiss|no,? thanks|not now|maybe later|hide|skip|continue without|got it|x|×|✕|✖)(\b.*)?\s*$/i;
const mostClosers = 3;
const mostControls = 50; // that are looked at

const buttons = "button,a[href],[role=button],[role=link],[role=menuitem],input[type=button],input[type=submit]";
const dialogs = "dialog[open],[role=dialog],[role=alertdialog]";

// closersOf returns the controls in what covers an element that may close it: those with such a name, or else the first of a
// dialog. A page that covers all of itself has none.
function closersOf(el: Element, hit: Element): Located[] {
  if (composedContains(hit, el)) return [];
  const cover = coverOf(el, hit);
  const controls = controlsIn(cover);
  const named = controls.filter((control) => closing.test(nameOf(control)));
  const dialog = safe.matches(cover, dialogs) ? cover : composedClosest(hit, dialogs) ?? safe.querySelector(cover, dialogs);
  const found = named.length > 0 || !dialog || composedContains(dialog, el) ? named : controlsIn(dialog);
  return found.slice(0, mostClosers).map(located);
}

function controlsIn(cover: Element): Element[] {
  return [...safe.querySelectorAll(cover, buttons)].slice(0, mostControls).filter(isRendered);
}

// insideBorder turns a place that is counted from the padding box into one that is counted from the border box.
function insideBorder(el: Element, at: Point): Point {
  const style = getComputedStyle(el);
  return { x: at.x + (parseFloat(style.borderLeftWidth) || 0), y: at.y + (parseFloat(style.borderTopWidth) || 0) };
}

// middle is the middle of the box, or another place of it, whatever lies over it, scrolled into view.
function middle(el: Element, at?: Point): { point: Point; scrolled: boolean } {
  const centre = () => {
    const box = at ? safe.getBoundingClientRect(el) : boxesOf(el)[0] ?? safe.getBoundingClientRect(el);
    if (at) return { x: box.left + at.x, y: box.top + at.y };
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  };
  if (boxesOf(el).length === 0) throw new Refused("element_not_visible", `${describe(el)} has no box`, false);
  const inside = (p: Point) => p.x >= 0 && p.y >= 0 && p.x < innerWidth && p.y < innerHeight;
  if (inside(centre())) return { point: centre(), scrolled: false };
  scrollTo(el, "center");
  if (!inside(centre())) throw new Refused("element_not_visible", `${describe(el)} lies outside of what can be scrolled into view`, false);
  return { point: centre(), scrolled: true };
}

// --- toggles ---

const boxRoles = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
const toggleRoles = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "treeitem"]);

export function isToggle(el: Element): boolean {
  if (el instanceof HTMLInputElement) return el.type === "checkbox" || el.type === "radio";
  if (el instanceof HTMLOptionElement) return true;
  if (stateOf(el, "checked") !== undefined) return true;
  return safe.hasAttribute(el, "aria-checked") || toggleRoles.has(safe.getAttribute(el, "role") ?? "") && safe.hasAttribute(el, "aria-selected");
}

// itemOf returns the item around a check box without a state of its own, whose state is that of its item.
function itemOf(el: Element): Element | undefined {
  const role = safe.getAttribute(el, "role");
  if (role !== "checkbox" && role !== "radio" && role !== "switch" || isToggle(el)) return undefined;
  const item = composedClosest(el, "[role=treeitem],[role=option],[role=menuitemcheckbox],[role=menuitemradio]");
  return item && isToggle(item) ? item : undefined;
}

// toggleOf goes from what was named to what has the state: a label's control,
// the only check box inside a wrapper.
export function toggleOf(el: Element): Element {
  if (isToggle(el)) return el;
  if (el instanceof HTMLLabelElement && el.control && isToggle(el.control)) return el.control;
  const label = composedClosest(el, "label");
  if (label instanceof HTMLLabelElement && label.control && isToggle(label.control)) return label.control;
  const item = itemOf(el);
  if (item) return item;
  const held = innerOf(el, isToggle);
  if (held) return held;
  const inner = [...safe.querySelectorAll(el, "input[type=checkbox],input[type=radio],[aria-checked]")].filter(isToggle);
  if (inner.length === 1) return inner[0] as Element;
  if (inner.length === 0 && boxRoles.has(safe.getAttribute(el, "role") ?? "")) return el; // without aria-checked it is not checked (WAI-ARIA 1.2)
  const why = inner.length > 1 ? `it holds ${inner.length} of them` : "it has no checked state";
  throw new Refused("element_unsuitable", `${describe(el)} is not a check box, radio button or switch: ${why}`, false);
}

// --- waiting for a state ---

export type State = "visible" | "hidden" | "attached" | "detached";

// awaitState waits for at most the slice until a target is in a state. A ref
// whose element is gone is hidden and detached.
export async function awaitState(arg: { target: Target; state: State; wait?: number }): Promise<Reply<object>> {
  return waiting(arg.wait ?? 0, () => {
    let el: Element | undefined;
    let missing: Refused | undefined;
    try {
      el = locate(arg.target);
    } catch (error) {
      if (!(error instanceof Refused) || !gone(error.refusal.code)) throw error;
      missing = error;
    }
    const visible = el !== undefined && hasBox(el);
    const holds = arg.state === "visible" ? visible : arg.state === "hidden" ? !visible
      : arg.state === "attached" ? el !== undefined : el === undefined;
    if (holds) return {};
    if (missing) throw missing;
    const now = visible ? "visible" : "attached but not visible";
    throw new Refused("timeout", `${describe(el as Element)} is ${now}`, true);
  });
}

function gone(code: string): boolean {
  return code === "element_not_found" || code === "stale_ref";
}
