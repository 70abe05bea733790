// The state of one walk over a frame, and the lines it has written.

import * as safe from "./safe";
import { page } from "./safe";
import type { Region } from "./clickable";
import { flatContains, flatParent } from "./dom";
import type { Delegate } from "./items";
import { collapse, references } from "./name";
import { cut } from "./describe";
import { focused, type Place, marksOf } from "./marks";

export interface SnapshotOptions {
  interactive?: boolean; // only elements that carry a local id
  urls?: boolean; // targets of links
  root?: number | string; // local id or CSS selector: only that element and what is below it
  weigh?: boolean; // whether the marks of a line are requested
  title?: boolean; // add it to the header
  unfold?: boolean; // the options of closed lists, too
  listening?: string; // which elements listen for what, as setListeners takes it
  again?: boolean; // another walk of the same look
}

const longestText = 10_000; // characters of a text

// What lies too deep for the recursion is walked after it, and inserted in its place.
export interface Deep {
  el: Element;
  inside: Inside;
  lines: (string | Deep)[];
}

export class Walk {
  lines: (string | Deep)[] = [];
  readonly deep: Deep[] = [];
  suspects: Element[] = [];
  text = ""; // static text not written yet
  textDepth = 0;
  textMarks = "";
  readonly focus: Element | null; // what has the keyboard
  readonly active: Element | null; // what the keyboard means in it
  readonly modal: Set<Element> | undefined; // the modal dialog and everything around it
  readonly dialog: Element | undefined;
  place: Place = ""; // of the next line
  root: Element | undefined; // where the walk begins, if not at the top

  constructor(readonly options: SnapshotOptions) {
    this.dialog = topModal();
    if (this.dialog) {
      this.modal = new Set();
      for (let at: Element | null = this.dialog; at; at = flatParent(at)) this.modal.add(at);
    }
    this.focus = focused();
    this.active = this.focus && activeOf(this.focus);
  }

  // comesTo reports whether the walk reaches an owner: if not, what it owns is shown in its own place.
  comesTo(owner: Element | undefined): boolean {
    if (!owner || (this.dialog && !flatContains(this.dialog, owner))) return false;
    return !this.root || flatContains(this.root, owner);
  }

  flushText(): void {
    if (this.text === "") return;
    const { length } = this.text;
    let text = collapse(length > 4 * longestText ? this.text.slice(0, 4 * longestText) : this.text);
    this.text = "";
    if (text.length > longestText) text = cut(text, longestText, length);
    if (text !== "") this.lines.push(`${this.textDepth}${this.textMarks}\tStaticText\t\t${text}`);
  }

  write(depth: number, level: number, fields: string, marks = ""): void {
    this.flushText();
    this.lines.push(level === depth || !this.options.interactive ? `${depth}${marks}\t${fields}` : `${depth}/${level}${marks}\t${fields}`);
  }

  // fail writes a line for a part that could not be read, in its place.
  fail(error: unknown, depth: number): void {
    this.text = "";
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.lines.push(`${depth}\t!\t\tpart of the page could not be read: ${collapse(cut(why, 200))}`);
  }

  beginText(depth: number, parent: Element): void {
    if (this.text !== "") return;
    this.textDepth = depth;
    if (this.options.weigh) this.textMarks = marksOf(parent, "StaticText", null, false, true, this.place);
  }
}

function activeOf(focus: Element): Element | null {
  return safe.hasAttribute(focus, "aria-activedescendant") ? (references(focus, "aria-activedescendant", "ariaActiveDescendantElement")[0] ?? null) : null;
}

// What an element passes on to those inside it.
export interface Inside {
  depth: number; // lines written around it
  level: number; // elements with a meaning around it
  nesting: number;
  region: Region; // something that can be clicked around it
  delegate: Delegate | undefined; // what around it listens for clicks on what is in it
  nameGiven: boolean; // the text is part of a name written above
  quoted: boolean; // the text may be part of what stands for a name above
  away: boolean; // where no scrolling shows it
  place: Place;
  toggle: string | undefined; // the name of the check box, radio button or switch around it
  words: boolean; // its text is shown whatever the options
  around: Element | undefined; // what can be pressed and has a line
  rendered: boolean; // false below a canvas: alternatives are not rendered, but shown
}

// flat joins the lines, those of what lay too deep in their places.
export function flat(lines: (string | Deep)[]): string {
  if (!lines.some((line) => typeof line !== "string")) return lines.join("\n");
  const all: string[] = [];
  const open = [lines.values()];
  for (let at = open.at(-1); at; at = open.at(-1)) {
    const { value, done } = at.next();
    if (done) open.pop();
    else if (typeof value === "string") all.push(value);
    else open.push(value.lines.values());
  }
  return all.join("\n");
}

// The dialog or full-screen element that makes everything else inert.
function topModal(): Element | undefined {
  const full = page.fullscreenElement;
  const modals = page.querySelectorAll("dialog:modal");
  if (modals.length === 0) return full ?? undefined;
  if (modals.length === 1) return modals[0];
  // The top layer has an order that scripts cannot read; what is in the middle of the last opened dialog shows which
  // one lies on top.
  for (const modal of [...modals].reverse()) {
    const box = safe.getBoundingClientRect(modal);
    const hit = page.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (hit && safe.contains(modal, hit)) return modal;
  }
  return modals[modals.length - 1];
}
