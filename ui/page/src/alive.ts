// While the script searches a large page the renderer answers no calls: it reports its progress, so that the page does
// not count as unresponsive.

// every is after how many elements the clock is read, pause the shortest time between two reports, in milliseconds.
const every = 200;
const pause = 100;

let passed = 0;
let last = 0;

/** alive is called for each element of a search. A page of fewer than `every` elements never reports. */
export function alive(): void {
  if (++passed % every !== 0) return;
  const now = performance.now();
  if (now - last < pause) return;
  last = now;
  // Missing in a stealth browser, where the page could detect it. Then an element of that id has the name.
  const { usherTell: tell } = globalThis as { usherTell?: unknown };
  if (typeof tell === "function") tell("alive");
}
