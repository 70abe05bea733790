// What a swipe did: the touches that reached this frame, and how far something scrolled.

import * as safe from "./safe";
import { page } from "./safe";
import { locate, type Target } from "./locate";
import { composedParent } from "./tree";

export interface Touched {
  touches: number; // touchstart, or pointerdown of a touch, seen in this frame
  canceled: boolean; // the browser took the touch over to scroll or zoom
  moved: { x: number; y: number }; // how far the content under the finger moved, in CSS pixels
}

interface Watch {
  scrollers: { element: Element | null; x: number; y: number }[];
  touches: number;
  canceled: boolean;
  scrolled: boolean; // a scroll of the browser has ended, momentum included
}

let watch: Watch | undefined;
const types = ["pointerdown", "touchstart", "pointercancel", "touchcancel", "scrollend"] as const;

function onTouch(event: Event): void {
  if (!watch || !event.isTrusted) return;
  if (event.type === "scrollend") watch.scrolled = watch.canceled; // not the end of an earlier one
  else if (event.type.endsWith("cancel")) watch.canceled = true;
  else if (!(event instanceof PointerEvent) || event.pointerType === "touch") watch.touches++;
}

function stop(): void {
  watch = undefined;
  for (const type of types) removeEventListener(type, onTouch, { capture: true });
}

function position(element: Element | null): { x: number; y: number } {
  return element ? { x: safe.scrollLeft(element), y: safe.scrollTop(element) } : { x: scrollX, y: scrollY };
}

/** watchTouch starts to watch a touch that begins on the target, or in the middle of this frame's viewport. */
export function watchTouch(arg: { target?: Target }): { width: number; height: number } {
  stop();
  watch = { scrollers: [{ element: null, ...position(null) }], touches: 0, canceled: false, scrolled: false };
  const start = arg.target ? locate(arg.target) : page.elementFromPoint(innerWidth / 2, innerHeight / 2);
  for (let el: Element | null = start; el; el = composedParent(el)) {
    const roomy = safe.scrollHeight(el) > safe.clientHeight(el) || safe.scrollWidth(el) > safe.clientWidth(el);
    if (roomy && el !== page.documentElement && el !== page.body) watch.scrollers.push({ element: el, ...position(el) });
  }
  for (const type of types) addEventListener(type, onTouch, { capture: true, passive: true });
  return { width: innerWidth, height: innerHeight };
}

/**
 * touched ends the watch when the scroll that the browser made of the touch has ended, or nothing has scrolled for some frames, at the
 * latest after limit ms.
 */
export async function touched(arg: { limit: number }): Promise<Touched> {
  const seen = watch;
  if (!seen) return { touches: 0, canceled: false, moved: { x: 0, y: 0 } };
  const moved = (): { x: number; y: number } => {
    const sum = { x: 0, y: 0 };
    for (const { element, x, y } of seen.scrollers) {
      const now = position(element);
      sum.x += x - now.x;
      sum.y += y - now.y;
    }
    return sum;
  };
  const until = performance.now() + arg.limit;
  let last = moved();
  for (let calm = 0; calm < calmFrames && !(seen.canceled && seen.scrolled) && performance.now() < until; ) {
    await new Promise(requestAnimationFrame);
    const now = moved();
    calm = now.x === last.x && now.y === last.y ? calm + 1 : 0;
    last = now;
  }
  if (watch === seen) stop();
  return { touches: seen.touches, canceled: seen.canceled, moved: last };
}

// Momentum moves the content in each frame.
const calmFrames = 4;
