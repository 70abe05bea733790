// Editors: elements that look like one field and are a program. They have a model of text and selection of their own,
// handle a change of either only later, and some draw their text far from the focused element. So the caller fills them
// with real keys; this file detects an editor, reads its content, and pastes text into it.

import * as safe from "./safe";
import { page } from "./safe";
import { composedClosest, composedParent } from "./tree";

/** hasEditContext reports whether an element takes text by the EditContext API, without being editable itself. */
export function hasEditContext(el: Element): boolean {
  return el instanceof HTMLElement && safe.editContext(el) instanceof Object;
}

// Boxes up to so many CSS pixels are no field that a person sees.
const tiny = 4;

/**
 * isProxy reports whether a field only takes the keyboard for an editor that is drawn elsewhere. A terminal takes keys
 * and nothing else.
 */
export function isProxy(el: Element): boolean {
  if (!(el instanceof HTMLTextAreaElement) || composedClosest(el, ".xterm")) return false;
  const box = safe.getBoundingClientRect(el);
  if (box.width <= tiny || box.height <= tiny || getComputedStyle(el).opacity === "0") return true;
  const around = safe.parentElement(el);
  return around !== null && getComputedStyle(around).overflow === "hidden" && (safe.clientHeight(around) <= tiny || safe.clientWidth(around) <= tiny);
}

/** drawsText reports whether an element takes the keyboard for an editor that draws its text elsewhere. */
export function drawsText(el: Element): boolean {
  return hasEditContext(el) || isProxy(el);
}

/** isEditor reports whether an element is filled with keys. */
export function isEditor(el: Element): boolean {
  return el instanceof HTMLElement && safe.isContentEditable(el) || drawsText(el);
}

/** holdsEditor reports whether an element is a frame whose document is an editor, if that can be read. */
export function holdsEditor(el: Element): boolean {
  const inner = el instanceof HTMLIFrameElement ? el.contentDocument : null;
  if (!inner) return false;
  const { body } = inner; // of another realm: instanceof is false
  return body && safe.isContentEditable(body) || safe.designMode(inner) === "on";
}

/** isHost reports whether Control+a in an element selects all of it and no more. */
export function isHost(el: Element): boolean {
  if (!(el instanceof HTMLElement) || !safe.isContentEditable(el)) return true;
  const parent = safe.parentElement(el);
  return parent === null || !safe.isContentEditable(parent) || parent === page.documentElement;
}

// The lines of editors that draw them outside of the element that has the keyboard: Monaco, Ace, CodeMirror 5.
const lineSelector = ".view-line,.ace_line,.CodeMirror-line";

/** holdsLines reports whether an element holds lines that an editor has drawn, and is not one of them. */
export function holdsLines(el: Element): boolean {
  return safe.querySelector(el, lineSelector) !== null;
}

/** heldBy is the text of an editor, undefined for what is none and where it cannot be read. */
export function heldBy(el: Element): string | undefined {
  if (drawsText(el)) return drawnLines(el);
  if (!(el instanceof HTMLElement) || !safe.isContentEditable(el)) return undefined;
  let text = safe.innerText(el);
  for (const placeholder of safe.querySelectorAll(el, "[data-slate-placeholder],[contenteditable=false][class*=placeholder]")) {
    if (placeholder instanceof HTMLElement) text = text.replace(safe.innerText(placeholder), "");
  }
  return text.replace(/[\u200b\ufeff]/g, "").replace(/\u00a0/g, " ").replace(/\n+$/, "");
}

function drawnLines(el: Element): string | undefined {
  let at = composedParent(el);
  for (let up = 0; at && up < 6; up++, at = composedParent(at)) {
    // CodeMirror measures lines that it does not show.
    const lines = [...safe.querySelectorAll(at, lineSelector)].filter((line) => safe.checkVisibility(line, { visibilityProperty: true }));
    if (lines.length === 0) continue;
    lines.sort((a, b) => safe.getBoundingClientRect(a).top - safe.getBoundingClientRect(b).top);
    return lines.map((line) => safe.textContent(line).replace(/[\u200b\ufeff]/g, "").replace(/\u00a0/g, " ")).join("\n").replace(/\n+$/, "");
  }
  return undefined;
}

/** selectWithin selects all that an editable element holds. */
export function selectWithin(el: Element): void {
  const range = page.createRange();
  range.selectNodeContents(el);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** isCaretAtEnd reports whether no text of an editable element follows the caret. */
export function isCaretAtEnd(el: Element): boolean {
  const selection = getSelection();
  const caret = selection?.focusNode;
  if (!selection || !caret || !safe.contains(el, caret)) return true; // an editor that keeps its caret elsewhere
  const rest = page.createRange();
  rest.selectNodeContents(el);
  rest.setStart(caret, selection.focusOffset);
  return rest.toString().trim() === "";
}

/** paste offers text to an editor as a paste, and reports whether it took it. */
export function paste(el: Element, text: string): boolean {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  return !safe.dispatchEvent(el, new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true }));
}

/** turn answers when what the page put off until after the last event has been done. */
export async function turn(): Promise<number> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setTimeout(resolve));
  return 0;
}
