// What the page's events say about an action: did the browser's own event reach
// the element it was meant for?
//
// A witness listens in the capture phase on the window, in our isolated world,
// where the page cannot see it. Between a check and the mouse event it led to,
// a page may move things. The first press that would land on another element is
// held back with everything that belongs to it, before the page hears of it,
// and the caller aims again: a click never reaches an element it was not meant
// for. Only the press decides; what follows it is the page's own doing (a menu
// that closes on mousedown) and goes through; but a click that fell beside its
// target because the page moved it between press and release is held back, too.

import * as safe from "./safe";
import { isClosing, shadowOf } from "./dom";
import { accepts, deepen } from "./hit";
import { describe } from "./tell";
import { composedContains } from "./tree";

const press = new Set(["pointerdown", "mousedown", "touchstart"]);
const pointer = new Set([
  "pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "touchstart", "touchend",
]);

// What to witness: event types, the type that ends the action, and how often it
// comes (twice for a double click).
export interface Watch {
  types: string[];
  final: string;
  times?: number;
  // How long the witness lives, in ms, unless it is asked before: longer than the
  // press can be under way, so that none comes late to a deaf witness and reaches
  // what it was not meant for; and no longer, so that a caller that died leaves
  // nothing behind that holds back a person's click.
  life: number;
  // Tell behind what the page does with the final event, and not before: who hears that knows that the page has
  // handled it. A page that asks something meanwhile, or leaves, is not heard.
  behind?: boolean;
}

export interface Testimony {
  events: Record<string, number>; // trusted events that reached the target, by type
  missed?: string; // the press was held back: this would have received it
  connected: boolean; // the target is still in the page
  closing: boolean; // the page is closing its tab: the browser follows a moment later
}

interface Witness {
  target: Element | null; // null: nothing in this frame is meant
  watch: Watch;
  until: number;
  events: Record<string, number>;
  finals: number;
  missed?: string;
  decided: boolean; // the press was seen
  presses: Event[]; // that reached the target
  look: string; // what the target said of itself before the press
  last?: Event; // the final event, which is on its way through the page
  told: Promise<Testimony>;
  tell: (testimony: Testimony) => void;
}

let current: Witness | undefined;
let latest: Witness | undefined; // also when it has ended

// arm starts a witness for the target, in place of an earlier one.
export function arm(target: Element | null, watch: Watch): void {
  if (current) end(current);
  saving = false;
  hearAsks();
  let tell: (testimony: Testimony) => void = () => undefined;
  const told = new Promise<Testimony>((resolve) => (tell = resolve));
  const witness: Witness = {
    target, watch, until: performance.now() + watch.life, events: {}, finals: 0, decided: false, presses: [], look: "", told, tell,
  };
  current = latest = witness;
  for (const type of watch.types) listen(type);
}

const heard = new Set<string>();

// listen begins to listen for a type and never stops: each time the set of
// listened types changes, the renderer has to tell its compositor with a frame,
// and the next mouse move waits up to 16 ms for it (measured on Chromium 156:
// 3 ms with the listener left in place, 12 ms with one removed before). A
// listener that may hold back touches makes scrolling wait for the page, so
// those are taken away with their witness.
function listen(type: string): void {
  if (heard.has(type)) return;
  heard.add(type);
  window.addEventListener(type, hear, { capture: true, passive: false });
}

const heardBehind = new Set<string>();

// awaitEnd ends a witness when the page has had its final event: when that comes back to the window, and at the
// latest, where something stopped it, with the next task. Of listeners of the page's own on the window those that were
// added later than ours come behind it.
function awaitEnd(witness: Witness, event: Event): void {
  witness.last = event;
  if (!heardBehind.has(event.type)) {
    heardBehind.add(event.type);
    window.addEventListener(event.type, back);
  }
  setTimeout(() => {
    if (current === witness) end(witness);
  });
}

function back(event: Event): void {
  if (current?.last === event) end(current);
}

// Whether the page asked for a download since the last witness was armed. The Navigation API tells of links that download,
// also of those that a page makes and clicks without ever showing them.
let saving = false;
let asksHeard = false;

export function isSaving(): boolean {
  return saving;
}

function hearAsks(): void {
  if (asksHeard) return;
  asksHeard = true;
  const { navigation } = window as { navigation?: Pick<Window, "addEventListener"> };
  navigation?.addEventListener("navigate", (event: Event) => {
    const { downloadRequest } = event as { downloadRequest?: string | null };
    if (typeof downloadRequest === "string") saving = true;
  });
}

function hear(event: Event): void {
  if (current?.watch.types.includes(event.type)) note(current, event);
}

function end(witness: Witness): void {
  for (const type of witness.watch.types) {
    if (type.startsWith("touch") && heard.delete(type)) window.removeEventListener(type, hear, { capture: true });
  }
  if (current === witness) current = undefined;
  const { events, missed, target } = witness;
  witness.tell({ events, missed, connected: target ? safe.isConnected(target) : true, closing: isClosing() });
}

function note(witness: Witness, event: Event): void {
  if (!event.isTrusted) return;
  if (performance.now() > witness.until) return end(witness);
  const hit = hitOf(event);
  const meant = witness.target !== null && hit !== null && isFor(witness.target, event, hit);
  if (press.has(event.type) && !witness.decided) {
    witness.decided = true;
    if (!meant) witness.missed = hit ? describe(hit) : "nothing";
    else witness.look = lookOf(witness.target as Element);
  } else if (event.type === "click" && witness.missed === undefined && !meant && slippedAway(witness, event, hit)) {
    witness.missed = hit ? describe(hit) : "nothing";
  }
  if (witness.missed !== undefined && pointer.has(event.type)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (meant) {
    if (press.has(event.type)) witness.presses.push(event);
    witness.events[event.type] = (witness.events[event.type] ?? 0) + 1;
  }
  if (event.type === witness.watch.final && ++witness.finals >= (witness.watch.times ?? 1)) {
    if (witness.watch.behind) awaitEnd(witness, event);
    else end(witness);
  }
}

// slippedAway says that the target moved between press and release, so that the
// click went to something around both places: nobody's wish, and so held back
// like a press that missed. A target that its press made disappear (a menu that
// closes) has not slipped away, nor has one that acted on the press: a menu that opens with it and moves what is behind.
function slippedAway(witness: Witness, event: Event, hit: Element | null): boolean {
  const { target } = witness;
  if (target && tookPress(witness, target)) return false;
  if (!target || !safe.isConnected(target) || !hit || !(event instanceof MouseEvent) || event.detail === 0) return false;
  if (!composedContains(hit, target) || !safe.checkVisibility(target, { visibilityProperty: true })) return false;
  // The event's place is rounded down. A pixel of which a box has only a part is not counted as its own, for
  // what lies around it was hit.
  const boxes = [...safe.getClientRects(target)];
  return boxes.length > 0 && !boxes.some((box) =>
    event.clientX >= box.left && event.clientX + 1 <= box.right && event.clientY >= box.top && event.clientY + 1 <= box.bottom);
}

// tookPress says that the press was all the page waited for: it kept the browser from doing anything with it, or the target
// says something else of itself since.
function tookPress(witness: Witness, target: Element): boolean {
  return witness.presses.some((event) => event.defaultPrevented) || witness.look !== lookOf(target);
}

const telling = ["aria-expanded", "aria-pressed", "aria-checked", "aria-selected", "data-state", "open"];

function lookOf(target: Element): string {
  return telling.map((name) => safe.getAttribute(target, name) ?? "").join(" ");
}

// hitOf is the innermost element of an event. The event names only the host of
// a closed shadow root; a pointer event is followed further down by its point.
function hitOf(event: Event): Element | null {
  const first = event.composedPath()[0];
  if (!(first instanceof Element)) return null;
  return event instanceof MouseEvent ? deepen(first, { x: event.clientX, y: event.clientY }) : first;
}

// isFor says whether an event that hit an element is one for the target. A key
// event for an element in a closed root names its host.
function isFor(target: Element, event: Event, hit: Element): boolean {
  if (accepts(target, hit)) return true;
  return !(event instanceof MouseEvent) && shadowOf(hit) !== null && composedContains(hit, target);
}

const silent: Testimony = { events: {}, connected: true, closing: false };

// testimony waits for the final event. It is asked before the input is sent:
// the answer then leaves the page before anything the page does with the event,
// be it a dialog or a navigation.
export function testimony(): Promise<Testimony> {
  return latest?.told ?? Promise.resolve(silent);
}

// testify ends the witness and tells what it saw so far.
export function testify(): Promise<Testimony> {
  if (current) end(current);
  return testimony();
}

// armFrame guards a frame in which nothing is meant to be pressed: those around
// the frame an action aims at.
export function armFrame(arg: { watch: Watch }): Record<string, never> {
  arm(null, arg.watch);
  return {};
}
