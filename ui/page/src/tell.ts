// How the in-page half answers: refusals with a code of the error table, and
// short descriptions of elements that fit into one line of an error.

import { nameOf } from "./name";
import { roleOf } from "./role";

// A refusal says why an action cannot be done. `code` is one of the table in
// internal/api; `retry` says that waiting may help, so that the caller loops.
export interface Refusal {
  code: string;
  detail: string;
  retry: boolean;
  blocker?: string; // what covers the target
  seen?: string[]; // near misses: names, labels or options there are instead
  matched?: number; // how many elements matched before an index or a name was applied
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

export function shorten(text: string, limit = longest): string {
  const one = text.replace(/\s+/g, " ").trim();
  return one.length > limit ? one.slice(0, limit - 1) + "…" : one;
}

// selectorOf is a short selector for people to recognise an element by: tag,
// id, and when there is no id up to two classes.
export function selectorOf(el: Element): string {
  let text = el.localName;
  if (el.id) return text + "#" + shorten(el.id, 40);
  const type = el.localName === "input" ? el.getAttribute("type") : null;
  if (type) text += `[type=${shorten(type, 20)}]`;
  for (const name of Array.from(el.classList).slice(0, 2)) text += "." + shorten(name, 30);
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
