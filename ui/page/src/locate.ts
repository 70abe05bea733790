// From what an agent wrote to the element it means: refs, CSS, XPath, text,
// role and name, label, placeholder, alt, title, test id.
//
// Semantic locators prefer the best match over the first: an element whose text
// is exactly the wanted one, before one that contains it, before one that
// contains it in other letter case; and one that can be seen before any other.

import * as safe from "./safe";
import { page } from "./safe";
import { alive } from "./alive";
import { isBeyond } from "./away";
import { chained, missing, type Part, preferred } from "./chain";
import { flatChildren, flatParent, shadowOf } from "./dom";
import { testIDs } from "./label";
import { nameOf } from "./name";
import { byId, idOf } from "./refs";
import { substituteOf } from "./line";
import { roleOf } from "./role";
import { invalid, query, queryAll } from "./selector";
import { labelsOfHost, textOfLabel } from "./hostlabel";
import { attempt, cut, Refused, type Reply, shorten } from "./describe";
import { longestName } from "./marks";
import { collapsed } from "./texts";
import { composedContains, isHidden, isRendered, rootsOf } from "./tree";
import { isInHiddenList } from "./twin";

export type By =
  | "id" | "focused" | "css" | "xpath" | "text" | "role" | "label" | "placeholder" | "alt" | "title" | "testid" | "chain";

export interface Target {
  by: By;
  value?: string; // selector, text or role
  id?: number; // for by "id"
  name?: string; // for by "role"
  exact?: boolean;
  nth?: number; // 0-based; negative counts from the end; absent takes the best match
  parts?: Part[]; // for by "chain"
  keep?: number; // of a chain: the number of the action, which goes on with the element it has found,
  kept?: boolean; // if it has
  strict?: boolean; // several matches are refused
}

// locate returns the one element of a target, or throws a Refused.
export function locate(target: Target): Element {
  chosen = undefined;
  if (target.by === "id") return locateId(target.id ?? 0);
  if (target.by === "focused") return focused();
  const kept = target.kept && target.keep ? keeping.get(target.keep)?.deref() : undefined;
  if (kept && safe.isConnected(kept)) return kept;
  if (target.strict) mustBeOne(target);
  if (target.by === "chain") return locateChain(target);
  if (target.by === "css" && target.nth === undefined) {
    const quick = query(target.value ?? "");
    if (quick) return quick;
  }
  const found = candidates(target);
  const one = choose(found, target);
  if (one) return one;
  throw notFound(target, found);
}

// all returns every match in document order, for counting and indexes.
export function all(target: Target): Element[] {
  if (target.by === "id" || target.by === "focused") return [locate(target)];
  if (target.by === "chain") return chained(target.parts ?? []);
  return candidates(target).matches.map((match) => match.el);
}

// keeping has what chains found last, by action.
const keeping = new Map<number, WeakRef<Element>>();
const mostKept = 8; // actions that run at the same time: a drag has two

function keep(target: Target, el: Element): Element {
  if (!target.keep) return el;
  keeping.delete(target.keep);
  keeping.set(target.keep, new WeakRef(el));
  for (const old of keeping.keys()) if (keeping.size > mostKept) keeping.delete(old);
  return el;
}

function locateChain(target: Target): Element {
  const parts = target.parts ?? [];
  const found = chained(parts);
  const one = target.nth === undefined ? firstOf(preferred(parts, found)) : found.at(target.nth);
  if (one) return keep(target, one);
  throw new Refused("element_not_found", missing(parts), true, { matched: found.length });
}

// several is how many matches a refusal names.
const several = 5;

// mustBeOne is Playwright's strict mode.
function mustBeOne(target: Target): void {
  if (target.nth !== undefined) return;
  const found = all(target);
  if (found.length < 2) return;
  throw new Refused("selector_ambiguous", `strict mode violation: the selector resolved to ${found.length} elements`, false, {
    matched: found.length, several: found.slice(0, several).map(located),
  });
}

function locateId(id: number): Element {
  const el = byId(id);
  if (!el) throw new Refused("stale_ref", "the element is gone from the page", false);
  // A framework may take an element out and put the same one back within a
  // frame; only a caller that keeps seeing this may call the ref stale.
  if (!safe.isConnected(el)) throw new Refused("stale_ref", "the element was removed from the page", true);
  return el;
}

// focused is the element with the keyboard, through shadow roots.
export function focused(): Element {
  let el: Element | null = page.activeElement;
  for (let inner = el && shadowOf(el)?.activeElement; inner; inner = shadowOf(inner)?.activeElement) el = inner;
  if (el) return el;
  throw new Refused("element_not_found", "nothing has the keyboard focus", true);
}

// A match and how well it fits: 0 the same, 1 contains, 2 contains in other
// letter case.
interface Match {
  el: Element;
  tier: number;
}

// enough of the alternatives is stored for the message.
const enough = 1000;

interface Found {
  matches: Match[];
  seen: string[]; // what there was instead
  unseen?: boolean; // all of that is hidden
  prefersRendered: boolean;
}

function choose(found: Found, target: Target): Element | undefined {
  const { matches } = found;
  if (target.nth !== undefined) return matches.at(target.nth)?.el;
  if (!found.prefersRendered) return matches[0]?.el;
  if (target.by === "text") return seenText(matches);
  const best = (list: Match[]) => {
    const least = Math.min(...list.map((match) => match.tier));
    return firstOf(list.filter((match) => match.tier === least).map((match) => match.el));
  };
  const rendered = matches.filter((match) => {
    alive();
    return !isHidden(match.el);
  });
  const open = rendered.filter((match) => !isInHiddenList(match.el));
  return best(target.by === "label" ? innermost(open) : open) ?? best(rendered) ?? best(matches);
}

// innermost leaves out what is around another match that fits as well: the group of a control often has the control's label.
function innermost(matches: Match[]): Match[] {
  return matches.filter(({ el, tier }) => !matches.some((inner) => inner.el !== el && inner.tier <= tier && composedContains(el, inner.el)));
}

// seenText returns the match of a text that a person sees. What is hidden from assistive technology is seen all the same; of two that
// fit as well it is the second choice. What lies beside the page, or is not drawn, comes last.
function seenText(matches: Match[]): Element | undefined {
  let best: Element[] = [];
  let least = Infinity;
  for (const { el, tier } of matches) {
    alive();
    const place = !isRendered(el) ? 3 : isInHiddenList(el) ? 2 : isBeyond(el) ? 1 : 0;
    const rank = 10 * place + 2 * tier + (isHidden(el) ? 1 : 0);
    if (rank < least) [best, least] = [[], rank];
    if (rank === least) best.push(el);
  }
  return firstOf(best);
}

// chosen is the element that was chosen last, and how many match its target as well as it does, itself included.
let chosen: { el: WeakRef<Element>; alike: number } | undefined;

// firstOf chooses the first of elements that match equally well. One inside another is not a choice of its own: a click on either hits
// the same.
function firstOf(equals: Element[]): Element | undefined {
  const first = equals[0];
  if (first) {
    const others = equals.filter((el) => el !== first && !composedContains(first, el) && !composedContains(el, first));
    chosen = { el: new WeakRef(first), alike: 1 + others.length };
  }
  return first;
}

function candidates(target: Target): Found {
  const value = target.value ?? "";
  switch (target.by) {
    case "css":
      return plain(queryAll(value));
    case "xpath":
      return plain(xpath(value));
    case "text":
      return byText(value, target.exact ?? false);
    case "role":
      return byRole(value, target.name, target.exact ?? false);
    case "label":
      return byStrings(labelled(), labelsOf, value, target.exact ?? false);
    case "placeholder":
      return byAttributes(["placeholder", "aria-placeholder"], value, target.exact ?? false);
    case "alt":
      return byAttributes(["alt"], value, target.exact ?? false);
    case "title":
      return byAttributes(["title"], value, target.exact ?? false);
    case "testid":
      return byTestID(value);
    default:
      throw new Refused("invalid_argument", `there is no locator of kind ${target.by}`, false);
  }
}

function plain(elements: Element[]): Found {
  return { matches: elements.map((el) => ({ el, tier: 0 })), seen: [], prefersRendered: false };
}

// --- XPath ---

function xpath(expression: string): Element[] {
  let result: XPathResult;
  try {
    result = page.evaluate(expression, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  } catch (error) {
    throw invalid(expression, error);
  }
  const found = new Set<Element>();
  for (let i = 0; i < result.snapshotLength; i++) {
    const node = result.snapshotItem(i);
    const el = node instanceof Element ? node : node instanceof Attr ? node.ownerElement : node ? safe.parentElement(node) : null;
    if (el) found.add(el);
  }
  return [...found];
}

// --- text, role, label, attributes ---

export function normal(text: string): string {
  return collapsed(text);
}

// tierOf compares a text found with the one wanted; -1 is no match.
export function tierOf(found: string, wanted: string, exact: boolean): number {
  if (found === wanted) return 0;
  if (exact || !wanted) return -1;
  if (found.includes(wanted)) return 1;
  return found.toLowerCase().includes(wanted.toLowerCase()) ? 2 : -1;
}

function byText(value: string, exact: boolean): Found {
  const wanted = normal(value);
  const texts = new Map<Element, string>();
  const top = page.body ?? page.documentElement;
  if (!wanted) throw new Refused("invalid_argument", "the text to find is empty", false);
  const folded = wanted.toLowerCase();
  const holds = (el: Element) => {
    alive();
    return normal(texts.get(el) ?? "").toLowerCase().includes(folded);
  };
  const matches: Match[] = [];
  // Down to the smallest element that still holds the whole text.
  const descend = (from: Element) => {
    const open = [from];
    for (let el = open.pop(); el; el = open.pop()) {
      const inner = childrenOf(el).filter(holds);
      for (const child of inner.reverse()) open.push(child);
      if (inner.length > 0) continue;
      const tier = tierOf(normal(texts.get(el) ?? ""), wanted, exact);
      if (tier >= 0) matches.push({ el: holderOf(el), tier });
    }
  };
  gather(top, texts);
  if (holds(top)) descend(top);
  return { matches, seen: [], prefersRendered: true };
}

// holderOf goes from a slot, which is a place and no element on the screen, to what it is in.
function holderOf(el: Element): Element {
  let at = el;
  while (safe.localName(at) === "slot") {
    const up = flatParent(at);
    if (!up) return at;
    at = up;
  }
  return at;
}

// Elements whose text is not for reading.
function unread(el: Element): boolean {
  switch (safe.tag(el)) {
    case "script": case "style": case "noscript": case "template": case "head": case "title":
      return true;
  }
  return false;
}

function childrenOf(el: Element): Element[] {
  const list: Element[] = [];
  for (const node of flatChildren(el)) {
    alive();
    if (node instanceof Element && !unread(node)) list.push(node);
  }
  return list;
}

// gather computes the text of el and of everything below it once, the innermost first: a page may be nested deeper than
// calls can be.
function gather(top: Element, texts: Map<Element, string>): void {
  const order = [top];
  for (let i = 0; i < order.length; i++) {
    alive();
    const el = order[i] as Element;
    const own = ownText(el);
    if (own !== undefined) texts.set(el, own);
    else for (const child of childrenOf(el)) order.push(child);
  }
  for (const el of order.reverse()) {
    if (texts.has(el)) continue;
    let text = "";
    for (const node of flatChildren(el)) {
      alive();
      if (node instanceof Text) text += node.data;
      else if (node instanceof Element) text += texts.get(node) ?? "";
    }
    texts.set(el, text);
  }
}

// ownText is the text of what shows other text than its children's.
function ownText(el: Element): string | undefined {
  if (safe.localName(el) === "br") return "\n";
  if (!(el instanceof HTMLInputElement)) return undefined;
  return el.type === "button" || el.type === "submit" || el.type === "reset" ? el.value : "";
}

function everything(): Element[] {
  const list: Element[] = [];
  for (const root of rootsOf()) for (const el of root.querySelectorAll("*")) list.push(el);
  return list;
}

// spelling makes roles comparable: ARIA's img is Chromium's image.
export function spelling(role: string): string {
  const lower = role.toLowerCase();
  return lower === "img" ? "image" : lower === "presentation" ? "none" : lower;
}

function byRole(role: string, name: string | undefined, exact: boolean): Found {
  const wantedRole = spelling(role.trim());
  const wanted = normal(name ?? "");
  const found: Found = { matches: [], seen: [], prefersRendered: true };
  const others = new Set<string>();
  const nameless: Element[] = [];
  for (const el of everything()) {
    alive();
    const has = roleOf(el);
    if (spelling(has) !== wantedRole) {
      if (has !== "generic" && has !== "none" && has !== "presentation") others.add(has);
      continue;
    }
    if (isHidden(el)) continue; // not in the accessibility tree, so it has no role to be found by
    if (!name) {
      found.matches.push({ el, tier: 0 });
      continue;
    }
    const actual = normal(nameOf(el));
    const tier = tierOf(actual, wanted, exact);
    if (tier >= 0) found.matches.push({ el, tier });
    else if (actual !== "") found.seen.push(actual);
    else nameless.push(el);
  }
  if (found.matches.length === 0) bySubstitute(nameless, wanted, exact, found);
  if (found.matches.length === 0 && found.seen.length === 0) found.seen = [...others].map((other) => `role ${other}`);
  return found;
}

// bySubstitute adds elements without a name by what an outline shows in its place.
function bySubstitute(elements: Element[], wanted: string, exact: boolean, found: Found): void {
  for (const el of elements) {
    alive();
    const shown = normal(substituteOf(el, roleOf(el), false));
    const tier = tierOf(shown, wanted, exact);
    if (tier >= 0) found.matches.push({ el, tier });
    else if (shown !== "") found.seen.push(shown);
  }
}

function add(list: string[], strings: string[]): void {
  if (list.length < enough) list.push(...strings);
}

// isShown reports whether a person sees an element or a label of it: many pages draw a check box themselves and hide the input.
function isShown(el: Element): boolean {
  return isRendered(el) || [...safe.labels(el)].some(isRendered);
}

function byStrings(elements: Element[], of: (el: Element) => string[], value: string, exact: boolean): Found {
  const wanted = normal(value);
  const found: Found = { matches: [], seen: [], prefersRendered: true };
  const hidden: string[] = [];
  for (const el of elements) {
    alive();
    let best = -1;
    const strings = of(el).map(normal).filter(Boolean);
    for (const text of strings) {
      const tier = tierOf(text, wanted, exact);
      if (tier >= 0 && (best < 0 || tier < best)) best = tier;
    }
    if (best >= 0) found.matches.push({ el, tier: best });
    else if (isShown(el)) add(found.seen, strings);
    else add(hidden, strings);
  }
  if (found.seen.length === 0) [found.seen, found.unseen] = [hidden, hidden.length > 0];
  return found;
}

function byAttributes(names: string[], value: string, exact: boolean): Found {
  const selector = names.map((name) => `[${name}]`).join(",");
  const elements = rootsOf().flatMap((root) => [...root.querySelectorAll(selector)]);
  return byStrings(elements, (el) => names.map((name) => safe.getAttribute(el, name) ?? ""), value, exact);
}

// Test ids are compared exactly: `data-testid` first, then the other attribute names in wide use.
function byTestID(value: string): Found {
  const seen: string[] = [];
  for (const name of testIDs) {
    const elements = rootsOf().flatMap((root) => [...root.querySelectorAll(`[${name}]`)]);
    const matches = elements.filter((el) => safe.getAttribute(el, name) === value).map((el) => ({ el, tier: 0 }));
    if (matches.length > 0) return { matches, seen: [], prefersRendered: true };
    for (const el of elements) seen.push(safe.getAttribute(el, name) ?? "");
  }
  return { matches: [], seen, prefersRendered: true };
}

const labelable = "input:not([type=hidden]),select,textarea,button,meter,output,progress," +
  "[contenteditable],[role],[aria-label],[aria-labelledby]";

function labelled(): Element[] {
  return rootsOf().flatMap((root) => {
    const found = [...root.querySelectorAll(labelable)];
    const components = [...root.querySelectorAll("label")].flatMap((label) => label.control ?? []).filter((el) => safe.localName(el).includes("-") && !found.includes(el));
    return [...found, ...components];
  });
}

export function labelsOf(el: Element): string[] {
  const texts: string[] = [];
  for (const label of [...safe.labels(el), ...labelsOfHost(el)]) texts.push(textOfLabel(label, el));
  const direct = safe.getAttribute(el, "aria-label");
  if (direct) texts.push(direct);
  const root = safe.rootOf(el);
  const ids = safe.getAttribute(el, "aria-labelledby")?.split(/\s+/).filter(Boolean) ?? [];
  const named = ids.map((id) => textIn(root.getElementById(id))).join(" ");
  if (named) texts.push(named);
  return texts;
}

function textIn(el: Element | null): string {
  return el ? safe.textContent(el) : "";
}

// --- messages when nothing matched ---

function notFound(target: Target, found: Found): Refused {
  const matched = found.matches.length;
  const what = phrase(target);
  const seen = [...new Set(found.seen.map((text) => shorten(text)).filter(Boolean))];
  if (matched > 0) {
    const many = matched === 1 ? "1 element matches" : `${matched} elements match`;
    return new Refused("element_not_found", `${many} ${what}; there is none at index ${target.nth}`, true, { matched });
  }
  return new Refused("element_not_found", `nothing matches ${what}`, true, { matched, others: found.seen.length, seen: seen.slice(0, 12), unseen: found.unseen });
}

export function phrase(target: Target): string {
  const value = shorten(target.value ?? "", 120);
  switch (target.by) {
    case "css": return `the selector "${value}"`;
    case "xpath": return `the XPath "${value}"`;
    case "role": return target.name ? `role ${value} with the name "${shorten(target.name)}"` : `role ${value}`;
    case "testid": return `the test id "${value}"`;
    case "id": return "the ref";
    case "focused": return "the focused element";
    default: return `the ${target.by} "${value}"`;
  }
}

// --- exported to Go ---

// A located element, as every reply that names one carries it.
export interface Located {
  id: number;
  role: string;
  name: string;
  tag: string;
  alike?: number; // how many elements match what was sought as well as this one does, itself included; absent if no other does
}

export function located(el: Element): Located {
  const alike = chosen && chosen.el.deref() === el && chosen.alike > 1 ? { alike: chosen.alike } : {};
  return { id: idOf(el), role: roleOf(el), name: cut(normal(nameOf(el)), longestName), tag: cut(safe.localName(el), 100), ...alike };
}

// find resolves a target without touching it; matched is how many there are.
export function find(arg: { target: Target }): Reply<{ element: Located; matched: number }> {
  return attempt(() => {
    const element = located(locate(arg.target));
    return { element, matched: all(arg.target).length };
  });
}

// node hands the element itself to a protocol call; with removed also one of an id that is in no document any more.
export function node(arg: { target: Target; removed?: boolean }): Element {
  return (arg.removed && arg.target.id !== undefined && byId(arg.target.id)) || locate(arg.target);
}

// matches returns all matches.
export function matches(arg: { target: Target }): Reply<{ elements: Located[] }> {
  return attempt(() => ({ elements: all(arg.target).map(located) }));
}

// texts returns the text of each match: as rendered, or that of the text nodes.
export function texts(arg: { target: Target; rendered: boolean }): Reply<{ texts: string[] }> {
  return attempt(() => ({
    texts: all(arg.target).map((el) => (arg.rendered && el instanceof HTMLElement ? safe.innerText(el) : safe.textContent(el))),
  }));
}

// count answers 0 where find would refuse with element_not_found.
export function count(arg: { target: Target }): Reply<{ count: number }> {
  return attempt(() => ({ count: all(arg.target).length }));
}

const nameable = "a[href],button,input,select,textarea,summary,[role],[aria-label],[tabindex],[onclick]";

/** named finds what has a text for its name and does not show it as text: an icon, what a style sheet writes. */
export function named(arg: { name: string }): { element?: Located } {
  const wanted = normal(arg.name).toLowerCase();
  if (wanted === "") return {};
  for (const root of rootsOf()) {
    for (const el of root.querySelectorAll(nameable)) {
      alive();
      if (isRendered(el) && normal(nameOf(el)).toLowerCase() === wanted) return { element: located(el) };
    }
  }
  return {};
}

// successor looks for the one element that has the role and the whole name of
// one that is gone. More than one is no successor: it would be a guess.
export function successor(arg: { role: string; name: string }): { element?: Located } {
  if (!arg.role || !arg.name) return {};
  const matches = byRole(arg.role, arg.name, true).matches;
  return matches.length === 1 ? { element: located((matches[0] as Match).el) } : {};
}
