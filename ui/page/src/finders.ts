// Finding elements by what assistive technology knows of them: role, name and states, labels, and attributes with texts.

import * as safe from "./safe";
import { page } from "./safe";
import { alive } from "./alive";
import { nameOf, naming, references } from "./name";
import { labelsOfHost } from "./hostlabel";
import { below, type Scope } from "./pierce";
import { authoredRoles, roleOf } from "./role";
import { statesOf } from "./state";
import { attributeMatcher, matcher, plainText, type Texts, type Wanted } from "./texts";
import { isHidden } from "./tree";

/** States are what a role part requires (package chain). */
export interface States {
  checked?: string;
  pressed?: string;
  disabled?: string;
  expanded?: string;
  selected?: string;
  level?: number;
  hidden?: boolean;
}

// The roles of ARIA for those that only Chromium has.
const aria: Record<string, string> = {
  image: "img", svgroot: "img", date: "textbox", datetime: "textbox", inputtime: "textbox", colorwell: "textbox",
  layouttable: "table", layouttablerow: "row", layouttablecell: "cell", mathmlmath: "math", none: "presentation",
};

function ariaOf(role: string): string {
  const lower = role.toLowerCase();
  return aria[lower] ?? lower;
}

// rolesOf returns the role of el in Chromium's tree, and its role for getByRole, empty for none: the one that the author wrote, in
// whatever context; else that of HTML-AAM, where a form without a name and an element without a meaning have none.
function rolesOf(el: Element): { tree: string; own: string } {
  const tree = roleOf(el);
  const written = safe.getAttribute(el, "role")?.toLowerCase().split(/\s+/).find((one) => authoredRoles.has(one));
  if (written && written !== "none" && written !== "presentation") return { tree, own: ariaOf(written) };
  if (tree === "form" && nameOf(el) === "") return { tree, own: "" };
  if (tree !== "generic") return { tree, own: ariaOf(tree) };
  return { tree, own: el === page.documentElement ? "document" : safe.tag(el) === "li" && !written ? "listitem" : "" };
}

/** withRole finds the elements of a role, without those hidden from assistive technology. */
export function withRole(role: string, name: Wanted | undefined, states: States, scope: Scope): Element[] {
  const wanted = ariaOf(role);
  const fits = name && matcher(name);
  return below("*", scope).filter((el) => {
    alive();
    const { tree: has, own } = rolesOf(el);
    if (own !== wanted && (has === "generic" || own === "" || has.toLowerCase() !== role)) return false;
    if (!hasStates(el, has, states)) return false;
    if (!states.hidden && isSilent(el)) return false;
    return !fits || fits(plainText(wordsOf(el, has)));
  });
}

// wordsOf is the accessible name. ARIA names any row by its contents, Chromium only those of grids.
function wordsOf(el: Element, role: string): string {
  return nameOf(el) || (role === "row" || role === "LayoutTableRow" ? naming(el, "rowheader").name : "");
}

/** named finds the elements with an accessible name. */
export function named(name: Wanted, scope: Scope): Element[] {
  const fits = matcher(name);
  return below("*", scope).filter((el) => {
    alive();
    const has = nameOf(el);
    return has !== "" && fits(plainText(has)) && !isSilent(el);
  });
}

// isSilent reports whether an element is hidden from assistive technology. An option of a closed list is not, nor is what
// has no box of its own but shows what is in it.
function isSilent(el: Element): boolean {
  if (!isHidden(el)) return false;
  const list = el instanceof HTMLOptionElement ? el.closest("select") : null;
  if (list) return isHidden(list) || safe.getAttribute(el, "aria-hidden") === "true" || getComputedStyle(el).display === "none";
  if (getComputedStyle(el).display !== "contents" || safe.closest(el, "[aria-hidden=true]")) return true;
  for (let child = safe.firstChild(el); child; child = safe.nextSibling(child)) {
    if (child instanceof Element ? !isSilent(child) : child instanceof Text && child.data.trim() !== "") return false;
  }
  return true;
}

function hasStates(el: Element, role: string, wanted: States): boolean {
  const { checked, pressed, disabled, expanded, selected, level } = wanted;
  if (!(checked ?? pressed ?? disabled ?? expanded ?? selected ?? level)) return true;
  const has = new Map<string, string | undefined>();
  for (const state of statesOf(el, role).split(",")) {
    const [name, value] = state.split("=");
    has.set(name as string, value);
  }
  const flag = (name: string): string => (has.has(name) ? (has.get(name) ?? "true") : "false");
  if (checked && flag("checked") !== checked) return false;
  if (pressed && flag("pressed") !== pressed) return false;
  if (disabled && flag("disabled") !== disabled) return false;
  if (selected && flag("selected") !== selected) return false;
  if (expanded && has.get("expanded") !== expanded) return false;
  return level === undefined || has.get("level") === String(level);
}

/** labelled finds the elements with a label: aria-labelledby, or else aria-label, or else label elements. */
export function labelled(wanted: Wanted, scope: Scope, texts: Texts): Element[] {
  const fits = matcher(wanted);
  return below("*", scope).filter((el) => {
    alive();
    const by = references(el, "aria-labelledby", "ariaLabelledByElements");
    if (by.length > 0) return by.some((label) => fits(texts.of(label)));
    const own = safe.getAttribute(el, "aria-label");
    if (own?.trim()) return fits(plainText(own));
    return [...safe.labels(el), ...labelsOfHost(el)].some((label) => fits(texts.of(label)));
  });
}

/** withAttribute finds the elements with a value of an attribute. */
export function withAttribute(name: string, wanted: Wanted, scope: Scope): Element[] {
  const fits = attributeMatcher(wanted);
  return below(`[${name}]`, scope).filter((el) => fits(safe.getAttribute(el, name) ?? ""));
}
