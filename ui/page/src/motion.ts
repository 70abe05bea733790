// Whether a page, or an element, still moves.

import * as safe from "./safe";
import { page } from "./safe";
import { describe, Refused } from "./describe";
import { composedParent } from "./tree";
import { visitTrees } from "./trees";

// comesToRest reports whether the page loads, or has an animation that ends: something may still change by itself.
export function comesToRest(): boolean {
  return page.readyState !== "complete" || animates();
}

// animates reports whether an animation runs that will end.
export function animates(): boolean {
  return page.getAnimations().some(ends) || treesNow().some((tree) => tree.getAnimations().some(ends));
}

/** animatesUpTo reports whether an animation that will end runs on an element, or on those around it up to the first that is outer. */
export function animatesUpTo(el: Element, outer: (at: Element) => boolean): boolean {
  for (let at: Element | null = el; at && !outer(at); at = composedParent(at)) if (safe.getAnimations(at).some(ends)) return true;
  return false;
}

function ends(animation: Animation): boolean {
  return animation.playState === "running" && animation.effect?.getComputedTiming().endTime !== Infinity;
}

// A document does not list the animations in its shadow trees, nor reports their changes. Looking for those trees costs a walk over
// the page: they are looked for again only after some time, in ms.
let trees: WeakRef<ShadowRoot>[] = [];
let lookedAt = -Infinity;
const remembered = 200;

// treesNow lists the shadow trees of the page, as far as they are looked for.
export function treesNow(): ShadowRoot[] {
  const now = performance.now();
  if (now - lookedAt > remembered) {
    trees = [];
    visitTrees(document, (tree) => {
      if (tree instanceof ShadowRoot) trees.push(new WeakRef(tree));
    });
    lookedAt = performance.now();
  }
  return trees.map((tree) => tree.deref()).filter((tree) => tree !== undefined);
}

// Properties that move or resize a box. Animations of others (colour, opacity)
// do not matter to a click.
const moving = new Set([
  "transform", "translate", "scale", "rotate", "left", "top", "right", "bottom", "width", "height", "minWidth",
  "minHeight", "maxWidth", "maxHeight", "margin", "marginLeft", "marginTop", "marginRight", "marginBottom", "padding",
  "paddingLeft", "paddingTop", "paddingRight", "paddingBottom", "inset", "insetBlockStart", "insetBlockEnd",
  "insetInlineStart", "insetInlineEnd", "flexBasis", "flexGrow", "gap", "rowGap", "columnGap", "fontSize", "lineHeight",
  "offsetDistance", "offsetPath", "zoom", "gridTemplateColumns", "gridTemplateRows", "blockSize", "inlineSize",
]);

function moves(animation: Animation): boolean {
  if (animation.playState !== "running" || !(animation.effect instanceof KeyframeEffect)) return false;
  const timing = animation.effect.getComputedTiming();
  if (timing.progress === null && timing.localTime !== null && Number(timing.localTime) >= Number(timing.endTime)) return false;
  return animation.effect.getKeyframes().some((frame) => Object.keys(frame).some((property) => moving.has(property)));
}

// mustBeStable checks the animations of the element and of everything around it; without one it does not wait, because
// a box cannot change between two reads of one task. Movement by a script is caught by the observer.
export async function mustBeStable(el: Element): Promise<void> {
  const running: Animation[] = [];
  const none = page.getAnimations().length === 0;
  for (let at: Element | null = el; at; at = composedParent(at)) {
    if (!none || safe.getRootNode(at) !== document) running.push(...safe.getAnimations(at).filter(moves));
  }
  if (running.length === 0) return;
  const before = safe.getBoundingClientRect(el);
  await frames();
  const after = safe.getBoundingClientRect(el);
  const shift = Math.max(
    Math.abs(before.left - after.left), Math.abs(before.top - after.top),
    Math.abs(before.right - after.right), Math.abs(before.bottom - after.bottom));
  if (shift < 0.5) return;
  // An endless small movement (a pulsing button) never settles; its middle can
  // be hit all the same.
  const endless = running.every((animation) => animation.effect?.getComputedTiming().endTime === Infinity);
  if (endless && shift <= Math.min(after.width, after.height) / 10) return;
  throw new Refused("element_not_stable", `${describe(el)} is still moving (${Math.round(shift)} px between two frames)`, true);
}

// frames waits for two frames, or 100 ms where frames do not come.
export function frames(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 100);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    }));
  });
}
