// The text beside an element without a name: before a field, or in the drawing around a shape.

import * as safe from "./safe";
import { page } from "./safe";
import { visible } from "./dom";
import { collapse } from "./name";

const fields = "input:not([type=hidden]),textarea,select,button,[contenteditable],[role=combobox],[role=textbox],[role=slider],[role=listbox],[role=checkbox]";
const upmost = 3; // elements around a field
const longest = 60; // characters; what is longer is no label
const farthest = 40; // CSS pixels from the field

/**
 * textBefore returns the text directly before a field in its row, or above it; for a check box, after it. Empty if
 * there is none.
 */
export function textBefore(el: Element): string {
  const checked = el instanceof HTMLInputElement && (el.type === "checkbox" || el.type === "radio");
  if (checked) return textBeside(el, safe.nextSibling) || textBeside(el, safe.previousSibling);
  return textBeside(el, safe.previousSibling);
}

function textBeside(el: Element, next: (node: Node) => Node | null): string {
  const target = safe.getBoundingClientRect(el);
  let at: Element = el;
  for (let level = 0; level < upmost; level++) {
    for (let node = next(at); node; node = next(node)) {
      if (node instanceof Text ? node.data.trim() === "" : !(node instanceof HTMLElement) || !safe.checkVisibility(node, visible)) continue;
      return textOf(node as Text | HTMLElement, target);
    }
    const around = safe.parentElement(at);
    if (!around || around === page.body || safe.querySelectorAll(around, fields).length > 1) return "";
    at = around;
  }
  return "";
}

function textOf(node: Text | HTMLElement, target: DOMRect): string {
  if (node instanceof HTMLElement && (safe.matches(node, fields) || safe.querySelector(node, fields) !== null)) return "";
  const text = collapse(node instanceof Text ? node.data : safe.innerText(node));
  if (text === "" || text.length > longest || !isNear(boxOf(node), target)) return "";
  return text.replace(/\s*[:*]+$/, "");
}

function boxOf(node: Text | HTMLElement): DOMRect {
  const range = page.createRange();
  range.selectNodeContents(node);
  return range.getBoundingClientRect();
}

// isNear reports whether a text is in the same row as a field, or right above it.
function isNear(box: DOMRect, target: DOMRect): boolean {
  if (box.width === 0 || target.width === 0) return false;
  const row = box.top < target.bottom && box.bottom > target.top;
  if (row) return Math.min(Math.abs(target.left - box.right), Math.abs(box.left - target.right)) < 4 * farthest;
  return box.bottom <= target.top + 2 && target.top - box.bottom < farthest && box.left < target.right && box.right > target.left;
}

const mostTexts = 8; // of one drawing

/** textOfDrawing is the text in a drawing, or in a group of one. */
export function textOfDrawing(el: Element): string {
  const texts: string[] = [];
  for (const one of safe.querySelectorAll(el, "text")) {
    const text = safe.checkVisibility(one, visible) ? collapse(safe.textContent(one)) : "";
    if (text !== "" && texts.push(text) === mostTexts) break;
  }
  return texts.join(" ");
}

/**
 * textAroundShape returns the text of the small group that a shape of a drawing belongs to. direct reports whether the
 * shape is right in it.
 */
export function textAroundShape(el: Element): { text: string; direct: boolean } {
  let at = safe.parentElement(el) as Element | null;
  for (let level = 0; at instanceof SVGGElement && level < upmost; level++) {
    const box = safe.getBoundingClientRect(at);
    if (box.width * box.height > (innerWidth * innerHeight) / 16) break;
    const text = textOfDrawing(at);
    if (text !== "") return { text: text.length > longest ? "" : text, direct: level === 0 };
    at = safe.parentElement(at) as Element | null;
  }
  return { text: "", direct: false };
}
