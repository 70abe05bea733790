// What the page's style sheets and labels can do at all. Asking for a computed style costs
// microseconds per element; most pages have no rule that could change the answer,
// so the sheets are read once and the question is not asked.

import { page, type Root } from "./safe";

export interface Traits {
  generated: boolean; // some ::before or ::after says something
  transform: boolean; // some rule sets text-transform
  skipped: boolean; // some rule sets content-visibility: hidden
  labels: boolean; // there are label elements
}

const none: Traits = { generated: false, transform: false, skipped: false, labels: false };
const unknown: Traits = { generated: true, transform: true, skipped: true, labels: true };

// Per sheet, with the number of rules it was read at: CSSOM insertions change it.
const known = new WeakMap<CSSStyleSheet, { rules: number; traits: Traits }>();

let current: Traits | undefined;
let seen = new Set<Root>();

/**
 * traits answers for the document and every shadow root noted so far in this
 * task. Nothing outside can change a style while our code runs, so the answer
 * stands until the task ends.
 */
export function traits(): Traits {
  if (!current) {
    current = { ...none };
    seen = new Set();
    queueMicrotask(() => (current = undefined));
    note(page);
  }
  return current;
}

/** note adds the sheets of a shadow root. */
export function note(root: Root): void {
  const sum = traits();
  if (seen.has(root)) return;
  seen.add(root);
  for (const sheet of root.styleSheets) add(sum, traitsOf(sheet));
  for (const sheet of root.adoptedStyleSheets) add(sum, traitsOf(sheet));
  if (!sum.labels) sum.labels = root.querySelector("label") !== null;
  if (!sum.transform) sum.transform = root.querySelector('[style*="text-transform"]') !== null;
  if (!sum.skipped) sum.skipped = root.querySelector('[style*="content-visibility"],[hidden="until-found" i]') !== null;
}

function add(sum: Traits, more: Traits): void {
  sum.generated ||= more.generated;
  sum.transform ||= more.transform;
  sum.skipped ||= more.skipped;
}

function traitsOf(sheet: CSSStyleSheet): Traits {
  if (sheet.disabled) return none;
  let rules: CSSRuleList;
  try {
    rules = sheet.cssRules;
  } catch {
    return unknown; // a sheet of another origin: not readable
  }
  const before = known.get(sheet);
  if (before && before.rules === rules.length) return before.traits;
  const found = { ...none };
  read(rules, found);
  known.set(sheet, { rules: rules.length, traits: found });
  return found;
}

function read(rules: CSSRuleList, found: Traits): void {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) readStyle(rule, found);
    else if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) add(found, traitsOf(rule.styleSheet));
    } else if ("cssRules" in rule) read(rule.cssRules as CSSRuleList, found);
    else if ("style" in rule) readDeclarations(rule.style as CSSStyleDeclaration, false, found);
  }
}

function readStyle(rule: CSSStyleRule, found: Traits): void {
  const selector = rule.selectorText;
  readDeclarations(rule.style, selector.includes(":before") || selector.includes(":after"), found);
  if (rule.cssRules.length > 0) read(rule.cssRules, found);
}

function readDeclarations(style: CSSStyleDeclaration, pseudo: boolean, found: Traits): void {
  if (pseudo && !found.generated) found.generated = says(style.content);
  if (!found.transform) found.transform = style.textTransform !== "" && style.textTransform !== "none";
  if (!found.skipped) found.skipped = style.contentVisibility === "hidden" || style.contentVisibility.includes("var(");
}

// says reports whether a value of `content` can show text: clearfix rules with
// blank strings are everywhere.
function says(content: string): boolean {
  return content !== "" && content !== "none" && content !== "normal" && !/^(["'])\s*\1$/.test(content);
}

/** generatedText returns what a ::before or ::after pseudo-element of el says, and whether it stands apart from the text beside it. */
export function generatedText(el: Element, which: "::before" | "::after"): { text: string; apart: boolean } | undefined {
  const style = getComputedStyle(el, which);
  const content = style.content;
  if (!says(content) || style.display === "none" || style.visibility !== "visible") return undefined;
  const text = strings(content);
  return text === "" ? undefined : { text, apart: style.display !== "inline" || content.includes('" / "') };
}

// strings joins the strings of a `content` value; after a slash stands the
// alternative text (CSS Generated Content 3). Counters and images have no text
// a script can read.
function strings(content: string): string {
  let text = "";
  let alternative = false;
  for (const [token, string] of content.matchAll(/"((?:[^"\\]|\\.)*)"|\/|[^"\s/]+/g)) {
    if (token === "/") {
      text = "";
      alternative = true;
    } else if (string !== undefined) text += string.replace(/\\(.)/g, "$1");
    else if (!alternative && token === "open-quote") text += "“";
    else if (!alternative && token === "close-quote") text += "”";
  }
  return text;
}
