// Native fields that a component keeps for the form only: nobody can press them or come to them with the keyboard, and what a
// person uses is drawn beside or around them.

import * as safe from "./safe";
import { page } from "./safe";
import { isBeyond } from "./away";
import { flatParent, visible } from "./dom";
import { collapse } from "./name";

const outermost = 3; // elements around the field, or around what is drawn for it
const smallest = 1; // CSS pixels of a field that is hidden although it has a size
const texts = new Set(["text", "search", "email", "tel", "url", "number"]);
const native = "input,textarea,select";
const drawn = `[role=combobox],[role=textbox],[role=searchbox],[role=listbox],[aria-haspopup],[contenteditable=""],[contenteditable=true],input:not([type=hidden])`;

/** isFormField reports whether el is a field that only the form uses, for which a component draws another. */
export function isFormField(el: Element): boolean {
  return isOutOfReach(el) && [...drawnAround(el)].length > 0;
}

/** drawnFor is the only field that a component draws for one that only the form uses; undefined for every other element. */
export function drawnFor(el: Element): Element | undefined {
  if (!isOutOfReach(el)) return undefined;
  const [only, other] = [...drawnAround(el)].filter((one) => !safe.contains(one, el));
  return other ? undefined : only;
}

/** labelOfFormField is the text of the labels of the field for which el is drawn; empty if there is none. */
export function labelOfFormField(el: Element): string {
  for (let at: Element | null = el, up = 0; at && at !== page.body && up <= outermost; at = flatParent(at), up++) {
    for (const one of [safe.previousElementSibling(at), safe.nextElementSibling(at), up === 0 ? safe.querySelector(at, "select") : null]) {
      if (!one || !safe.matches(one, native) || !isOutOfReach(one)) continue;
      return [...safe.labels(one)].map((label) => collapse(safe.textContent(label))).filter(Boolean).join(" ");
    }
  }
  return "";
}

function isOutOfReach(el: Element): boolean {
  if (safe.getAttribute(el, "tabindex") !== "-1") return false;
  if (!(el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement || el instanceof HTMLInputElement && texts.has(el.type))) return false;
  const box = safe.getBoundingClientRect(el);
  if (box.width <= smallest || box.height <= smallest || isBeyond(el, box)) return true;
  const style = getComputedStyle(el);
  return style.opacity === "0" && style.pointerEvents === "none" || isCutOff(el);
}

// isCutOff reports whether what is right around el shows nothing of it.
function isCutOff(el: Element): boolean {
  const around = flatParent(el);
  if (!around || getComputedStyle(around).overflowX === "visible") return false;
  const box = safe.getBoundingClientRect(around);
  return box.width <= smallest || box.height <= smallest;
}

// drawnAround yields what is drawn around a field that is out of reach: the nearest element that holds the field and such a one,
// or is one, is looked for.
function* drawnAround(el: Element): Generator<Element> {
  for (let at = flatParent(el), up = 0; at && at !== page.documentElement && up < outermost; at = flatParent(at), up++) {
    if (safe.matches(at, drawn)) yield at;
    const beside = up === 0 ? [safe.previousElementSibling(el), safe.nextElementSibling(el)] : [at];
    const found = beside.flatMap((one) => (one ? [...(safe.matches(one, drawn) ? [one] : []), ...safe.querySelectorAll(one, drawn)] : []))
      .filter((one) => one !== el && safe.checkVisibility(one, visible) && !isOutOfReach(one));
    yield* found;
    if (found.length > 0) return;
  }
}
