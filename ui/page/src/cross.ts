// Crosses on what has been chosen, and buttons that open the menu of what they are in: components hide them from assistive
// technology, which does the same with a key.

import * as safe from "./safe";
import { listens } from "./clickable";
import { visible } from "./dom";
import { collapse } from "./name";
import { idOf } from "./refs";
import { isPointedByRule } from "./styles";

const called = /(?:^|[-_])(?:remove|close|clear|delete|dismiss|cross)(?:[-_]|$)/i;
const largest = 40; // CSS pixels
const longest = 60; // characters of what it is on
const controls = "a[href],button,input,select,textarea,[tabindex],[role=button]";

/** crossRow is the row of an element with aria-hidden that is there to be pressed, from its role on; empty if it is not. */
export function crossRow(el: Element): string {
  const opens = opensAround(el);
  const word = opens ? "menu" : [...safe.classList(el)].map((token) => called.exec(token)?.[0].replace(/[-_]/g, "")).find((one) => one !== undefined);
  if (word === undefined || safe.querySelector(el, controls) !== null || !safe.checkVisibility(el, { ...visible, opacityProperty: true })) return "";
  const box = safe.getBoundingClientRect(el);
  if (box.width === 0 || box.height === 0 || Math.max(box.width, box.height) > largest) return "";
  if (!opens && !listens(el) && !(getComputedStyle(el).cursor === "pointer" && isPointedByRule(el))) return "";
  const around = safe.parentElement(el);
  const on = around ? collapse(safe.textContent(around).slice(0, 2 * longest).replace(safe.textContent(el), "")) : "";
  const name = on === "" || on.length > longest ? word : `${word} ${on}`;
  if (opens) return `button\t${idOf(el)}\t${name}`;
  return `generic\t${idOf(el)}\t${name}\t\t\t\tclickable\t${listens(el) ? "click" : "cursor:pointer"}`;
}

// opensAround reports whether el is a button in an element that has a popup: the arrow in the header of a column.
function opensAround(el: Element): boolean {
  const around = safe.localName(el) === "button" ? safe.parentElement(el) : null;
  return around !== null && safe.closest(around, "[aria-haspopup]:not([aria-haspopup=false])") !== null;
}
