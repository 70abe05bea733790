// Elements that can be acted on although their role does not imply it: by the cursor over them, by their attributes,
// and by their listeners.

import * as safe from "./safe";
import { page } from "./safe";
import { gripOf } from "./grip";
import { type Delegate, delegateOf, isEntry, isItem, isPartOfItem } from "./items";
import { isEditingHost } from "./role";
import { isPointedByRule, traits } from "./styles";

/** Ways are the ways in which an element can be acted on. */
export interface Ways {
  kind: "" | "clickable" | "draggable" | "droppable" | "focusable" | "editable";
  hints: string; // how that shows: "cursor:pointer, onclick"
}

/** Region is what an element is inside of. */
export const enum Region {
  none,
  pointer, // something clickable, whose cursor it has
  control, // a button, a link or the like
}

const noWays: Ways = { kind: "", hints: "" };

// Only the engine can read the listeners of elements (internal/world/listeners.go has the rules, and the same
// selector). It passes the result in, which is used until the next one.
const unlisted =
  "button,a[href],input,select,textarea,option,[onclick],html,head,body,script,style,link,meta,title,template,noscript,br," +
  "[onload],[onerror],[onmouseover],[onmouseout],[onmouseenter],[onmouseleave],[onmousedown],[onmouseup],[ondblclick],[oncontextmenu],[onfocus],[onblur],[onkeydown],[onkeyup],[onkeypress],[onchange],[oninput],[onsubmit],[onscroll],[ontouchstart],[onpointerdown]";

let listening: WeakMap<Element, string> | undefined; // letters by element; undefined where nothing listens
let withShadows = true;

function* listed(): Iterable<Element> {
  const roots: safe.Root[] = [page];
  for (const root of roots) {
    for (const el of root.querySelectorAll(`:not(${unlisted})`)) {
      yield el;
      const inner = withShadows ? safe.shadowRoot(el) : null;
      if (inner) roots.push(inner);
    }
  }
}

/** setListeners stores which elements listen; it returns false if the page has changed since that was read. */
export function setListeners(answer: string): boolean {
  const [count = "", encoded = ""] = answer.split(":");
  withShadows = count.endsWith("s");
  const letters = new Map<number, string>();
  for (const [, place, kinds] of encoded.matchAll(/(\d+)([a-z]+);/g)) letters.set(Number(place), kinds as string);
  listening = undefined;
  if (letters.size === 0) return true;
  const found = new WeakMap<Element, string>();
  let at = 0;
  for (const el of listed()) {
    const kinds = letters.get(at++);
    if (kinds !== undefined) found.set(el, kinds);
  }
  if (at !== parseInt(count, 10)) return false;
  listening = found;
  return true;
}

/** encodeListeners encodes which elements are known to listen, as the engine does; empty if none is. */
export function encodeListeners(): string {
  if (!listening) return "";
  let encoded = "";
  let at = 0;
  for (const el of listed()) {
    const kinds = listening.get(el);
    if (kinds !== undefined) encoded += `${at}${kinds};`;
    at++;
  }
  return `${at}${withShadows ? "s" : "d"}:${encoded}`;
}

/** listensInside reports it of anything below el. */
export function listensInside(el: Element): boolean {
  if (!listening) return false;
  for (const inner of safe.querySelectorAll(el, "*")) if (listening.has(inner)) return true;
  return false;
}

// Of these the first that an element listens for is shown; the ones after them in any case.
const presses = [["c", "click"], ["m", "mousedown"], ["p", "pointerdown"], ["t", "touchstart"], ["u", "mouseup"], ["v", "pointerup"]] as const;
const others = [["d", "dblclick"], ["x", "contextmenu"]] as const;

const holding = "a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=option],[role=menuitem],[role=tab],[tabindex],[onclick]";

/** holdsControls reports whether el contains another element that can be pressed or filled in. */
export function holdsControls(el: Element): boolean {
  return safe.querySelector(el, holding) !== null;
}

/**
 * waysOf returns the ways for an element that is no control, given the cursor over it, and whether an ancestor listens
 * for clicks.
 */
export function waysOf(el: Element, name: string, around: Region, cursor: string, delegate: Delegate | undefined): Ways {
  const pointer = cursor === "pointer";
  if (name === "html") return noWays;
  if (name === "body") return isEditedWhole() ? { kind: "editable", hints: page.designMode === "on" ? "designMode" : "contenteditable" } : noWays;
  let kind: Ways["kind"] = "";
  let hints = "";
  const add = (hint: string): void => {
    hints = hints === "" ? hint : `${hints}, ${hint}`;
  };
  const labels = el instanceof HTMLLabelElement && el.control !== null;
  if (pointer && !labels && (around === Region.none || (around === Region.pointer && isPointedByRule(el)))) add("cursor:pointer");
  const attributes = safe.hasAttributes(el);
  if (attributes && safe.hasAttribute(el, "onclick")) add("onclick");
  if (!labels) hear(el, hints !== "", around, add);
  if (hints === "" && delegate && !isEdge(el) && (isItem(el, name, delegate) || isPartOfItem(el, delegate))) add(`${delegated} ${delegate.type}`);
  if (hints === "" && around === Region.pointer && pointer && isEntry(el)) add("cursor:pointer");
  if (hints !== "") kind = "clickable";
  const grip = gripOf(el, cursor);
  if (grip !== "") {
    kind ||= "draggable";
    add(`cursor:${grip}`);
  }
  if (attributes) {
    if (isDraggable(el)) {
      if (kind === "") kind = "draggable";
      else add("draggable");
    }
    const tabindex = safe.getAttribute(el, "tabindex");
    if (tabindex !== null && tabindex.trim() !== "-1" && Number.isInteger(parseInt(tabindex, 10))) {
      add("tabindex");
      kind ||= "focusable";
    }
    if (isEditingHost(el)) {
      add("contenteditable");
      kind = "editable";
    }
  }
  if (kind === "") return noWays;
  return isEmpty(el) ? noWays : { kind, hints };
}

const delegated = "delegated"; // begins the hint of what can be clicked because something around it listens

/** delegateIn is what listens for clicks on what is in el, which is no control and can be acted on in these ways. */
export function delegateIn(el: Element, name: string, ways: Ways, pointer: boolean, around: Delegate | undefined): Delegate | undefined {
  if (name === "html" || name === "body") return undefined;
  const letters = listening || traits().handlers ? lettersOf(el) : "";
  const press = presses.find(([letter]) => letters.includes(letter))?.[1] ?? (ways.kind !== "" && safe.hasAttribute(el, "onclick") ? "click" : "");
  if (press !== "") return delegateOf(el, name, press, pointer);
  if (!around || ways.kind !== "clickable") return around;
  return ways.hints.startsWith(delegated) ? { ...around, inItem: true } : undefined;
}

/** moreOf returns in which other ways a control can be acted on. */
export function moreOf(el: Element): Ways {
  const { draggables, handlers } = traits();
  if ((!listening && !draggables && !handlers) || !safe.hasAttributes(el)) return noWays;
  let hints = isDraggable(el) ? "draggable" : "";
  const letters = lettersOf(el);
  if (letters !== "") for (const [letter, type] of others) if (letters.includes(letter)) hints = hints === "" ? type : `${hints}, ${type}`;
  return hints === "" ? noWays : { kind: "", hints };
}

function hear(el: Element, clickable: boolean, around: Region, add: (hint: string) => void): void {
  const letters = lettersOf(el);
  if (letters === "" || (!clickable && (isDelegate(el, around) || isEdge(el)))) return;
  const press = clickable ? undefined : presses.find(([letter]) => letters.includes(letter));
  if (press) add(press[1]);
  for (const [letter, type] of others) if (letters.includes(letter)) add(type);
}

/** listens reports whether el is known to listen for clicks. */
export function listens(el: Element): boolean {
  return lettersOf(el).includes("c") || safe.hasAttribute(el, "onclick");
}

function lettersOf(el: Element): string {
  const letters = listening?.get(el) ?? "";
  if (letters !== "" || !traits().handlers || !safe.hasAttributes(el)) return letters;
  return [...presses, ...others].filter(([, type]) => type !== "click" && safe.hasAttribute(el, `on${type}`)).map(([letter]) => letter).join("");
}

function isDraggable(el: Element): boolean {
  return safe.getAttribute(el, "draggable") === "true";
}

// isDelegate reports whether el seems to listen on behalf of its descendants rather than for itself.
function isDelegate(el: Element, around: Region): boolean {
  if (around === Region.control || safe.childElementCount(el) === 0) return false;
  const box = safe.getBoundingClientRect(el);
  return box.width * box.height > (innerWidth * innerHeight) / 4 && safe.querySelector(el, holding) !== null;
}

// A thin and long element is not clicked: the edge of a column that can be resized, of which each cell has one. A dot
// as small is a point of a chart.
const thinnest = 9; // CSS pixels
const long = 2; // times its width

function isEdge(el: Element): boolean {
  if (safe.firstChild(el)) return false;
  const box = safe.getBoundingClientRect(el);
  const thin = Math.min(box.width, box.height);
  return thin < thinnest && Math.max(box.width, box.height) >= long * thin;
}

// isEditedWhole reports whether the document is what an editor edits.
function isEditedWhole(): boolean {
  if (page.designMode === "on") return true;
  return [page.body, page.documentElement].some((el) => el !== null && isEditingHost(el));
}

/** isEmpty reports whether el has no size. */
export function isEmpty(el: Element): boolean {
  const box = safe.getBoundingClientRect(el);
  return box.width === 0 || box.height === 0;
}
