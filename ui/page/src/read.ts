// Reading one element: text, markup, value, attribute, box, styles, states.

import * as safe from "./safe";
import { stateOfBox } from "./apart";
import { disabledBy, editable, hasBox, isToggle, toggleOf } from "./check";
import { frames } from "./motion";
import { isClosing } from "./dom";
import { field, hasFocus, valueOf } from "./fill";
import { mustBeCurrent, stateOf } from "./internals";
import { focused, locate, type Target } from "./locate";
import { attempt, type Reply } from "./describe";
import { isSaving, reached } from "./observer";
import { composedContains } from "./tree";
import { unsent } from "./settle";

export function text(arg: { target: Target }): Reply<{ text: string }> {
  return attempt(() => {
    const el = locate(arg.target);
    return { text: el instanceof HTMLElement ? safe.innerText(el) : (safe.textContent(el) ?? "") };
  });
}

export function html(arg: { target: Target }): Reply<{ html: string }> {
  return attempt(() => ({ html: safe.innerHTML(locate(arg.target)) }));
}

export function value(arg: { target: Target }): Reply<{ value: string | null }> {
  return attempt(() => {
    const el = locate(arg.target);
    return { value: valueOf(el) ?? valueOf(field(el)) };
  });
}

export interface EditorState {
  value: string | null;
  focused: boolean; // keys go to it
  inputs: number; // since it was prepared
}

/** editorState returns what an editor holds, and whether the page has left it the keyboard focus. */
export function editorState(arg: { target: Target }): Reply<EditorState> {
  return attempt(() => {
    const el = locate(arg.target);
    return { value: valueOf(el) ?? valueOf(field(el)), focused: hasFocus(el) || composedContains(el, focused()), inputs: reached("input") };
  });
}

export function attribute(arg: { target: Target; name: string }): Reply<{ value: string | null }> {
  return attempt(() => ({ value: safe.getAttribute(locate(arg.target), arg.name) }));
}

// box is in the viewport of the frame; the caller adds the place of the frame.
export function box(arg: { target: Target }): Reply<{ x: number; y: number; width: number; height: number }> {
  return attempt(() => {
    const { x, y, width, height } = safe.getBoundingClientRect(locate(arg.target));
    return { x, y, width, height };
  });
}

export function styles(arg: { target: Target }): Reply<{ styles: Record<string, string> }> {
  return attempt(() => {
    const computed = getComputedStyle(locate(arg.target));
    const all: Record<string, string> = {};
    for (const property of computed) all[property] = computed.getPropertyValue(property);
    return { styles: all };
  });
}

export interface Status {
  visible: boolean;
  enabled: boolean;
  editable: boolean;
  focused: boolean;
  checked: "true" | "false" | "mixed" | "none"; // none: it has no such state
}

export function status(arg: { target: Target }): Reply<Status> {
  return attempt(() => {
    const el = locate(arg.target);
    mustBeCurrent(el);
    return {
      visible: hasBox(el), enabled: disabledBy(el) === undefined, editable: editable(el), focused: hasFocus(el),
      checked: checkedOf(el),
    };
  });
}

export function checkedOf(el: Element): Status["checked"] {
  if (!isToggle(el)) {
    const inner = attempt(() => ({ el: toggleOf(el) }));
    if (!inner.ok) return "none";
    el = inner.el;
  }
  if (el instanceof HTMLOptionElement) return el.selected ? "true" : "false";
  if (el instanceof HTMLInputElement) return stateOfBox(el);
  const state = stateOf(el, "checked") ?? safe.getAttribute(el, "aria-checked") ?? safe.getAttribute(el, "aria-selected");
  return state === "mixed" ? "mixed" : state === "true" ? "true" : "false";
}

// viewport is the window of this frame and how far its document is scrolled.
export function viewport(): { width: number; height: number; scrollX: number; scrollY: number } {
  return { width: innerWidth, height: innerHeight, scrollX, scrollY };
}

// idle returns when the page has handled all before it, with whether it is closing its tab or has requested a download:
// the browser follows a moment later. invalid are the fields for which a form was not sent.
export function idle(): { closing: boolean; saving: boolean; invalid: { field: string; message: string }[] } {
  return { closing: isClosing(), saving: isSaving(), invalid: unsent() };
}

// afterTimers answers when the timers have fired that the page had set for at most so many milliseconds.
export function afterTimers(ms: number): Promise<number> {
  return new Promise((resolve) => setTimeout(() => resolve(0), ms));
}

// drawn answers when two frames have been drawn, or after a while without any.
export async function drawn(): Promise<number> {
  await frames();
  return 0;
}
