// Crosses on what has been chosen: components hide them from assistive technology, which takes a choice back with a key.

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
  const word = [...safe.classList(el)].map((token) => called.exec(token)?.[0].replace(/[-_]/g, "")).find((one) => one !== undefined);
  if (word === undefined || safe.querySelector(el, controls) !== null || !safe.checkVisibility(el, { ...visible, opacityProperty: true })) return "";
  const box = safe.getBoundingClientRect(el);
  if (box.width === 0 || box.height === 0 || Math.max(box.width, box.height) > largest) return "";
  if (!listens(el) && !(getComputedStyle(el).cursor === "pointer" && isPointedByRule(el))) return "";
  const around = safe.parentElement(el);
  const on = around ? collapse(safe.textContent(around).slice(0, 2 * longest).replace(safe.textContent(el), "")) : "";
  const name = on === "" || on.length > longest ? word : `${word} ${on}`;
  return `generic\t${idOf(el)}\t${name}\t\t\t\tclickable\t${listens(el) ? "click" : "cursor:pointer"}`;
}
