// What custom elements keep to themselves: role, name and states that a component sets by ElementInternals. No script can read
// them, the browser's accessibility tree has them; the engine asks it of the elements listed here (internal/world/internals.go).

import * as safe from "./safe";
import { Refused } from "./describe";

/** Told is what the accessibility tree says of an element. */
export interface Told {
  role: string;
  name: string;
  authored: boolean; // the name is not the text of the element
  value: string;
  states: Record<string, string>; // checked, pressed, expanded, selected, disabled, required, readonly, invalid
}

const told = new WeakMap<Element, Told>();
const fresh = new WeakSet<Element>(); // told, and not read by an action since
const without = new WeakMap<Element, number>(); // there was nothing to be told, and how often that was asked
let some = false; // spares the look into told, which few pages have
let waiting: Element[] = [];

/** internalsOf is what was told of el; undefined if nothing was. */
export function internalsOf(el: Element): Told | undefined {
  return some ? told.get(el) : undefined;
}

/** stateOf is a state of el by its internals. */
export function stateOf(el: Element, state: string): string | undefined {
  return some ? told.get(el)?.states[state] : undefined;
}

/** mayHaveInternals says it of custom elements that take part in a form, can have the focus, or can be pressed. */
export function mayHaveInternals(el: Element, pressed = false): boolean {
  if (!safe.localName(el).includes("-") || !(el instanceof HTMLElement)) return false;
  return pressed || safe.hasAttribute(el, "tabindex") || safe.hasAttribute(el, "role") || safe.matches(el, ":enabled,:disabled") || told.has(el);
}

const mostAsked = 200; // of one look

// Those without any are asked for again, a few with each look and not for ever: a component may set its role later.
const mostAgain = 20;
const mostTimes = 10;
let again = 0;

/** listInternals notes el as one to ask for, if it has not often been found to have none. pressed says that the page told nothing but that it can be pressed. */
export function listInternals(el: Element, pressed: boolean): void {
  if (waiting.length === 0) again = 0;
  if (waiting.length >= mostAsked || !mayHaveInternals(el, pressed) || waiting.includes(el)) return;
  const times = without.get(el) ?? 0;
  if (times >= mostTimes || (times > 0 && again++ >= mostAgain)) return;
  waiting.push(el);
}

/** listedInternals is how many elements are to be asked for: "known+new", those that were asked for before, and the others; empty if there are none. */
export function listedInternals(): string {
  if (waiting.length === 0) return "";
  const known = waiting.filter((el) => told.has(el) || without.has(el)).length;
  return `${known}+${waiting.length - known}`;
}

/** withInternals returns the elements to ask for. */
export function withInternals(): Element[] {
  const list = waiting.filter((el) => safe.isConnected(el));
  waiting = [];
  return list;
}

/** learnInternals takes in what the tree says of these elements, null for nothing, and returns of how many it is news. */
export function learnInternals(elements: Element[], all: (Told | null)[]): number {
  let news = 0;
  elements.forEach((el, i) => {
    const one = all[i] ?? null;
    if (!one) {
      without.set(el, (without.get(el) ?? 0) + 1);
      return;
    }
    if (JSON.stringify(told.get(el)) !== JSON.stringify(one)) news++;
    some = true;
    without.delete(el);
    told.set(el, one);
    fresh.add(el);
  });
  return news;
}

/** mustBeTold refuses what depends on the internals of an element that may have changed since they were told. */
export function mustBeTold(el: Element): void {
  if (fresh.delete(el) || without.has(el) || !mayHaveInternals(el)) return;
  waiting = [el];
  throw new Refused("ask_internals", "its accessibility tree has to be asked", false);
}
