// Reports what a person does in a document, for `codegen`. It runs in an isolated world of its own, and reports through a
// binding that only that world has: a page can neither see it nor report anything. Events of scripts do not count.

import * as safe from "./safe";
import { locatorOf, pathOf } from "./locator";
import type { Target } from "./locate";

interface Report {
  kind: "click" | "dblclick" | "fill" | "check" | "uncheck" | "select" | "upload" | "press" | "drag";
  locator: Target;
  css: string;
  value?: string;
  values?: string[];
  secret?: boolean;
  button?: string;
  modifiers?: string[];
}

interface World {
  usherRecord?: (report: string) => void;
  usherRecording?: boolean;
}

const world = globalThis as World;
const longest = 100_000; // characters of a value

const secrets = new WeakSet<Element>(); // fields that were for passwords at some time
let pressed: { el: Element; locator: Target; css: string } | undefined; // what the mouse button went down on
let clicked: Element | undefined; // a checkbox whose click has not changed it yet
let dragged: { el: Element; locator: Target; css: string } | undefined; // until it is dropped
let touched: Element | undefined; // what the last report was about

const clickable = "button,a[href],label,summary,input,select,textarea,option," +
  "[role=button],[role=link],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=tab],[role=option],[role=checkbox],[role=radio],[role=switch]";

function send(el: Element, report: Omit<Report, "locator" | "css">, known?: { locator: Target; css: string }): void {
  touched = el;
  const full: Report = { locator: known?.locator ?? locatorOf(el), css: known?.css ?? pathOf(el), ...report };
  world.usherRecord?.(JSON.stringify(full));
}

/** targetOf is the element of a trusted event; undefined for events of scripts. */
function targetOf(e: Event): Element | undefined {
  if (!e.isTrusted) return undefined;
  const first = e.composedPath()[0];
  return first instanceof Element ? first : undefined;
}

const actedOn = (el: Element): Element => safe.closest(el, clickable) ?? el;
const isChoice = (el: Element): el is HTMLInputElement => el instanceof HTMLInputElement && (el.type === "checkbox" || el.type === "radio");
const isText = (el: Element): boolean =>
  el instanceof HTMLTextAreaElement || (el instanceof HTMLElement && safe.isContentEditable(el)) ||
  (el instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit", "reset", "image", "file"].includes(el.type));

function isSecret(el: Element): boolean {
  const kind = safe.getAttribute(el, "autocomplete") ?? "";
  if ((el instanceof HTMLInputElement && el.type === "password") || /password|one-time-code|cc-number|cc-csc/.test(kind)) secrets.add(el);
  return secrets.has(el);
}

function modifiersOf(e: MouseEvent | KeyboardEvent): string[] {
  return [e.ctrlKey && "Control", e.altKey && "Alt", e.shiftKey && "Shift", e.metaKey && "Meta"].filter((m): m is string => !!m);
}

function onDown(e: MouseEvent): void {
  const target = targetOf(e);
  if (!target) return;
  const el = actedOn(target);
  pressed = { el, locator: locatorOf(el), css: pathOf(el) };
}

function onClick(e: MouseEvent): void {
  const target = targetOf(e);
  if (!target || (e.detail === 0 && (e as PointerEvent).pointerType === "")) return; // the browser's own, for a key or a label
  const el = actedOn(target);
  const known = pressed?.el === el ? pressed : undefined;
  if (el instanceof HTMLSelectElement || el instanceof HTMLOptionElement || (el instanceof HTMLInputElement && el.type === "file")) return;
  if (el instanceof HTMLLabelElement && el.control && (isChoice(el.control) || el.control instanceof HTMLSelectElement)) return;
  if (isChoice(el)) {
    clicked = el;
    setTimeout(() => {
      if (clicked === el) send(el, { kind: "click" }, known); // the page has prevented the change
      clicked = undefined;
    });
    return;
  }
  send(el, { kind: "click", button: ["left", "middle", "right"][e.button] ?? "left", modifiers: modifiersOf(e) }, known);
}

function onDoubleClick(e: MouseEvent): void {
  const target = targetOf(e);
  if (!target) return;
  const el = actedOn(target);
  if (!isChoice(el)) send(el, { kind: "dblclick" }, pressed?.el === el ? pressed : undefined);
}

function onDragStart(e: DragEvent): void {
  const el = targetOf(e); // of dragged text it is a text node, which is no element
  dragged = el && { el, locator: locatorOf(el), css: pathOf(el) };
}

function onDrop(e: DragEvent): void {
  const target = targetOf(e);
  if (target && dragged) send(dragged.el, { kind: "drag", value: pathOf(target) }, dragged);
  dragged = undefined;
}

function onInput(e: Event): void {
  const target = targetOf(e);
  if (!target) return;
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
    if (isText(target)) fill(target, target.value);
  } else if (target instanceof HTMLElement && safe.isContentEditable(target)) {
    fill(target, safe.innerText(target));
  }
}

function fill(el: Element, value: string): void {
  if (isSecret(el)) send(el, { kind: "fill", secret: true });
  else if (value.length <= longest) send(el, { kind: "fill", value });
}

function onChange(e: Event): void {
  const target = targetOf(e);
  if (!target) return;
  if (target instanceof HTMLSelectElement) {
    send(target, { kind: "select", values: [...target.selectedOptions].map((o) => o.value) });
  } else if (isChoice(target)) {
    clicked = undefined;
    send(target, { kind: target.checked ? "check" : "uncheck" });
  } else if (target instanceof HTMLInputElement && target.type === "file") {
    send(target, { kind: "upload", values: [...(target.files ?? [])].map((f) => f.name) });
  }
}

// Keys that a list, a slider or a choice turns into a change, which is reported itself.
const moves = new Set([" ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]);

function onKey(e: KeyboardEvent): void {
  const target = targetOf(e);
  if (!target || e.isComposing || ["Control", "Alt", "AltGraph", "Shift", "Meta", "CapsLock", "Process", "Dead"].includes(e.key)) return;
  const command = e.ctrlKey || e.metaKey || (e.altKey && e.key.length > 1);
  if (isText(target)) {
    const numeric = target instanceof HTMLInputElement && !["text", "search", "email", "url", "tel", "password"].includes(target.type);
    if (numeric && moves.has(e.key)) return;
    if (!command && (e.key.length === 1 || e.key === "Backspace" || e.key === "Delete")) return; // it is in the text
    if (command && "acvxyz".includes(e.key.toLowerCase())) return; // so is this
    if (!command && e.key === "Enter" && !(target instanceof HTMLInputElement)) return;
    if (!command && (e.key.startsWith("Arrow") || e.key === "Home" || e.key === "End") && !safe.getAttribute(target, "role") && !safe.getAttribute(target, "list")) return;
  } else if ((isChoice(target) || target instanceof HTMLSelectElement) && (moves.has(e.key) || e.key.length === 1 || e.key === "Enter")) {
    return;
  }
  const modifiers = modifiersOf(e).filter((m) => m !== "Shift" || e.key.length > 1 || command);
  const focused = target === touched ? undefined : "focus"; // the key goes to what has the focus
  send(target, { kind: "press", value: [...modifiers, e.key === " " ? "Space" : e.key].join("+"), ...(focused ? { button: focused } : {}) });
}

if (!world.usherRecording) {
  world.usherRecording = true;
  const on = <E extends Event>(name: string, f: (e: E) => void): void => addEventListener(name, f as EventListener, { capture: true, passive: true });
  on("mousedown", onDown);
  on("click", onClick);
  on("auxclick", onClick);
  on("dblclick", onDoubleClick);
  on("dragstart", onDragStart);
  on("drop", onDrop);
  on("dragend", () => (dragged = undefined));
  on("input", onInput);
  on("change", onChange);
  on("keydown", onKey);
}
