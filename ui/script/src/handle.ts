// Handles of objects and elements in a page.

import { called, renamed, says } from "./called";
import { Actions, type On } from "./actions";
import type { Frame, WaitForOptions } from "./frame";
import { known } from "./known";
import { decoded, encoded, encodedPure, type Evaluated, isFunction, isHandle, type ObjectInfo, pass, result, sourceOf } from "./values";

type Code = string | ((...args: never[]) => unknown);

// evaluate evaluates in a frame, with the handle as the first argument if there is one.
export async function evaluateIn(frame: Frame, method: string, code: unknown, args: unknown[], asHandle: boolean): Promise<Evaluated> {
  const source = sourceOf(code, method);
  if (!source.function && args.length > 0 && !(args.length === 1 && args[0] === undefined)) {
    throw new TypeError(`${method}: a text that is no function takes no arguments; pass a function`);
  }
  // A text that is no function is evaluated as it is: its value comes as JSON, as with Puppeteer.
  const encode = source.function && !asHandle;
  const evaluate = (text: string) => frame.daemon.call("page.evaluate", { frame: frame.id, source: text, function: source.function, ...pass(args), handle: asHandle });
  const got = (await (encode ? encodedValue(source.source, evaluate) : evaluate(source.source)).catch((error: Failure) => {
    throw thrown(error, method, frame);
  })) as Evaluated;
  if (encode) got.value = decoded(got.value);
  return got;
}

// readingOnly is part of what the relay adds to V8's error where the user of the browser allows reading only.
const readingOnly = "and the user allows reading only";

// encodedValue evaluates a function so that its value comes encoded. Where it was ended because it would have a side effect, that may have
// been the encoder's, or that of a promise: it had none, and is evaluated again without those.
function encodedValue(source: string, evaluate: (text: string) => Promise<unknown>): Promise<unknown> {
  return evaluate(encoded(source)).catch((error: Failure) => {
    if (error.code !== "evaluation_failed" || !error.message.includes(readingOnly)) throw error;
    return evaluate(encodedPure(source));
  });
}

// evaluateText evaluates a text that is no function and returns its value: what evaluateIn does, with one promise. label is what the code
// called, if that is no method of the frame.
export function evaluateText(frame: Frame, source: string, label?: string): Promise<unknown> {
  return frame.daemon.short("page.evaluate", { tab: frame.daemon.tab, frame: frame.id, source }, (got) => result(got as Evaluated), (error) => {
    const out = thrown(error as Failure, "evaluate", frame);
    return label === undefined ? out : renamed(out, label);
  });
}

// isText reports whether what is evaluated is a text that is no function, for evaluateText.
export function isText(code: unknown, args: unknown[]): code is string {
  return typeof code === "string" && args.length === 0 && !isFunction(code);
}

interface Failure extends Error {
  code?: string;
  data?: { thrown?: Thrown };
}

// Thrown is what code in the page threw.
interface Thrown extends Evaluated {
  type: string;
  className?: string;
}

// thrown is what code in the page threw, as the libraries pass it on. Playwright's message has all of it; Puppeteer has an error with the
// name of the class, or the value itself if it is none of an object.
export function thrown(error: Failure, method: string, frame: Frame): unknown {
  if (error.code !== "evaluation_failed") return error;
  const what = error.data?.thrown;
  const { puppeteer } = frame.daemon.host.config;
  const plain = what && (what.value === null || !["object", "function", "symbol"].includes(what.type)) ? { value: result(what) } : undefined;
  if (plain && puppeteer) return plain.value;
  const text = plain ? `${String(plain.value)}${what?.type === "bigint" ? "n" : ""}` : error.message.replace(/^Evaluation error: /, "");
  const first = text.split("\n    at ")[0] as string;
  const out: Failure = new Error(first);
  if (puppeteer && what?.className) {
    out.name = what.className;
    out.message = first.startsWith(`${out.name}: `) ? first.slice(out.name.length + 2) : first;
  } else if (!puppeteer) says(out, `${frame.id === undefined ? "page" : "frame"}.${method}`, `: ${first}`);
  const stack = /\n( +at [^]*)$/.exec(text)?.[1];
  if (error.stack) out.stack = error.stack; // where the code called
  if (stack && out.stack) out.stack += `\nin the page:\n${stack}`;
  out.code = error.code;
  return out;
}

export function handleOf(frame: Frame, from: Evaluated): JSHandle {
  if (!from.handle) return new JSHandle(frame, undefined, result(from));
  return from.handle.ref ? new ElementHandle(frame, from.handle.ref, from.handle) : new JSHandle(frame, from.handle);
}

export class JSHandle {
  protected disposed = false;

  constructor(readonly frame: Frame, private readonly info: ObjectInfo | undefined, private readonly plain?: unknown) {}

  get [isHandle](): JSHandle {
    return this;
  }

  // isPlain reports whether the handle is of a value that is no object.
  get isPlain(): boolean {
    this.usable();
    return !this.info && !(this instanceof ElementHandle);
  }

  get plainValue(): unknown {
    return this.plain;
  }

  // argument is how the handle of an object is passed to the page.
  argument(): { id?: number; ref?: string } {
    this.usable();
    return { id: (this.info as ObjectInfo).id };
  }

  usable(): void {
    if (this.disposed) throw new Error("JSHandle is disposed");
  }

  asElement(): ElementHandle | null {
    return null;
  }

  async evaluate(code: Code, ...args: unknown[]): Promise<unknown> {
    if (!this.info && !(this instanceof ElementHandle)) return (code as (...all: unknown[]) => unknown)(this.plain, ...args);
    return result(await evaluateIn(this.frame, "evaluate", code, [this, ...args], false));
  }

  async evaluateHandle(code: Code, ...args: unknown[]): Promise<JSHandle> {
    return handleOf(this.frame, await evaluateIn(this.frame, "evaluateHandle", code, [this, ...args], true));
  }

  // $ and $$ find elements in a node that is no element, such as a shadow root, by CSS.
  async $(selector: string): Promise<ElementHandle | null> {
    this.searchable("$");
    return (await this.evaluateHandle("(node, selector) => node.querySelector(selector)", selector)).asElement();
  }

  async $$(selector: string): Promise<ElementHandle[]> {
    this.searchable("$$");
    const list = await this.evaluateHandle("(node, selector) => [...node.querySelectorAll(selector)]", selector);
    const out = [...(await list.getProperties()).values()].map((each) => each.asElement());
    await list.dispose();
    return out.filter((each) => each !== null);
  }

  private searchable(method: string): void {
    if (this.info?.subtype !== "node") throw new TypeError(`${method} needs a handle of an element, a document or a shadow root; this one is of ${this.kind}: ${String(this)}`);
  }

  async jsonValue(): Promise<unknown> {
    if (!this.info && !(this instanceof ElementHandle)) return this.plain;
    return this.evaluate("(object) => object");
  }

  async getProperty(name: string): Promise<JSHandle> {
    return this.evaluateHandle("(object, name) => object[name]", name);
  }

  async getProperties(): Promise<Map<string, JSHandle>> {
    const names = (await this.evaluate("(object) => Object.keys(object)")) as string[];
    const out = new Map<string, JSHandle>();
    for (const name of names) out.set(name, await this.getProperty(name));
    return out;
  }

  async dispose(): Promise<void> {
    if (this.disposed) return;
    this.disposed = true;
    if (this.info) await this.frame.daemon.call("page.dispose", { ids: [this.info.id] });
  }

  // kind is what the handle is of, in a word.
  get kind(): string {
    return this.info?.subtype ?? this.info?.type ?? typeof this.plain;
  }

  remoteObject(): ObjectInfo | undefined {
    return this.info;
  }

  toString(): string {
    const { info } = this;
    if (this.frame.daemon.host.config.puppeteer) return info ? `JSHandle@${info.subtype ?? info.type}` : `JSHandle:${String(this.plain)}`;
    return info ? (info.subtype !== "node" && info.description) || `JSHandle@${info.subtype ?? info.type}` : String(this.plain);
  }
}

// ElementHandle is an element. Its actions are those of a locator that finds exactly this element.
export class ElementHandle extends JSHandle {
  private readonly actions: Actions;

  constructor(frame: Frame, readonly ref: string, info?: ObjectInfo) {
    super(frame, info);
    const values = () => {
      this.usable();
      return { selector: ref };
    };
    const on: On = { daemon: frame.daemon, frame, values, handle: async () => this, describe: () => ref };
    this.actions = new Actions(on);
  }

  override argument(): { id?: number; ref?: string } {
    this.usable();
    return this.remoteObject() ? super.argument() : { ref: this.ref };
  }

  override asElement(): ElementHandle {
    return this;
  }

  override toString(): string {
    return "JSHandle@node";
  }

  // act is the element's actions; the methods of Actions are on the handle, too (see below).
  get act(): Actions {
    return this.actions;
  }

  override async $(selector: string): Promise<ElementHandle | null> {
    this.usable();
    return (await this.frame.query(selector, "$", this.ref))[0] ?? null;
  }

  override async $$(selector: string): Promise<ElementHandle[]> {
    this.usable();
    return this.frame.query(selector, "$$", this.ref);
  }

  async $eval(selector: string, code: Code, ...args: unknown[]): Promise<unknown> {
    const found = await this.$(selector);
    if (!found) throw new Error(`failed to find element matching selector "${selector}"`);
    return found.evaluate(code, ...args);
  }

  async $$eval(selector: string, code: Code, ...args: unknown[]): Promise<unknown> {
    return this.frame.evaluateAll(await this.$$(selector), code, args);
  }

  async contentFrame(): Promise<Frame | null> {
    this.usable();
    return this.frame.contentFrame(this.ref);
  }

  async ownerFrame(): Promise<Frame> {
    return this.frame;
  }

  async $x(expression: string): Promise<ElementHandle[]> {
    this.usable();
    return this.frame.query(`xpath=${expression}`, "$x", this.ref);
  }

  async isIntersectingViewport({ threshold = 0 }: { threshold?: number } = {}): Promise<boolean> {
    return (await this.evaluate(`(element, threshold) => new Promise((resolve) => {
      const observer = new IntersectionObserver((entries) => {
        const ratio = entries[0].intersectionRatio;
        resolve(threshold === 1 ? ratio === 1 : ratio > threshold);
        observer.disconnect();
      });
      observer.observe(element);
    })`, threshold)) as boolean;
  }

  // toElement is Puppeteer's: the handle itself, if it is of an element with that name.
  async toElement(name: string): Promise<ElementHandle> {
    if (!(await this.evaluate("(element, name) => element.nodeName === name.toUpperCase()", name))) throw new Error(`Element is not a(n) \`${name}\` element`);
    return this;
  }

  // drag and drop are Puppeteer's: drag presses the mouse on the element, if it is not dragged yet, and moves to the target; drop drags an
  // element here and lets go.
  async drag(target: ElementHandle | { x: number; y: number }): Promise<void> {
    const { mouse } = this.frame.page();
    if (!mouse.dragging) {
      await this.scrollIntoViewIfNeeded();
      const from = await this.clickablePoint();
      await mouse.move(from.x, from.y);
      await mouse.down();
      mouse.dragging = true;
    }
    const to = target instanceof ElementHandle ? await target.clickablePoint() : target;
    await mouse.move(to.x, to.y);
  }

  async drop(source: ElementHandle): Promise<void> {
    if (!(source instanceof ElementHandle)) throw new TypeError("drop takes the element that is dragged: target.drop(source)");
    const { mouse } = this.frame.page();
    await source.drag(this);
    mouse.dragging = false;
    await mouse.up();
  }

  async dragAndDrop(target: ElementHandle): Promise<void> {
    await this.drag(target);
    await target.drop(this);
  }

  async waitForSelector(selector: string, options: WaitForOptions = {}): Promise<ElementHandle | null> {
    return this.frame.waitForSelector(selector, options, this.ref);
  }
}

// An element has every action; each is the one of Actions.
for (const name of Object.getOwnPropertyNames(Actions.prototype)) {
  if (name === "constructor" || name in ElementHandle.prototype) continue;
  const method = Actions.prototype[name as keyof Actions];
  if (typeof method !== "function") continue;
  Object.defineProperty(ElementHandle.prototype, name, {
    configurable: true, writable: true,
    value(this: ElementHandle, ...args: unknown[]) {
      return (method as (...all: unknown[]) => unknown).apply(this.act, args);
    },
  });
}

export interface ElementHandle extends Omit<Actions, "on"> {}

known(JSHandle, "a handle");
called(JSHandle, (handle) => (handle instanceof ElementHandle ? "elementHandle" : "jsHandle"), ["argument", "usable"]);
called(ElementHandle, "elementHandle");
