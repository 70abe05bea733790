// Which effects the page's style sheets and labels can have at all. A computed style costs microseconds per element;
// most pages have no rule that could change the result, so the sheets are read once and the computed style is not.

import { countedText } from "./counters";
import * as safe from "./safe";
import { page, type Root } from "./safe";

interface Traits {
  generated: boolean; // some ::before or ::after has text
  transform: boolean; // some rule sets text-transform
  skipped: boolean; // some rule sets content-visibility: hidden
  labels: boolean; // there are label elements
  states: boolean; // there are elements with states that few have
  draggables: boolean; // there are elements with a draggable attribute
  placed: boolean; // there are elements that a class or a style may have put anywhere
  handlers: boolean; // there are elements with listeners as attributes besides onclick
  pointers: string[]; // selectors of rules that set cursor: pointer
}

const none: Traits = { generated: false, transform: false, skipped: false, labels: false, states: false, draggables: false, placed: false, handlers: false, pointers: [] };
const unknown: Traits = { generated: true, transform: true, skipped: true, labels: true, states: true, draggables: true, placed: true, handlers: true, pointers: [] };

// Per sheet, with the number of rules it was read at: CSSOM insertions change it.
const known = new WeakMap<CSSStyleSheet, { rules: number; traits: Traits }>();

let current: Traits | undefined;
let seen = new Set<Root>();

/**
 * traits returns the traits of the document and every shadow root noted so far in this task. Nothing outside can
 * change a style while our code runs, so the result holds until the task ends.
 */
export function traits(): Traits {
  if (!current) {
    current = { ...none, pointers: [] };
    pointed = undefined;
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
  if (!sum.placed) sum.placed = root.querySelector("[class],[style]") !== null;
  // One search for all of what most pages have none of.
  if (root.querySelector(unusual) !== null) {
    if (!sum.states) sum.states = root.querySelector(rare) !== null;
    if (!sum.handlers) sum.handlers = root.querySelector(handlers) !== null;
    if (!sum.draggables) sum.draggables = root.querySelector("[draggable]") !== null;
  }
  if (!sum.transform) sum.transform = root.querySelector('[style*="text-transform"]') !== null;
  if (!sum.skipped) sum.skipped = root.querySelector('[style*="content-visibility"],[hidden="until-found" i]') !== null;
}

const handlers = "[onmousedown],[onpointerdown],[ontouchstart],[onmouseup],[onpointerup],[ondblclick],[oncontextmenu]";
const rare = "[aria-current],[aria-sort],[aria-haspopup],[aria-readonly],[aria-multiline],[aria-invalid]";
const unusual = `${rare},${handlers},[draggable]`;

function add(sum: Traits, more: Traits): void {
  sum.generated ||= more.generated;
  sum.transform ||= more.transform;
  sum.skipped ||= more.skipped;
  for (const selector of more.pointers) if (sum.pointers.length < mostPointers) sum.pointers.push(selector);
}

const mostPointers = 300;
let pointed: { count: number; selectors: string } | undefined;

/*
 * pointerSelectors is the list of selectors that give elements the cursor of what can be clicked, as one selector; empty if
 * there are none. Those that mean whatever is inside of something are left out.
 */
function pointerSelectors(): string {
  const { pointers } = traits();
  if (pointed?.count !== pointers.length) pointed = { count: pointers.length, selectors: pointers.join(",") };
  return pointed.selectors;
}

/** isPointedByRule reports whether a rule gives el itself the cursor of what can be clicked. */
export function isPointedByRule(el: Element): boolean {
  const selectors = pointerSelectors();
  return selectors !== "" && safe.matches(el, selectors);
}

// specific returns those selectors of a list with a class, an id or an attribute. The list is split without regard to
// commas inside of brackets: such selectors are left out.
function specific(list: string): string[] {
  return list.split(",").map((one) => one.trim()).filter((one) => /[.#[][^\s>+~]*$/.test(one) && !/[&(]/.test(one) && !one.includes("::") && CSS.supports(`selector(${one})`));
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
  const found = { ...none, pointers: [] };
  read(rules, found);
  known.set(sheet, { rules: rules.length, traits: found });
  return found;
}

// read goes through rules of every kind there is and will be: unknown ones have rules in them, declarations, or nothing
// that matters here.
function read(rules: CSSRuleList, found: Traits): void {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) readStyle(rule, found);
    else if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) add(found, traitsOf(rule.styleSheet));
    } else {
      const { cssRules, style } = rule as { cssRules?: unknown; style?: unknown };
      if (cssRules instanceof CSSRuleList) read(cssRules, found);
      else if (style instanceof CSSStyleDeclaration) readDeclarations(style, false, found);
    }
  }
}

function readStyle(rule: CSSStyleRule, found: Traits): void {
  const selector = rule.selectorText;
  readDeclarations(rule.style, selector.includes(":before") || selector.includes(":after"), found);
  if (rule.style.cursor === "pointer") found.pointers.push(...specific(selector));
  if (rule.cssRules.length > 0) read(rule.cssRules, found);
}

// readDeclarations reads by name: the declarations of @position-try and @function do not have properties that are
// invalid there.
function readDeclarations(style: CSSStyleDeclaration, pseudo: boolean, found: Traits): void {
  if (pseudo && !found.generated) found.generated = says(style.getPropertyValue("content"));
  if (!found.transform) {
    const transform = style.getPropertyValue("text-transform");
    found.transform = transform !== "" && transform !== "none";
  }
  if (!found.skipped) {
    const visibility = style.getPropertyValue("content-visibility");
    found.skipped = visibility === "hidden" || visibility.includes("var(");
  }
}

// says reports whether a value of `content` can show text: clearfix rules with blank strings are everywhere.
export function says(content: string): boolean {
  return content !== "" && content !== "none" && content !== "normal" && !/^(["'])\s*\1$/.test(content);
}

/**
 * generatedText returns the text of a ::before or ::after pseudo-element of el, and whether it is separated from the
 * text beside it.
 */
export function generatedText(el: Element, which: "::before" | "::after"): { text: string; apart: boolean } | undefined {
  const style = getComputedStyle(el, which);
  const content = style.content;
  if (!says(content) || style.display === "none" || style.visibility !== "visible") return undefined;
  const text = (content.includes("counter") ? countedText(el, which) : undefined) ?? strings(content, () => "");
  return text === "" ? undefined : { text, apart: style.display !== "inline" || /[")] \/ ["c]/.test(content) };
}

// The parts of a `content` value: strings, functions with others in them, slashes, keywords.
const quoted = String.raw`"(?:[^"\\]*(?:\\.[^"\\]*)*)"`;
const nested = [1, 2].reduce((inner) => String.raw`\((?:[^()"]|${quoted}|${inner})*\)`, String.raw`\((?:[^()"]|${quoted})*\)`);
const tokens = new RegExp(String.raw`"([^"\\]*(?:\\.[^"\\]*)*)"|[\w-]+${nested}|\/|[^"\s/]+`, "g");

/**
 * strings joins the strings of a `content` value; after a slash is the alternative text (CSS Generated Content 3).
 * counted returns the text for counter() and counters(); images have no text.
 */
export function strings(content: string, counted: (call: string) => string): string {
  let text = "";
  let alternative = false;
  for (const [token, string] of content.matchAll(tokens)) {
    if (token === "/") {
      text = "";
      alternative = true;
    } else if (string !== undefined) text += string.replace(/\\(.)/g, "$1");
    else if (/^counters?\(/.test(token)) text += counted(token);
    else if (!alternative && token === "open-quote") text += "“";
    else if (!alternative && token === "close-quote") text += "”";
  }
  return text;
}
