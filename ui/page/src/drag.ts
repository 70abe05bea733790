// The effect of a drag on the page: the dropEffect of its source, and what is different afterwards. Pages show a drag
// while it lasts (a copy that follows the mouse, a gap where it would land) and remove that again, so only the
// difference between before and after counts.

import { waiting } from "./check";
import { animates } from "./motion";
import { type Located, locate, located, type Target } from "./locate";
import { roleOf } from "./role";
import * as safe from "./safe";
import type { Reply } from "./describe";
import { composedParent, rootsOf } from "./tree";
import { valueText } from "./value";

export interface Dragged {
  element?: Located; // what was dragged, if it is still there
  effect?: string; // the dropEffect of the source's dragend, where an HTML drag ended
  started: boolean; // an HTML drag began in this frame
  dropped: boolean; // a drop event came to this frame
  changed: boolean; // something in the page is different now
  moved: boolean; // what was dragged is at another place now
  gone: boolean; // it is not in the page any more
  value?: string; // of a slider, if it has another now
  unsure: boolean; // something happened that the document does not show: a canvas, a scroller
}

interface Watching {
  source?: Element;
  place?: string;
  value?: string; // of the source, if that is a slider
  effect?: string;
  started: boolean;
  dropped: boolean;
  entered: boolean; // a control has another value
  scrolled: boolean;
  records: MutationRecord[];
  last: number; // when the document last changed
  over: number; // when the last dragenter or dragover came
  rested: { last: number; over: number }; // the same, when they were last asked for
  observer: MutationObserver;
}

const types = ["dragstart", "dragend", "dragenter", "dragover", "drop", "input", "change", "scroll"];

// quiet is how long a page may change nothing until a drag counts as over, in ms; briefFrames is the same in animation frames where an
// HTML drag has ended and the page shows what it did.
const quiet = 120;
const briefFrames = 2;

// most is how many changes are stored, and life how long, in ms, if the caller has ended.
const most = 50_000;
const life = 120_000;

let watching: Watching | undefined;

// watchDrag begins to watch this frame, in place of an earlier time. With a target that is what will be dragged.
export async function watchDrag(arg: { target?: Target; source?: boolean; wait?: number }): Promise<Reply<object>> {
  return waiting(arg.wait ?? 0, () => {
    stop();
    const source = arg.source && arg.target ? locate(arg.target) : undefined;
    const mine: Watching = {
      source, place: source && placeOf(source), value: source && sliderValue(source), started: false, dropped: false, entered: false, scrolled: false, records: [], last: performance.now(),
      over: 0, rested: { last: 0, over: 0 },
      observer: new MutationObserver((list) => keep(mine, list)),
    };
    for (const root of rootsOf()) {
      mine.observer.observe(root instanceof ShadowRoot ? root : document,
        { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true, characterDataOldValue: true });
    }
    watching = mine;
    setTimeout(() => {
      if (watching === mine) stop();
    }, life);
    for (const type of types) window.addEventListener(type, note, { capture: true, passive: true });
    return {};
  });
}

function keep(mine: Watching, list: MutationRecord[]): void {
  mine.last = performance.now();
  if (mine.records.length > most) mine.observer.disconnect();
  else for (const record of list) mine.records.push(record);
}

function note(event: Event): void {
  if (!watching) return;
  if (event.type === "dragenter" || event.type === "dragover") {
    watching.over = performance.now();
    return;
  }
  watching.last = performance.now();
  if (event.type === "scroll") watching.scrolled = true;
  else if (event.type === "drop") watching.dropped = true;
  else if (event.type === "dragstart") watching.started = true;
  else if (event.type !== "dragend") watching.entered = true;
  else if (event instanceof DragEvent) watching.effect = event.dataTransfer?.dropEffect;
}

function stop(): void {
  if (!watching) return;
  watching.observer.disconnect();
  for (const type of types) window.removeEventListener(type, note, { capture: true });
  watching = undefined;
}

// draggable reports whether the browser drags what is watched, because of draggable="true" on it or around it. A page may
// set that when the button goes down.
export function draggable(): { draggable: boolean } {
  for (let at: Element | null = watching?.source ?? null; at; at = composedParent(at)) {
    const value = safe.getAttribute(at, "draggable");
    if (value !== null) return { draggable: value.toLowerCase() === "true" };
  }
  return { draggable: false };
}

// dragUnderWay reports whether an HTML drag that began in this frame has not ended for it. What changed until now belongs to its start.
export function dragUnderWay(): { going: boolean } {
  if (watching) watching.rested = { last: watching.last, over: watching.over };
  return { going: watching !== undefined && watching.started && watching.effect === undefined };
}

// dragRest waits until an animation frame came in which the page changed nothing, animated nothing, and got no dragover or dragenter:
// it has shown what it does at the place where the mouse is. If over is set, that begins when one has come: Chromium answers a mouse
// move before the page gets it. It waits limit ms, and a few times that for it and for the first frames, which come late on a busy
// machine. It reports whether this frame is watched, and whether it has changed since dragUnderWay, or since dragRest, was called.
export async function dragRest(arg: { limit: number; over: boolean }): Promise<{ watched: boolean; changed: boolean }> {
  const mine = watching;
  if (!mine) return { watched: false, changed: false };
  const end = performance.now() + arg.limit;
  const latest = end + (safe.page.hidden ? 0 : slow * arg.limit);
  const arrived = (): boolean => !arg.over || mine.over !== mine.rested.over;
  for (let calm = false, frames = 0; !calm && performance.now() < (arrived() && frames >= fewFrames ? end : latest); frames++) {
    const { last, over } = mine;
    await frame(Math.min(arg.limit, latest - performance.now()));
    calm = arrived() && mine.last === last && mine.over === over && !animates();
  }
  const answer = { watched: true, changed: mine.last !== mine.rested.last };
  mine.rested = { last: mine.last, over: mine.over };
  return answer;
}

// frame waits for an animation frame, and for the timers that the page has set in it; a page that is not drawn has no frames and gets
// limit ms.
async function frame(limit: number): Promise<void> {
  await new Promise<unknown>((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, limit);
  });
  await new Promise((resolve) => setTimeout(resolve));
}

// How many frames a page needs to see the mouse and to be seen at rest, and how many limits it gets for them.
const fewFrames = 4;
const slow = 6;

// dragged ends the observation and returns its result, when the page has come to rest or after limit ms.
export async function dragged(arg: { limit: number }): Promise<Dragged> {
  const mine = watching;
  if (!mine) return { started: false, dropped: false, changed: false, moved: false, gone: false, unsure: true };
  const end = performance.now() + arg.limit;
  for (let calm = 0; calm < briefFrames && performance.now() < end && (performance.now() - mine.last < quiet || animates());) {
    const { last } = mine;
    const brief = shows(mine);
    await (brief ? frame(quiet) : new Promise((resolve) => setTimeout(resolve, 4)));
    calm = brief && mine.last === last && !animates() ? calm + 1 : 0;
  }
  stop();
  const { source, effect, started, dropped } = mine;
  const there = source !== undefined && safe.isConnected(source);
  const moved = there && placeOf(source) !== mine.place;
  const unsure = mine.scrolled || source !== undefined && safe.matches(source, "canvas,embed,object,video,iframe");
  return {
    element: there ? located(source) : undefined, effect, started, dropped, moved, unsure, gone: source !== undefined && !there,
    value: there && sliderValue(source) !== mine.value ? sliderValue(source) : undefined,
    changed: moved || mine.entered || differs(mine.records),
  };
}

function sliderValue(el: Element): string | undefined {
  const role = roleOf(el);
  return role === "slider" ? valueText(el, role) : undefined;
}

// shows reports whether an HTML drag is over and has left something in the page that pages do not take back a little later, as they
// do with classes and styles.
function shows(mine: Watching): boolean {
  if (mine.effect === undefined || mine.records.length > 1000) return false;
  return mine.entered || mine.source !== undefined && safe.isConnected(mine.source) && placeOf(mine.source) !== mine.place ||
    differs(mine.records.filter((record) => record.type !== "attributes"));
}

// placeOf names the place of an element: its way up through the page, and its box within all that scrolls.
function placeOf(el: Element): string {
  const box = safe.getBoundingClientRect(el);
  let { left, top } = box;
  const way: number[] = [];
  for (let at: Element | null = el; at; at = composedParent(at)) {
    const parent = safe.parentNode(at);
    way.push(parent instanceof Element ? [...safe.children(parent)].indexOf(at) : -1);
    left += safe.scrollLeft(at);
    top += safe.scrollTop(at);
  }
  return `${way.join(" ")} at ${Math.round(left)},${Math.round(top)}`;
}

// differs reports whether what was changed is different in the end.
function differs(records: MutationRecord[]): boolean {
  const attributes = new Map<Node, Map<string, string | null>>();
  const texts = new Map<Node, string | null>();
  const lists = new Map<Node, MutationRecord[]>();
  for (const record of records) {
    const { target } = record;
    if (record.type === "attributes" && target instanceof Element) {
      const before = attributes.get(target) ?? new Map<string, string | null>();
      if (!before.has(record.attributeName ?? "")) before.set(record.attributeName ?? "", record.oldValue);
      attributes.set(target, before);
    } else if (record.type === "characterData") {
      if (!texts.has(target)) texts.set(target, record.oldValue);
    } else {
      lists.set(target, [...lists.get(target) ?? [], record]);
    }
  }
  for (const [of, list] of lists) if (safe.isConnected(of) && listDiffers(of, list)) return true;
  for (const [of, text] of texts) if (safe.isConnected(of) && safe.textContent(of) !== (text ?? "")) return true;
  for (const [of, before] of attributes) {
    if (!(of instanceof Element) || !safe.isConnected(of)) continue;
    // An attribute that is empty now and was not there before (style="") is no change.
    for (const [name, value] of before) if ((safe.getAttribute(of, name) ?? "") !== (value ?? "")) return true;
  }
  return false;
}

// listDiffers undoes the records from the last to the first and compares.
function listDiffers(of: Node, records: MutationRecord[]): boolean {
  const now = [...safe.childNodes(of)];
  const was = [...now];
  for (const record of [...records].reverse()) {
    for (const node of record.addedNodes) {
      const at = was.indexOf(node as ChildNode);
      if (at >= 0) was.splice(at, 1);
    }
    const next = record.nextSibling ? was.indexOf(record.nextSibling as ChildNode) : was.length;
    was.splice(next < 0 ? was.length : next, 0, ...[...record.removedNodes] as ChildNode[]);
  }
  return was.length !== now.length || was.some((node, i) => node !== now[i]);
}
