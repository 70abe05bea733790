// The reverse of locate.ts: a locator that finds an element by what people know it by.

import * as safe from "./safe";
import { all, labelsOf, locate, type Target } from "./locate";
import { attempt, type Reply } from "./describe";
import { nameOf } from "./name";
import { roleOf } from "./role";

const longest = 80; // characters of a text; longer ones change too easily

/**
 * locator returns a target that finds the element and no other, in the order of preference of Playwright: test id, role
 * and name, label, placeholder, alt, title, text, CSS. If none is unique, it is the best with the element's index.
 */
export function locator(arg: { target: Target }): Reply<{ locator: Target }> {
  return attempt(() => ({ locator: locatorOf(locate(arg.target)) }));
}

/** locatorOf is locator for an element. */
export function locatorOf(el: Element): Target {
  let indexed: Target | undefined;
  for (const candidate of candidatesFor(el)) {
    const found = all(candidate);
    if (found.length === 1 && found[0] === el) return candidate;
    const nth = found.indexOf(el);
    if (nth >= 0 && !indexed) indexed = { ...candidate, nth };
  }
  return indexed ?? { by: "css", value: pathOf(el) };
}

function candidatesFor(el: Element): Target[] {
  const out: Target[] = [];
  const add = (by: Target["by"], value: string | null | undefined): void => {
    const text = value?.replace(/\s+/g, " ").trim();
    if (!text || text.length > longest) return;
    out.push({ by, value: text }, { by, value: text, exact: true });
  };
  const id = safe.getAttribute(el, "data-testid");
  if (id) out.push({ by: "testid", value: id });
  const role = roleOf(el);
  const name = nameOf(el).replace(/\s+/g, " ").trim();
  if (role && role !== "generic" && role !== "none" && role !== "presentation") {
    if (name && name.length <= longest) out.push({ by: "role", value: role, name }, { by: "role", value: role, name, exact: true });
  }
  for (const label of labelsOf(el)) add("label", label);
  add("placeholder", safe.getAttribute(el, "placeholder"));
  add("alt", safe.getAttribute(el, "alt"));
  add("title", safe.getAttribute(el, "title"));
  if (el instanceof HTMLElement) add("text", safe.innerText(el));
  const own = safe.id(el);
  if (own) out.push({ by: "css", value: "#" + CSS.escape(own) });
  return out;
}

/** pathOf is a CSS selector of tags and positions, from the nearest element with a unique id. */
export function pathOf(el: Element): string {
  const steps: string[] = [];
  const root = safe.rootOf(el);
  for (let at: Element | null = el; at; at = safe.parentElement(at)) {
    const id = safe.id(at);
    if (id && root.querySelectorAll("#" + CSS.escape(id)).length === 1) {
      steps.unshift("#" + CSS.escape(id));
      break;
    }
    const name = safe.localName(at);
    const above = safe.parentElement(at);
    const alike = above ? [...safe.children(above)].filter((child) => safe.localName(child) === name) : [];
    steps.unshift(CSS.escape(name) + (alike.length > 1 ? `:nth-of-type(${alike.indexOf(at) + 1})` : ""));
  }
  return steps.join(" > ");
}
