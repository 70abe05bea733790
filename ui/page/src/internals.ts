// The internals of custom elements: role, name and states that a component sets by ElementInternals. No script can read
// them, the browser's accessibility tree has them; the engine reads them for the elements listed here
// (internal/world/internals.go).

import * as safe from "./safe";
import { Refused } from "./describe";

/** Internals is the state of an element in the accessibility tree. */
export interface Internals {
  role: string;
  name: string;
  authored: boolean; // the name is not the text of the element
  value: string;
  states: Record<string, string>; // checked, pressed, expanded, selected, disabled, required, readonly, invalid
}

const received = new WeakMap<Element, Internals>();
const fresh = new WeakSet<Element>(); // received, and not read by an action since
const without = new WeakMap<Element, number>(); // without internals, and how often that was found
let some = false; // avoids the lookup of received internals, which few pages have
let waiting: Element[] = [];

/** internalsOf returns the received internals of el; undefined if there are none. */
export function internalsOf(el: Element): Internals | undefined {
  return some ? received.get(el) : undefined;
}

/** stateOf is a state of el by its internals. */
export function stateOf(el: Element, state: string): string | undefined {
  return some ? received.get(el)?.states[state] : undefined;
}

/** mayHaveInternals reports whether a custom element takes part in a form, can have the focus, or can be pressed. */
export function mayHaveInternals(el: Element, pressed = false): boolean {
  if (!safe.localName(el).includes("-") || !(el instanceof HTMLElement)) return false;
  return pressed || safe.hasAttribute(el, "tabindex") || safe.hasAttribute(el, "role") || safe.matches(el, ":enabled,:disabled") || received.has(el);
}

const mostAsked = 200; // of one look

// Those without any are read again, a few with each snapshot and a limited number of times: a component may set its
// role later.
const mostAgain = 20;
const mostTimes = 10;
let again = 0;

/**
 * listInternals lists el for reading, if it has not often been found to have none. pressed is set if its only known
 * property is that it can be pressed.
 */
export function listInternals(el: Element, pressed: boolean): void {
  if (waiting.length === 0) again = 0;
  if (waiting.length >= mostAsked || !mayHaveInternals(el, pressed) || waiting.includes(el)) return;
  const times = without.get(el) ?? 0;
  if (times >= mostTimes || (times > 0 && again++ >= mostAgain)) return;
  waiting.push(el);
}

/**
 * listedInternals returns the number of elements to read: "known+new", those that were read before, and the others;
 * empty if there are none.
 */
export function listedInternals(): string {
  if (waiting.length === 0) return "";
  const known = waiting.filter((el) => received.has(el) || without.has(el)).length;
  return `${known}+${waiting.length - known}`;
}

/** withInternals returns the elements to read. */
export function withInternals(): Element[] {
  const list = waiting.filter((el) => safe.isConnected(el));
  waiting = [];
  return list;
}

/** updateInternals stores the tree's state of these elements, null for none, and returns the number of changes. */
export function updateInternals(elements: Element[], all: (Internals | null)[]): number {
  let news = 0;
  elements.forEach((el, i) => {
    const one = all[i] ?? null;
    if (!one) {
      without.set(el, (without.get(el) ?? 0) + 1);
      return;
    }
    if (JSON.stringify(received.get(el)) !== JSON.stringify(one)) news++;
    some = true;
    without.delete(el);
    received.set(el, one);
    fresh.add(el);
  });
  return news;
}

/** mustBeCurrent refuses what depends on the internals of an element that may have changed since they were received. */
export function mustBeCurrent(el: Element): void {
  if (fresh.delete(el) || without.has(el) || !mayHaveInternals(el)) return;
  waiting = [el];
  throw new Refused("ask_internals", "its accessibility tree has to be asked", false);
}
