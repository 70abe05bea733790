// CSS below an element or in the document, through shadow roots, as Playwright's css engine finds it: a space or ">"
// between two compounds also stands for the way out of a shadow root, and what is below an element has only what is in it
// as ancestors.

import * as safe from "./safe";
import { page, type Root } from "./safe";
import { alive } from "./alive";
import { shadowOf } from "./dom";
import { type Compound, compoundsOf, invalid } from "./selector";

/** Scope is what is searched: a document, a shadow root or what is in an element. */
export type Scope = Root | Element;

/** below returns what a selector without combinators matches in a scope. */
export function below(selector: string, scope: Scope): Element[] {
  return treesOf(scope).flatMap((tree) => query(tree, selector));
}

/** selected returns what a selector matches in a scope. */
export function selected(selector: string, scope: Scope): Element[] {
  const css = /^\s*[>+~]/.test(selector) ? `:scope ${selector}` : selector;
  let list: Compound[][];
  try {
    page.querySelector(css);
    list = compoundsOf(css);
  } catch (error) {
    throw invalid(selector, error);
  }
  const trees = treesOf(scope);
  const simple = list.every((complex) => complex.length === 1);
  if (simple || (trees.length === 1 && !(scope instanceof Element)) || css.includes(":scope")) return trees.flatMap((tree) => query(tree, css));
  const last = list.map((complex) => complex.at(-1)?.css).join(",");
  const tried = list.map((): Tried => new Map());
  return trees.flatMap((tree) => query(tree, last)).filter((el) => {
    alive();
    return list.some((complex, i) => matches(el, complex, complex.length - 1, scope, tried[i] as Tried));
  });
}

// Tried has for elements the answer to whether they match a complex selector up to a compound: without it, combinators in a
// deep tree would be tried in all their ways.
type Tried = Map<Element, boolean[]>;

// matches reports whether el matches a complex selector up to its compound at.
function matches(el: Element, complex: Compound[], at: number, scope: Scope, tried: Tried): boolean {
  const { css, combinator } = complex[at] as Compound;
  let row = tried.get(el);
  if (!row) tried.set(el, (row = []));
  return (row[at] ??= safe.matches(el, css) && (at === 0 || leadsTo(el, combinator, scope, (one) => matches(one, complex, at - 1, scope, tried))));
}

// leadsTo reports whether a combinator leads from el to an element that fits.
function leadsTo(el: Element, combinator: string, scope: Scope, fits: (one: Element) => boolean): boolean {
  const next = combinator === "+" || combinator === "~" ? safe.previousElementSibling : (of: Element) => parentOf(of, scope);
  const many = combinator === " " || combinator === "~";
  for (let one = next(el); one; one = many ? next(one) : null) if (fits(one)) return true;
  return false;
}

// query leaves it to the browser.
function query(tree: Scope, selector: string): Element[] {
  return [...(tree instanceof Element ? safe.querySelectorAll(tree, selector) : tree.querySelectorAll(selector))];
}

// treesOf lists the scope and the shadow roots in it, each before those inside it.
function treesOf(scope: Scope): Scope[] {
  const trees: Scope[] = [scope];
  const enter = (root: ShadowRoot | null | undefined): void => {
    if (!root) return;
    trees.push(root);
    open.push(root.querySelectorAll("*").values());
  };
  const open: ArrayIterator<Element>[] = [];
  const own = query(scope, "*").values();
  if (scope instanceof Element) enter(shadowOf(scope));
  open.unshift(own);
  // The shadow root of the scope itself comes first.
  for (let at = open.at(-1); at; at = open.at(-1)) {
    const { value: el, done } = at.next();
    if (done) {
      open.pop();
      continue;
    }
    alive();
    enter(shadowOf(el));
  }
  return trees;
}

// parentOf goes out of a shadow root to its host, and not to the scope.
function parentOf(el: Element, scope: Scope): Element | null {
  const parent = safe.parentNode(el);
  const up = parent instanceof ShadowRoot ? parent.host : parent;
  return up instanceof Element && up !== scope ? up : null;
}
