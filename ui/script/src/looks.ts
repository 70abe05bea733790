// How a page looks while a picture of it is taken, and not before and after: Playwright's and Puppeteer's options of screenshots.

import type { Frame } from "./frame";
import type { JSHandle } from "./handle";
import type { Values } from "./host";
import type { Locator } from "./locator";
import type { Page } from "./page";

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

// Shot says what a picture is of.
export interface Shot extends Looks {
  on?: Values; // the element
  fullPage?: boolean;
  clip?: Box; // in CSS pixels: Playwright's from the corner of the viewport or, with fullPage, of the page, Puppeteer's always of the page
  timeout?: number | undefined;
}

// partOf is the part of a page, in CSS pixels from its corner, that the protocol is to take a picture of; without clip usher knows it. With a
// pixel per CSS pixel it is there unless the device has no more: Chromium scales only parts.
export async function partOf(page: Page, { clip, fullPage, scale, timeout }: Shot, element?: () => Locator): Promise<{ clip?: Box & { scale?: number }; fullPage?: boolean | undefined }> {
  const { puppeteer } = page.daemon.host.config;
  if (!clip && scale !== "css") return { fullPage };
  const timing = timeout === undefined ? {} : { timeout };
  const found = element?.();
  await found?.scrollIntoViewIfNeeded(timing);
  const box = await found?.boundingBox(timing);
  if (found && !box) throw new Error("screenshot: the element is not visible");
  const at = (await page.evaluate(`() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { ratio: devicePixelRatio, x: scrollX, y: scrollY, width: innerWidth, height: innerHeight, scrollWidth, scrollHeight };
  }`)) as Box & { ratio: number; scrollWidth: number; scrollHeight: number };
  const scaled = scale === "css" ? { scale: 1 / at.ratio } : {};
  if (!clip && at.ratio === 1) return { fullPage };
  if (box) return { clip: { ...box, x: box.x + at.x, y: box.y + at.y, ...scaled }, fullPage: true };
  const whole = { x: 0, y: 0, width: at.scrollWidth, height: at.scrollHeight };
  if (puppeteer && clip) return { clip: { ...clip, ...scaled }, fullPage: true };
  const around = fullPage ? whole : at;
  const part = clip ? within({ ...clip, x: clip.x + around.x, y: clip.y + around.y }, around) : { x: around.x, y: around.y, width: around.width, height: around.height };
  return { clip: { ...part, ...scaled }, fullPage };
}

// within is the part of a box that another one covers.
function within(box: Box, around: Box): Box {
  const x = Math.max(box.x, around.x), y = Math.max(box.y, around.y);
  const width = Math.min(box.x + box.width, around.x + around.width) - x, height = Math.min(box.y + box.height, around.y + around.height) - y;
  if (!(width > 0 && height > 0)) throw new Error("screenshot: Clipped area is either empty or outside the resulting image");
  return { x, y, width, height };
}

const values: [keyof Looks, string[]][] = [["animations", ["disabled", "allow"]], ["caret", ["hide", "initial"]], ["scale", ["device", "css"]]];

function check(looks: Looks): void {
  for (const [name, allowed] of values) {
    const value = looks[name];
    if (value !== undefined && !allowed.includes(value as string)) throw new TypeError(`${name}: ${JSON.stringify(value)} is not one of: ${allowed.join(", ")}`);
  }
  const type = looks.type ?? /\.(\w+)$/.exec(looks.path ?? "")?.[1] ?? "png";
  if (looks.quality !== undefined && type === "png") throw new TypeError("quality: a png has none; give a type: jpeg or webp");
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
