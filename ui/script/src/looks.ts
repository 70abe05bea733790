// How a page looks while a picture of it is taken, and not before and after: Playwright's and Puppeteer's options of screenshots.

import type { Frame } from "./frame";
import type { JSHandle } from "./handle";
import type { Locator } from "./locator";

export interface Looks {
  animations?: string;
  caret?: string;
  style?: string;
  mask?: Locator[];
  maskColor?: string;
  omitBackground?: boolean;
  scale?: string;
  type?: string;
  path?: string;
  quality?: number;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const values: [keyof Looks, string[]][] = [["animations", ["disabled", "allow"]], ["caret", ["hide", "initial"]], ["scale", ["device", "css"]]];

function check(looks: Looks): void {
  for (const [name, allowed] of values) {
    const value = looks[name];
    if (value !== undefined && !allowed.includes(value as string)) throw new TypeError(`${name}: ${JSON.stringify(value)} is not one of: ${allowed.join(", ")}`);
  }
  const type = looks.type ?? /\.(\w+)$/.exec(looks.path ?? "")?.[1] ?? "png";
  if (looks.quality !== undefined && type === "png") throw new TypeError("quality: a png has none; give a type: jpeg or webp");
  if (looks.scale === "css") throw new TypeError('scale: "css" is not to be had: pictures have the pixels of the device; page.setViewport sets its deviceScaleFactor');
}

// change is a function for documents: it changes one, and returns what undoes that. Animations that end are at their end, those that do
// not are at their beginning, as with Playwright.
const change = `({css, still, boxes, color}) => {
  const undo = [], add = (name, text) => {
    const element = document.createElement(name);
    (name === "style" ? element.textContent = text : element.style.cssText = text);
    document.documentElement.append(element);
    undo.push(() => element.remove());
  };
  if (css) add("style", css);
  for (const {x, y, width, height} of boxes) {
    add("div", "all: initial; position: absolute; z-index: 2147483647; left: " + x + "px; top: " + y + "px; width: " + width + "px; height: " + height + "px; background: " + color);
  }
  for (const animation of still ? document.getAnimations() : []) {
    if (animation.playState === "finished" || !animation.effect) continue;
    const ends = Number.isFinite(animation.effect.getComputedTiming().endTime) && animation.playbackRate !== 0;
    if (ends) animation.finish();
    else {
      animation.cancel();
      undo.push(() => animation.play());
    }
  }
  return () => undo.forEach((each) => each());
}`;

// looking takes a picture of a frame that looks as the options say, and undoes that.
export async function looking<T>(frame: Frame, looks: Looks, take: () => Promise<T>): Promise<T> {
  check(looks);
  const css = [looks.caret === "hide" ? "*, *::before, *::after { caret-color: transparent !important }" : "", looks.style ?? ""].join("\n").trim();
  const still = looks.animations === "disabled";
  const boxes = await masked(frame, looks.mask ?? []);
  const undo: (() => Promise<unknown>)[] = [];
  try {
    if (looks.omitBackground) {
      await background(frame, { color: { r: 0, g: 0, b: 0, a: 0 } });
      undo.push(() => background(frame, {}));
    }
    for (const each of css || still ? frame.page().frames() : boxes.length > 0 ? [frame.page()] : []) {
      const own = each === frame.page() ? boxes : [];
      const handle: JSHandle = await each.evaluateHandle(change, { css, still, boxes: own, color: looks.maskColor ?? "#FF00FF" });
      undo.push(() => handle.evaluate("(undo) => undo()").then(() => handle.dispose()));
    }
    return await take();
  } finally {
    for (const each of undo.reverse()) await each().catch(gone);
  }
}

async function background(frame: Frame, params: object): Promise<void> {
  await frame.daemon.command("cdp", { method: "Emulation.setDefaultBackgroundColorOverride", params: JSON.stringify(params) });
}

// masked are the places, in the page, of the elements that locators find.
async function masked(frame: Frame, mask: Locator[]): Promise<Box[]> {
  const out: Box[] = [];
  for (const locator of mask) {
    if (locator.frame !== frame.page()) throw new TypeError(`mask: ${String(locator)} is in a frame; only elements of the page itself can be covered`);
    out.push(...((await locator.evaluateAll(`(elements) => elements.map((element) => {
      const {x, y, width, height} = element.getBoundingClientRect();
      return {x: x + scrollX, y: y + scrollY, width, height};
    })`)) as Box[]));
  }
  return out;
}

// gone passes over the error of a document that has gone, with what was changed in it.
function gone(error: Error & { code?: string }): void {
  if (!["stale_ref", "frame_detached", "tab_gone"].includes(error.code ?? "")) throw error;
}
