// CSS counters in generated text (CSS Lists 3, "Automatic Numbering With Counters"), which Chromium has in names only
// where they are alternative text. No script can read the value of one, so it is counted again: from the elements that
// rules give something to count, in document order, and only where a name needs it.

import * as safe from "./safe";
import { page, type Root } from "./safe";
import { strings } from "./styles";

// A counter lives in the element around the one that made it, from there on.
interface Counter {
  value: number;
  around: Element | null;
}

type Counted = Map<Element, { "::before"?: string; "::after"?: string }>;

const mostCounting = 3_000; // elements whose style is read; a page that counts more is shown without numbers
const mostNested = 50; // counters of one name inside each other that are shown

let counted: Map<Root, Counted> | undefined;

/** countedText returns the text of a ::before or ::after whose content has counters in it; undefined if they could not be counted. */
export function countedText(el: Element, which: "::before" | "::after"): string | undefined {
  if (!counted) {
    counted = new Map();
    queueMicrotask(() => (counted = undefined));
  }
  const root = safe.rootOf(el);
  let texts = counted.get(root);
  if (!texts) counted.set(root, (texts = count(root)));
  return texts.get(el)?.[which];
}

function count(root: Root): Counted {
  const texts: Counted = new Map();
  const elements = root.querySelectorAll(counting(root));
  if (elements.length > mostCounting) return texts;
  const counters = new Map<string, Counter[]>();
  numbered = new WeakMap();
  const open: Element[] = []; // whose ::after is still to come
  const pseudo = (el: Element, which: "::before" | "::after"): void => {
    const style = getComputedStyle(el, which);
    if (style.content === "none" || style.content === "normal" || style.display === "none") return;
    step(counters, el, el, style);
    if (style.content.includes("counter")) texts.set(el, { ...texts.get(el), [which]: strings(style.content, (call) => counterText(counters, el, call)) });
  };
  for (const el of elements) {
    for (let last = open.at(-1); last && !safe.contains(last, el); last = open.at(-1)) pseudo(open.pop() as Element, "::after");
    const style = getComputedStyle(el);
    if (!safe.checkVisibility(el, {}) && style.display !== "contents") continue; // what is not rendered does not count
    step(counters, el, safe.parentElement(el), style);
    pseudo(el, "::before");
    open.push(el);
  }
  while (open.length > 0) pseudo(open.pop() as Element, "::after");
  return texts;
}

// step applies an element's style to the counters. A counter created here is visible to what follows in the parent
// element.
function step(counters: Map<string, Counter[]>, el: Element, around: Element | null, style: CSSStyleDeclaration): void {
  for (const [name, value] of pairs(style.counterReset)) {
    const all = living(counters, name, el);
    if (all.length > 0 && (all.at(-1) as Counter).around === around) all.pop();
    all.push({ value, around });
  }
  const change = (name: string, to: (value: number) => number): void => {
    const all = living(counters, name, el);
    if (all.length === 0) all.push({ value: 0, around });
    const counter = all.at(-1) as Counter;
    counter.value = to(counter.value);
  };
  for (const [name, by] of pairs(style.counterIncrement)) change(name, (value) => value + by);
  for (const [name, value] of pairs(style.counterSet)) change(name, () => value);
}

export function pairs(declared: string): [string, number][] {
  return declared === "none" ? [] : [...declared.matchAll(/(\S+) (-?\d+)/g)].map(([, name = "", value]) => [name, Number(value)]);
}

// living are the counters of that name that el is in, the innermost last.
function living(counters: Map<string, Counter[]>, name: string, el: Element): Counter[] {
  let all = counters.get(name);
  if (!all) counters.set(name, (all = []));
  for (let last = all.at(-1); last?.around && !safe.contains(last.around, el); last = all.at(-1)) all.pop();
  return all;
}

// counterText returns the text of counter(name, style) or counters(name, "separator", style).
function counterText(counters: Map<string, Counter[]>, el: Element, call: string): string {
  const [, plural = "", name = "", separator = "", style = "decimal"] = /^counter(s?)\(\s*([^\s,)]+)(?:\s*,\s*"((?:[^"\\]|\\.)*)")?(?:\s*,\s*([\w-]+))?\s*\)$/.exec(call) ?? [];
  let values = living(counters, name, el).slice(-mostNested).map((counter) => counter.value);
  if (values.length === 0 && name === "list-item") values = itemNumbers(el);
  if (values.length === 0) values.push(0);
  return (plural ? values : values.slice(-1)).map((value) => numeral(value, style)).join(separator.replace(/\\(.)/g, "$1"));
}

// itemNumbers are the numbers that the browser itself gives the items of lists around el, the innermost last.
function itemNumbers(el: Element): number[] {
  const values: number[] = [];
  for (let item = safe.closest(el, "li"); item && values.length < mostNested; item = outer(item)) values.unshift(numberOf(item));
  return values;
}

function outer(item: Element): Element | null {
  const parent = safe.parentElement(item);
  return parent && safe.closest(parent, "li");
}

// What the items of a list are numbered, as long as one root is counted.
let numbered = new WeakMap<Element, number>();

function numberOf(item: Element): number {
  if (!numbered.has(item)) numberAll(safe.parentElement(item) ?? item);
  return numbered.get(item) ?? 0;
}

function numberAll(list: Element): void {
  const { start, reversed } = list instanceof HTMLOListElement ? list : { start: 1, reversed: false };
  const items = [...safe.children(list)].filter((child) => child instanceof HTMLLIElement);
  let number = reversed && !safe.hasAttribute(list, "start") ? items.length : start;
  for (const item of items) {
    if (item.hasAttribute("value")) number = item.value;
    numbered.set(item, number);
    number += reversed ? -1 : 1;
  }
}

const romans: [number, string][] = [
  [1000, "m"], [900, "cm"], [500, "d"], [400, "cd"], [100, "c"], [90, "xc"], [50, "l"], [40, "xl"], [10, "x"], [9, "ix"], [5, "v"], [4, "iv"], [1, "i"],
];
// Without a prototype: a page may call a style of its own "constructor".
const signs: Record<string, string> = { __proto__: null as never, none: "", disc: "•", circle: "◦", square: "▪" };
const alphabets: Record<string, string> = {
  __proto__: null as never, alpha: "abcdefghijklmnopqrstuvwxyz", latin: "abcdefghijklmnopqrstuvwxyz", greek: "αβγδεζηθικλμνξοπρστυφχψω",
};

// numeral formats a number in one of the common counter styles; the others use plain numbers.
export function numeral(value: number, style: string): string {
  if (style in signs) return signs[style] as string;
  if (style === "decimal-leading-zero") return (value < 0 ? "-" : "") + String(Math.abs(value)).padStart(2, "0");
  const [letters = "", system = ""] = style.split("-");
  let text = "";
  if (system === "roman" && value > 0 && value < 4000) {
    let rest = value;
    for (const [worth, digit] of romans) for (; rest >= worth; rest -= worth) text += digit;
  } else if (system in alphabets && value > 0) {
    const alphabet = alphabets[system] as string;
    for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / alphabet.length)) text = alphabet.charAt((rest - 1) % alphabet.length) + text;
  } else return String(value);
  return letters === "upper" ? text.toUpperCase() : text;
}

// counting is a selector of what rules give something to count, or a number to show.
function counting(root: Root): string {
  const selectors = new Set(['[style*="counter-"]']);
  for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) if (!sheet.disabled) collect(sheet, selectors);
  return selectors.has("*") ? "*" : [...selectors].join(",");
}

function collect(sheet: CSSStyleSheet | CSSRule, into: Set<string>): void {
  let rules: unknown;
  try {
    rules = (sheet as { cssRules?: unknown }).cssRules;
  } catch {
    into.add("*"); // a sheet of another origin: not readable
  }
  if (!(rules instanceof CSSRuleList)) return;
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule && counts(rule.style)) {
      // Pseudo-elements belong to their originating elements.
      const selector = rule.selectorText.replace(/(^|[\s>+~,(]):{1,2}(?:before|after)\b/g, "$1*").replace(/:{1,2}(?:before|after)\b/g, "");
      into.add(isKnown(selector) ? selector : "*");
    }
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) collect(rule.styleSheet, into);
    } else collect(rule, into);
  }
}

// isKnown reports whether a selector matches the same elements here as in its sheet.
function isKnown(selector: string): boolean {
  if (selector.includes("&")) return false;
  try {
    page.createDocumentFragment().querySelector(selector);
  } catch {
    return false;
  }
  return true;
}

function counts(style: CSSStyleDeclaration): boolean {
  return style.counterReset !== "" || style.counterIncrement !== "" || style.counterSet !== "" || style.content.includes("counter");
}
