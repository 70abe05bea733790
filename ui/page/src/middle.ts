// Where a press on an element arrives: in the middle of its box.

import * as safe from "./safe";

const hiding = new Set(["checkbox", "radio", "switch"]);
const least = 2; // CSS pixels; a smaller control is hidden, and pressed on what is around it

/** isMiddleOf reports whether a press on what is around el arrives at el. The middle of a slider's track is not its handle. */
export function isMiddleOf(el: Element, role: string, around: Element): boolean {
  if (role === "slider" && !(el instanceof HTMLInputElement)) return false;
  const box = safe.getBoundingClientRect(el);
  if (box.width < least || box.height < least) return hiding.has(role);
  const outer = safe.getBoundingClientRect(around);
  const x = outer.left + outer.width / 2;
  const y = outer.top + outer.height / 2;
  return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
}
