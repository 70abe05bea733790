// Getting text and choices into fields. What a person would type goes in
// through the browser (Input.insertText, key events), sent by the caller after
// the field was prepared here; what a person would pick in a widget of the
// browser's own (date, colour, range, an option) is set here with the events
// such a widget fires.

import * as safe from "./safe";
import { page } from "./safe";
import { chosen, editable, hasBox, isPressed, mustBeEditable, mustBeEnabled, mustBeNoFrame, mustBeRendered, mustBeVisible, waiting, whyNoField } from "./check";
import { shadowOf } from "./dom";
import { drawsText, hasEditContext, heldBy, holdsEditor, holdsLines, isCaretAtEnd, isEditor, isHost, paste, selectWithin, turn } from "./editor";
import { drawnFor } from "./formfield";
import { hitTest, scrollTo } from "./hit";
import { mustBeCurrent } from "./internals";
import { focused, type Located, locate, located, normal, type Target } from "./locate";
import { idle } from "./read";
import { isSlider, mustBeInReach } from "./slide";
import { innerOf } from "./alternatives";
import { attempt, describe, Refused, type Reply, shorten } from "./describe";
import { composedClosest } from "./tree";
import { isHiddenList, showsChoice } from "./twin";
import { awaitEventReport, type EventReport, observe, takeEventReport } from "./observer";

// Inputs whose value a person picks rather than types, with the form the value
// must have (HTML, "input element" value sanitization).
const picked: Record<string, string> = {
  date: "YYYY-MM-DD", month: "YYYY-MM", week: "YYYY-Www", time: "HH:MM", "datetime-local": "YYYY-MM-DDTHH:MM",
  color: "#rrggbb", range: "a number",
};

// What does not exist although it is written in that form: the 30th of February.
const forms: Record<string, { form: RegExp; what: string }> = {
  date: { form: /^\d{4}-\d\d-\d\d$/, what: "day" }, month: { form: /^\d{4}-\d\d$/, what: "month" }, week: { form: /^\d{4}-W\d\d$/, what: "week" },
  time: { form: /^\d\d:\d\d$/, what: "time" }, "datetime-local": { form: /^\d{4}-\d\d-\d\dT\d\d:\d\d$/, what: "day and time" },
};

export interface Prepared {
  element: Located;
  shape: string;
  // What is left to the caller: "insert" the text over the selection, "replace" all with keys, replace what is
  // "selected" with keys, delete with a key what is selected ("clear"), go to the "end" by a key, "slide" there by keys, let the key go
  // that "emptied" the field, "press" it with the mouse before the keys, or nothing because it is "done".
  next: "press" | "insert" | "replace" | "selected" | "clear" | "end" | "slide" | "emptied" | "done";
  editor: boolean; // keys reach it later than they reach a field
  drawn: boolean; // its text is drawn elsewhere
  fresh: boolean; // it has the focus only now
  value: string; // of the field now
}

// It holds nothing back, so it may live until the next.
const typing = { types: ["keydown", "beforeinput", "input"], final: "", life: Number.POSITIVE_INFINITY };

// What is inserted ends with a keyup.
const inserting = { ...typing, types: [...typing.types, "keyup"], final: "keyup", behind: true };

// startFill makes the field ready; where text is to be inserted, selectValue follows.
export async function startFill(arg: { target: Target; text: string; wait?: number }): Promise<Reply<Prepared>> {
  toSelect = null;
  return waiting(arg.wait ?? 0, () => {
    const el = written(locate(arg.target));
    mustBeRendered(el);
    mustBeNoFrame(el);
    mustBeEnabled(el);
    if (!editable(el)) mustBeCurrent(el);
    const slides = isSlider(el);
    if (slides) mustBeInReach(el, arg.text);
    else mustBeEditable(el);
    const editor = isEditor(el);
    const fresh = !hasFocus(el);
    const answer = (next: Prepared["next"]) => ({ element: located(el), shape: describe(el), next, editor, drawn: drawsText(el), fresh, value: valueOf(el) ?? "" });
    if (slides) {
      if (safe.getAttribute(el, "aria-readonly") === "true") mustBeEditable(el);
      grabFocus(el);
      observe(el, typing);
      return answer("slide");
    }
    if (el instanceof HTMLInputElement && picked[el.type] !== undefined) {
      setPicked(el, arg.text);
      return answer("done");
    }
    if (el instanceof HTMLInputElement && el.type === "number") mustBeNumber(el, arg.text);
    grabFocus(el);
    if (editor) {
      observe(el, typing);
      if (isHost(el)) return answer("replace");
      selectWithin(el);
      return answer("selected");
    }
    if (arg.text === "") {
      selectAll(el);
      // The editing command of the Delete key: trusted events, undoable.
      if ((valueOf(el) ?? "") === "") return answer("done");
      page.execCommand("delete");
      return answer("emptied");
    }
    observe(el, inserting);
    toSelect = el;
    return answer("insert");
  });
}

// startType focuses a field for key events; with clear all it holds is selected
// first and deleted, else the caret goes behind it unless the field already has
// the focus. Elements without text (a canvas game, a list box) only need focus, cells
// of a grid a press.
export async function startType(arg: { target: Target; clear?: boolean; wait?: number }): Promise<Reply<Prepared>> {
  return waiting(arg.wait ?? 0, () => {
    const el = written(locate(arg.target));
    mustBeRendered(el);
    mustBeNoFrame(el);
    mustBeEnabled(el);
    const had = hasFocus(el);
    if (isTextual(el)) mustBeEditable(el);
    const editor = isEditor(el);
    if (!had && !arg.clear && !editor && isPressed(el)) {
      return { element: located(el), shape: describe(el), next: "press", editor, drawn: false, fresh: true, value: "" };
    }
    grabFocus(el);
    let next: Prepared["next"] = "insert";
    if (editor && arg.clear) {
      next = isHost(el) ? "replace" : "selected";
      if (next === "selected") selectWithin(el);
    } else if (editor && !(el instanceof HTMLElement && safe.isContentEditable(el))) {
      next = had ? "insert" : "end";
    } else if (isTextual(el)) {
      if (arg.clear) {
        selectAll(el);
        if ((valueOf(el) ?? "") !== "") next = "clear";
      } else if (!had) {
        caretToEnd(el);
      }
    } else if (arg.clear) {
      throw new Refused("element_unsuitable", `${describe(el)} cannot be cleared: it holds no text`, false);
    }
    observe(el, typing);
    return { element: located(el), shape: describe(el), next, editor, drawn: drawsText(el), fresh: !had, value: valueOf(el) ?? "" };
  });
}

let toSelect: Element | null = null;

/**
 * selectValue selects all that the field of the latest startFill holds, so that inserted text replaces it; false if there is none
 * yet. It is a call of its own because the browser draws the selection at once: what was asked before it is answered first.
 */
export function selectValue(): { selected: boolean } {
  if (toSelect) selectAll(toSelect);
  return { selected: toSelect !== null };
}

interface Entered extends EventReport {
  value: string | null; // of the field; null where it cannot be read
}

/** awaitEntered resolves when the page has handled the last event of what startFill prepared to "insert". */
export function awaitEntered(arg: { target: Target }): Promise<Entered> {
  return withValue(awaitEventReport(), arg.target);
}

/** takeEntered ends the observer and returns its report; deferred is after what the page has put off until after the last event. */
export async function takeEntered(arg: { target: Target; deferred?: boolean }): Promise<Entered> {
  if (arg.deferred) await turn();
  return withValue(takeEventReport(), arg.target);
}

async function withValue(reported: Promise<EventReport>, target: Target): Promise<Entered> {
  const report = await reported;
  const read = attempt(() => ({ value: valueOf(locate(target)) }));
  return { ...report, value: read.ok ? read.value : null };
}

// selectContent selects all of an editor that did not let its keys do so.
export function selectContent(arg: { target: Target }): Reply<object> {
  return attempt(() => {
    selectWithin(locate(arg.target));
    return {};
  });
}

// endContent puts the caret behind all that an editor holds, where its own idea of what was entered has left it elsewhere.
export function endContent(arg: { target: Target }): Reply<{ moved: boolean }> {
  return attempt(() => {
    const el = locate(arg.target);
    if (drawsText(el) || isCaretAtEnd(el)) return { moved: false };
    getSelection()?.modify("move", "forward", "documentboundary"); // into the last line, not behind it
    return { moved: true };
  });
}

// pasteInto offers text as a paste: editors take that as it is, without completing or indenting anything.
export function pasteInto(arg: { target: Target; text: string }): Reply<{ taken: boolean }> {
  return attempt(() => ({ taken: paste(locate(arg.target), arg.text) }));
}

// written is the field in which a person writes: the one that a component draws for a field that only its form uses.
function written(target: Element): Element {
  const el = field(target);
  const shown = drawnFor(el);
  return shown && isTextual(shown) ? shown : el;
}

// field goes from a label to its control, from the host of a component to the only field in it, and from what is drawn of an editor to
// what takes the keyboard for it.
export function field(el: Element): Element {
  if (el instanceof HTMLLabelElement && el.control) return el.control;
  return isTextual(el) ? el : innerOf(el, isTextual) ?? proxyIn(el) ?? proxyBeside(el) ?? el;
}

// proxyIn is the only field in el, if that is one of an editor that draws its text elsewhere in el.
function proxyIn(el: Element): Element | undefined {
  const [only, other] = safe.querySelectorAll(el, "input:not([type=hidden]),textarea,select,[contenteditable]");
  return only && !other && drawsText(only) ? only : undefined;
}

// proxyBeside is what takes the keyboard for an editor whose drawn lines are in el.
function proxyBeside(el: Element): Element | undefined {
  if (!holdsLines(el)) return undefined;
  let at = safe.parentElement(el);
  for (let up = 0; at && up < 3; up++, at = safe.parentElement(at)) {
    const proxy = proxyIn(at);
    if (proxy) return proxy;
  }
  return undefined;
}

function isTextual(el: Element): boolean {
  if (el instanceof HTMLTextAreaElement) return true;
  if (el instanceof HTMLInputElement) {
    return !["checkbox", "radio", "file", "button", "submit", "reset", "image", "hidden", "range", "color"].includes(el.type);
  }
  return el instanceof HTMLElement && safe.isContentEditable(el) || hasEditContext(el);
}

export function hasFocus(el: Element): boolean {
  const active = safe.rootOf(el).activeElement;
  // The body counts as active also in a frame that no key reaches.
  if (active === el) return el !== page.body || page.hasFocus();
  // Inside an editable region the focus is on its outermost editable element.
  return active instanceof HTMLElement && safe.isContentEditable(active) && safe.contains(active, el);
}

// editingHost is the element of an editable region that takes the focus.
function editingHost(el: HTMLElement): HTMLElement {
  let host = el;
  for (let at = safe.parentElement(el); at && safe.isContentEditable(at); at = safe.parentElement(at)) host = at;
  return host;
}

export function grabFocus(el: Element): void {
  if (hasFocus(el)) return;
  scrollTo(el, "nearest");
  const taker = el instanceof HTMLElement && safe.isContentEditable(el) ? editingHost(el) : el;
  safe.focus(taker, { preventScroll: true });
  if (hasFocus(el)) return;
  if (el === page.body && safe.isContentEditable(page.body)) {
    window.focus(); // a document in design mode has no element to be focused
    selectWithin(el);
    getSelection()?.collapseToEnd();
    return;
  }
  // A component that hands the focus on to something inside of it (delegatesFocus).
  if (shadowOf(el)?.activeElement) return;
  const now = focused();
  const kept = now !== page.body && now !== page.documentElement;
  if (kept && safe.contains(el, now)) return;
  const focusable = safe.tabIndex(taker) >= 0 || safe.hasAttribute(taker, "tabindex");
  const why = !focusable ? whyNoField(el) : kept ? `${describe(now)} took the focus` : "the page did not let it have the focus";
  throw new Refused("element_unsuitable", `${describe(el)} cannot be focused: ${why}`, focusable && kept);
}

// tryFocus is grabFocus for what needs no focus: a list that hands it on to a drawing of itself is chosen from all the same.
function tryFocus(el: Element): void {
  try {
    grabFocus(el);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

function selectAll(el: Element): void {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) {
    el.select();
    return;
  }
  selectWithin(el);
}

function caretToEnd(el: Element): void {
  if (el instanceof HTMLTextAreaElement) return el.setSelectionRange(el.value.length, el.value.length);
  if (el instanceof HTMLInputElement) {
    // Types without a selection API (number, email) keep the caret where focus
    // put it after select(): collapsing to the end is all there is.
    if (el.selectionEnd !== null) return el.setSelectionRange(el.value.length, el.value.length);
    el.select();
    getSelection()?.collapseToEnd();
    return;
  }
  selectWithin(el);
  getSelection()?.collapseToEnd();
}

function mustBeNumber(el: HTMLInputElement, text: string): void {
  if (text === "" || /^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text.trim())) return;
  throw new Refused("invalid_argument", `${describe(el)} takes a number, not "${shorten(text)}"`, false);
}

// setPicked sets a value as the picker of the browser would, with the events it
// fires. Setting it in our world passes by any property the page put on the
// element, so frameworks that track the value see a change.
function setPicked(el: HTMLInputElement, text: string): void {
  const before = el.value;
  const wanted = el.type === "color" ? text.trim().toLowerCase() : text.trim();
  const probe = el.cloneNode(false) as HTMLInputElement;
  probe.value = wanted;
  const refused = probe.value !== wanted && (el.type !== "range" || Number.isNaN(Number(wanted)) || wanted === "");
  if (refused) {
    const known = forms[el.type];
    const why = known?.form.test(wanted) ? `${picked[el.type]}, and there is no ${known.what} ${wanted}` : `${picked[el.type]}, not "${shorten(text)}"`;
    throw new Refused("invalid_argument", `${describe(el)} takes ${why}`, false);
  }
  grabFocus(el);
  if (probe.value === before) return;
  el.value = wanted;
  chosen(el);
}

// valueOf is what a field holds: null for what is no field.
export function valueOf(el: Element): string | null {
  const held = isEditor(el) ? heldBy(el) : undefined;
  if (held !== undefined) return held;
  if (drawsText(el)) return null; // drawn where it cannot be read
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement) return el.value;
  if (el instanceof HTMLOptionElement || el instanceof HTMLButtonElement || el instanceof HTMLOutputElement) return el.value;
  if (el instanceof HTMLProgressElement || el instanceof HTMLMeterElement) return String(el.value);
  return null;
}

// --- focus ---

export async function focusOn(arg: { target: Target; wait?: number }): Promise<Reply<{ element: Located }>> {
  return waiting(arg.wait ?? 0, () => {
    const el = field(locate(arg.target));
    mustBeRendered(el);
    if (holdsEditor(el)) mustBeNoFrame(el); // the focus of other frames is that of their element
    mustBeEnabled(el);
    grabFocus(el);
    return { element: located(el) };
  });
}

// --- options ---

// selectOptions selects options by value, label or `index=N`; all of them must exist before any is selected. A list in
// that state already fires no event, as when a person picks the same option again.
export async function selectOptions(arg: { target: Target; values: string[]; wait?: number }): Promise<Reply<{ element: Located; selected: string[]; changed: boolean; undone: boolean; hidden: boolean }>> {
  return waiting(arg.wait ?? 0, () => {
    const el = listOf(locate(arg.target));
    mustBeVisible(el);
    mustBeEnabled(el);
    const options = [...el.options];
    const wanted = arg.values.map((value) => findOption(el, options, value));
    if (wanted.length > 1 && !el.multiple) {
      throw new Refused("element_unsuitable", `${describe(el)} takes one option, and ${wanted.length} were given`, false);
    }
    const before = options.map((option) => option.selected);
    const values = wanted.map((option) => option.value);
    press(el);
    if (el.multiple) for (const option of options) option.selected = wanted.includes(option);
    else if (wanted[0]) wanted[0].selected = true;
    const moved = options.some((option, i) => option.selected !== before[i]);
    if (moved) chosen(el);
    const selected = [...el.selectedOptions].map((option) => option.value);
    return { element: located(el), selected, changed: moved, undone: values.some((value) => !selected.includes(value)), hidden: isHiddenList(el) };
  });
}

// choiceShows reports whether the page shows what is selected in a hidden list.
export function choiceShows(arg: { target: Target }): Reply<{ shows: boolean }> {
  return attempt(() => ({ shows: showsChoice(listOf(locate(arg.target))) }));
}

// press gives a list the focus as the press that opens it does. A page that closes the container of the list when a
// field loses the focus keeps it open for a press in there, whose event it gets before.
function press(el: Element): void {
  if (hasFocus(el)) return;
  if (hasBox(el)) {
    const box = safe.getBoundingClientRect(el);
    const at = { bubbles: true, cancelable: true, composed: true, button: 0, buttons: 1, clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
    safe.dispatchEvent(el, new PointerEvent("pointerdown", { ...at, isPrimary: true, pointerId: 1, pointerType: "mouse" }));
    safe.dispatchEvent(el, new MouseEvent("mousedown", { ...at, detail: 1 }));
  }
  tryFocus(el);
}

function listOf(el: Element): HTMLSelectElement {
  const at = field(el);
  if (at instanceof HTMLSelectElement) return at;
  if (at instanceof HTMLOptionElement) {
    const list = at.closest("select");
    if (list) return list;
  }
  throw new Refused("element_unsuitable", `${describe(el)} is not a <select>; click it, then click the option that appears`, false);
}

function findOption(el: HTMLSelectElement, options: HTMLOptionElement[], wanted: string): HTMLOptionElement {
  const label = normal(wanted);
  const index = /^index=(\d+)$/.exec(wanted)?.[1];
  const found = options.find((option) => option.value === wanted)
    ?? options.find((option) => normal(option.label) === label || normal(option.text) === label)
    ?? (index === undefined ? undefined : options[Number(index)]);
  if (!found) {
    const seen = options.slice(0, 30).map((option) => `${shorten(option.value)} ("${shorten(normal(option.label))}")`);
    const hidden = isHiddenList(el) ? ": it is hidden, so choose in what the page draws for it" : "";
    throw new Refused("option_not_found", `${describe(el)} has no option "${shorten(wanted)}"${hidden}`, true, { seen, matched: options.length });
  }
  const group = found.parentElement;
  if (found.disabled || (group instanceof HTMLOptGroupElement && group.disabled)) {
    throw new Refused("element_disabled", `the option "${shorten(normal(found.label))}" of ${describe(el)} is disabled`, true);
  }
  return found;
}

// --- files ---

export interface FileField {
  element: Located;
  multiple: boolean;
  accept: string;
  directory: boolean;
}

// fileField returns the file input of an element: itself, a label's control, the only one inside of it, or one that
// lies over it and takes its clicks. It is often hidden behind a button.
export function fileField(el: Element): HTMLInputElement {
  const at = field(el);
  if (takesFiles(at)) return at;
  const inner = safe.querySelectorAll(at, "input[type=file]");
  if (inner.length === 1) return inner[0] as HTMLInputElement;
  const over = inner.length === 0 ? blockerOf(at) : undefined;
  const label = over && composedClosest(over, "label");
  const clicked = label instanceof HTMLLabelElement ? label.control : over;
  if (clicked && takesFiles(clicked)) return clicked;
  const why = inner.length > 1 ? `it holds ${inner.length} file inputs` : "it is no file input and holds none";
  throw new Refused("element_unsuitable", `${describe(el)} takes no files: ${why}`, false);
}

const takesFiles = (el: Element): el is HTMLInputElement => el instanceof HTMLInputElement && el.type === "file";

// blockerOf is what would be hit in place of an element.
function blockerOf(el: Element): Element | undefined {
  const hit = hitTest(el);
  if (hit.point || !hit.scroll) return hit.blocker;
  scrollTo(el, "center");
  return hitTest(el).blocker;
}

export async function startUpload(arg: { target: Target; wait?: number }): Promise<Reply<FileField>> {
  prepared = null;
  return waiting(arg.wait ?? 0, () => {
    const el = fileField(locate(arg.target));
    mustBeEnabled(el);
    prepared = el;
    return { element: located(el), multiple: el.multiple, accept: el.accept, directory: el.webkitdirectory };
  });
}

let prepared: HTMLInputElement | null = null;

// uploadField is the field of the latest startUpload, if that has found it by now.
export function uploadField(): HTMLInputElement | null {
  return prepared;
}

/** uploaded is idle with the names of the files that a field has; none where a page has removed it. */
export function uploaded(arg: { target: Target }): ReturnType<typeof idle> & { files: string[] } {
  const field = attempt(() => ({ el: locate(arg.target) }));
  const files = field.ok && field.el instanceof HTMLInputElement ? [...(field.el.files ?? [])].map((file) => file.name) : [];
  return { files, ...idle() };
}

// windowFocus reports whether keys go to this frame.
export function windowFocus(): { hasFocus: boolean } {
  return { hasFocus: page.hasFocus() };
}
