// What is done to one element, or read of it: by a locator, an element handle or a selector.

import { type Frame, notRun } from "./frame";
import type { ElementHandle } from "./handle";
import type { Daemon, Timing, Values } from "./host";
import { type Bytes, encoded } from "./bytes";
import type { Looks } from "./looks";
import { outlined, type OutlineOptions } from "./outline";
import { type FilePayload, type Files, given } from "./messages";

// On is the element that is meant.
export interface On {
  daemon: Daemon;
  frame: Frame;
  values(): Values; // of a command that takes the element: selector, frame, strict
  handle(timing: Timing): Promise<ElementHandle>;
  describe(): string;
  found?: true; // it is found anew by each action; undefined for one element and no other
}

// unselect is a function for pages: it takes the selection of a list away, as a person who unselects all of it.
const unselect = `(element) => {
  if (!(element instanceof HTMLSelectElement)) throw new Error("the element is not a <select>");
  if (element.selectedIndex < 0) return;
  element.selectedIndex = -1;
  for (const name of ["input", "change"]) element.dispatchEvent(new Event(name, { bubbles: true }));
}`;

// Aim is how a pointer takes its element.
export interface Aim extends Timing {
  force?: boolean;
  trial?: boolean;
}

// Keys are the options of what sends keys to a field. atCursor leaves the cursor of a field where it is, as Puppeteer does.
interface Keys extends Timing {
  atCursor?: boolean;
}

export interface ClickOptions extends Aim {
  button?: "left" | "right" | "middle";
  clickCount?: number;
  count?: number;
  delay?: number;
  modifiers?: string[];
  position?: { x: number; y: number };
  offset?: { x: number; y: number };
  noWaitAfter?: boolean;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface States {
  attached: boolean;
  visible: boolean;
  enabled: boolean;
  checked: string;
}

type Option = string | { value?: string; label?: string; index?: number } | ElementHandle;

export class Actions {
  constructor(readonly on: On) {}

  private command<T = Record<string, unknown>>(name: string, values: Values, timing: Timing | undefined): Promise<T> {
    return this.around(timing, (within) => this.on.daemon.command<T>(name, { ...this.on.values(), ...values }, within));
  }

  // around carries out an action, with the page's locator handlers.
  private around<T>(timing: Aim | undefined, act: (timing: Timing) => Promise<T>): Promise<T> {
    if (timing?.force) return act(timing);
    return this.on.frame.page().handlers.around({ timeout: timing?.timeout, signal: timing?.signal }, act);
  }

  async click(options: ClickOptions = {}): Promise<void> {
    const at = options.position ?? options.offset;
    await this.command("click", {
      button: options.button, count: options.clickCount ?? options.count, modifiers: modifiers(options.modifiers), at: at && `${at.x},${at.y}`,
      padding: options.position !== undefined, ...aim(options), // Puppeteer counts the offset from the border
    }, options);
  }

  async dblclick(options: ClickOptions = {}): Promise<void> {
    await this.click({ ...options, clickCount: 2 });
  }

  async tap(options: Pick<ClickOptions, "position"> & Aim = {}): Promise<void> {
    const { position: at } = options;
    if (!at) return void (await this.command("tap", aim(options), options));
    // The command taps the middle, so that it only waits here.
    await this.command("hover", { at: `${at.x},${at.y}`, padding: true, ...aim({ ...options, trial: true }) }, options);
    const boxes = await this.boxes(options);
    if (!boxes || options.trial) return;
    const [left, top] = (await this.look("(element) => [element.clientLeft, element.clientTop]", options)) as [number, number];
    await this.on.frame.page().touchscreen.tap(boxes.inTab.x + left + at.x, boxes.inTab.y + top + at.y);
  }

  async hover(options: Pick<ClickOptions, "position" | "modifiers"> & Aim = {}): Promise<void> {
    const at = options.position;
    const hover = () => this.command("hover", { at: at && `${at.x},${at.y}`, padding: at !== undefined, ...aim(options) }, options);
    const held = modifiers(options.modifiers)?.split("+") ?? [];
    if (held.length === 0) return void (await hover());
    const { keyboard } = this.on.frame.page();
    for (const key of held) await keyboard.down(key);
    try {
      await hover();
    } finally {
      for (const key of held.reverse()) await keyboard.up(key);
    }
  }

  // focus does nothing to an element that cannot have the focus, as in both libraries.
  async focus(options: Timing = {}): Promise<void> {
    await this.focused(options);
  }

  // focused gives the element the focus, and reports whether it can have it.
  private async focused(options: Timing): Promise<boolean> {
    return this.command("focus", {}, options).then(() => true, (error: { code?: string }) => {
      if (error.code === "element_unsuitable") return false;
      throw error;
    });
  }

  // entered is focused for keys. In Playwright they go to the beginning of a field that did not have the focus.
  private async entered(options: Keys): Promise<boolean> {
    if (options.atCursor || this.on.daemon.host.config.puppeteer) return this.focused(options);
    const before = await this.read("(element) => element.localName !== 'input' || element.getRootNode().activeElement === element", options);
    const focused = await this.focused(options);
    if (!before && focused) await this.read("(element) => { try { element.setSelectionRange(0, 0); } catch {} }", options); // some types have no selection
    return focused;
  }

  async blur(options: Timing = {}): Promise<void> {
    await this.read("(element) => element.blur()", options);
  }

  async fill(value: unknown, options: Timing = {}): Promise<void> {
    if (typeof value !== "string" && typeof value !== "number") throw new TypeError(`fill needs a text, not ${value === null ? "null" : typeof value}`);
    // Puppeteer's fill also chooses an option of a list.
    if (this.on.daemon.host.config.puppeteer && (await this.read("(element) => element instanceof HTMLSelectElement", options))) return void (await this.selectOption(String(value), options));
    await this.command("fill", { text: [String(value)] }, options);
  }

  async clear(options: Timing = {}): Promise<void> {
    await this.fill("", options);
  }

  // type types at the cursor, which stays where it is in an element that has the focus, and is where focus() puts it in another.
  async type(text: unknown, options: Keys & { delay?: number } = {}): Promise<void> {
    if (!(await this.entered(options))) return this.on.frame.page().keyboard.type(String(text), options);
    for (const part of String(text).split(/(\t)/)) {
      if (part === "\t") await this.on.frame.page().keyboard.insertText(part); // a key of the command, a character of both libraries
      else if (part !== "") await this.command("type", { text: [part], delay: options.delay }, options);
    }
  }

  async pressSequentially(text: string, options: Timing & { delay?: number } = {}): Promise<void> {
    await this.type(text, options);
  }

  async press(key: string, options: Keys = {}): Promise<void> {
    await this.entered(options);
    await this.on.daemon.command("press", { key });
  }

  async check(options: Aim = {}): Promise<void> {
    await this.command("check", aim(options), options);
  }

  async uncheck(options: Aim = {}): Promise<void> {
    await this.command("uncheck", aim(options), options);
  }

  async setChecked(checked: boolean, options: Aim = {}): Promise<void> {
    await (checked ? this.check(options) : this.uncheck(options));
  }

  async selectOption(values: Option | Option[] | null, options: Timing = {}): Promise<string[]> {
    const list = values === null ? [] : Array.isArray(values) ? values : [values];
    const texts: string[] = [];
    for (const value of list) texts.push(await this.optionText(value));
    if (texts.length > 0) await this.command("select", { values: await this.choosable(texts, options) }, options);
    else await this.read(unselect, options);
    return (await this.evaluate("(element) => [...element.selectedOptions].map((option) => option.value)")) as string[];
  }

  // choosable leaves of several options, in a list that takes one, the first that the list has.
  private async choosable(texts: string[], options: Timing): Promise<string[]> {
    if (texts.length < 2) return texts;
    const first = (await this.read(`(element, texts) => element instanceof HTMLSelectElement && !element.multiple
      ? [...element.options].find((option) => texts.includes(option.value) || texts.includes(option.label))?.value ?? texts[0] : null`, options, texts)) as string | null;
    return first === null ? texts : [first];
  }

  private async optionText(option: Option): Promise<string> {
    if (typeof option === "string") return option;
    if ("ref" in option) return (await option.evaluate("(element) => element.value")) as string;
    if (option.index !== undefined) return (await this.evaluate("(element, index) => element.options[index].value", option.index)) as string;
    return option.value ?? option.label ?? "";
  }

  // select is Puppeteer's: values only, each its own argument. Those that the list does not have are left out, without waiting for them.
  async select(...values: string[]): Promise<string[]> {
    const have = (await this.evaluate(`(element) => {
      if (!(element instanceof HTMLSelectElement)) throw new Error("Element is not a <select> element.");
      return [...element.options].map((option) => option.value);
    }`)) as string[];
    const known = values.filter((value) => have.includes(value));
    return this.selectOption(known.length > 0 ? known : null);
  }

  async selectText(options: Timing = {}): Promise<void> {
    await this.waitFor({ ...options, state: "visible" });
    await this.read("(element) => { if (element.select) element.select(); else getSelection().selectAllChildren(element); }", options);
  }

  async setInputFiles(files: Files, options: Timing = {}): Promise<void> {
    const { paths, contents } = given(files);
    if (contents.length > 0) {
      if (paths.length > 0) throw new TypeError("setInputFiles takes paths or contents, not both in one call");
      const types = [files].flat().map((file) => (file as FilePayload).mimeType ?? "");
      return void (await this.read(`(element, files) => {
        const input = element instanceof HTMLLabelElement ? element.control : element;
        if (!(input instanceof HTMLInputElement)) throw new Error("Node is not an HTMLInputElement");
        if (input.type !== "file") throw new Error("the element is no field for files: its type is " + input.type);
        if (files.length > 1 && !input.multiple) throw new Error("Non-multiple file input can only accept single file");
        const data = new DataTransfer();
        for (const {name, type, data: text} of files) data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name, {type}));
        input.files = data.files;
        for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, {bubbles: true, composed: type === "input"}));
      }`, options, contents.map((file, index) => ({ ...file, type: types[index] }))));
    }
    if (paths.length === 0) return void (await this.read("(element) => { element.value = ''; element.dispatchEvent(new Event('input', {bubbles: true})); element.dispatchEvent(new Event('change', {bubbles: true})); }", options));
    await this.command("upload", { files: paths }, options);
  }

  async uploadFile(...paths: string[]): Promise<void> {
    await this.setInputFiles(paths);
  }

  async scrollIntoViewIfNeeded(options: Timing = {}): Promise<void> {
    await this.command("scrollintoview", {}, options);
  }

  async scrollIntoView(options: Timing = {}): Promise<void> {
    await this.scrollIntoViewIfNeeded(options);
  }

  async textContent(options: Timing = {}): Promise<string | null> {
    return (await this.look("(element) => element.textContent", options)) as string | null;
  }

  async innerText(options: Timing = {}): Promise<string> {
    return (await this.look("(element) => element.innerText", options)) as string;
  }

  async innerHTML(options: Timing = {}): Promise<string> {
    return (await this.look("(element) => element.innerHTML", options)) as string;
  }

  async inputValue(options: Timing = {}): Promise<string> {
    return (await this.look("(element) => { const field = element instanceof HTMLLabelElement ? element.control : element; if (!field || !('value' in field)) throw new Error('the element has no value: it is no input, textarea or select'); return field.value; }", options)) as string;
  }

  async getAttribute(name: string, options: Timing = {}): Promise<string | null> {
    return (await this.look("(element, name) => element.getAttribute(name)", options, name)) as string | null;
  }

  async boundingBox(options: Timing = {}): Promise<Box | null> {
    return (await this.boxes(options))?.inTab ?? null;
  }

  // boxes are the box of the element in its own frame and in the tab's viewport, which are the same in the main frame.
  private async boxes(options: Timing = {}): Promise<{ inFrame: Box; inTab: Box } | null> {
    return this.again(options, async (left) => {
      const handle = await this.on.handle(left);
      const got = (await handle.evaluate(`(element) => {
        const box = element.getBoundingClientRect();
        return element.getClientRects().length ? {box: {x: box.x, y: box.y, width: box.width, height: box.height}, framed: window.parent !== window} : null;
      }`)) as { box: Box; framed: boolean } | null;
      if (!got) return null;
      const inTab = got.framed ? await this.on.daemon.command<Box>("get box", { selector: handle.ref }) : got.box;
      return { inFrame: got.box, inTab };
    });
  }

  async evaluate(code: string | ((...args: never[]) => unknown), ...rest: unknown[]): Promise<unknown> {
    const { args, timing } = timed(rest);
    return this.again(timing, (left) => this.read(code, left, ...args), notRun);
  }

  // look is read with a function that changes nothing: an element that was replaced meanwhile is found and read again.
  private async look(code: string, timing: Timing, ...args: unknown[]): Promise<unknown> {
    return this.again(timing, (left) => this.read(code, left, ...args));
  }

  private async again<T>(timing: Timing, what: (timing: Timing) => Promise<T>, codes?: Set<string>): Promise<T> {
    return this.on.found ? this.on.frame.again(timing, what, codes) : what(timing);
  }

  private async read(code: string | ((...args: never[]) => unknown), timing: Timing, ...args: unknown[]): Promise<unknown> {
    return (await this.on.handle(timing)).evaluate(code, ...args);
  }

  async isVisible(): Promise<boolean> {
    return (await this.states()).visible;
  }

  async isHidden(): Promise<boolean> {
    return !(await this.states()).visible;
  }

  async isEnabled(options: Timing = {}): Promise<boolean> {
    return (await this.present(options)).enabled;
  }

  async isDisabled(options: Timing = {}): Promise<boolean> {
    return !(await this.isEnabled(options));
  }

  async isChecked(options: Timing = {}): Promise<boolean> {
    if ((await this.present(options)).checked === "true") return true;
    const checkable = await this.look(`(element) => {
      const field = element instanceof HTMLLabelElement && element.control || element;
      const roles = ["checkbox", "menuitemcheckbox", "menuitemradio", "option", "radio", "switch", "treeitem"];
      return ["checkbox", "radio"].includes(field.type) || roles.includes(field.getAttribute("role"));
    }`, options);
    if (!checkable) throw new Error("Not a checkbox or radio button: the element has no such type or role");
    return false;
  }

  async isEditable(): Promise<boolean> {
    const writable = await this.look(`(element) => {
      const readOnly = (of) => of.getAttribute("aria-readonly") === "true";
      if (element.matches("input, textarea, select")) return !element.hasAttribute("readonly") && !readOnly(element);
      if (element.isContentEditable) return !readOnly(element);
      const roles = ["checkbox", "combobox", "grid", "gridcell", "listbox", "radiogroup", "slider", "spinbutton", "textbox", "columnheader", "rowheader", "searchbox", "switch", "treegrid"];
      if (roles.includes(element.getAttribute("role"))) return !readOnly(element);
      throw new Error("Element is not an <input>, <textarea>, <select> or [contenteditable] and does not have a role allowing [aria-readonly]");
    }`, {});
    return writable === true && (await this.isEnabled());
  }

  // present waits for the element and returns its states.
  private async present(options: Timing): Promise<States> {
    return this.again(options, async (left) => {
      await this.on.handle(left);
      const states = await this.states();
      if (!states.attached) throw Object.assign(new Error("the element is not attached to the DOM: it was removed from the page"), { code: "stale_ref" });
      return states;
    });
  }

  // states are those of the element now; of none all are false.
  private async states(): Promise<States> {
    return (await this.on.daemon.call("page.states", this.on.values())) as States;
  }

  async isFocused(): Promise<boolean> {
    return (await this.evaluate("(element) => element.ownerDocument.activeElement === element")) as boolean;
  }

  async boxModel(): Promise<unknown> {
    const boxes = await this.boxes();
    if (!boxes) return null;
    const { inFrame, inTab } = boxes;
    return this.evaluate(`(element, [x, y]) => {
      if (!element.getClientRects().length) return null;
      const box = element.getBoundingClientRect(), style = getComputedStyle(element), n = (name) => parseFloat(style[name]) || 0;
      const quad = (l, t, r, b) => [{x: l + x, y: t + y}, {x: r + x, y: t + y}, {x: r + x, y: b + y}, {x: l + x, y: b + y}];
      const border = [box.left, box.top, box.right, box.bottom];
      const padding = [border[0] + n("borderLeftWidth"), border[1] + n("borderTopWidth"), border[2] - n("borderRightWidth"), border[3] - n("borderBottomWidth")];
      const content = [padding[0] + n("paddingLeft"), padding[1] + n("paddingTop"), padding[2] - n("paddingRight"), padding[3] - n("paddingBottom")];
      const margin = [border[0] - n("marginLeft"), border[1] - n("marginTop"), border[2] + n("marginRight"), border[3] + n("marginBottom")];
      return {content: quad(...content), padding: quad(...padding), border: quad(...border), margin: quad(...margin), width: element.offsetWidth, height: element.offsetHeight};
    }`, [inTab.x - inFrame.x, inTab.y - inFrame.y]);
  }

  async clickablePoint(offset?: { x: number; y: number }): Promise<{ x: number; y: number }> {
    const box = await this.boundingBox();
    if (!box) throw new Error("The element has no box: it is not rendered");
    return offset ? { x: box.x + offset.x, y: box.y + offset.y } : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  async waitForElementState(state: "visible" | "hidden" | "stable" | "enabled" | "disabled" | "editable", options: Timing = {}): Promise<void> {
    if (state === "visible" || state === "hidden") return this.waitFor({ ...options, state });
    if (state === "stable") return void (await this.scrollIntoViewIfNeeded(options));
    await this.on.frame.until(async () => ((state === "editable" ? await this.isEditable() : (await this.isEnabled()) === (state === "enabled")) ? true : undefined), options, `waitForElementState: the element did not become ${state}`);
  }

  async ariaSnapshot(options: OutlineOptions = {}): Promise<string> {
    const { selector, ...rest } = this.on.values();
    return (await this.on.daemon.command<{ snapshot: string }>("snapshot", { ...rest, scope: selector, ...outlined(options) }, options)).snapshot;
  }

  async highlight(): Promise<void> {
    await this.command("highlight", {}, {});
  }

  async waitFor(options: Timing & { state?: "attached" | "detached" | "visible" | "hidden" } = {}): Promise<void> {
    const { selector, ...rest } = this.on.values();
    await this.around(options, (within) => this.on.daemon.command("wait", { ...rest, target: selector, state: options.state ?? "visible" }, within));
  }

  async screenshot(options: Timing & Looks & { path?: string; type?: string; quality?: number; encoding?: string } = {}): Promise<Bytes | string> {
    const { encoding, ...rest } = options;
    return encoded(await this.on.frame.capture({ ...rest, on: this.on.values() }), encoding);
  }

  async dispatchEvent(type: string, init: object = {}, options: Timing = {}): Promise<void> {
    await this.read(`(element, type, init, kind) => {
      const touches = {};
      for (const list of kind === "TouchEvent" ? ["touches", "targetTouches", "changedTouches"] : []) {
        if (init[list]) touches[list] = init[list].map((touch) => touch instanceof Touch ? touch : new Touch({identifier: 0, target: element, ...touch}));
      }
      element.dispatchEvent(new window[kind](type, {bubbles: true, cancelable: true, composed: true, ...init, ...touches}));
    }`, options, type, init, kindOf(type));
  }

  async dragTo(target: { act?: Actions }, options: Aim & { sourcePosition?: { x: number; y: number }; targetPosition?: { x: number; y: number } } = {}): Promise<void> {
    const to = target?.act?.on;
    if (!to) throw new TypeError("dragTo needs a locator or an element");
    if (options.sourcePosition) return this.dragFrom(options.sourcePosition, target.act as Actions, options);
    const at = options.targetPosition;
    const { selector, ...rest } = this.on.values();
    const values = { ...rest, source: selector, target: to.values()["selector"], at: at && `${at.x},${at.y}`, padding: at !== undefined };
    await this.around(options, (within) => this.on.daemon.command("drag", values, within));
  }

  // dragFrom drags by a point of the element, which the command drag takes by its middle.
  private async dragFrom(position: { x: number; y: number }, target: Actions, options: Aim & { targetPosition?: { x: number; y: number } }): Promise<void> {
    const { mouse } = this.on.frame.page();
    const { targetPosition, ...rest } = options;
    await this.hover({ ...rest, position });
    if (options.trial) return target.hover({ ...rest, position: targetPosition });
    await mouse.down();
    try {
      for (let moves = 0; moves < 2; moves++) await target.hover({ ...rest, position: targetPosition }); // the first one begins the drag
    } finally {
      await mouse.up();
    }
  }
}

// kinds are the interfaces of events, with the types of those that Playwright makes of each.
const kinds: [string, RegExp][] = [
  ["MouseEvent", /^(auxclick|click|dblclick|mouse\w+)$/], ["KeyboardEvent", /^(key(down|up|press)|textInput)$/], ["TouchEvent", /^touch/],
  ["PointerEvent", /^(pointer|(got|lost)pointercapture)/], ["FocusEvent", /^(focus|blur|focusin|focusout)$/], ["DragEvent", /^(drag|drop)/], ["WheelEvent", /^wheel$/],
];

function kindOf(type: string): string {
  return kinds.find(([, types]) => types.test(type))?.[0] ?? "Event";
}

// timed tells the options of a call from the arguments of the function that it takes: Playwright's (argument, {timeout}).
export function timed(args: unknown[]): { args: unknown[]; timing: Timing } {
  const last = args[1];
  if (args.length !== 2 || typeof last !== "object" || last === null || Object.keys(last).join() !== "timeout") return { args, timing: {} };
  return { args: args.slice(0, 1), timing: last as Timing };
}

function aim({ force, trial }: Aim): Values {
  return { force: force === true, trial: trial === true };
}

function modifiers(list: string[] | undefined): string | undefined {
  return list?.map((key) => (key === "ControlOrMeta" ? "Control" : key)).join("+") || undefined;
}
