// Locators: a selector that is searched anew for each action, in the notation of usher's commands.

import { called } from "./called";
import { Actions, type ClickOptions, timed } from "./actions";
import { type Frame, notRun } from "./frame";
import type { ElementHandle, JSHandle } from "./handle";
import type { Timing } from "./host";
import type { Page } from "./page";
import * as selectors from "./selector";
import { known } from "./known";
import type { Abortable } from "./signal";
import { sourceOf } from "./values";

export interface FilterOptions {
  hasText?: string | RegExp;
  hasNotText?: string | RegExp;
  has?: Locator;
  hasNot?: Locator;
  visible?: boolean;
}

type Code = string | ((...args: never[]) => unknown);

// Finds is what finds elements: a page, a frame or a locator.
export abstract class Finds {
  protected abstract at(selector: string): Locator;

  // computed is Puppeteer's locator of what a function returns.
  protected computed(_: () => unknown): FunctionLocator {
    throw new TypeError("locator takes a function on a page or frame only");
  }

  locator(selector: string | Locator, options?: FilterOptions): Locator;
  locator(selector: () => unknown): FunctionLocator;
  locator(selector: string | Locator | (() => unknown), options: FilterOptions = {}): Locator | FunctionLocator {
    if (typeof selector === "function") return this.computed(selector);
    const text = selector instanceof Locator ? selector.selector : selectors.normal(selector, "locator");
    return this.at(text).filter(options);
  }

  getByRole(role: string, options: selectors.RoleOptions = {}): Locator {
    return this.at(selectors.role(role, options));
  }

  getByText(text: string | RegExp, options: selectors.TextOptions = {}): Locator {
    return this.at(`text=${selectors.wanted(text, options.exact)}`);
  }

  getByLabel(text: string | RegExp, options: selectors.TextOptions = {}): Locator {
    return this.at(`label=${selectors.wanted(text, options.exact)}`);
  }

  getByPlaceholder(text: string | RegExp, options: selectors.TextOptions = {}): Locator {
    return this.at(`placeholder=${selectors.wanted(text, options.exact)}`);
  }

  getByAltText(text: string | RegExp, options: selectors.TextOptions = {}): Locator {
    return this.at(`alt=${selectors.wanted(text, options.exact)}`);
  }

  getByTitle(text: string | RegExp, options: selectors.TextOptions = {}): Locator {
    return this.at(`title=${selectors.wanted(text, options.exact)}`);
  }

  getByTestId(id: string | RegExp): Locator {
    return this.at(`testid=${selectors.wanted(id, true)}`);
  }
}

// entered ends the selector of what frameLocator returns.
const entered = / >> internal:control=enter-frame$/;

export class Locator extends Finds {
  readonly act: Actions;
  private limit: number | undefined;
  private named: string | undefined;

  constructor(readonly frame: Frame, readonly selector: string, readonly strict = true) {
    super();
    this.act = new Actions({
      daemon: frame.daemon, frame,
      values: () => ({ selector, frame: frame.id, strict: strict || undefined }),
      handle: (timing) => this.elementHandle(timing),
      describe: () => selector, found: true,
    });
  }

  protected at(selector: string): Locator {
    return new Locator(this.frame, selectors.join(this.selector, selector), this.strict);
  }

  frameLocator(selector: string): Locator {
    return this.at(`${selectors.normal(selector, "frameLocator")} >> internal:control=enter-frame`);
  }

  contentFrame(): Locator {
    return this.at("internal:control=enter-frame");
  }

  filter(options?: FilterOptions): Locator;
  filter(options: (element: never) => unknown): FunctionLocator;
  filter(options: FilterOptions | ((element: never) => unknown) = {}): Locator | FunctionLocator {
    if (typeof options === "function") return new FunctionLocator(this.frame, `() => true`, this).filter(options);
    let out: Locator = this;
    if (options.hasText !== undefined) out = out.at(`has-text=${selectors.wanted(options.hasText)}`);
    if (options.hasNotText !== undefined) out = out.at(`has-not-text=${selectors.wanted(options.hasNotText)}`);
    if (options.has) out = out.at(`has=${selectors.quoted(options.has.selector)}`);
    if (options.hasNot) out = out.at(`has-not=${selectors.quoted(options.hasNot.selector)}`);
    if (options.visible !== undefined) out = out.at(`visible=${options.visible}`);
    return out;
  }

  and(other: Locator): Locator {
    return this.at(`and=${selectors.quoted(other.selector)}`);
  }

  or(other: Locator): Locator {
    return this.at(`or=${selectors.quoted(other.selector)}`);
  }

  nth(index: number): Locator {
    const outer = this.selector.replace(entered, "");
    if (outer === this.selector) return this.at(`nth=${index}`);
    return new Locator(this.frame, `${outer} >> nth=${index} >> internal:control=enter-frame`, this.strict); // of several frames
  }

  first(): Locator {
    return this.nth(0);
  }

  last(): Locator {
    return this.nth(-1);
  }

  // setTimeout and its like are Puppeteer's: they return a locator with other options.
  setTimeout(milliseconds: number): Locator {
    const out = new Locator(this.frame, this.selector, this.strict);
    out.limit = milliseconds;
    return out;
  }

  private readonly acting: (() => unknown)[] = [];

  // on is Puppeteer's: the event action comes when the element is there for one.
  on(event: string, handler: () => unknown): this {
    if (event !== "action") throw new TypeError(`A locator has no event ${JSON.stringify(event)}. The event is: action.`);
    this.acting.push(handler);
    return this;
  }

  once(event: string, handler: () => unknown): this {
    const first = () => {
      this.off(event, first);
      return handler();
    };
    return this.on(event, first);
  }

  off(event: string, handler?: () => unknown): this {
    const kept = this.acting.filter((other) => event === "action" && handler !== undefined && other !== handler);
    this.acting.splice(0, this.acting.length, ...kept);
    return this;
  }

  // tellOfAction waits for the element and calls the handlers of the event action.
  async tellOfAction(): Promise<void> {
    await this.elementHandle();
    for (const handler of [...this.acting]) await handler();
  }

  // observed reports whether an action has handlers that are told of it before.
  observed(name: string): boolean {
    return this.acting.length > 0 && ["click", "fill", "hover"].includes(name);
  }

  // map is Puppeteer's: wait returns what the function makes of the element.
  map(code: (element: never) => unknown): FunctionLocator {
    return new FunctionLocator(this.frame, `() => true`, this).map(code);
  }

  // scroll is Puppeteer's: to a place within the element.
  async scroll({ signal, ...options }: { scrollTop?: number; scrollLeft?: number } & Abortable = {}): Promise<void> {
    await (await this.elementHandle({ signal })).evaluate("(element, {scrollTop, scrollLeft}) => { if (scrollTop !== undefined) element.scrollTop = scrollTop; if (scrollLeft !== undefined) element.scrollLeft = scrollLeft; }", options);
  }

  setVisibility(state: "visible" | "hidden" | null): Locator {
    return state === null ? this : this.filter({ visible: state === "visible" });
  }

  setWaitForEnabled(): Locator {
    return this;
  }

  setEnsureElementIsInTheViewport(): Locator {
    return this;
  }

  setWaitForStableBoundingBox(): Locator {
    return this;
  }

  clone(): Locator {
    return new Locator(this.frame, this.selector, this.strict);
  }

  // describe gives the locator a name for people.
  describe(description: string): Locator {
    const out = new Locator(this.frame, this.selector, this.strict);
    out.limit = this.limit;
    out.named = description;
    return out;
  }

  description(): string | null {
    return this.named ?? null;
  }

  // owner is the element of a frameLocator's frame.
  owner(): Locator {
    return new Locator(this.frame, this.selector.replace(entered, ""), this.strict);
  }

  // timed gives the options of an action, its last argument, the locator's own timeout.
  timed(args: unknown[], required: number): unknown[] {
    if (this.limit === undefined) return args;
    const last = args[required];
    return [...args.slice(0, required), ...Array.from({ length: Math.max(required - args.length, 0) }), { timeout: this.limit, ...(last as object | undefined) }];
  }

  async count(): Promise<number> {
    return (await this.frame.find(this.selector)).length;
  }

  async all(): Promise<Locator[]> {
    return Array.from({ length: await this.count() }, (_, index) => this.nth(index));
  }

  async elementHandle(timing: Timing = {}): Promise<ElementHandle> {
    const limit = timing.timeout ?? this.limit;
    return this.frame.one(this.selector, this.strict, { timeout: limit, signal: timing.signal });
  }

  async waitHandle(options: Abortable = {}): Promise<ElementHandle> {
    return this.elementHandle(options);
  }

  async wait(options: Abortable = {}): Promise<void> {
    await this.elementHandle(options);
  }

  async elementHandles(): Promise<ElementHandle[]> {
    return this.frame.query(this.selector, "elementHandles");
  }

  async evaluateAll(code: Code, ...args: unknown[]): Promise<unknown> {
    return this.frame.again({}, async () => this.frame.evaluateAll(await this.elementHandles(), code, args), notRun);
  }

  async evaluateHandle(code: Code, ...rest: unknown[]): Promise<JSHandle> {
    const { args, timing } = timed(rest);
    return (await this.elementHandle(timing)).evaluateHandle(code, ...args);
  }

  // waitForFunction waits until a function of the element returns something true. The element is found anew for each call.
  async waitForFunction(code: Code, arg?: unknown, options: Timing = {}): Promise<void> {
    const { source } = sourceOf(code, "waitForFunction");
    const limit = this.frame.limit({ timeout: options.timeout ?? this.limit });
    const end = Date.now() + limit;
    const left = () => ({ timeout: Math.max(end - Date.now(), 1), signal: options.signal });
    await this.frame.until(async () => {
      const element = await this.elementHandle(left());
      return (await element.evaluate(`async (element, arg) => Boolean(await (${source})(element, arg))`, arg)) ? true : undefined;
    }, left(), `waitForFunction: the function returned nothing true of ${this.selector}`);
  }

  async allTextContents(): Promise<string[]> {
    return (await this.evaluateAll("(elements) => elements.map((element) => element.textContent ?? '')")) as string[];
  }

  async allInnerTexts(): Promise<string[]> {
    return (await this.evaluateAll("(elements) => elements.map((element) => element.innerText ?? '')")) as string[];
  }

  page(): Page {
    return this.frame.page();
  }

  toString(): string {
    return this.named ?? `Locator@${this.selector}`;
  }
}

// FunctionLocator is Puppeteer's locator with functions of the page: of what a function returns, or of an element that functions
// accept and map.
export class FunctionLocator {
  private limit: number | undefined;

  constructor(private readonly frame: Frame, private readonly source: string, private readonly of?: Locator, private readonly steps: string[] = []) {}

  private step(text: string): FunctionLocator {
    const out = new FunctionLocator(this.frame, this.source, this.of, [...this.steps, text]);
    out.limit = this.limit;
    return out;
  }

  filter(code: (value: never) => unknown): FunctionLocator {
    return this.step(`async (value) => { if (!(await (${sourceOf(code, "filter").source})(value))) throw none; return value; }`);
  }

  map(code: (value: never) => unknown): FunctionLocator {
    return this.step(sourceOf(code, "map").source);
  }

  setTimeout(milliseconds: number): FunctionLocator {
    const out = this.step("(value) => value");
    out.limit = milliseconds;
    return out;
  }

  async waitHandle({ signal }: Abortable = {}): Promise<JSHandle> {
    const timing = { timeout: this.limit, signal };
    const first = this.of ? [await this.of.elementHandle(timing)] : [];
    return this.frame.waitForFunction(`async (element) => {
      const none = {};
      try {
        let value = ${this.of ? "element" : `await (${this.source})()`};
        for (const step of [${this.steps.join(", ")}]) value = await step(value);
        return value;
      } catch (error) {
        if (error === none) return null;
        throw error;
      }
    }`, { polling: "raf", ...timing }, ...first);
  }

  async wait(options: Abortable = {}): Promise<unknown> {
    return (await this.waitHandle(options)).jsonValue();
  }

  private async element(options: Abortable): Promise<ElementHandle> {
    const element = (await this.waitHandle(options)).asElement();
    if (!element) throw new Error("The locator is of a value that is no element");
    return element;
  }

  async click(options: ClickOptions = {}): Promise<void> {
    await (await this.element(options)).click(options);
  }

  async hover(options: Timing = {}): Promise<void> {
    await (await this.element(options)).hover(options);
  }

  async fill(value: string, options: Timing = {}): Promise<void> {
    await (await this.element(options)).fill(value, options);
  }
}

// A locator has every action; each is the one of Actions, with the locator's own timeout.
for (const name of Object.getOwnPropertyNames(Actions.prototype)) {
  const method = Actions.prototype[name as keyof Actions];
  if (name === "constructor" || name in Locator.prototype || typeof method !== "function") continue;
  Object.defineProperty(Locator.prototype, name, {
    configurable: true, writable: true,
    value(this: Locator, ...args: unknown[]) {
      const act = () => (method as (...all: unknown[]) => unknown).apply(this.act, this.timed(args, method.length));
      return this.observed(name) ? this.tellOfAction().then(act) : act();
    },
  });
}

export interface Locator extends Omit<Actions, "on"> {}

known(Locator, "a locator");
known(FunctionLocator, "a locator of a function");
called(Locator, "locator", ["timed", "tellOfAction", "observed"]);
called(FunctionLocator, "locator");
