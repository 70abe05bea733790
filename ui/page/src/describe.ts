// How the in-page half answers: refusals with a code of the error table, and
// short descriptions of elements that fit into one line of an error.

import * as safe from "./safe";
import type { Point } from "./hit";
import type { Located } from "./locate";
import { nameOf } from "./name";
import { roleOf } from "./role";

// A refusal is the reason why an action cannot be done. `code` is one of the table in internal/api; with `retry`
// waiting may help, so the caller loops.
export interface Refusal {
  code: string;
  detail: string;
  retry: boolean;
  blocker?: string; // what covers the target
  closers?: Located[]; // controls in what covers the target that may close it
  through?: boolean; // nothing covers the target: it lets the pointer through
  over?: Point; // a point where moving the mouse may uncover the target, in the frame's viewport
  instead?: Located; // what can be clicked around the target
  opens?: boolean; // that opens the list that the target is in
  several?: Located[]; // the first of the matches of a selector that has to have one
  seen?: string[]; // near misses: names, labels or options there are instead
  unseen?: boolean; // all of those are hidden
  matched?: number; // how many elements matched before an index or a name was applied
  others?: number; // how many elements of the wanted role have other names
  still?: number; // ms for which nothing in the page has changed, as far as was looked
}

export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(code: string, detail: string, retry: boolean, more: Partial<Refusal> = {}) {
    super(detail);
    this.refusal = { code, detail, retry, ...more };
  }
}

export type Reply<T> = ({ ok: true } & T) | { ok: false; refusal: Refusal };

// attempt runs one action and turns a Refused into data. Any other exception
// goes up: it is a fault of ours and must be seen.
export function attempt<T extends object>(act: () => T): Reply<T> {
  try {
    return { ok: true, ...act() };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, refusal: error.refusal };
    throw error;
  }
}

const longest = 60;

/** shorten is a text in one line, of at most so many characters. */
export function shorten(text: string, limit = longest): string {
  const one = text.slice(0, 20 * limit).replace(/\s+/g, " ").trim();
  return one.length > limit ? whole(one, limit - 1) + "…" : one;
}

/**
 * cut returns the beginning of a text that is longer than the limit, with its length: page text of any length has a
 * bounded size in a result.
 */
export function cut(text: string, limit: number, length = text.length): string {
  return text.length > limit ? `${whole(text, limit)}… (${length} characters)` : text;
}

// whole does not end within a pair of surrogates.
function whole(text: string, limit: number): string {
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit);
}

// selectorOf is a short selector for people to recognise an element by: tag,
// id, and when there is no id up to two classes.
export function selectorOf(el: Element): string {
  let text = shorten(safe.localName(el), 40);
  if (safe.id(el)) return text + "#" + shorten(safe.id(el), 40);
  const type = safe.localName(el) === "input" ? safe.getAttribute(el, "type") : null;
  if (type) text += `[type=${shorten(type, 20)}]`;
  for (const name of Array.from(safe.classList(el)).slice(0, 2)) text += "." + shorten(name, 30);
  return text;
}

// describe adds role and name: `div#banner (dialog "Cookies")`.
export function describe(el: Element): string {
  const selector = `<${selectorOf(el)}>`;
  const role = roleOf(el);
  const name = shorten(nameOf(el));
  if (!role || role === "generic" || role === "none") return name ? `${selector} "${name}"` : selector;
  return name ? `${selector} (${role} "${name}")` : `${selector} (${role})`;
}
