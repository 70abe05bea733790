// CSS selectors over all trees of a page: the document's and those of shadow roots.
//
// In one tree the browser decides. Only a selector that matches in no tree is split, at commas and at the white space
// of descendant combinators, into steps that lie in different trees: `my-card button` finds a button inside my-card's
// shadow root. Everything else of it, also what is in brackets, parentheses, strings, escapes and comments, is left as
// it was written. `>`, `+` and `~`, and what is in :is() and its kind, apply to one tree.

import * as safe from "./safe";
import { page, type Root } from "./safe";
import { Refused, shorten } from "./describe";
import { composedParent, rootsOf } from "./tree";

/** invalid is the refusal of a selector or an XPath that the browser does not understand. */
export function invalid(selector: string, error: unknown): Refused {
  const why = error instanceof Error ? error.message : String(error);
  return new Refused("invalid_selector", `"${shorten(selector, 120)}" is not a valid selector: ${shorten(why, 160)}`, false);
}

/** query returns the first match in the document alone; throws a Refused for a selector that is none. */
export function query(selector: string): Element | null {
  try {
    return page.querySelector(selector);
  } catch (error) {
    throw invalid(selector, error);
  }
}

/** first returns the first match, in the document or any other tree. */
export function first(selector: string): Element | undefined {
  return query(selector) ?? queryAll(selector)[0];
}

/** queryAll returns what matches in any tree, or else across trees. */
export function queryAll(selector: string): Element[] {
  const roots = rootsOf();
  const found: Element[] = [];
  for (const root of roots) {
    try {
      for (const el of root.querySelectorAll(selector)) found.push(el);
    } catch (error) {
      throw invalid(selector, error);
    }
  }
  if (found.length > 0 || roots.length === 1) return found;
  return across(roots, stepsOf(selector));
}

function across(roots: Root[], alternatives: string[][]): Element[] {
  const found = new Set<Element>();
  for (const steps of alternatives) {
    const last = steps.at(-1);
    if (last === undefined || steps.length === 1) continue;
    for (const root of roots) {
      for (const el of root.querySelectorAll(last)) if (hasAncestors(el, steps)) found.add(el);
    }
  }
  if (found.size < 2 || alternatives.length === 1) return [...found];
  return roots.flatMap((root) => [...root.querySelectorAll("*")].filter((el) => found.has(el)));
}

// hasAncestors takes the nearest ancestor for each step but the last. For descendant steps alone the nearest is never worse
// than a farther one.
function hasAncestors(el: Element, steps: string[]): boolean {
  let at: Element | null = composedParent(el);
  for (let i = steps.length - 2; i >= 0; i--) {
    const step = steps[i] as string;
    while (at && !safe.matches(at, step)) at = composedParent(at);
    if (!at) return false;
    at = composedParent(at);
  }
  return true;
}

/** stepsOf takes a valid selector list apart: `a > b c, d` into [["a > b", "c"], ["d"]]. */
export function stepsOf(selector: string): string[][] {
  const alternatives: string[][] = [];
  let steps: string[] = [];
  let start = 0; // of the present step
  let gap = -1; // where white space began that may end it
  let joins = true; // nothing of a compound since the start or the last combinator
  let depth = 0;
  for (let i = 0; i < selector.length; ) {
    const c = selector[i] as string;
    const next = tokenEnd(selector, i);
    if (c === "(" || c === "[" || c === "{") depth++;
    else if (c === ")" || c === "]" || c === "}") depth--;
    if (depth > 0 || selector.startsWith("/*", i)) {
      if (depth === 1 && (c === "(" || c === "[") && gap >= 0) part(); // a step may begin with a bracket
      if (depth > 0) joins = false;
    } else if (isSpace(c)) {
      if (gap < 0 && !joins) gap = i;
    } else if (c === ",") {
      steps.push(selector.slice(start, gap < 0 ? i : gap));
      alternatives.push(steps);
      steps = [];
      start = next;
      gap = -1;
      joins = true;
    } else if (c === ">" || c === "+" || c === "~") {
      gap = -1;
      joins = true;
    } else {
      if (gap >= 0) part();
      joins = false;
    }
    i = next;
  }
  steps.push(gap < 0 ? selector.slice(start) : selector.slice(start, gap));
  alternatives.push(steps);
  return alternatives.map((list) => list.map((step) => step.trimStart()).filter((step) => step !== ""));

  // part ends a step at the white space.
  function part(): void {
    steps.push(selector.slice(start, gap));
    start = gap;
    gap = -1;
  }
}

// Compound is a compound selector and the combinator before it, empty for the first.
export interface Compound {
  css: string;
  combinator: "" | " " | ">" | "+" | "~";
}

const mostCompounds = 200; // of one complex selector

/** compoundsOf takes a valid selector list apart at commas and combinators: `a > b c, d` into [[a, >b, " "c], [d]]. */
export function compoundsOf(selector: string): Compound[][] {
  const list: Compound[][] = [];
  let complex: Compound[] = [];
  let css = "";
  let before: Compound["combinator"] = ""; // what is before the compound that comes
  const end = (): void => {
    if (css === "") return;
    if (complex.push({ css, combinator: before }) > mostCompounds) throw new Error(`it has more than ${mostCompounds} compound selectors`);
    css = "";
    before = " ";
  };
  let depth = 0;
  for (let i = 0; i < selector.length; ) {
    const c = selector[i] as string;
    const token = selector.slice(i, tokenEnd(selector, i));
    const comment = selector.startsWith("/*", i);
    i += token.length;
    if (c === "(" || c === "[") depth++;
    else if (c === ")" || c === "]") depth--;
    if (depth > 0 || c === ")" || c === "]") css += token;
    else if (c === ",") {
      end();
      list.push(complex);
      complex = [];
      before = "";
    } else if (c === ">" || c === "+" || c === "~") {
      end();
      before = c;
    } else if (isSpace(c)) end();
    else if (!comment) css += token;
  }
  end();
  list.push(complex);
  return list;
}

// tokenEnd is where what begins at i ends: an escape, a string and a comment are one piece (CSS Syntax 3, section 4).
function tokenEnd(text: string, i: number): number {
  switch (text[i]) {
    case "\\": {
      const hex = /^[0-9a-f]{1,6}(?:\r\n|[ \t\r\n\f])?/i.exec(text.slice(i + 1, i + 9));
      return hex ? i + 1 + hex[0].length : i + 1 + ((text.codePointAt(i + 1) ?? 0) > 0xffff ? 2 : 1);
    }
    case '"':
    case "'": {
      let end = i + 1;
      while (end < text.length && text[end] !== text[i]) end = text[end] === "\\" ? tokenEnd(text, end) : end + 1;
      return end + 1;
    }
    case "/": {
      if (text[i + 1] !== "*") return i + 1;
      const end = text.indexOf("*/", i + 2);
      return end < 0 ? text.length : end + 2;
    }
  }
  return i + 1;
}

function isSpace(c: string): boolean {
  return c === " " || c === "\t" || c === "\n" || c === "\r" || c === "\f";
}
