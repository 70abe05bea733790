// The line of one element in the outline.

import { page } from "./safe";
import { isChosen } from "./chosen";
import { holdsControls } from "./clickable";
import { isSilenced } from "./dom";
import { labelOfFormField } from "./formfield";
import { labelOf } from "./label";
import { naming } from "./name";
import { idOf } from "./refs";
import { roleOf } from "./role";
import { errorOf, isOpen, statesOf } from "./state";
import { traits } from "./styles";
import { cut } from "./describe";
import { closedOptions } from "./twin";
import { linesOf, valueText } from "./value";
import type { Walk } from "./walk";
import { longestName, marksOf } from "./marks";

// Always worth a ref: an agent can act on them.
export const actionable = new Set([
  "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio",
  "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem", "Iframe",
  "ColorWell", "Date", "DateTime", "InputTime", "DisclosureTriangle", "DisclosureTriangleGrouped",
]);

// Worth a ref if they have a name: an agent reads them and scopes by them. Cells need none: without the empty ones, those
// after them would be taken for cells of other columns, and an empty one may be edited.
export const landmarks = new Set([
  "heading", "cell", "gridcell", "columnheader", "rowheader", "listitem", "article", "region", "main", "navigation",
]);

export const cells = new Set(["cell", "gridcell", "columnheader", "rowheader"]);

// A container of items is not named by the text of all of them: each is shown.
export const holdsItems = new Set([
  "DescriptionList", "feed", "grid", "list", "menu", "menubar", "radiogroup", "rowgroup", "table", "tablist", "toolbar", "tree", "treegrid",
]);

const mostOptions = 300; // of one list
const longestText = 10_000; // characters of a value
export const longestAddress = 2_000;

/** substituteOf is what the line of an element without a name shows in its place. clickable reports whether it can be acted on whatever its role is. */
export function substituteOf(el: Element, role: string, clickable: boolean): string {
  return labelOf(el, !landmarks.has(role) && (clickable || actionable.has(role)), holdsItems.has(role) || role === "combobox" || (clickable && holdsControls(el)));
}

export function writeElement(
  walk: Walk, el: Element, role: string, name: string, depth: number, level: number, ref: boolean, kind: string, hints: string, proxied: boolean, away = false,
  option?: Element, covers = false, said = "",
): void {
  const control = proxied && el instanceof HTMLLabelElement && el.control ? el.control : (option ?? el);
  let states = statesOf(control, role);
  if (control === walk.focus) states = states === "" ? "focused" : `${states},focused`;
  else if (control === walk.active) states = states === "" ? "active" : `${states},active`;
  if (away) states = states === "" ? "offscreen" : `${states},offscreen`;
  let value = "";
  if (kind === "editable") value = linesOf(el);
  else if (valued.has(role)) value = valueText(el, role);
  if (value === name || (role === "button" && ` ${name} `.includes(` ${value} `))) value = "";
  else if (value.length > longestText) value = cut(value, longestText);
  const url = walk.options.urls && role === "link" ? cut(linkOf(el), longestAddress) : "";
  if (ref && traits().placed && (kind !== "" || actionable.has(role)) && isChosen(control)) hints = hints === "" ? byClass : `${hints}, ${byClass}`;
  if (ref && name !== "" && written.has(role) && !(el instanceof HTMLInputElement)) {
    const label = labelOfFormField(el);
    if (label !== "" && !name.includes(label)) hints = `${hints === "" ? "" : `${hints}, `}for "${cut(label, longestName)}"`;
  }
  if (kind === "editable" && el === page.body) kind = "editor";
  let line = `${role}\t${ref ? idOf(el) : ""}\t${name.length > longestName ? cut(name, longestName) : name}`;
  const label = ref && name === "" ? substituteOf(el, role, kind !== "") : "";
  const wrong = states.includes("invalid") ? errorOf(control) : "";
  const list = el instanceof HTMLSelectElement ? (isFolded(walk, el) ? String(el.options.length) : "") : role === "combobox" ? String(closedOptions(el) || "") : "";
  if (said !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}\t${label}\t${wrong}\t${list}\t${said}`;
  else if (list !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}\t${label}\t${wrong}\t${list}`;
  else if (wrong !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}\t${label}\t${wrong}`;
  else if (label !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}\t${label}`;
  else if (hints !== "" || kind !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}\t${kind}\t${hints}`;
  else if (url !== "") line += `\t${states}\t${escape(value)}\t${escape(url)}`;
  else if (value !== "") line += `\t${states}\t${escape(value)}`;
  else if (states !== "") line += `\t${states}`;
  const marks = walk.options.weigh ? marksOf(el, role, walk.focus, actionable.has(role) || kind !== "", ref, walk.place) : "";
  walk.write(depth, level, line, covers ? `k${marks}` : marks);
}

// Roles of what components draw for a field that only the form uses.
const written = new Set(["combobox", "textbox"]);

const byClass = "selected by class";

const valued = new Set([
  "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "progressbar", "meter", "scrollbar", "button",
  "ColorWell", "Date", "DateTime", "InputTime", "separator",
]);

function linkOf(el: Element): string {
  if (el instanceof HTMLAnchorElement || el instanceof HTMLAreaElement) return el.href;
  if (el instanceof SVGAElement) return URL.canParse(el.href.baseVal, page.baseURI) ? new URL(el.href.baseVal, page.baseURI).href : el.href.baseVal;
  return "";
}

// A list with more options than this is folded while it is closed: only their number is shown.
const mostListed = 8;

// isFolded reports whether only the number of a list's options is shown; not if they are open or were requested.
export function isFolded(walk: Walk, el: HTMLSelectElement): boolean {
  return !walk.options.unfold && el.options.length > mostListed && !el.multiple && el.size <= 1 && !isOpen(el) && el !== walk.root;
}

export function options(walk: Walk, el: HTMLSelectElement, depth: number, level: number): void {
  let count = 0;
  for (const option of el.options) if (count++ < mostOptions || option.selected) writeOption(walk, option, depth, level);
  if (count > mostOptions) walk.write(depth, level, `!\t\t${count} options; the first ${mostOptions} and those that are selected are told, and any can be selected`);
}

function writeOption(walk: Walk, option: HTMLOptionElement, depth: number, level: number): void {
  if (option.hidden || isSilenced(option) || getComputedStyle(option).display === "none") return;
  const role = roleOf(option);
  const named = naming(option, role);
  writeElement(walk, option, role, named.name, depth, level, actionable.has(role), "", "", false);
}

export function escape(value: string): string {
  if (!/[\\\t\n\r]/.test(value)) return value;
  return value.replace(/\\/g, "\\\\").replace(/\t/g, "\\t").replace(/\r?\n|\r/g, "\\n");
}
