// What a page may have for itself: the whole screen, or the mouse pointer.

import { page } from "./safe";

/**
 * leaveExclusive ends fullscreen and pointer lock, as the key Escape does in a browser's window, where the page does not get it then. It
 * returns whether there was either.
 */
export async function leaveExclusive(): Promise<boolean> {
  const was = page.pointerLockElement !== null || page.fullscreenElement !== null;
  if (page.pointerLockElement) {
    const free = new Promise((resolve) => page.addEventListener("pointerlockchange", resolve, { once: true }));
    page.exitPointerLock();
    await free;
  }
  if (page.fullscreenElement) await page.exitFullscreen();
  return was;
}
