// Sliders that a page draws: they have a number and take keys, no text. The caller presses the keys and reads the value
// here, between them.

import * as safe from "./safe";
import { hasFocus } from "./fill";
import { internalsOf, mustBeCurrent } from "./internals";
import { locate, type Target } from "./locate";
import { attempt, describe, Refused, type Reply, shorten } from "./describe";

/** isSlider reports whether an element is set with keys, by its value as a number. */
export function isSlider(el: Element): boolean {
  if (el instanceof HTMLInputElement) return el.type === "range" && el.readOnly;
  return (safe.getAttribute(el, "role") ?? internalsOf(el)?.role) === "slider" && standing(el) !== undefined;
}

/** mustBeInReach refuses a text that is no number, or one beyond the ends of the slider. */
export function mustBeInReach(el: Element, text: string): void {
  const wanted = text.trim() === "" ? Number.NaN : Number(text);
  const [least, most] = [end(el, "min"), end(el, "max")];
  const within = (least === undefined || wanted >= least) && (most === undefined || wanted <= most);
  if (!Number.isNaN(wanted) && within) return;
  const range = least === undefined || most === undefined ? "" : ` from ${least} to ${most}`;
  throw new Refused("invalid_argument", `${describe(el)} takes a number${range}, not "${shorten(text)}"`, false);
}

export interface Standing {
  value: number;
  focused: boolean; // keys go to it
}

// slider returns the value of a slider.
export function slider(arg: { target: Target }): Reply<Standing> {
  return attempt(() => {
    const el = locate(arg.target);
    if (!statesValue(el)) mustBeCurrent(el);
    const value = standing(el);
    if (value === undefined) throw new Refused("element_unsuitable", `${describe(el)} does not tell its value`, false);
    return { value, focused: hasFocus(el) };
  });
}

function standing(el: Element): number | undefined {
  if (el instanceof HTMLInputElement) return number(el.value);
  return number(statesValue(el) ? safe.getAttribute(el, "aria-valuenow") : internalsOf(el)?.value ?? null);
}

// statesValue reports whether el itself tells its value, and not its internals.
function statesValue(el: Element): boolean {
  return el instanceof HTMLInputElement || safe.hasAttribute(el, "aria-valuenow");
}

function end(el: Element, which: "min" | "max"): number | undefined {
  if (el instanceof HTMLInputElement) return number(el[which]) ?? { min: 0, max: 100 }[which];
  return number(safe.getAttribute(el, `aria-value${which}`));
}

function number(text: string | null): number | undefined {
  return text === null || text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
}
