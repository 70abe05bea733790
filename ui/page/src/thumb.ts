// Where the thumb of a native slider is.

import * as safe from "./safe";
import { hitTest, type Point, scrollTo } from "./hit";

const breadth = 16; // CSS pixels of a thumb, as Chromium draws it

/**
 * thumbOf is the place of the thumb of an <input type=range>, from the top left of its box, if a press there is one on it; undefined
 * for every other element.
 */
export function thumbOf(el: Element): Point | undefined {
  if (!(el instanceof HTMLInputElement) || el.type !== "range") return undefined;
  const [min, max] = [Number(el.min || 0), Number(el.max || 100)];
  if (max <= min) return undefined;
  let part = (el.valueAsNumber - min) / (max - min);
  const { direction, writingMode } = getComputedStyle(el);
  const upright = writingMode.startsWith("vertical");
  if (direction === "rtl") part = 1 - part;
  let box = safe.getBoundingClientRect(el);
  const length = upright ? box.height : box.width;
  const along = breadth / 2 + part * Math.max(0, length - breadth);
  const at = upright ? { x: box.width / 2, y: along } : { x: along, y: box.height / 2 };
  if (box.left + at.x < 0 || box.top + at.y < 0 || box.left + at.x >= innerWidth || box.top + at.y >= innerHeight) {
    scrollTo(el, "center");
    box = safe.getBoundingClientRect(el);
  }
  return hitTest(el, { x: box.left + at.x, y: box.top + at.y }).point ? at : undefined;
}
