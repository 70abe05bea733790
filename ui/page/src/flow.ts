// Which elements are inline in a line of text, and which end it.

import * as safe from "./safe";

// Elements that end a line of text, by name; the display of others is read only where it matters.
const inlineTags = new Set([
  "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd", "label",
  "mark", "q", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "slot", "tspan",
]);

// How an element's text goes with the text beside it.
export const enum Flow {
  inline, // in the same line, without a gap
  apart, // in the same line, as a box of its own
  block, // in a line of its own
}

/** flowOf returns the flow of a child in a line of text. */
export function flowOf(el: Element): Flow {
  if (!inlineTags.has(safe.localName(el))) return Flow.block;
  const display = getComputedStyle(el).display;
  if (display === "inline" || display === "contents" || display.startsWith("ruby")) return Flow.inline;
  return display.startsWith("inline") ? Flow.apart : Flow.block;
}

/** isBlock reports whether an element ends a line by its name. */
export function isBlock(el: Element): boolean {
  return !inlineTags.has(safe.localName(el));
}
