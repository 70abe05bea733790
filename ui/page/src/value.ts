// The value of a control, as a person would read it off the screen.

import * as safe from "./safe";
import { collapse } from "./name";
import { ownedBy } from "./owns";

/** valueText returns what a control holds; empty if nothing. Passwords are masked, one bullet for each character. */
export function valueText(el: Element, role: string): string {
  if (el instanceof HTMLInputElement) return inputValue(el);
  if (el instanceof HTMLTextAreaElement) return el.value;
  if (el instanceof HTMLSelectElement) return [...el.selectedOptions].map((option) => collapse(option.label)).join(" ");
  if (el instanceof HTMLMeterElement || el instanceof HTMLProgressElement) return ariaRange(el) || (el.hasAttribute("value") ? String(el.value) : "");
  switch (role) {
    case "slider":
    case "spinbutton":
    case "scrollbar":
    case "progressbar":
    case "meter":
    case "separator":
      return ariaRange(el);
    case "textbox":
    case "searchbox":
      return collapse(safe.textContent(el) ?? "");
    case "combobox":
    case "listbox":
      return chosen(el, role);
  }
  return "";
}

function inputValue(el: HTMLInputElement): string {
  switch (el.type) {
    case "checkbox":
    case "radio":
    case "button":
    case "submit":
    case "reset":
    case "image":
    case "hidden":
      return "";
    case "file":
      return el.files && el.files.length > 0 ? [...el.files].map((file) => file.name).join(", ") : "";
    case "password":
      return "•".repeat(el.value.length);
    case "range":
    case "number":
      return ariaRange(el) || el.value;
  }
  return el.value;
}

function ariaRange(el: Element): string {
  return safe.getAttribute(el, "aria-valuetext")?.trim() || safe.getAttribute(el, "aria-valuenow")?.trim() || "";
}

function chosen(el: Element, role: string): string {
  const boxes = [el, ...ownedBy(el)];
  for (const box of boxes) {
    const options = [...safe.querySelectorAll(box, '[role="option"][aria-selected="true"]')];
    if (options.length > 0) return options.map((option) => collapse(safe.textContent(option) ?? "")).join(" ");
  }
  if (role === "combobox") {
    const field = safe.querySelector(el, "input");
    return field instanceof HTMLInputElement ? field.value : collapse(safe.textContent(el) ?? "");
  }
  return "";
}
