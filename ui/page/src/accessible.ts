// Text that is the name of something else, and the names of what has no other.

import * as safe from "./safe";
import { visible } from "./dom";
import { collapse } from "./name";
import { textOfDrawing } from "./near";
import { roleOf } from "./role";
import { traits } from "./styles";

// The text of some elements is the name of another one, and is in the line of that.
export function isSpokenElsewhere(el: Element, name: string): boolean {
  switch (name) {
    case "label": {
      const control = el instanceof HTMLLabelElement ? el.control : null;
      return control !== null && !isNamedByAttribute(control) && safe.checkVisibility(control, visible);
    }
    case "caption":
    case "figcaption":
    case "legend": {
      const parent = safe.parentElement(el);
      return parent !== null && captioned.has(safe.localName(parent)) && !isNamedByAttribute(parent) && !(name === "figcaption" && safe.getAttribute(parent, "title")?.trim());
    }
  }
  return false;
}

const captioned = new Set(["fieldset", "figure", "table"]);

function isNamedByAttribute(el: Element): boolean {
  return safe.hasAttribute(el, "aria-label") || safe.hasAttribute(el, "aria-labelledby");
}

// A label of a checkbox or radio button that is not rendered represents it: clicking the label is the only way to it.
export function hiddenControl(label: HTMLLabelElement): string | undefined {
  const control = label.control;
  if (!(control instanceof HTMLInputElement) || (control.type !== "checkbox" && control.type !== "radio")) return undefined;
  if (control.checkVisibility(visible)) return undefined;
  return roleOf(control);
}

export function labelText(el: Element): string {
  const only = safe.firstChild(el);
  if (only && safe.nodeType(only) === 3 && !safe.nextSibling(only) && !traits().transform) return collapse((only as Text).data);
  if (el instanceof SVGElement) return textOfDrawing(el) || collapse(safe.textContent(el));
  return collapse(el instanceof HTMLElement ? safe.innerText(el) : safe.textContent(el));
}

export function shortened(text: string): string {
  if (text.length <= 100) return text;
  return [...text.slice(0, 101)].slice(0, -1).join("").slice(0, 100);
}
