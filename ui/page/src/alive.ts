// While the script searches a large page the renderer answers nothing, and nothing is wrong: it tells of itself, so that the
// page is not taken for one whose own script hangs.

// every is after how many elements the clock is read, pause how long nothing is told after something was, in milliseconds.
const every = 200;
const pause = 100;

let passed = 0;
let told = 0;

/** alive is called for each element of a search. A page of fewer than `every` elements never tells anything. */
export function alive(): void {
  if (++passed % every !== 0) return;
  const now = performance.now();
  if (now - told < pause) return;
  told = now;
  // Missing where the page could notice it: in a stealth browser. Then an element of that id stands there.
  const { usherTell: tell } = globalThis as { usherTell?: unknown };
  if (typeof tell === "function") tell("alive");
}
