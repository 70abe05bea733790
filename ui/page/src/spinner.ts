// Signs of work without text or roles: an element that turns without end and is named a spinner, by its class or its
// file.

import * as safe from "./safe";
import { page } from "./safe";

const called = /(^|[-_])(spin|spinner|spinning|loader|loading|preloader|skeleton|progress-?(bar|circle|indicator|spinner))s?($|[-_])/i;
const drawn = /(spinner|loading|loader)[^/]*\.(gif|svg|webp|apng)/i;

// How far around what turns its class is looked for, and how many animations and pictures are looked at.
const outermost = 3;
const mostLooked = 100;

type Counts = (element: Element) => boolean;

/**
 * signOfClass returns an element that moves without end, or is right around one that does, and whose class means work.
 */
export function signOfClass(counts: Counts): Element | undefined {
  for (const animation of page.getAnimations().slice(0, mostLooked)) {
    const { effect } = animation;
    if (animation.playState !== "running" || !(effect instanceof KeyframeEffect) || !effect.target) continue;
    if (effect.getComputedTiming().endTime !== Infinity || !counts(effect.target) || !inView(effect.target)) continue;
    let at: Element | null = effect.target;
    for (let up = 0; at && at !== page.body && up < outermost; up++, at = safe.parentElement(at)) {
      if (counts(at) && Array.from(safe.classList(at)).some((name) => called.test(name))) return at;
    }
  }
  return undefined;
}

/** signOfImage is a picture whose file is called so. */
export function signOfImage(counts: Counts): Element | undefined {
  const images = page.images;
  for (let i = 0; i < Math.min(images.length, mostLooked); i++) {
    const image = images[i] as HTMLImageElement;
    if (drawn.test(image.src) && counts(image) && inView(image)) return image;
  }
  return undefined;
}

function inView(element: Element): boolean {
  const box = safe.getBoundingClientRect(element);
  return box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
}
