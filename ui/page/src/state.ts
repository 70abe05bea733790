// States of a control, in the order they are shown.

import * as safe from "./safe";
import { stateOfBox } from "./apart";
import { visible } from "./dom";
import { stateOf } from "./internals";
import { collapse, references } from "./name";
import { isSummary } from "./role";
import { traits } from "./styles";
import { cut } from "./describe";

/**
 * statesOf returns the states of el, joined by commas: level=2,checked=mixed,expanded=false,selected,disabled,required,
 * pressed=true,readonly,multiline,invalid,current=page,sort=ascending,haspopup=menu,file,multiple.
 */
export function statesOf(el: Element, role: string): string {
  let states = "";
  const add = (state: string): void => {
    states = states === "" ? state : `${states},${state}`;
  };
  const level = levelOf(el, role);
  if (level > 0) add(`level=${level}`);
  const checked = checkedOf(el, role);
  if (checked !== undefined) add(`checked=${checked}`);
  const expanded = expandedOf(el, role);
  if (expanded !== undefined) add(`expanded=${expanded}`);
  if (isSelected(el, role)) add("selected");
  if (isDisabled(el)) add("disabled");
  if (isRequired(el)) add("required");
  const pressed = pressedOf(el, role);
  if (pressed !== undefined) add(`pressed=${pressed}`);
  const input = role !== "button" || el instanceof HTMLInputElement;
  if (input) {
    if (isReadOnly(el)) add("readonly");
    if (isMultiline(el, role)) add("multiline");
    if (isInvalid(el, role)) add("invalid");
  }
  if (traits().states && safe.hasAttributes(el)) {
    const current = safe.getAttribute(el, "aria-current") ?? currentOfItem(el, role);
    if (current && current !== "false") add(currents.has(current) ? `current=${current}` : "current");
    const sort = safe.getAttribute(el, "aria-sort");
    if (sort === "ascending" || sort === "descending" || sort === "other") add(`sort=${sort}`);
    const popup = popupOf(el, role);
    if (popup !== "") add(`haspopup=${popup}`);
  }
  if (input && el instanceof HTMLInputElement && el.type === "file") add(el.multiple ? "file,multiple" : "file");
  return states;
}

// currentOfItem is the state of the item that exists for a tab, link or button and has no role of its own: a step of several.
function currentOfItem(el: Element, role: string): string | null {
  if (role !== "tab" && role !== "link" && role !== "button") return null;
  const item = safe.parentElement(el);
  const own = item && safe.firstElementChild(item) === el ? safe.getAttribute(item, "role") : null;
  return own === "presentation" || own === "none" ? safe.getAttribute(item as Element, "aria-current") : null;
}

const currents = new Set(["page", "step", "location", "date", "time"]);
const popups = new Set(["menu", "listbox", "tree", "grid", "dialog"]);

// popupOf returns what a control opens; that a combobox opens a list is implied.
function popupOf(el: Element, role: string): string {
  let popup = safe.getAttribute(el, "aria-haspopup")?.toLowerCase() ?? "";
  if (popup === "true") popup = "menu";
  return popups.has(popup) && !(role === "combobox" && popup === "listbox") ? popup : "";
}

function isReadOnly(el: Element): boolean {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) {
    if (el.readOnly && safe.matches(el, ":read-only") && (el instanceof HTMLTextAreaElement || !unwritten.has(el.type))) return true;
  }
  return stateOf(el, "readonly") === "true" || (traits().states && safe.getAttribute(el, "aria-readonly") === "true");
}

// isMultiline reports whether Enter begins a line in a field.
function isMultiline(el: Element, role: string): boolean {
  if (el instanceof HTMLTextAreaElement) return role === "textbox";
  return traits().states && (role === "textbox" || role === "searchbox") && safe.getAttribute(el, "aria-multiline") === "true";
}

// Fields to which readonly does not apply (HTML, "The readonly attribute").
const unwritten = new Set(["hidden", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button"]);

const fields = new Set([
  "textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "checkbox", "radio", "radiogroup", "switch", "ColorWell", "Date",
  "DateTime", "InputTime", "button", "gridcell",
]);

/** isInvalid reports whether a field is marked as invalid; the browser marks it only after the field was used. */
export function isInvalid(el: Element, role: string): boolean {
  if (!fields.has(role)) return false;
  const set = stateOf(el, "invalid");
  if (set !== undefined) return set !== "" && set !== "false";
  if (traits().states) {
    const value = safe.getAttribute(el, "aria-invalid");
    if (value !== null) return value !== "" && value !== "false";
  }
  return isRefused(el);
}

function isRefused(el: Element): boolean {
  if (!(el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement)) return false;
  knowsUser ??= CSS.supports("selector(:user-invalid)");
  return knowsUser && el.matches(":user-invalid");
}

let knowsUser: boolean | undefined;

/** errorOf returns the error message of an invalid field: the page's text, or the browser's. */
export function errorOf(el: Element): string {
  const said = references(el, "aria-errormessage", "ariaErrorMessageElements").filter((one) => safe.checkVisibility(one, visible));
  const text = collapse(said.map((one) => (one instanceof HTMLElement ? safe.innerText(one) : safe.textContent(one))).join(" "));
  if (text !== "") return cut(text, longestError);
  return isRefused(el) ? cut(collapse((el as HTMLInputElement).validationMessage), longestError) : "";
}

const longestError = 200;

function levelOf(el: Element, role: string): number {
  switch (role) {
    case "heading":
    case "treeitem":
    case "listitem":
    case "row":
    case "comment": {
      const level = parseInt(safe.getAttribute(el, "aria-level") ?? "", 10);
      if (level > 0) return level;
      if (role !== "heading") return 0;
      const name = safe.localName(el);
      return name.length === 2 && name[0] === "h" && name !== "hr" ? Number(name[1]) : 2;
    }
  }
  return 0;
}

/** checkedOf returns true, false or mixed for what can be checked; undefined for the rest. */
export function checkedOf(el: Element, role: string): string | undefined {
  switch (role) {
    case "checkbox":
    case "radio":
    case "switch":
    case "menuitemcheckbox":
    case "menuitemradio":
      break;
    case "option":
    case "treeitem":
    case "gridcell": // a tick that is drawn in it
      if (!safe.hasAttribute(el, "aria-checked")) return undefined;
      break;
    default:
      return undefined;
  }
  if (el instanceof HTMLInputElement && (el.type === "checkbox" || el.type === "radio")) return stateOfBox(el);
  const value = stateOf(el, "checked") ?? safe.getAttribute(el, "aria-checked") ?? checkedOfItem(el);
  if (value === "mixed" && role !== "radio" && role !== "menuitemradio" && role !== "switch") return "mixed";
  return String(value === "true");
}

// checkedOfItem returns the state of the item around a box without one of its own, which represents it.
function checkedOfItem(el: Element): string | null {
  const item = safe.closest(el, items);
  return item && item !== el ? (safe.getAttribute(item, "aria-checked") ?? safe.getAttribute(item, "aria-selected")) : null;
}

const items = "[role=treeitem],[role=option],[role=menuitemcheckbox],[role=menuitemradio]";

function pressedOf(el: Element, role: string): string | undefined {
  if (role !== "button") return undefined;
  const value = stateOf(el, "pressed") ?? safe.getAttribute(el, "aria-pressed");
  return value === "true" || value === "false" || value === "mixed" ? value : undefined;
}

function expandedOf(el: Element, role: string): string | undefined {
  if (el instanceof HTMLSelectElement) return role === "combobox" ? String(isOpen(el)) : undefined;
  if (role.startsWith("DisclosureTriangle") && isSummary(el)) {
    const details = safe.parentElement(el);
    return String(details instanceof HTMLDetailsElement && details.open);
  }
  const value = stateOf(el, "expanded") ?? safe.getAttribute(el, "aria-expanded");
  return value === "true" || value === "false" ? value : undefined;
}

/** isOpen reports whether a list is open. Chromium before 133 does not support :open; there it is shown as closed. */
export function isOpen(el: HTMLSelectElement): boolean {
  knowsOpen ??= CSS.supports("selector(:open)");
  return knowsOpen && el.matches(":open");
}

let knowsOpen: boolean | undefined;

function isSelected(el: Element, role: string): boolean {
  if (el instanceof HTMLOptionElement) return el.selected;
  switch (role) {
    case "option":
    case "tab":
    case "row":
    case "gridcell":
    case "columnheader":
    case "rowheader":
    case "treeitem":
      return (stateOf(el, "selected") ?? safe.getAttribute(el, "aria-selected")) === "true";
  }
  return false;
}

/** isDisabled reports whether el is disabled natively or by aria-disabled on itself or around it. */
export function isDisabled(el: Element): boolean {
  return safe.matches(el, ":disabled") || stateOf(el, "disabled") === "true" || safe.closest(el, '[aria-disabled="true"]') !== null;
}

function isRequired(el: Element): boolean {
  return stateOf(el, "required") === "true" || safe.hasAttributes(el) && (safe.getAttribute(el, "aria-required") === "true" || safe.matches(el, ":required"));
}
