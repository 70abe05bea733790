// The events of an action: did the trusted event reach its target?
//
// An observer listens in the capture phase on the window, in the isolated world,
// where the page cannot see it. Between a check and the mouse event, the page may
// move elements. The first press that would hit another element is cancelled with
// all its further events, before the page's listeners run, and the caller starts
// over: a click never reaches an element that is not its target. Only the press
// decides. What follows is caused by the page (a menu that closes on mousedown) and
// is not cancelled, except a click outside the target because the page moved it
// between press and release.

import * as safe from "./safe";
import { isClosing, shadowOf } from "./dom";
import { accepts, deepen } from "./hit";
import { describe } from "./describe";
import { listenForInvalid } from "./settle";
import { composedContains } from "./tree";

const press = new Set(["pointerdown", "mousedown", "touchstart"]);
const pointer = new Set([
  "pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "touchstart", "touchend",
]);

// Which events to observe: the types, the type that ends the action, and how often it
// comes (twice for a double click).
export interface ObserverOptions {
  types: string[];
  final: string;
  times?: number;
  // How long the observer is active at most, in ms: longer than the input can be under
  // way, so that a late press is still checked, and no longer, so that a caller that
  // ended leaves no observer that cancels a user's click.
  life: number;
  // Report after the page's listeners for the final event have run. A page that opens a
  // dialog meanwhile, or navigates away, sends no report then.
  behind?: boolean;
}

export interface EventReport {
  events: Record<string, number>; // trusted events that reached the target, by type
  missed?: string; // the press was cancelled: the element that it would have hit
  connected: boolean; // the target is still in the page
  closing: boolean; // the page is closing its tab: the browser follows a moment later
}

interface Observer {
  target: Element | null; // null: every press in this frame is cancelled
  options: ObserverOptions;
  until: number;
  events: Record<string, number>;
  finals: number;
  missed?: string;
  decided: boolean; // the press was seen
  presses: Event[]; // that reached the target
  look: string; // the state attributes of the target before the press
  last?: Event; // the final event, which is on its way through the page
  over?: { event: Event; field: boolean }; // the last dragover, and whether it hit a file field
  reported: Promise<EventReport>;
  resolve: (report: EventReport) => void;
}

let current: Observer | undefined;
let latest: Observer | undefined; // also when it has ended

// observe starts an observer for the target, in place of an earlier one.
export function observe(target: Element | null, options: ObserverOptions): void {
  if (current) end(current);
  saving = false;
  listenForDownloads();
  listenForInvalid();
  let resolve: (report: EventReport) => void = () => undefined;
  const reported = new Promise<EventReport>((done) => (resolve = done));
  const observer: Observer = {
    target, options, until: performance.now() + options.life, events: {}, finals: 0, decided: false, presses: [], look: "", reported, resolve,
  };
  current = latest = observer;
  for (const type of options.types) listen(type);
}

// listen begins to listen for a type and never stops: each time the set of
// listened types changes, the renderer has to update its compositor with a frame,
// and the next mouse move waits up to 16 ms for it (measured on Chromium 156:
// 3 ms with the listener left in place, 12 ms with one removed before). A
// listener that may cancel touches makes scrolling wait for the page, so those are
// removed with their observer. It is repeated for every action, which changes nothing
// for a listener that is there: document.open removes all.
function listen(type: string): void {
  window.addEventListener(type, onEvent, { capture: true, passive: false });
}

// awaitEnd ends an observer when the page's listeners for the final event have run: when the event bubbles to the window,
// or, if it was stopped, in the next task. Listeners that the page added to the window later than ours run after it.
function awaitEnd(observer: Observer, event: Event): void {
  observer.last = event;
  window.addEventListener(event.type, onReturn); // again, as in listen
  setTimeout(() => {
    if (current === observer) end(observer);
  });
}

function onReturn(event: Event): void {
  if (current?.last === event) end(current);
}

// Whether the page requested a download since the last observer was started. The Navigation API reports links that download,
// also those that a page creates and clicks without showing them.
let saving = false;
let listensForDownloads = false;

export function isSaving(): boolean {
  return saving;
}

function listenForDownloads(): void {
  if (listensForDownloads) return;
  listensForDownloads = true;
  const { navigation } = window as { navigation?: Pick<Window, "addEventListener"> };
  navigation?.addEventListener("navigate", (event: Event) => {
    const { downloadRequest } = event as { downloadRequest?: string | null };
    if (typeof downloadRequest === "string") saving = true;
  });
}

function onEvent(event: Event): void {
  if (current?.options.types.includes(event.type)) note(current, event);
}

function end(observer: Observer): void {
  for (const type of observer.options.types) {
    if (type.startsWith("touch")) window.removeEventListener(type, onEvent, { capture: true });
  }
  if (current === observer) current = undefined;
  const { events, missed, target } = observer;
  observer.resolve({ events, missed, connected: target ? safe.isConnected(target) : true, closing: isClosing() });
}

function note(observer: Observer, event: Event): void {
  if (!event.isTrusted) return;
  if (performance.now() > observer.until) return end(observer);
  const hit = hitOf(event);
  if (event.type === "dragover") observer.over = { event, field: hit instanceof HTMLInputElement && hit.type === "file" && !hit.disabled };
  const meant = observer.target !== null && hit !== null && isFor(observer.target, event, hit);
  if (press.has(event.type) && !observer.decided) {
    observer.decided = true;
    if (!meant) observer.missed = hit ? describe(hit) : "nothing";
    else observer.look = lookOf(observer.target as Element);
  } else if (event.type === "click" && observer.missed === undefined && !meant && slippedAway(observer, event, hit)) {
    observer.missed = hit ? describe(hit) : "nothing";
  }
  if (observer.missed !== undefined && pointer.has(event.type)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (meant) {
    if (press.has(event.type)) observer.presses.push(event);
    observer.events[event.type] = (observer.events[event.type] ?? 0) + 1;
  }
  if (event.type === observer.options.final && ++observer.finals >= (observer.options.times ?? 1)) {
    if (observer.options.behind) awaitEnd(observer, event);
    else end(observer);
  }
}

// slippedAway reports whether the target moved between press and release, so that the
// click goes to a common ancestor of both elements; it is cancelled like a press that
// missed. A target that its press removed or hid (a menu that closes) has not slipped
// away, nor has one that handled the press: a menu that opens and moves what is behind.
function slippedAway(observer: Observer, event: Event, hit: Element | null): boolean {
  const { target } = observer;
  if (target && tookPress(observer, target)) return false;
  if (!target || !safe.isConnected(target) || !hit || !(event instanceof MouseEvent) || event.detail === 0) return false;
  if (!composedContains(hit, target) || !safe.checkVisibility(target, { visibilityProperty: true })) return false;
  // The event's coordinates are rounded down. A pixel that a box covers only in part is not counted as its own,
  // because the element around it was hit.
  const boxes = [...safe.getClientRects(target)];
  return boxes.length > 0 && !boxes.some((box) =>
    event.clientX >= box.left && event.clientX + 1 <= box.right && event.clientY >= box.top && event.clientY + 1 <= box.bottom);
}

// tookPress reports whether the page handled the press itself: it called preventDefault, or the state of the target has
// changed since.
function tookPress(observer: Observer, target: Element): boolean {
  return observer.presses.some((event) => event.defaultPrevented) || observer.look !== lookOf(target);
}

const stateAttributes = ["aria-expanded", "aria-pressed", "aria-checked", "aria-selected", "data-state", "open"];

function lookOf(target: Element): string {
  return stateAttributes.map((name) => safe.getAttribute(target, name) ?? "").join(" ");
}

// hitOf returns the innermost element of an event. The event names only the host of
// a closed shadow root; a pointer event is followed further down by its point.
function hitOf(event: Event): Element | null {
  const first = event.composedPath()[0];
  if (!(first instanceof Element)) return null;
  return event instanceof MouseEvent ? deepen(first, { x: event.clientX, y: event.clientY }) : first;
}

// isFor reports whether an event that hit an element belongs to the target. A key
// event for an element in a closed root names its host.
function isFor(target: Element, event: Event, hit: Element): boolean {
  if (accepts(target, hit)) return true;
  return !(event instanceof MouseEvent) && shadowOf(hit) !== null && composedContains(hit, target);
}

const silent: EventReport = { events: {}, connected: true, closing: false };

// awaitEventReport resolves at the final event. It is called before the input is sent:
// the report then leaves the page before anything the page does with the event, such as
// a dialog or a navigation.
export function awaitEventReport(): Promise<EventReport> {
  return latest?.reported ?? Promise.resolve(silent);
}

// takeEventReport ends the observer and returns its report so far.
export function takeEventReport(): Promise<EventReport> {
  if (current) end(current);
  return awaitEventReport();
}

/** reached is how many events of a type have reached the target of the latest observer. */
export function reached(type: string): number {
  return latest?.events[type] ?? 0;
}

// acceptsDrop reports whether what is dragged would be dropped where it is: the page has cancelled the last dragover, or a
// file field is there, which takes files by itself.
export function acceptsDrop(): { accepts: boolean } {
  const over = latest?.over;
  return { accepts: over !== undefined && (over.field || over.event.defaultPrevented) };
}

// observeFrame starts an observer that cancels every press in this frame: one around
// the frame of the target.
export function observeFrame(arg: { watch: ObserverOptions }): Record<string, never> {
  observe(null, arg.watch);
  return {};
}
