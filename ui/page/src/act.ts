// Small actions, and the functions called after an action.

import * as safe from "./safe";
import { ariaChecked } from "./apart";
import { isToggle, mustBeVisible, toggleOf, waiting } from "./check";
import { hitTest, type Point, scrollTo } from "./hit";
import { internalsOf, mustBeCurrent } from "./internals";
import { type Located, locate, located, type Target } from "./locate";
import { checkedOf, type Status } from "./read";
import { describe, Refused, type Reply } from "./describe";
import { idOf } from "./refs";

// --- check and uncheck ---

export interface Toggle {
  element: Located;
  shape: string;
  checked: Status["checked"];
  radio: boolean; // can be turned on, not off
}

export async function toggle(arg: { target: Target; wait?: number }): Promise<Reply<Toggle>> {
  return waiting(arg.wait ?? 0, () => {
    const named = locate(arg.target);
    mustBeCurrent(named);
    const el = toggleOf(named);
    const radio = el instanceof HTMLInputElement ? el.type === "radio"
      : el instanceof HTMLOptionElement ? el.closest("select")?.multiple !== true
      : safe.getAttribute(el, "role") === "radio" || safe.getAttribute(el, "role") === "menuitemradio" ||
        internalsOf(el)?.role === "radio";
    said = el instanceof HTMLInputElement ? { el: new WeakRef(el), state: ariaChecked(el) } : undefined;
    return { element: located(el), shape: describe(el), checked: checkedOf(el), radio };
  });
}

// said is what the page said of a check box before the click.
let said: { el: WeakRef<Element>; state: string | null } | undefined;

// butSays adds what the page says of a check box if that is, or was, something else: a further click may undo what was done.
function butSays(el: Element, wanted: string): string {
  if (!(el instanceof HTMLInputElement)) return "";
  const now = ariaChecked(el);
  if (now === wanted) return `, but its aria-checked is ${now}: look at the page before another try, which may switch it back`;
  if (said?.el.deref() !== el || said.state !== wanted || now === null) return "";
  return `: its aria-checked was ${wanted} before and is ${now} now, so that the click may have switched it back`;
}

// awaitChecked gives the page a moment to follow the click: a component that
// renders later sets aria-checked only then.
export async function awaitChecked(arg: { target: Target; checked: boolean; wait?: number }): Promise<Reply<{ checked: string }>> {
  return waiting(arg.wait ?? 0, () => {
    const named = locate(arg.target);
    mustBeCurrent(named);
    const el = isToggle(named) ? named : toggleOf(named);
    const now = checkedOf(el);
    if (now === String(arg.checked)) return { checked: now };
    const state = now === "mixed" ? "in the mixed state" : now === "true" ? "checked" : "not checked";
    throw new Refused("action_not_delivered", `${describe(el)} was clicked and is still ${state}${butSays(el, String(arg.checked))}`, true);
  });
}

// --- into view ---

// intoView scrolls an element into view. covered: it may stay covered, only its id is returned, and revealed returns it.
export async function intoView(arg: { target: Target; wait?: number; covered?: boolean }): Promise<Reply<{ element: Located; point: Point }>> {
  shown = null;
  return waiting(arg.wait ?? 0, () => {
    const el = locate(arg.target);
    mustBeVisible(el);
    const before = safe.getBoundingClientRect(el);
    const inside = before.top >= 0 && before.left >= 0 && before.bottom <= innerHeight && before.right <= innerWidth;
    if (!inside || !arg.covered && hitTest(el).point === undefined) scrollTo(el, "center");
    const box = safe.getBoundingClientRect(el);
    const point = (arg.covered ? undefined : hitTest(el).point) ?? { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    if (!arg.covered) return { element: located(el), point };
    shown = el;
    return { element: { id: idOf(el), role: "", name: "", tag: "" }, point };
  });
}

let shown: Element | null = null;

// revealed returns the element that the last call of intoView has found already, and forgets it.
export function revealed(): Element | null {
  const el = shown;
  shown = null;
  return el;
}

// link is where a link leads, for opening it in another tab.
export async function link(arg: { target: Target; wait?: number }): Promise<Reply<{ url: string }>> {
  return waiting(arg.wait ?? 0, () => {
    const el = locate(arg.target);
    const anchor = safe.closest(el, "a[href],area[href]") ?? safe.querySelector(el, "a[href]");
    if ((anchor instanceof HTMLAnchorElement || anchor instanceof HTMLAreaElement) && anchor.href) return { url: anchor.href };
    throw new Refused("element_unsuitable", `${describe(el)} is not a link: it has no href to open in a new tab`, false);
  });
}

