// The value of a control, as a person would read it off the screen.

import * as safe from "./safe";
import { page } from "./safe";
import { flatParent, visible } from "./dom";
import { hasEditContext, heldBy, isProxy } from "./editor";
import { internalsOf } from "./internals";
import { collapse, references } from "./name";
import { ownedBy } from "./owns";

/** valueText returns what a control holds; empty if nothing. Passwords are masked, one bullet for each character. */
export function valueText(el: Element, role: string): string {
  if (el instanceof HTMLInputElement) return inputValue(el, role);
  if (el instanceof HTMLTextAreaElement) return (isProxy(el) ? heldBy(el) : undefined) ?? el.value;
  if (el instanceof HTMLSelectElement) return [...el.selectedOptions].map((option) => collapse(option.label)).join(" ");
  if (el instanceof HTMLMeterElement || el instanceof HTMLProgressElement) return ariaRange(el) || (el.hasAttribute("value") ? String(el.value) : "");
  const internals = internalsOf(el);
  if (internals && internals.value !== "") return internals.value;
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
      return linesOf(el) || (hasEditContext(el) ? (heldBy(el) ?? "") : "");
    case "button":
      return opensList(el) ? shownIn(el) : "";
    case "combobox":
    case "listbox":
      return chosen(el, role);
  }
  return "";
}

/** opensList reports whether a button opens a list: then its text is what was chosen there. */
export function opensList(el: Element): boolean {
  return safe.getAttribute(el, "aria-haspopup") === "listbox";
}

function inputValue(el: HTMLInputElement, role: string): string {
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
  return el.value || (role === "combobox" && !el.hasAttribute("list") ? besideField(el) : "");
}

function ariaRange(el: Element): string {
  return safe.getAttribute(el, "aria-valuetext")?.trim() || safe.getAttribute(el, "aria-valuenow")?.trim() || "";
}

/** linesOf is the text of an editor, line by line. */
export function linesOf(el: Element): string {
  const text = el instanceof HTMLElement ? safe.innerText(el) : safe.textContent(el);
  return text.split("\n").map(collapse).filter((line) => line !== "").join("\n");
}

function shownIn(el: Element): string {
  return collapse(el instanceof HTMLElement ? safe.innerText(el) : safe.textContent(el));
}

function chosen(el: Element, role: string): string {
  const boxes = [el, ...ownedBy(el)];
  for (const box of boxes) {
    const options = [...safe.querySelectorAll(box, '[role="option"][aria-selected="true"]')];
    const shown = options.filter((option) => safe.checkVisibility(option, visible));
    if (shown.length > 0) return shown.map((option) => textWithout(option, others) || collapse(safe.textContent(option))).join(" ");
    if (options.length > 0 && !safe.querySelector(el, "input")) return options.map((option) => collapse(safe.textContent(option))).join(" ");
  }
  if (role !== "combobox") return "";
  const field = safe.querySelector(el, "input");
  if (field instanceof HTMLInputElement) return field.value || besideField(field);
  return safe.querySelector(el, popups) ? textWithout(el, popups) : shownIn(el);
}

const popups = "[role=listbox],[role=tree],[role=grid],[role=dialog],select";
const others = "button,[role=button],[role=radio],[role=checkbox],[role=switch],[role=tab],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox]";

// besideField is what the component around an empty field shows as chosen: many write it beside the field that they search with.
// It is looked for in what is around the field and no higher than three lines of it, up to anything else one could fill in.
function besideField(field: HTMLInputElement): string {
  const names = [...references(field, "aria-labelledby", "ariaLabelledByElements"), ...references(field, "aria-describedby", "ariaDescribedByElements")];
  let at: Element | null = field;
  for (let level = 0; level < 4; level++) {
    at = flatParent(at);
    if (!at || safe.getBoundingClientRect(at).height > 3 * Math.max(20, safe.getBoundingClientRect(field).height)) return "";
    if (safe.querySelectorAll(at, "input:not([type=hidden]),textarea,select,[contenteditable]").length > 1) return "";
    const text = textWithout(at, `${popups},${others},label,legend,[aria-live]`, names);
    if (text !== "") return text;
  }
  return "";
}

const longestChosen = 300;

// textWithout is the text that shows in el, without that of what matches.
export function textWithout(el: Element, selector: string, omitted: Element[] = []): string {
  const walker = page.createTreeWalker(el, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (node instanceof Text) return NodeFilter.FILTER_ACCEPT;
    return safe.matches(node as Element, selector) || omitted.includes(node as Element) || !safe.checkVisibility(node as Element, visible) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  });
  let text = "";
  for (let node = walker.nextNode(); node && text.length < longestChosen; node = walker.nextNode()) text += ` ${(node as Text).data}`;
  return collapse(text);
}
