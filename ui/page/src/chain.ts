// Chains of locators: the parts of a selector with " >> ", each searched in what the one before it found. The parts come
// from package chain; what they match is what Playwright's locators match.

import * as safe from "./safe";
import { page, type Root } from "./safe";
import { alive } from "./alive";
import { shadowOf } from "./dom";
import { shorten, Refused } from "./describe";
import { labelled, named, withAttribute, withRole, type States } from "./finders";
import { byId } from "./refs";
import { nearest, type Side } from "./layout";
import { below, selected, type Scope } from "./pierce";
import { compoundsOf, invalid } from "./selector";
import { type Wanted, matcher, Texts, unread } from "./texts";
import { composedContains } from "./tree";
import { isInHiddenList } from "./twin";

/** Part is one part of a chain, as package chain writes it. */
export interface Part {
  kind:
    | "css" | "xpath" | "text" | "role" | "label" | "placeholder" | "alt" | "title" | "testid" | "name" | "ref" | "any"
    | "nth" | "visible" | "has" | "has-not" | "has-text" | "has-not-text" | "and" | "or" | Side;
  source: string;
  value?: string;
  text?: Wanted;
  states?: States;
  index?: number;
  shown?: boolean;
  inner?: Part[];
  distance?: number;
  alternatives?: Part[][];
  id?: number;
}

/** chained returns what a chain matches, in Playwright's order. */
export function chained(parts: Part[]): Element[] {
  return new Search().run(parts, page);
}

/**
 * preferred returns those of several matches that a chain means which says no more: a whole text before a part of
 * one, what is rendered before what is not. The first of them is the match; of a chain that ends with CSS or XPath it is
 * the only one, because such a selector means the first.
 */
export function preferred(parts: Part[], matches: Element[]): Element[] {
  const last = parts.at(-1);
  if (matches.length < 2 || !last) return matches;
  let list = matches;
  if (last.text?.match === "contains" && !last.kind.startsWith("has-")) {
    const whole = new Set(chained([...parts.slice(0, -1), { ...last, text: { ...last.text, match: "whole" } }]));
    const exact = matches.filter((el) => whole.has(el));
    if (exact.some(shown)) list = exact;
  }
  const open = (el: Element) => shown(el) && !isInHiddenList(el);
  const first = list.find(open) ?? list.find(shown) ?? (matches[0] as Element);
  return meanings.has(last.kind) && open(first) ? list.filter(open) : [first];
}

// meanings are the kinds of parts that search by meaning. What they match equally well is ambiguous.
const meanings = new Set<Part["kind"]>(["text", "role", "label", "placeholder", "alt", "title", "testid", "name", "has-text"]);

/** missing says which part of a chain found nothing, and what the parts before it found. */
export function missing(parts: Part[]): string {
  const search = new Search();
  let before = 0;
  for (let i = 1; i <= parts.length; i++) {
    const count = search.run(parts.slice(0, i), page).length;
    const part = shorten((parts[i - 1] as Part).source, 100);
    if (count === 0) {
      if (i === 1) return `nothing matches ${part}`;
      const found = shorten(parts.slice(0, i - 1).map((one) => one.source).join(" >> "), 100);
      return `${before === 1 ? "1 element matches" : `${before} elements match`} ${found}, but nothing there matches ${part}`;
    }
    before = count;
  }
  return "nothing matches";
}

// Search evaluates chains and keeps the texts it has computed.
class Search {
  private readonly texts = new Texts();

  run(parts: Part[], top: Scope): Element[] {
    let found: Scope[] = [top];
    for (const part of parts) found = this.step(part, found, top);
    return found.filter((one) => one instanceof Element);
  }

  private step(part: Part, from: Scope[], top: Scope): Element[] {
    switch (part.kind) {
      case "nth": {
        const at = elements(from).at(part.index ?? 0);
        return at ? [at] : [];
      }
      case "and": {
        const others = new Set(this.run(part.inner ?? [], top));
        return elements(from).filter((el) => others.has(el));
      }
      case "or":
        return ordered(new Set([...elements(from), ...this.run(part.inner ?? [], top)]));
      case "left-of": case "right-of": case "above": case "below": case "near":
        return nearest(part.kind, elements(from), this.run(part.inner ?? [], top), part.distance);
    }
    const keeps = this.filter(part);
    if (keeps) return elements(from).filter(keeps);
    const found = new Set<Element>();
    for (const scope of bounded.has(part.kind) ? from : outermost(from)) for (const el of this.search(part, scope)) found.add(el);
    return [...found];
  }

  // filter returns whether an element stays, for a part that chooses among elements.
  private filter(part: Part): ((el: Element) => boolean) | undefined {
    const { inner = [], text } = part;
    switch (part.kind) {
      case "visible": return (el) => shown(el) === (part.shown ?? false);
      case "has": return (el) => this.run(inner, el).length > 0;
      case "has-not": return (el) => this.run(inner, el).length === 0;
    }
    if (!text || (part.kind !== "has-text" && part.kind !== "has-not-text")) return undefined;
    const fits = matcher(text);
    return (el) => fits(this.texts.of(el)) === (part.kind === "has-text");
  }

  private search(part: Part, scope: Scope): Element[] {
    const value = part.value ?? "";
    const text = part.text as Wanted;
    switch (part.kind) {
      case "css": return listed(value, selected(value, scope));
      case "xpath": return byXPath(value, scope);
      case "any": {
        const lists = (part.alternatives ?? []).map((parts) => this.run(parts, scope));
        return lists.length === 1 ? (lists[0] as Element[]) : ordered(new Set(lists.flat()));
      }
      case "ref": return byRef(part.id ?? 0, scope);
      case "text": return this.byText(text, scope);
      case "role": return withRole(value, part.text, part.states ?? {}, scope);
      case "name": return named(text, scope);
      case "label": return labelled(text, scope, this.texts);
      case "testid": return withAttribute("data-testid", text, scope);
      case "placeholder": case "alt": case "title": return withAttribute(part.kind, text, scope);
      default:
        throw new Refused("invalid_selector", `there is no part of kind ${part.kind}`, false);
    }
  }

  // byText finds the smallest elements with a text; the scope may be one.
  private byText(wanted: Wanted, scope: Scope): Element[] {
    const fits = matcher(wanted);
    const found: Element[] = [];
    let without: Element | undefined; // what does not contain the text, nor does anything in it
    for (const el of [...(scope instanceof Element ? [scope] : []), ...below("*", scope)]) {
      alive();
      if (wanted.match === "contains" && without && safe.contains(without, el)) continue;
      if (unread(el)) continue;
      if (!fits(this.texts.of(el))) {
        without = el;
        continue;
      }
      if (wanted.match === "own" || !this.inside(el, fits)) found.push(el);
    }
    return found;
  }

  private inside(el: Element, fits: ReturnType<typeof matcher>): boolean {
    for (let child = safe.firstChild(el); child; child = safe.nextSibling(child)) {
      if (child instanceof Element && fits(this.texts.of(child))) return true;
    }
    const shadow = shadowOf(el);
    return shadow !== null && shadow !== undefined && fits(this.texts.of(shadow));
  }
}

// What these parts match depends on where the scope ends; what others match below an element they match below any around it.
const bounded = new Set<Part["kind"]>(["css", "xpath", "any", "ref"]);

// outermost leaves out the scopes inside others, all of which would be searched once for each.
function outermost(scopes: Scope[]): Scope[] {
  if (scopes.length < 2) return scopes;
  const all = new Set<Node>(elements(scopes));
  const within = new Map<Node, boolean>(); // whether a node is a scope, or in one
  const inside = (start: Node | null): boolean => {
    const path: Node[] = [];
    let at = start;
    for (; at && !all.has(at) && !within.has(at); at = above(at)) path.push(at);
    const answer = at !== null && (all.has(at) || within.get(at) === true);
    for (const node of path) within.set(node, answer);
    return answer;
  };
  return scopes.filter((scope) => (alive(), !(scope instanceof Element) || !inside(above(scope))));
}

function above(node: Node): Node | null {
  const parent = safe.parentNode(node);
  return parent instanceof ShadowRoot ? parent.host : parent;
}

function elements(from: Scope[]): Element[] {
  return from.filter((one) => one instanceof Element);
}

// listed sorts what a list of selectors matches, which Playwright does only there.
function listed(selector: string, found: Element[]): Element[] {
  const sorted = selector.includes(",") && found.some((el) => safe.rootOf(el) instanceof ShadowRoot) && compoundsOf(selector).length > 1;
  return sorted ? ordered(new Set(found)) : found;
}

function byXPath(expression: string, scope: Scope): Element[] {
  const relative = scope instanceof Element || scope instanceof ShadowRoot;
  const text = relative && expression.startsWith("/") ? "." + expression : expression;
  const found: Element[] = [];
  try {
    const result = page.evaluate(text, relative ? scope : document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
    for (let i = 0; i < result.snapshotLength; i++) {
      const node = result.snapshotItem(i);
      if (node instanceof Element) found.push(node);
    }
  } catch (error) {
    throw invalid(expression, error);
  }
  return found;
}

function byRef(id: number, scope: Scope): Element[] {
  const el = byId(id);
  if (!el) throw new Refused("stale_ref", "the element of the ref is gone from the page", false);
  if (!safe.isConnected(el)) throw new Refused("stale_ref", "the element of the ref was removed from the page", true);
  return !(scope instanceof Element) || composedContains(scope, el) ? [el] : [];
}

/** shown is Playwright's "visible": rendered, not made invisible, and with a size. */
export function shown(el: Element): boolean {
  if (getComputedStyle(el).display === "contents") return [...safe.childNodes(el)].some((child) => (child instanceof Element ? shown(child) : hasSize(child)));
  if (!safe.checkVisibility(el, { visibilityProperty: true })) return false;
  const { width, height } = safe.getBoundingClientRect(el);
  return width > 0 && height > 0;
}

function hasSize(node: Node): boolean {
  if (!(node instanceof Text)) return false;
  const range = page.createRange();
  range.selectNode(node);
  const { width, height } = range.getBoundingClientRect();
  return width > 0 && height > 0;
}

// ordered sorts elements as Playwright does: a shadow root after the children of its host.
function ordered(found: Set<Element>): Element[] {
  return [...found].sort((a, b) => {
    const [from, to] = [hostsOf(a), hostsOf(b)];
    let i = 0;
    while (i < from.length && i < to.length && from[i] === to[i]) i++;
    const [one, other] = [from[i], to[i]];
    if (!one || !other) return one ? 1 : -1;
    const below = safe.compareDocumentPosition(one, other);
    if (below & Node.DOCUMENT_POSITION_CONTAINED_BY && from.length > i + 1) return 1;
    if (below & Node.DOCUMENT_POSITION_CONTAINS && to.length > i + 1) return -1;
    return below & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
  });
}

// hostsOf lists the shadow hosts around an element, the outermost first, and the element.
function hostsOf(el: Element): Element[] {
  const list = [el];
  for (let root: Root = safe.rootOf(el); root instanceof ShadowRoot; root = safe.rootOf(root.host)) list.unshift(root.host);
  return list;
}
