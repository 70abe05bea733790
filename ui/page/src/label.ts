// Substitutes for a missing accessible name: authors often set a tooltip, a placeholder or the name of an icon where
// the rules do not use it.

import * as safe from "./safe";
import { rootOf } from "./safe";
import { labelOfFormField } from "./formfield";
import { labelOfHost } from "./hostlabel";
import { collapse } from "./name";
import { textAroundShape, textBefore } from "./near";
import { cut } from "./describe";
import { longestName } from "./marks";

/**
 * labelOf returns a label for el; empty if there is none. With acts, el can be acted on: then its class, id or part will do.
 * With items, icons in it belong to its items.
 */
export function labelOf(el: Element, acts: boolean, items: boolean): string {
  const field = el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement;
  const before = field ? labelOfHost(el) || textBefore(el) : "";
  if (before !== "") return before;
  const beside = acts && !field ? labelFor(el) : "";
  if (beside !== "") return beside;
  const drawnFor = acts && !field ? labelOfFormField(el) : "";
  if (drawnFor !== "") return drawnFor;
  const hint = safe.getAttribute(el, "title") || componentName(el) || safe.getAttribute(el, "placeholder") || tooltipOf(el);
  if (hint) return collapse(cut(hint, longestName));
  if (field) return worded(el.name) || worded(el.id);
  const word = iconOf(el, items ? [] : safe.querySelectorAll(el, "i,span,svg,use,img,[name],[icon]")) || shapeOf(el) || (acts ? testWord(el) || worded(safe.getAttribute(el, "data-action") ?? "") || ownWord(el) : "");
  const colour = acts ? colourOf(el) : "";
  return word !== "" && colour !== "" ? `${word} ${colour}` : word || colour;
}

// componentName is the name that an author gave a component which does not pass it on.
function componentName(el: Element): string {
  return safe.localName(el).includes("-") ? (safe.getAttribute(el, "accessible-name") ?? "") : "";
}

// labelFor is the text of a label that names el by its id, which means nothing to the browser where el is no field of a form.
function labelFor(el: Element): string {
  const id = safe.id(el);
  const label = id === "" ? null : rootOf(el).querySelector(`label[for="${CSS.escape(id)}"]`);
  return label ? collapse(cut(safe.textContent(label), longestName)) : "";
}

// Where libraries of tooltips read their text.
const tooltips = [
  "data-tooltip", "data-tooltip-content", "data-tippy-content", "data-bs-original-title", "data-original-title", "data-title", "data-hint", "data-tips",
  "data-tip",
];

// tooltipOf is the text of a tooltip that the page draws. Some write an id or a selector there.
function tooltipOf(el: Element): string {
  for (const name of tooltips) {
    const text = safe.getAttribute(el, name)?.trim();
    if (text && (/^\p{L}.*\s/su.test(text) || (/^\p{L}[\p{L}'\u2019-]*[.\u2026!?]?$/u.test(text) && !/\p{Ll}\p{Lu}/u.test(text)))) return text;
  }
  return "";
}

const mostLooked = 6; // elements inside, for an icon

function iconOf(el: Element, inside: Iterable<Element>): string {
  let left = mostLooked;
  for (const one of [el, ...inside]) {
    if (left-- === 0) break;
    const word = worded(safe.getAttribute(one, "data-icon") ?? "") || iconElement(one) || worded(fragmentOf(one)) || iconClass(one);
    if (word !== "") return word;
    if (one !== el && safe.localName(one) !== "span") {
      const tested = testWord(one).replace(/ icon$/i, "");
      if (tested !== "") return tested;
    }
  }
  return "";
}

// iconElement is the icon that a component draws by its name: <sl-icon name="gear">, <iconify-icon icon="mdi:home">.
function iconElement(el: Element): string {
  if (!/-.*icon$/.test(safe.localName(el))) return "";
  return worded((safe.getAttribute(el, "name") ?? safe.getAttribute(el, "icon") ?? "").replace(/^.*[:/]/, ""));
}

function fragmentOf(el: Element): string {
  if (safe.localName(el) !== "use") return "";
  const target = safe.getAttribute(el, "href") ?? safe.getAttribute(el, "xlink:href") ?? "";
  return (/#(?:icons?[-_])?([\w-]+)$/.exec(target)?.[1]) ?? "";
}

// Classes of icon sets: a prefix, and the icon's name. fa-lg and the like are no names.
const iconic =
  /^(?:fa|mdi|bi|ti|ri|pi|la|ion|bx|bxs|uil|feather|lucide|codicon|octicon|glyphicon|dashicons|anticon|tabler-icon|k-i|[a-z]*-?icons?)[-_]+(?:outline-|solid-|regular-)?([a-z][a-z_-]{2,})/i;
const unspecific = /^(?:solid|regular|brands|light|thin|spin|pulse|icons?|font|small|large|button|btn|base|only|wrapper|container|inner|left|right|size.*|color.*|default|primary|inline|svg|holder|text|sm|md|lg|xl|fw|mantine-(?:focus-.*|active))$/i;

function iconClass(el: Element): string {
  for (const token of safe.classList(el)) {
    if (ofLibrary.test(token)) continue;
    const name = iconic.exec(token)?.[1];
    if (name !== undefined && !unspecific.test(name)) return worded(name);
  }
  return "";
}

// shapeOf distinguishes the shapes of a drawing.
function shapeOf(el: Element): string {
  if (!(el instanceof SVGGeometryElement)) return "";
  const { text, direct } = textAroundShape(el);
  if (text !== "") {
    const own = direct ? "" : ownWord(el);
    return own === "" ? text : `${text}, ${own}`;
  }
  const fill = safe.getAttribute(el, "fill") ?? el.style.fill;
  return fill && fill !== "none" ? `${safe.localName(el)} ${cut(fill, 30)}` : safe.localName(el);
}

// colourOf returns the colour that a page gave to this very element, or to the only one in it: it distinguishes boxes
// that differ in nothing else.
function colourOf(el: Element): string {
  const only = safe.childElementCount(el) === 1 ? safe.firstElementChild(el) : null;
  for (const one of [el, only]) {
    if (!one || !safe.hasAttribute(one, "style") || safe.childElementCount(one) > (one === el ? 1 : 0)) continue;
    const colour = safe.inlineStyle(one)?.backgroundColor ?? "";
    if (colour !== "" && !uncoloured.test(colour)) return cut(colour, 30);
  }
  return "";
}

const uncoloured = /^(?:transparent|inherit|initial|unset|revert.*|currentcolor|rgba\(.*, 0\)|.*var\(.*)$/i;

/** testIDs are the attributes in wide use for test ids. */
export const testIDs = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];

// testWord returns the words that an element has for the tests of the page.
function testWord(el: Element): string {
  for (const name of testIDs) {
    const word = worded(safe.getAttribute(el, name) ?? "");
    if (word !== "") return word.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  }
  return "";
}

// ownWord returns a word that the page's author uses for an element, in a class or its id: the id where a neighbour has the same class.
function ownWord(el: Element): string {
  const id = unspecific.test(safe.id(el)) ? "" : worded(safe.id(el));
  for (const token of safe.classList(el)) {
    const word = unspecific.test(token) ? "" : worded(token);
    if (word !== "") return id !== "" && isShared(el, token) ? id : word;
  }
  return id || partWord(el);
}

// partWord returns the name by which the pages that use a component style this part of it.
function partWord(el: Element): string {
  for (const token of (safe.getAttribute(el, "part") ?? "").split(/\s+/)) {
    const word = unspecific.test(token) ? "" : worded(token);
    if (word !== "") return word;
  }
  return "";
}

function isShared(el: Element, token: string): boolean {
  return [safe.previousElementSibling(el), safe.nextElementSibling(el)].some((one) => one !== null && safe.classList(one).contains(token));
}

// Classes that a library makes: they say how an element is styled.
const ofLibrary = /^(?:css|sc|jsx|svelte|chakra|Mui[A-Z]\w*|ng|v)[-_]/;

// worded splits a name in code into words; empty if it does not look like any.
export function worded(name: string): string {
  if (!/^[a-z][a-z_-]{2,30}$/i.test(name) || !/[aeiouy]/i.test(name) || ofLibrary.test(name)) return "";
  return name.replace(/[_-]+/g, " ").trim();
}
