// Waits until a page is stable: no more changes of its DOM, no busy signs, some visible content. Reports the fields that
// failed a form's validation.

import * as safe from "./safe";
import { boxesOf } from "./hit";
import { signOfClass, signOfImage } from "./spinner";
import { describe } from "./describe";
import { composedClosest } from "./tree";
import { visitTrees } from "./trees";

export interface Limits {
  quiet: number; // ms without a change after which the page counts as stable
  behind: boolean; // a server has responded: also wait for the page's scripts to be idle
  changes: number; // ms after which continuing changes are no longer waited for
  busy: number; // ms without a change after which a busy sign, or an empty page, is no longer waited for
  most: number; // ms after which a busy sign is no longer waited for although the page keeps changing
  since: number; // ms before the call: older validations are not reported
}

export interface Settled {
  changing: boolean; // the DOM is still changing
  touched: boolean; // any node or attribute has changed since settle was called
  busy: string; // the sign that the page is busy; empty if there is none
  invalid: { field: string; message: string }[];
}

// Attributes whose change may change the outline. Style and class are not listed: animations change them continuously.
const observedAttributes = [
  "aria-busy", "aria-checked", "aria-disabled", "aria-expanded", "aria-hidden", "aria-invalid", "aria-label", "aria-pressed",
  "aria-selected", "aria-valuenow", "aria-valuetext", "disabled", "hidden", "href", "open", "role", "title", "value",
];

// settle resolves when the page is stable or a limit is reached.
export async function settle(limits: Limits): Promise<Settled> {
  const began = performance.now();
  let changed = began;
  let any = false;
  let free = began; // when it was last found busy
  let worked = began; // when scripts were last found to block the event loop
  let asked = began; // when its stability was last checked
  let turns = 0; // checks in a row that found a page stable which had changed before
  const what = { subtree: true, childList: true, characterData: true, attributeFilter: observedAttributes };
  const observer = new MutationObserver((records) => {
    changed = performance.now();
    any = true;
    for (const { addedNodes } of records) for (const node of addedNodes) if (node instanceof Element) visitTrees(node, watch);
  });
  let touched = false;
  const every = new MutationObserver(() => {
    touched = true;
    every.disconnect();
  });
  const watch = (root: Node): void => {
    observer.observe(root, what);
    if (!touched) every.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  };
  watch(document);
  visitTrees(document, watch);
  try {
    for (;;) {
      const now = performance.now();
      if (limits.behind && now - asked > afterWork && now - began < limits.changes) worked = now;
      asked = now;
      const quiet = any ? Math.max(limits.quiet, afterChange) : limits.quiet;
      const still = now - Math.max(changed, worked) >= quiet;
      if (still && any && turns++ < stableTurns) { // on a busy machine a timer may fire before tasks that are due
        await next();
        continue;
      }
      if (!still) turns = 0;
      const changing = !still && now - free < limits.changes;
      const sign = changing ? undefined : busySign();
      const busy = sign !== undefined && now - changed < limits.busy && now - began < limits.most;
      if (!changing && !busy) {
        if (sign?.element) lasting.add(sign.element);
        return { changing: now - changed < quiet, touched, busy: sign?.words ?? "", invalid: invalidSince(began - limits.since) };
      }
      if (busy) free = now;
      await (busy ? later(25) : any || limits.behind || now - began > limits.quiet ? later(8) : next());
    }
  } finally {
    observer.disconnect();
    every.disconnect();
  }
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

// next resolves after the tasks that are queued now. A timer would fire up to a frame later.
const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();

const next = (): Promise<void> => new Promise((resolve) => {
  waiting.push(resolve);
  channel.port2.postMessage(0);
});

// afterChange is how long after a change the next one is waited for, in ms: slightly more than a frame.
const afterChange = 25;

// stableTurns is how many turns of the event loop a page that has changed must stay as it is, besides the time.
const stableTurns = 2;

// afterWork is longer than one iteration of the loop in settle takes, in ms, unless scripts run meanwhile.
const afterWork = 33;

// Elements whose busy sign outlasted the limit. They are a permanent part of the page, and ignored from then on.
const lasting = new WeakSet<Element>();

interface Sign {
  element?: Element;
  words: string;
}

const nothingYet: Sign = { words: "the page shows nothing yet" };
const marked = '[aria-busy="true"], progress:not([value]), [role="progressbar"]:not([aria-valuenow])';
const working = /^((processing|please wait|saving|searching|updating|working)\b|(loading|importing|initiali[sz]ing)\b(\s[a-z]+){0,2}\b)[^a-z]*$/i;
// Elements in which such words are a label, and not a message.
const naming = "button, a, label, option, th, h1, h2, h3, script, style, noscript, template";

// How many text nodes are searched for words such as "Processing…", and up to which age, in ms, a document without visible
// text counts as loading.
const mostTexts = 2000;
const young = 10_000;

/** busy returns the sign that the page is busy, without waiting; empty if there is none. */
export function busy(): { sign: string } {
  return { sign: busySign()?.words ?? "" };
}

// busySign returns the first sign that the page is busy.
function busySign(): Sign | undefined {
  const { body } = safe.page;
  if (!(body instanceof HTMLElement)) return undefined;
  const element = markedIn(body) ?? signOfClass(counts) ?? signOfImage(counts);
  return element ? { element, words: `${describe(element)} is busy` } : textSign(body);
}

function markedIn(body: HTMLElement): Element | undefined {
  const says = (element: Element): boolean => counts(element) && !silent(element);
  for (const element of safe.querySelectorAll(body, marked)) if (says(element)) return element;
  let found: Element | undefined;
  visitTrees(document, (tree) => {
    if (tree instanceof ShadowRoot) found ??= [...tree.querySelectorAll(marked)].find(says);
  });
  return found;
}

// silent reports whether a progress bar is unused, as components keep one for later: hidden from assistive technology, or
// without boxes.
function silent(element: Element): boolean {
  if (safe.getAttribute(element, "aria-busy") === "true") return false;
  return composedClosest(element, '[aria-hidden="true"]') !== null || boxesOf(element).length === 0;
}

// textSign returns a text such as "Loading…", or nothingYet for an empty page.
function textSign(body: HTMLElement): Sign | undefined {
  const texts = safe.page.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  let something = false;
  for (let n = 0, text = texts.nextNode(); text && n < mostTexts; text = texts.nextNode(), n++) {
    const words = safe.textContent(text).trim();
    const element = safe.parentElement(text);
    if (words === "" || element === null) continue;
    const message = words.length < 40 && working.test(words);
    if (!something || message) {
      if (safe.closest(element, naming) === null) {
        something ||= seen(element);
        if (message && counts(element)) return { element, words: `the page says ${JSON.stringify(words)}` };
      } else {
        something ||= !["script", "style", "noscript", "template"].includes(safe.tag(element)) && seen(element);
      }
    }
  }
  const empty = !something && window === window.top && performance.now() < young && location.protocol.startsWith("http") && !shows(body);
  return empty ? nothingYet : undefined;
}

// mostContent bounds the elements that are tested for visibility.
const mostContent = 50;

function shows(body: HTMLElement): boolean {
  let n = 0;
  for (const element of safe.querySelectorAll(body, content)) if (seen(element) || ++n >= mostContent) return true;
  return false;
}

const seen = (element: Element): boolean => safe.checkVisibility(element, { checkVisibilityCSS: true, checkOpacity: true });

const content = "img, canvas, svg, video, audio, input, button, select, textarea, iframe, object, embed, [contenteditable]";

function counts(element: Element): boolean {
  return !lasting.has(element) && seen(element);
}

// The fields that failed validation, with the time. The invalid event is dispatched to each of them and does not bubble.
let invalid: { at: number; field: Element; message: string }[] = [];
const mostInvalid = 10;

function onInvalid(event: Event): void {
  const field = event.composedPath()[0];
  if (!event.isTrusted || !(field instanceof Element)) return;
  const { validationMessage } = field as HTMLInputElement;
  const now = performance.now();
  invalid = invalid.filter((one) => one.field !== field && now - one.at < 60_000);
  if (invalid.length < mostInvalid) invalid.push({ at: now, field, message: validationMessage || "invalid" });
}

// The form whose submit button was clicked last; Enter in a field clicks it, too. Fields of it that become invalid then are
// why the browser does not send it. Without such a click a script has only asked whether they are valid.
let sending: HTMLFormElement | null = null;

function onClick(event: Event): void {
  const at = event.composedPath().find((target) => target instanceof HTMLButtonElement || target instanceof HTMLInputElement);
  if (at instanceof HTMLButtonElement || at instanceof HTMLInputElement) {
    sending = (at.type === "submit" || at.type === "image") && !at.formNoValidate ? at.form : null;
  }
}

/** unsent returns the fields that keep the browser from sending the form whose button was clicked last, once. */
export function unsent(): { field: string; message: string }[] {
  const form = sending;
  sending = null;
  const found = form ? invalid.filter(({ field }) => (field as HTMLInputElement).form === form) : [];
  invalid = invalid.filter((one) => !found.includes(one));
  return found.map(({ field, message }) => ({ field: describe(field), message }));
}

// listenForInvalid is repeated for every action: document.open removes listeners.
export function listenForInvalid(): void {
  window.addEventListener("invalid", onInvalid, true);
  window.addEventListener("click", onClick, true);
}

listenForInvalid();

// invalidSince returns each invalid field once. The caller's time is inexact by the latency of its call, at most underWay.
function invalidSince(moment: number): { field: string; message: string }[] {
  const recent = invalid.filter((one) => one.at >= moment - underWay);
  invalid = [];
  return recent.map(({ field, message }) => ({ field: describe(field), message }));
}

const underWay = 500;
