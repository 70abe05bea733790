// Check boxes whose page keeps the state itself. If it handles a click on the input and prevents what the browser does, the browser
// takes the input back to what it was before, after the page has set it: then aria-checked has the state that the page shows.

import * as safe from "./safe";

interface Apart {
  page: string; // aria-checked
  input: string; // what the browser has for it
}

const aparts = new WeakMap<Element, Apart>();
const changed = new Set<HTMLInputElement>(); // since the last task
const observer = new MutationObserver(note);

/** watchStates begins to watch what pages say of their check boxes. */
export function watchStates(): void {
  observer.observe(document, { subtree: true, attributeFilter: ["aria-checked"], attributeOldValue: true });
}

function note(records: MutationRecord[]): void {
  for (const { target, oldValue } of records) {
    if (!(target instanceof HTMLInputElement) || target.type !== "checkbox" || !isState(oldValue)) continue;
    if (changed.size === 0) setTimeout(compare);
    changed.add(target);
  }
}

// compare runs in a task of its own: until then the browser may still take back its change.
function compare(): void {
  for (const box of changed) {
    const state = stateNow(box);
    if (isState(state.page) && state.page !== state.input) aparts.set(box, state);
    else aparts.delete(box);
  }
  changed.clear();
}

function stateNow(box: HTMLInputElement): Apart {
  return { page: ariaChecked(box) ?? "", input: String(box.checked) };
}

function isState(value: string | null): boolean {
  return value === "true" || value === "false";
}

/** ariaChecked is what the page says of a check box, null for nothing. */
export function ariaChecked(el: Element): string | null {
  return safe.getAttribute(el, "aria-checked");
}

/** stateOfBox is the state of a check box or radio button of the browser. An aria-checked that the page never changes does not count. */
export function stateOfBox(box: HTMLInputElement): "true" | "false" | "mixed" {
  if (changed.size > 0) compare();
  if (box.indeterminate && box.type === "checkbox") return "mixed";
  const apart = aparts.get(box);
  const now = stateNow(box);
  const counts = apart !== undefined && apart.page === now.page && apart.input === now.input ? now.page : now.input;
  return counts === "true" ? "true" : "false";
}
