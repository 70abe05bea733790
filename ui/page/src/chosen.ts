// Selection that only a class expresses: tabs, entries of a menu and rows without ARIA.

import * as safe from "./safe";

const words = "selected|active|current";
const marker = new RegExp(`(?:^|[\\s_-])(?:${words})(?:[\\s_-]|$)`, "i");
const plain = new RegExp(`^-?(?:is-)?(?:${words})-?$`, "i");
const after = new RegExp(`^(.+?)(?:--|__|[-_])(?:is-)?(?:${words})$`, "i"); // tab--active
const before = new RegExp(`^(?:is-)?(?:${words})[-_](.+)$`, "i"); // current-file

/**
 * isChosen reports whether el, or the list item that exists for it, has a class that means selected, active or
 * current, and no other of several similar elements beside it has. An element with an ARIA state for that is never.
 */
export function isChosen(el: Element): boolean {
  if (isMarked(el)) return !isStated(el);
  const item = safe.parentElement(el);
  return item !== null && isMarked(item) && isFor(item, el) && !isStated(el) && !isStated(item);
}

// isFor reports whether an item exists for the one control in it.
function isFor(item: Element, el: Element): boolean {
  return safe.childElementCount(item) === 1 || (safe.localName(item) === "li" && safe.firstElementChild(item) === el);
}

function isStated(el: Element): boolean {
  return ["aria-selected", "aria-current", "aria-checked", "aria-pressed"].some((name) => safe.hasAttribute(el, name));
}

function isMarked(el: Element): boolean {
  if (!safe.hasAttributes(el)) return false;
  const classes = safe.getAttribute(el, "class");
  if (classes === null || !marker.test(classes)) return false;
  const tokens = [...safe.classList(el)];
  return tokens.some((token) => marks(token, tokens) && isAlone(el, token, tokens));
}

// marks reports whether a class is such a mark: the word alone, or with another class of the element, or what that begins with
// (p-steps-current beside p-steps-item).
export function marks(token: string, tokens: string[]): boolean {
  if (plain.test(token)) return true;
  const base = after.exec(token)?.[1] ?? before.exec(token)?.[1];
  return base !== undefined && tokens.some((other) => other === base || (other !== token && /[-_]/.test(base) && other.startsWith(`${base}-`)));
}

const mostBeside = 200;

// isAlone reports whether there are similar elements beside el, and none of them has the class.
function isAlone(el: Element, token: string, tokens: string[]): boolean {
  const parent = safe.parentElement(el);
  if (!parent || safe.childElementCount(parent) > mostBeside) return false;
  const rest = tokens.filter((one) => one !== token);
  let alike = 0;
  for (let one = safe.firstElementChild(parent); one; one = safe.nextElementSibling(one)) {
    if (one === el) continue;
    const list = safe.classList(one);
    if (list.contains(token)) return false;
    if (safe.localName(one) === safe.localName(el) && (rest.length === 0 ? list.length === 0 : rest.some((other) => list.contains(other)))) alike++;
  }
  return alike > 0;
}
