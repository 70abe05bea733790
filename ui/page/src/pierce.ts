// CSS below an element or in the document, through shadow roots, as Playwright's css engine finds it: a space between
// two compounds also stands for the way out of a shadow root, and what is below an element has only what is in it as
// ancestors.

import * as safe from "./safe";
import { page, type Root } from "./safe";
import { alive } from "./alive";
import { shadowOf } from "./dom";
import { invalid, stepsOf } from "./selector";

/** Scope is what is searched: a document, a shadow root or what is in an element. */
export type Scope = Root | Element;

/** below returns what a selector without combinators matches in a scope. */
export function below(selector: string, scope: Scope): Element[] {
  return treesOf(scope).flatMap((tree) => query(tree, selector));
}

/** selected returns what a selector matches in a scope. */
export function selected(selector: string, scope: Scope): Element[] {
  const css = /^\s*[>+~]/.test(selector) ? `:scope ${selector}` : selector;
  let alternatives: string[][];
  try {
    page.querySelector(css);
    alternatives = stepsOf(css);
  } catch (error) {
    throw invalid(selector, error);
  }
  const trees = treesOf(scope);
  const simple = alternatives.every((steps) => steps.length === 1);
  if (simple || (trees.length === 1 && !(scope instanceof Element)) || css.includes(":scope")) return trees.flatMap((tree) => query(tree, css));
  const last = alternatives.map((steps) => steps.at(-1)).join(",");
  return trees.flatMap((tree) => query(tree, last)).filter((el) =>
    alternatives.some((steps) => safe.matches(el, steps.at(-1) as string) && hasAncestors(el, steps, scope)));
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

// hasAncestors takes the nearest ancestor for each step but the last. For descendant steps alone the nearest is never worse
// than a farther one.
function hasAncestors(el: Element, steps: string[], scope: Scope): boolean {
  let at = parentOf(el, scope);
  for (let i = steps.length - 2; i >= 0; i--) {
    const step = steps[i] as string;
    while (at && !safe.matches(at, step)) at = parentOf(at, scope);
    if (!at) return false;
    at = parentOf(at, scope);
  }
  return true;
}

// parentOf goes out of a shadow root to its host, and not to the scope.
function parentOf(el: Element, scope: Scope): Element | null {
  const parent = safe.parentNode(el);
  const up = parent instanceof ShadowRoot ? parent.host : parent;
  return up instanceof Element && up !== scope ? up : null;
}
