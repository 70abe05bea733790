// Options of components that are not visible: some draw a list for people beside the one that they write for assistive
// technology, and some keep the options of a closed list in the page without any size.

import * as safe from "./safe";
import { page, rootOf } from "./safe";
import { flatParent, visible } from "./dom";
import { boxesOf } from "./hit";
import { collapse } from "./name";
import { textWithout } from "./value";

const option = "[role=option]";
const outermost = 3; // elements around a list in which its twins are looked for
const mostLooked = 2000; // elements in those
const mostParts = 20; // of what is drawn for an option
const longest = 200; // characters of an option

/** isUnseen reports whether an option that a component writes has no size. The browser draws those of a native list. */
export function isUnseen(el: Element): boolean {
  return safe.getAttribute(el, "role") === "option" && !(el instanceof HTMLOptionElement) && boxesOf(el).length === 0;
}

const smallest = 1; // CSS pixels of a list that is hidden although it has a size

/**
 * isInHiddenList reports whether el is an option of a native list that is too small to be seen, or transparent: components that
 * draw a list of their own keep the native one like that.
 */
export function isInHiddenList(el: Element): boolean {
  const list = el instanceof HTMLOptionElement ? el.closest("select") : null;
  return list !== null && isHiddenList(list);
}

/** isHiddenList reports whether a native list is too small to be seen, or transparent. */
export function isHiddenList(list: HTMLSelectElement): boolean {
  const box = safe.getBoundingClientRect(list);
  return box.width <= smallest || box.height <= smallest || getComputedStyle(list).opacity === "0";
}

/**
 * showsChoice reports whether what is drawn around a hidden native list shows its selected options: components that do not notice a
 * choice in the native list keep their own.
 */
export function showsChoice(list: HTMLSelectElement): boolean {
  const labels = [...list.selectedOptions].map((one) => collapse(one.label));
  let something = false;
  for (let at = flatParent(list), up = 0; at && up < outermost; at = flatParent(at), up++) {
    let text = textWithout(at, "select,label");
    for (const field of safe.querySelectorAll(at, "input")) text += ` ${(field as HTMLInputElement).value}`;
    if (labels.every((label) => text.includes(label))) return true;
    something ||= text.trim() !== "";
  }
  return !something;
}

interface List {
  twins: Map<Element, Element>; // what is seen in place of each option
  unseen: Element[];
  opener: Element | undefined; // of a list that is closed
}

// What was found for each list, until the task ends.
let lists: Map<Element, List> | undefined;
let drawn = new Map<Element, Element>(); // options by their twins

function listOf(el: Element): List | undefined {
  const list = safe.closest(el, "[role=listbox]");
  if (!list) return undefined;
  if (!lists) {
    lists = new Map();
    drawn = new Map();
    queueMicrotask(() => (lists = undefined));
  }
  let found = lists.get(list);
  if (!found) {
    const unseen = [...safe.querySelectorAll(list, option)].filter(isUnseen);
    const opener = unseen.length > 0 ? closedBy(list) : undefined;
    found = { unseen, opener, twins: unseen.length > 0 && !opener ? twinsOf(list, unseen) : new Map<Element, Element>() };
    lists.set(list, found);
    for (const [one, twin] of found.twins) drawn.set(twin, one);
  }
  return found;
}

/** twinOf is what is seen in place of an option that is not. */
export function twinOf(el: Element): Element | undefined {
  return isUnseen(el) ? listOf(el)?.twins.get(el) : undefined;
}

/** openerOf is what opens the closed list that an unseen option is in. */
export function openerOf(el: Element): Element | undefined {
  return isUnseen(el) ? listOf(el)?.opener : undefined;
}

/**
 * isDrawnElsewhere reports whether an option, or a list without any size, is shown in another way: by its twin, or by
 * the number of the options of its opener.
 */
export function isDrawnElsewhere(el: Element, role: string): boolean {
  if (role === "option") {
    const list = isUnseen(el) ? listOf(el) : undefined;
    return list !== undefined && (list.twins.has(el) || list.opener !== undefined);
  }
  if (role !== "listbox" || el instanceof HTMLSelectElement || boxesOf(el).length > 0) return false;
  const list = listOf(el);
  if (!list || list.unseen.length === 0 || list.unseen.length < safe.querySelectorAll(el, option).length) return false;
  return list.opener !== undefined || list.unseen.every((one) => list.twins.has(one));
}

/** closedOptions returns the number of options of a component's closed list, 0 if they are shown. */
export function closedOptions(el: Element): number {
  if (safe.getAttribute(el, "aria-expanded") !== "false") return 0;
  const id = safe.getAttribute(el, "aria-controls") || safe.getAttribute(el, "aria-owns");
  const held = id ? rootOf(el).getElementById(id) : null;
  if (!held) return 0;
  const list = safe.matches(held, "[role=listbox]") ? held : safe.querySelector(held, "[role=listbox]");
  const found = list ? listOf(list) : undefined;
  return found?.opener === el && list && isDrawnElsewhere(list, "listbox") ? found.unseen.length : 0;
}

/** optionOf is the unseen option that el is seen in place of, as far as its list was looked at in this task. */
export function optionOf(el: Element): Element | undefined {
  return lists?.size ? drawn.get(el) : undefined;
}

/**
 * isBesideTwin reports whether an element drawn beside such elements, and similar to them, is an option that is hidden
 * from assistive technology.
 */
export function isBesideTwin(el: Element): boolean {
  if (!lists?.size || drawn.size === 0) return false;
  const parent = safe.parentElement(el);
  const twin = parent && [...drawn.keys()].find((one) => safe.parentElement(one) === parent);
  if (!twin || twin === el || safe.localName(twin) !== safe.localName(el)) return false;
  const kind = safe.classList(twin)[0];
  return kind !== undefined && safe.classList(el).contains(kind) && isPressed(el);
}

// closedBy returns the element that opens a list, or an ancestor of it, and is marked as closed.
function closedBy(list: Element): Element | undefined {
  const root = rootOf(list);
  for (let at: Element | null = list, up = 0; at && up <= outermost; at = flatParent(at), up++) {
    const id = safe.id(at);
    if (id === "") continue;
    const name = CSS.escape(id);
    const opener = root.querySelector(`[aria-controls~="${name}"],[aria-owns~="${name}"]`);
    if (opener && opener !== list && !safe.contains(list, opener)) return safe.getAttribute(opener, "aria-expanded") === "false" ? opener : undefined;
  }
  return undefined;
}

function twinsOf(list: Element, unseen: Element[]): Map<Element, Element> {
  const wanted = new Map<string, Element[]>();
  for (const one of unseen) for (const name of namesOf(one)) wanted.set(name, [...(wanted.get(name) ?? []), one]);
  let around = flatParent(list);
  for (let up = 0; around && around !== page.body && up < outermost; around = flatParent(around), up++) {
    const twins = twinsIn(around, list, wanted);
    if (twins.size > 0) return twins;
  }
  return new Map();
}

function namesOf(el: Element): Set<string> {
  const names = [collapse(safe.getAttribute(el, "aria-label") ?? ""), collapse(safe.textContent(el).slice(0, 2 * longest))];
  return new Set(names.filter((name) => name !== "" && name.length <= longest));
}

// twinsIn finds the visible elements with the name of an option. If there are more of a name than options, none of them
// is a twin.
function twinsIn(around: Element, list: Element, wanted: Map<string, Element[]>): Map<Element, Element> {
  const seen = new Map<string, Element[]>();
  let looked = 0;
  for (const el of safe.querySelectorAll(around, "*")) {
    if (++looked > mostLooked) break;
    if (safe.childElementCount(el) > mostParts || safe.contains(list, el) || safe.contains(el, list)) continue;
    const text = safe.textContent(el);
    const name = text.length > 2 * longest ? "" : collapse(text);
    if (!wanted.has(name) || !safe.checkVisibility(el, visible) || boxesOf(el).length === 0) continue;
    const before = seen.get(name) ?? [];
    const outer = before.at(-1);
    // Of several around each other it is the outermost that is for this one alone.
    if (!outer || !safe.contains(outer, el)) seen.set(name, [...before, el]);
    else if (!isPressed(outer)) seen.set(name, [...before.slice(0, -1), el]);
  }
  const twins = new Map<Element, Element>();
  for (const [name, found] of seen) {
    const options = wanted.get(name) ?? [];
    if (found.length === options.length) options.forEach((one, i) => twins.set(one, found[i] as Element));
  }
  return twins;
}

function isPressed(el: Element): boolean {
  return getComputedStyle(el).cursor === "pointer";
}
