// A frame of the page: it evaluates, finds elements and waits.

import { called, says } from "./called";
import { bytesOf, type Bytes } from "./bytes";
import type { Aim, ClickOptions } from "./actions";
import { ElementHandle, evaluateIn, evaluateText, handleOf, isText, type JSHandle } from "./handle";
import { type Daemon, defaultTimeout, type FrameInfo, TimeoutError, type Timing } from "./host";
import { looking, partOf, type Shot } from "./looks";
import { known } from "./known";
import type { Page } from "./page";
import type { Files } from "./messages";
import { Finds, FunctionLocator, Locator } from "./locator";
import { normal, join } from "./selector";
import { result, sourceOf } from "./values";
import { globOf, matcher, type Pattern } from "./pattern";
import { unlessAborted } from "./signal";

type Code = string | ((...args: never[]) => unknown);

export interface WaitForOptions extends Timing {
  state?: string;
  visible?: boolean;
  hidden?: boolean;
  strict?: boolean;
}

// Strict refuses a selector that matches several elements.
interface Strict {
  strict?: boolean;
}

export interface Found {
  ref: string;
}

export class Frame extends Finds {
  // parent is the page; undefined for the page itself, which is its own main frame.
  constructor(readonly daemon: Daemon, readonly id: string | undefined, private readonly parent?: Page) {
    super();
  }

  private info(): FrameInfo | undefined {
    return this.page().infos().find((info) => (this.id === undefined ? !info.parent : info.id === this.id));
  }

  // url is the address of the frame, as of the last operation or event.
  url(): string {
    return this.id === undefined ? this.daemon.state.url || "about:blank" : this.info()?.url ?? "";
  }

  name(): string {
    return this.info()?.name ?? "";
  }

  page(): Page {
    return this.parent as Page;
  }

  parentFrame(): Frame | null {
    return this.id === undefined ? null : this.page().frameOf(this.info()?.parent) ?? null;
  }

  childFrames(): Frame[] {
    const id = this.info()?.id;
    return this.page().infos().filter((info) => info.parent !== undefined && info.parent === id).map((info) => this.page().frameOf(info.id) as Frame);
  }

  isDetached(): boolean {
    return this.id === undefined ? this.page().isClosed() : this.info() === undefined;
  }

  get detached(): boolean {
    return this.isDetached();
  }

  // frameElement is the element of the frame. The main frame has none: null in Puppeteer, an error in Playwright.
  async frameElement(): Promise<ElementHandle | null> {
    if (this.id === undefined && this.daemon.host.config.puppeteer) return null;
    const { ref } = (await this.daemon.call("page.frameElement", { frame: this.id })) as { ref: string };
    return new ElementHandle(this.parentFrame() ?? this, ref);
  }

  protected at(selector: string): Locator {
    return new Locator(this, selector, !this.daemon.host.config.puppeteer);
  }

  protected override computed(code: () => unknown): FunctionLocator {
    return new FunctionLocator(this, sourceOf(code, "locator").source);
  }

  frameLocator(selector: string): Locator {
    return this.at(`${normal(selector, "frameLocator")} >> internal:control=enter-frame`);
  }

  // --- evaluating ---

  evaluate(code: Code, ...args: unknown[]): Promise<unknown> {
    return isText(code, args) ? evaluateText(this, code) : this.evaluateAny(code, args);
  }

  private async evaluateAny(code: Code, args: unknown[]): Promise<unknown> {
    return result(await evaluateIn(this, "evaluate", code, args, false));
  }

  async evaluateHandle(code: Code, ...args: unknown[]): Promise<JSHandle> {
    return handleOf(this, await evaluateIn(this, "evaluateHandle", code, args, true));
  }

  async evaluateAll(elements: ElementHandle[], code: Code, args: unknown[]): Promise<unknown> {
    const source = sourceOf(code, "evaluate");
    return this.evaluate(`(elements, ...args) => (${source.source})(elements, ...args)`, elements, ...args);
  }

  async $eval(selector: string, code: Code, ...args: unknown[]): Promise<unknown> {
    return this.again({}, async () => {
      const found = await this.$(selector);
      if (!found) throw this.missing(`Error: failed to find element matching selector "${selector}"`);
      return found.evaluate(code, ...args);
    }, notRun);
  }

  async $$eval(selector: string, code: Code, ...args: unknown[]): Promise<unknown> {
    return this.again({}, async () => this.evaluateAll(await this.$$(selector), code, args), notRun);
  }

  // --- finding ---

  // find returns the elements that a selector matches now, in usher's notation.
  async find(selector: string, inside?: string): Promise<Found[]> {
    const answer = (await this.daemon.call("page.query", { selector: inside ? join(`ref=${inside}`, selector) : selector, frame: this.id })) as { elements: Found[] };
    return answer.elements;
  }

  async query(selector: string, method: string, inside?: string): Promise<ElementHandle[]> {
    return (await this.find(normal(selector, method), inside)).map((found) => new ElementHandle(this, found.ref));
  }

  // one waits for an element and returns it.
  async one(selector: string, strict: boolean, timing: Timing): Promise<ElementHandle> {
    const answer = (await this.daemon.call("page.query", { selector, frame: this.id, wait: true, strict, timeout: this.daemon.timeout(timing) }, timing.signal)) as { elements: Found[] };
    return new ElementHandle(this, (answer.elements[0] as Found).ref);
  }

  async $(selector: string): Promise<ElementHandle | null> {
    return (await this.query(selector, "$"))[0] ?? null;
  }

  async $$(selector: string): Promise<ElementHandle[]> {
    return this.query(selector, "$$");
  }

  async $x(expression: string): Promise<ElementHandle[]> {
    return this.query(`xpath=${expression}`, "$x");
  }

  async contentFrame(ref: string): Promise<Frame | null> {
    const answer = (await this.daemon.call("page.contentFrame", { ref })) as { frame?: string };
    return this.page().frameOf(answer.frame) ?? null;
  }

  // --- waiting ---

  async waitForSelector(selector: string, options: WaitForOptions = {}, inside?: string): Promise<ElementHandle | null> {
    const text = inside ? join(`ref=${inside}`, normal(selector, "waitForSelector")) : normal(selector, "waitForSelector");
    const state = options.state ?? (options.hidden ? "hidden" : options.visible || !this.daemon.host.config.puppeteer ? "visible" : "attached");
    const end = Date.now() + this.limit(options);
    for (let timing: WaitForOptions = options; ; timing = { ...options, timeout: Math.max(end - Date.now(), 1) }) {
      await this.page().handlers.around(timing, (within) => this.daemon.command("wait", { target: text, state, frame: this.id }, within));
      // Puppeteer gives the element that is hidden, if there is one.
      if (state === "hidden" && this.daemon.host.config.puppeteer) return (await this.query(selector, "waitForSelector", inside))[0] ?? null;
      if (state === "hidden" || state === "detached") return null;
      const found = await this.find(text);
      if (options.strict && found.length > 1) throw new Error(`waitForSelector: strict mode violation: ${text} resolved to ${found.length} elements`);
      if (found[0]) return new ElementHandle(this, found[0].ref); // else the document was replaced in between
    }
  }

  // until calls a function until it returns something.
  async until<T>(what: () => Promise<T | undefined>, options: Timing, message: string): Promise<T> {
    return unlessAborted(options.signal, () => this.repeat(what, options, message));
  }

  private async repeat<T>(what: () => Promise<T | undefined>, options: Timing, message: string): Promise<T> {
    const limit = this.limit(options);
    const end = Date.now() + limit;
    for (;;) {
      const found = await what();
      if (found !== undefined) return found;
      options.signal?.throwIfAborted();
      if (Date.now() > end) throw this.late(message.replace(":", `: Timeout ${limit}ms exceeded:`));
      await this.waitForTimeout(50);
    }
  }

  // waitForFunction accepts Playwright's (code, argument, options) and Puppeteer's (code, options, ...arguments).
  async waitForFunction(code: Code, ...rest: unknown[]): Promise<JSHandle> {
    const isOptions = (value: unknown): value is Timing & { polling?: unknown } =>
      typeof value === "object" && value !== null && ("timeout" in value || "polling" in value || "signal" in value) && Object.keys(value).every((key) => ["timeout", "polling", "signal", "root"].includes(key));
    const empty = (value: unknown) => typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
    const first = isOptions(rest[0]) || (empty(rest[0]) && rest.length > 1 && !isOptions(rest[1])) ? (rest[0] as Timing) : undefined;
    const options = first ?? (isOptions(rest[1]) ? rest[1] : {});
    const args = first ? rest.slice(1) : rest.length > 0 && !(rest.length === 1 && rest[0] === undefined) ? (isOptions(rest[1]) ? [rest[0]] : rest) : [];
    return unlessAborted(options.signal, () => this.poll(code, args, options));
  }

  private async poll(code: Code, args: unknown[], options: Timing): Promise<JSHandle> {
    const source = sourceOf(code, "waitForFunction");
    const call = source.function ? `(${source.source})(...args)` : `(${source.source})`;
    // With Playwright a promise is true itself. Here it is its value that counts, but for a text with a promise of nothing.
    const settles = source.function || this.daemon.host.config.puppeteer ? "" : " || (value === undefined && got instanceof Promise)";
    const text = `async (limit, ...args) => {
      const {now, setTimeout} = globalThis.__usherClock?.machine ?? {now: () => performance.now(), setTimeout: globalThis.setTimeout};
      const end = now() + limit;
      for (;;) {
        const got = ${call};
        const value = await got;
        if (value${settles}) return {value};
        if (now() > end) return null;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }`;
    const limit = this.limit(options);
    const end = Date.now() + limit;
    for (;;) {
      // In parts, so that a navigation or a dialog does not hold the wait for ever.
      const part = Math.min(Math.max(end - Date.now(), 0), 1000);
      const found = await this.again({ timeout: Math.max(end - Date.now(), 1) }, async () => {
        const answer = await this.evaluateHandle(text, part, ...args);
        return answer.remoteObject() ? answer.getProperty("value") : undefined;
      }, navigated);
      options.signal?.throwIfAborted();
      if (found) return found;
      if (Date.now() >= end) throw this.late(`waitForFunction: Timeout ${limit}ms exceeded: the function returned nothing true`);
    }
  }

  // limit is how long a wait of our own may take, in milliseconds: as long as an operation (session/code/driver.go).
  limit(options: Timing): number {
    const given = this.daemon.timeout(options);
    const left = Math.max(this.daemon.host.config.ends - Date.now(), 0);
    return Math.floor(Math.min(given || (given === 0 ? left : defaultTimeout), left - Math.min(1000, left / 10)));
  }

  private missing(text: string): Error {
    const error = new Error(text);
    if (!this.daemon.host.config.puppeteer) says(error, "page.$eval", `: ${text}`);
    return error;
  }

  late(message: string): Error {
    const error = new TimeoutError();
    const at = message.indexOf(":");
    says(error, message.slice(0, at), message.slice(at));
    return error;
  }

  async waitForTimeout(milliseconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  async waitForLoadState(name = "load", options: Timing = {}): Promise<void> {
    const state = /^networkidle[02]$/.test(name) ? "networkidle" : name;
    if (!["load", "domcontentloaded", "networkidle"].includes(state)) throw new TypeError(`waitForLoadState has no state ${name}: load, domcontentloaded and networkidle`);
    if (this.id !== undefined) return void (await this.poll(`document.readyState === "complete" || (${state === "domcontentloaded"} && document.readyState === "interactive")`, [], options));
    await this.daemon.command("wait", { load: state }, options);
  }

  async waitForURL(pattern: Pattern, options: Timing & { waitUntil?: string } = {}): Promise<void> {
    await this.addressed(matcher(pattern, "waitForURL", this.url()), options, "waitForURL");
    if (options.waitUntil !== "commit") await this.waitForLoadState(options.waitUntil, options);
  }

  // awaitURL waits for an address, whose pattern is that of the command wait, and returns it.
  async awaitURL(pattern: Pattern, options: Timing, method: string): Promise<string> {
    const glob = globOf(pattern, method);
    if (glob === undefined) return this.addressed(matcher(pattern, method, this.url()), options, method);
    await this.daemon.command("wait", { url: glob, frame: this.id }, options);
    return this.url();
  }

  private async addressed(matches: (url: string) => boolean | Promise<boolean>, options: Timing, method: string): Promise<string> {
    const limit = this.limit(options);
    const end = Date.now() + limit;
    for (;;) {
      const now = (await this.evaluate("location.href")) as string;
      if (await matches(now)) return now;
      if (Date.now() > end) throw this.late(`${method}: Timeout ${limit}ms exceeded: the address is ${now} and did not match`);
      await this.waitForTimeout(20);
    }
  }

  // --- reading ---

  async title(): Promise<string> {
    return (await this.again({}, () => this.evaluate("document.title"))) as string;
  }

  async content(): Promise<string> {
    // Puppeteer's has what is around the root, too, such as comments.
    if (this.daemon.host.config.puppeteer) return (await this.again({}, () => this.evaluate("[...document.childNodes].map((node) => node === document.documentElement ? node.outerHTML : new XMLSerializer().serializeToString(node)).join('')"))) as string;
    return (await this.again({}, () => this.evaluate(`(() => {
      const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
      return type + (document.documentElement?.outerHTML ?? "");
    })()`))) as string;
  }

  // again does what failed with one of the codes again, until the time is over. Without codes it is for what only reads: it is done
  // again where the document or the element was replaced meanwhile.
  async again<T>(options: Timing, what: (timing: Timing) => Promise<T>, codes = replaced): Promise<T> {
    let end = Date.now() + this.limit(options);
    let tries = codes === notRun ? notRunTries : Infinity;
    for (let timing = options; ; timing = { ...options, timeout: Math.max(end - Date.now(), 1) }) {
      try {
        return await what(timing);
      } catch (error) {
        if (!codes.has((error as { code?: string }).code ?? "") || Date.now() >= end || --tries <= 0) throw error;
        if (this.isDetached()) end = Math.min(end, Date.now() + moveTime);
      }
    }
  }

  async setContent(html: string, options: Timing & { waitUntil?: string | string[] } = {}): Promise<void> {
    // Chromium ends with all its sessions where the page of an error gets a frame with srcdoc.
    if (!this.parentFrame() && this.url().startsWith("chrome-error:")) await this.page().goto("about:blank");
    await this.evaluate("(html) => { document.open(); document.write(html); document.close(); }", html);
    await this.waitForLoadState([options.waitUntil ?? "load"].flat().some((state) => state.startsWith("networkidle")) ? "networkidle" : "load", options);
  }

  async addScriptTag(options: { url?: string; content?: string; type?: string; id?: string }): Promise<JSHandle> {
    needsText("addScriptTag", options);
    return this.evaluateHandle(`async ({url, content, type, id}) => {
      const script = document.createElement("script");
      if (type) script.type = type;
      if (id) script.id = id;
      const loaded = url && new Promise((resolve, reject) => { script.onload = resolve; script.onerror = () => reject(new Error("the script did not load: " + url)); });
      if (url) script.src = url; else script.text = content;
      document.head.append(script);
      await loaded;
      return script;
    }`, options);
  }

  async addStyleTag(options: { url?: string; content?: string }): Promise<JSHandle> {
    needsText("addStyleTag", options);
    return this.evaluateHandle(`async ({url, content}) => {
      const element = document.createElement(url ? "link" : "style");
      const loaded = url && new Promise((resolve, reject) => { element.onload = resolve; element.onerror = () => reject(new Error("the style sheet did not load: " + url)); });
      if (url) { element.rel = "stylesheet"; element.href = url; } else element.textContent = content;
      document.head.append(element);
      await loaded;
      return element;
    }`, options);
  }

  // capture takes a picture and returns its bytes.
  async capture(options: Shot): Promise<Bytes> {
    return looking(this, options, () => this.picture(options));
  }

  private async picture({ on, ...options }: Shot): Promise<Bytes> {
    const { clip, fullPage } = await partOf(this.page(), options, on && (() => new Locator(this, on["selector"] as string, on["strict"] === true)));
    const element = clip ? {} : { selector: on?.["selector"], frame: on?.["frame"], strict: on?.["strict"] };
    const answer = (await this.daemon.call("page.screenshot", {
      ...element, path: options.path, type: options.type, quality: options.quality, fullPage, clip, timeout: this.daemon.timeout(options),
    })) as { data: string };
    return bytesOf(answer.data);
  }

  // --- acting by selector; the first match, as page.click of both libraries ---

  private of(selector: string, method: string, options: Strict = {}): Locator {
    return new Locator(this, normal(selector, method), options.strict === true);
  }

  // there is Puppeteer's page.click and its like: they do not wait for the element.
  private async there(selector: string, method: string, options: Strict = {}): Promise<Locator> {
    if (this.daemon.host.config.puppeteer && !(await this.$(selector))) throw new Error(`No element found for selector: ${selector}`);
    return this.of(selector, method, options);
  }

  async click(selector: string, options: ClickOptions & Strict = {}): Promise<void> {
    await (await this.there(selector, "click", options)).click(options);
  }

  async dblclick(selector: string, options: ClickOptions & Strict = {}): Promise<void> {
    await this.of(selector, "dblclick", options).dblclick(options);
  }

  async tap(selector: string, options: Aim & Strict = {}): Promise<void> {
    await (await this.there(selector, "tap", options)).tap(options);
  }

  async hover(selector: string, options: Aim & Strict = {}): Promise<void> {
    await (await this.there(selector, "hover", options)).hover(options);
  }

  async focus(selector: string, options: Timing & Strict = {}): Promise<void> {
    await (await this.there(selector, "focus", options)).focus(options);
  }

  async fill(selector: string, value: string, options: Timing & Strict = {}): Promise<void> {
    await this.of(selector, "fill", options).fill(value, options);
  }

  async type(selector: string, text: string, options: Timing & { delay?: number } & Strict = {}): Promise<void> {
    await (await this.there(selector, "type", options)).type(text, options);
  }

  async press(selector: string, key: string, options: Timing & Strict = {}): Promise<void> {
    await this.of(selector, "press", options).press(key, options);
  }

  async check(selector: string, options: Aim & Strict = {}): Promise<void> {
    await this.of(selector, "check", options).check(options);
  }

  async uncheck(selector: string, options: Aim & Strict = {}): Promise<void> {
    await this.of(selector, "uncheck", options).uncheck(options);
  }

  async setChecked(selector: string, checked: boolean, options: Aim & Strict = {}): Promise<void> {
    await this.of(selector, "setChecked", options).setChecked(checked, options);
  }

  async selectOption(selector: string, values: string | string[], options: Timing & Strict = {}): Promise<string[]> {
    return this.of(selector, "selectOption", options).selectOption(values, options);
  }

  async select(selector: string, ...values: string[]): Promise<string[]> {
    return (await this.there(selector, "select")).select(...values);
  }

  async setInputFiles(selector: string, files: Files, options: Timing & Strict = {}): Promise<void> {
    await this.of(selector, "setInputFiles", options).setInputFiles(files, options);
  }

  async dragAndDrop(from: string, to: string, options: Timing & Strict = {}): Promise<void> {
    await this.of(from, "dragAndDrop").dragTo(this.of(to, "dragAndDrop"), options);
  }

  async textContent(selector: string, options: Timing & Strict = {}): Promise<string | null> {
    return this.of(selector, "textContent", options).textContent(options);
  }

  async innerText(selector: string, options: Timing & Strict = {}): Promise<string> {
    return this.of(selector, "innerText", options).innerText(options);
  }

  async innerHTML(selector: string, options: Timing & Strict = {}): Promise<string> {
    return this.of(selector, "innerHTML", options).innerHTML(options);
  }

  async inputValue(selector: string, options: Timing & Strict = {}): Promise<string> {
    return this.of(selector, "inputValue", options).inputValue(options);
  }

  async getAttribute(selector: string, name: string, options: Timing & Strict = {}): Promise<string | null> {
    return this.of(selector, "getAttribute", options).getAttribute(name, options);
  }

  async boundingBox(selector: string, options: Timing & Strict = {}): Promise<unknown> {
    return this.of(selector, "boundingBox", options).boundingBox(options);
  }

  async isVisible(selector: string): Promise<boolean> {
    return this.of(selector, "isVisible").isVisible();
  }

  async isHidden(selector: string): Promise<boolean> {
    return this.of(selector, "isHidden").isHidden();
  }

  async isEnabled(selector: string): Promise<boolean> {
    return this.of(selector, "isEnabled").isEnabled();
  }

  async isDisabled(selector: string): Promise<boolean> {
    return this.of(selector, "isDisabled").isDisabled();
  }

  async isChecked(selector: string): Promise<boolean> {
    return this.of(selector, "isChecked").isChecked();
  }

  async isEditable(selector: string): Promise<boolean> {
    return this.of(selector, "isEditable").isEditable();
  }

  async dispatchEvent(selector: string, type: string, init: object = {}, options: Timing & Strict = {}): Promise<void> {
    await this.of(selector, "dispatchEvent", options).dispatchEvent(type, init, options);
  }
}

// moveTime is how long a frame that moves to another process may be away, in milliseconds. One that is away for longer is gone.
const moveTime = 500;

// notRun are the codes of errors by which the function of the code did not run, since its element was replaced; replaced are those
// by which it may have run.
export const notRun = new Set(["stale_ref"]);
const notRunTries = 5; // the element may also be one that the code passes, which is not found anew
const navigated = new Set(["frame_detached"]);
const replaced = new Set([...notRun, ...navigated]);

// needsText throws where a tag has neither a text nor an address: a path would be ignored.
function needsText(what: string, options: { url?: string; content?: string }): void {
  if (options.url === undefined && options.content === undefined) throw new TypeError(`${what}: code has no files: give {content} or {url}`);
}

known(Frame, "a frame");

// What other files call, and what code calls thousands of times.
called(Frame, (frame) => ((frame as Frame).id === undefined ? "page" : "frame"), ["evaluate", "evaluateAny", "repeat", "poll", "find", "query", "one", "until", "limit", "late", "awaitURL", "capture", "picture", "evaluateAll"]);
