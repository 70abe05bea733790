// States of a control, in the order they are shown.

import * as safe from "./safe";
import { isSummary } from "./role";

/** statesOf returns the states of el, joined by commas: level=2,checked=mixed,expanded=false,selected,disabled,required. */
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
  return states;
}

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
      if (!safe.hasAttribute(el, "aria-checked")) return undefined;
      break;
    default:
      return undefined;
  }
  if (el instanceof HTMLInputElement && (el.type === "checkbox" || el.type === "radio")) {
    if (el.indeterminate && el.type === "checkbox") return "mixed";
    return String(el.checked);
  }
  const value = safe.getAttribute(el, "aria-checked");
  if (value === "mixed" && role !== "radio" && role !== "menuitemradio" && role !== "switch") return "mixed";
  return String(value === "true");
}

function pressedOf(el: Element, role: string): string | undefined {
  if (role !== "button") return undefined;
  const value = safe.getAttribute(el, "aria-pressed");
  return value === "true" || value === "false" || value === "mixed" ? value : undefined;
}

function expandedOf(el: Element, role: string): string | undefined {
  if (el instanceof HTMLSelectElement) return role === "combobox" ? String(isOpen(el)) : undefined;
  if (role.startsWith("DisclosureTriangle") && isSummary(el)) {
    const details = safe.parentElement(el);
    return String(details instanceof HTMLDetailsElement && details.open);
  }
  const value = safe.getAttribute(el, "aria-expanded");
  return value === "true" || value === "false" ? value : undefined;
}

// Chromium before 133 does not know :open; there a list that is open is told as closed.
function isOpen(el: HTMLSelectElement): boolean {
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
      return safe.getAttribute(el, "aria-selected") === "true";
  }
  return false;
}

/** isDisabled reports whether el is disabled natively or by aria-disabled on itself or around it. */
export function isDisabled(el: Element): boolean {
  return safe.matches(el, ":disabled") || safe.closest(el, '[aria-disabled="true"]') !== null;
}

function isRequired(el: Element): boolean {
  return safe.hasAttributes(el) && (safe.getAttribute(el, "aria-required") === "true" || safe.matches(el, ":required"));
}
