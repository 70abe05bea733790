// Texts of elements and their comparison, as Playwright's locators define them: the text of an element is that of its
// text nodes in the order of the DOM, then of its open shadow root, rendered or not.

import * as safe from "./safe";
import { page } from "./safe";
import { alive } from "./alive";
import { shadowOf } from "./dom";
import { invalid } from "./selector";

/** Wanted is a text to compare with (package chain). */
export interface Wanted {
  value: string;
  match: "contains" | "whole" | "own" | "pattern";
  flags?: string;
}

export interface ElementText {
  full: string;
  own: string[]; // the texts between two tags of the element
}

/** collapsed is a text with white space, of which the zero-width space is none, as single spaces. */
export function collapsed(text: string): string {
  return text.replace(/[\u200b\u00ad]/g, "").trim().replace(/\s+/g, " ");
}

/** matcher returns a function that compares texts of elements. */
export function matcher(wanted: Wanted): (text: ElementText) => boolean {
  if (wanted.match === "pattern") {
    const pattern = regular(wanted);
    return ({ full }) => pattern.test(full);
  }
  const value = collapsed(wanted.value);
  const lower = value.toLowerCase();
  switch (wanted.match) {
    case "contains":
      return ({ full }) => collapsed(full).toLowerCase().includes(lower);
    case "whole":
      return ({ full }) => collapsed(full) === value;
    default:
      return ({ own }) => own.some((text) => collapsed(text) === value);
  }
}

/** attributeMatcher returns a function that compares values of attributes, white space included. */
export function attributeMatcher(wanted: Wanted): (value: string) => boolean {
  if (wanted.match === "pattern") {
    const pattern = regular(wanted);
    return (value) => pattern.test(value);
  }
  const lower = wanted.value.toLowerCase();
  return wanted.match === "contains" ? (value) => value.toLowerCase().includes(lower) : (value) => value === wanted.value;
}

// regular has no flag that makes a pattern remember where it was.
function regular(wanted: Wanted): RegExp {
  try {
    return new RegExp(wanted.value, (wanted.flags ?? "").replace(/[gy]/g, ""));
  } catch (error) {
    throw invalid(`/${wanted.value}/${wanted.flags ?? ""}`, error);
  }
}

/** plainText is a text that is not of an element. */
export function plainText(text: string): ElementText {
  return { full: text, own: [text] };
}

/** Texts computes the texts of elements, each once. */
export class Texts {
  private readonly known = new Map<Node, ElementText>();

  of(top: Node): ElementText {
    const known = this.known.get(top);
    if (known) return known;
    // The innermost first: a page may be nested deeper than calls can be.
    const order = [top];
    for (let i = 0; i < order.length; i++) {
      alive();
      const node = order[i] as Node;
      const given = this.given(node);
      if (given) {
        this.known.set(node, given);
        continue;
      }
      for (let child = safe.firstChild(node); child; child = safe.nextSibling(child)) {
        if (child instanceof Element && !this.known.has(child)) order.push(child);
      }
      const shadow = node instanceof Element && shadowOf(node);
      if (shadow) order.push(shadow);
    }
    for (const node of order.reverse()) if (!this.known.has(node)) this.known.set(node, this.compose(node));
    return this.known.get(top) as ElementText;
  }

  // given is the text of what shows other text than that of its nodes.
  private given(node: Node): ElementText | undefined {
    if (!(node instanceof Element)) return undefined;
    if (unread(node)) return { full: "", own: [] };
    if (!(node instanceof HTMLInputElement)) return undefined;
    return node.type === "submit" || node.type === "button" || node.type === "reset" ? plainText(node.value) : undefined;
  }

  private compose(node: Node): ElementText {
    const text: ElementText = { full: "", own: [] };
    let run = "";
    for (let child = safe.firstChild(node); child; child = safe.nextSibling(child)) {
      if (child instanceof Text) {
        text.full += child.data;
        run += child.data;
      } else if (child instanceof Element) {
        if (run) text.own.push(run);
        run = "";
        text.full += this.known.get(child)?.full ?? "";
      }
    }
    if (run) text.own.push(run);
    const shadow = node instanceof Element && shadowOf(node);
    if (shadow) text.full += this.known.get(shadow)?.full ?? "";
    return text;
  }
}

/** unread reports whether the text of an element is not for reading. */
export function unread(el: Element): boolean {
  switch (safe.tag(el)) {
    case "script": case "style": case "noscript": case "head":
      return true;
  }
  const { head } = page;
  return head !== null && safe.contains(head, el);
}
