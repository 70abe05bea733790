// Check boxes, radio buttons and switches that are made of several elements: a component and the native control in it.

import { naming } from "./name";

const toggles = new Set(["checkbox", "radio", "switch"]);

/** isToggleRole reports whether what is in an element with that role is only a part of it. */
export function isToggleRole(role: string): boolean {
  return toggles.has(role);
}

/**
 * isPartOfToggle reports whether an element in a check box, radio button or switch of that name is nothing of its own: it has the same
 * role or one like it, repeats the name, or is a drawing that takes no click.
 */
export function isPartOfToggle(el: Element, role: string, kind: string, hints: string, name: string): boolean {
  if (toggles.has(role)) return true;
  if (kind !== "clickable" || role !== "generic" && role !== "none" && role !== "LabelText") return false;
  const text = naming(el, "rowheader").name; // with what slots take
  return text === "" ? !/click|tabindex|cursor/.test(hints) : text === name;
}
