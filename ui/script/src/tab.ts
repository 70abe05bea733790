// tab: the helpers of the tool browser, with short names and few options.

import { called, renamed } from "./called";
import type { Bytes } from "./bytes";
import type { Actions } from "./actions";
import { ElementHandle, evaluateText, isText } from "./handle";
import type { Daemon, Timing } from "./host";
import { known } from "./known";
import { Locator } from "./locator";
import type { Response } from "./messages";
import type { Page } from "./page";
import type { RouteHandler } from "./route";
import type { Pattern } from "./pattern";
import { normal } from "./selector";

type Point = { x: number; y: number };

export interface Observed {
  id: number;
  role: string;
  name?: string;
  value?: string;
  description?: string;
  keyshortcuts?: string;
  states: string[];
  ref: string;
}

interface Observation {
  url: string;
  title: string;
  viewport: { width: number; height: number; deviceScaleFactor: number };
  scroll: { x: number; y: number; width: number; height: number; scrollWidth: number; scrollHeight: number };
  elements: Observed[];
}

export class Tab {
  readonly name: string;
  private observed: Observed[] | undefined;

  private readonly daemon: Daemon;

  constructor(readonly page: Page) {
    this.daemon = page.daemon;
    this.name = this.daemon.host.config.name;
  }

  // signal is aborted when the run ends.
  get signal(): unknown {
    return (this.ended ??= new AbortController()).signal;
  }

  private ended: AbortController | undefined;

  private on(selector: string, method: string): Actions {
    return new Locator(this.page, normal(selector, method), false).act;
  }

  url(): string {
    return this.page.url();
  }

  async title(): Promise<string> {
    return this.page.title();
  }

  async goto(url: string, options: Timing & { waitUntil?: string } = {}): Promise<void> {
    this.observed = undefined;
    await this.page.goto(url, options);
  }

  async back(): Promise<void> {
    await this.page.goBack();
  }

  async forward(): Promise<void> {
    await this.page.goForward();
  }

  async reload(): Promise<void> {
    await this.page.reload();
  }

  async observe(options: { includeAll?: boolean; viewportOnly?: boolean } = {}): Promise<Observation> {
    const seen = (await this.daemon.call("page.observe", options)) as Observation;
    const { viewport, scroll } = (await this.page.evaluate(`() => ({
      viewport: {width: innerWidth, height: innerHeight, deviceScaleFactor: devicePixelRatio},
      scroll: {x: scrollX, y: scrollY, width: innerWidth, height: innerHeight, scrollWidth: document.documentElement.scrollWidth, scrollHeight: document.documentElement.scrollHeight},
    })`)) as Observation;
    this.observed = seen.elements;
    return { url: seen.url, title: seen.title, viewport, scroll, elements: seen.elements };
  }

  // id is the element that the last observe gave this number.
  async id(n: number): Promise<ElementHandle> {
    if (!this.observed) throw new Error("There are no element ids: call tab.observe() first; a navigation ends them");
    const found = this.observed.find((element) => element.id === n);
    if (!found) throw new Error(`There is no element ${n}: the last observe had ${this.observed.length}`);
    return new ElementHandle(this.page, found.ref);
  }

  ref(ref: string): ElementHandle {
    return new ElementHandle(this.page, ref.startsWith("@") ? ref : `@${ref}`);
  }

  async ariaSnapshot(options: { interactive?: boolean; compact?: boolean; depth?: number; selector?: string } = {}): Promise<string> {
    const data = await this.daemon.command<{ snapshot: string }>("snapshot", { ...options });
    return data.snapshot;
  }

  async screenshot(options: { selector?: string; fullPage?: boolean; save?: string; silent?: boolean } = {}): Promise<unknown> {
    const { display, page: _, ...shot } = (await this.daemon.call("page.picture", { ...options, selector: options.selector && normal(options.selector, "screenshot") })) as
      { display?: unknown[]; page: unknown; dest: string; mimeType: string; bytes: number; width: number; height: number };
    for (const item of display ?? []) this.daemon.host.display(item);
    return shot;
  }

  async extract(format: "markdown" | "text" = "markdown"): Promise<unknown> {
    const html = await this.page.content();
    return ((await this.daemon.call("page.extract", { format, html, url: this.url() })) as { extracted: unknown }).extracted;
  }

  async click(selector: string, options: Timing = {}): Promise<void> {
    await this.on(selector, "click").click(options);
  }

  async dblclick(selector: string, options: Timing = {}): Promise<void> {
    await this.on(selector, "dblclick").dblclick(options);
  }

  async hover(selector: string, options: Timing = {}): Promise<void> {
    await this.on(selector, "hover").hover(options);
  }

  async focus(selector: string, options: Timing = {}): Promise<void> {
    await this.on(selector, "focus").focus(options);
  }

  async check(selector: string, options: Timing = {}): Promise<void> {
    await this.on(selector, "check").check(options);
  }

  async uncheck(selector: string, options: Timing = {}): Promise<void> {
    await this.on(selector, "uncheck").uncheck(options);
  }

  async type(selector: string, text: string, options: Timing & { delay?: number } = {}): Promise<void> {
    await this.on(selector, "type").type(text, { ...options, atCursor: true });
  }

  async fill(selector: string, value: string, options: Timing = {}): Promise<void> {
    await this.on(selector, "fill").fill(value, options);
  }

  async press(key: string, options: Timing & { selector?: string } = {}): Promise<void> {
    if (options.selector) return this.on(options.selector, "press").press(key, { ...options, atCursor: true });
    await this.page.keyboard.press(key);
  }

  async scroll(deltaX: number, deltaY: number): Promise<void> {
    await this.page.mouse.wheel(deltaX, deltaY);
  }

  async drag(from: string | Point, to: string | Point): Promise<void> {
    if (typeof from === "string") {
      const target = typeof to === "string" ? { target: normal(to, "drag") } : { at: `${to.x},${to.y}` };
      await this.daemon.command("drag", { source: normal(from, "drag"), ...target });
      return;
    }
    const end = typeof to === "string" ? await this.centre(to) : to;
    await this.page.mouse.dragAndDrop(from, end);
  }

  private async centre(selector: string): Promise<Point> {
    const box = await this.on(selector, "drag").boundingBox();
    if (!box) throw new Error(`drag: ${selector} has no box: it is not rendered`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  async waitFor(selector: string, options: Timing = {}): Promise<ElementHandle> {
    return (await this.page.waitForSelector(selector, options)) as ElementHandle;
  }

  async waitForSelector(selector: string, options: Timing & { visible?: boolean; hidden?: boolean } = {}): Promise<ElementHandle | null> {
    return this.page.waitForSelector(selector, options);
  }

  // waitForResponse takes part of an address, a regular expression, or a function of the response.
  async waitForResponse(pattern: string | RegExp | ((response: Response) => unknown), options: Timing = {}): Promise<Response> {
    return this.page.waitForResponse(typeof pattern === "string" ? (response: Response) => response.url().includes(pattern) : pattern, options);
  }

  async waitForNavigation(options: Timing & { waitUntil?: string } = {}): Promise<unknown> {
    return this.page.waitForNavigation(options);
  }

  async waitForDownload(options: Timing & { path?: string } = {}): Promise<string> {
    const data = await this.daemon.command<{ path?: string }>("wait", { download: options.path ?? "" }, { timeout: options.timeout });
    return data.path ?? "";
  }

  async waitForText(text: string, options: Timing = {}): Promise<void> {
    await this.daemon.command("wait", { text }, { timeout: options.timeout });
  }

  async waitForUrl(pattern: Pattern, options: Timing = {}): Promise<string> {
    return this.page.awaitURL(pattern, options, "waitForUrl");
  }

  evaluate(code: string | ((...args: never[]) => unknown), ...args: unknown[]): Promise<unknown> {
    if (isText(code, args)) return evaluateText(this.page, code, "tab.evaluate");
    return this.page.evaluate(code, ...args).catch((error: unknown) => {
      throw renamed(error, "tab.evaluate");
    });
  }

  async scrollIntoView(selector: string): Promise<void> {
    await this.page.$eval(selector, "(element) => element.scrollIntoView({behavior: 'instant', block: 'center', inline: 'center'})");
  }

  async select(selector: string, ...values: string[]): Promise<string[]> {
    return this.on(selector, "select").selectOption(values);
  }

  async uploadFile(selector: string, ...paths: string[]): Promise<void> {
    if (paths.length === 0) throw new TypeError("uploadFile needs at least one path");
    await this.on(selector, "uploadFile").setInputFiles(paths);
  }

  async text(selector: string): Promise<string> {
    return this.on(selector, "text").innerText();
  }

  async html(selector: string): Promise<string> {
    return this.on(selector, "html").innerHTML();
  }

  async value(selector: string): Promise<string> {
    return this.on(selector, "value").inputValue();
  }

  async attr(selector: string, name: string): Promise<string | null> {
    return this.on(selector, "attr").getAttribute(name);
  }

  async count(selector: string): Promise<number> {
    return (await this.page.find(normal(selector, "count"))).length;
  }

  async box(selector: string): Promise<unknown> {
    return this.on(selector, "box").boundingBox();
  }

  async styles(selector: string): Promise<unknown> {
    return (await this.daemon.command<{ styles?: unknown; elements?: unknown }>("get styles", { selector: normal(selector, "styles") })).styles;
  }

  async isEnabled(selector: string): Promise<boolean> {
    return this.on(selector, "isEnabled").isEnabled();
  }

  async isChecked(selector: string): Promise<boolean> {
    return this.on(selector, "isChecked").isChecked();
  }

  async keyDown(key: string): Promise<void> {
    await this.page.keyboard.down(key);
  }

  async keyUp(key: string): Promise<void> {
    await this.page.keyboard.up(key);
  }

  async clickAt(x: number, y: number): Promise<void> {
    await this.page.mouse.click(x, y);
  }

  async pushState(url: string): Promise<void> {
    await this.daemon.command("pushstate", { url });
  }

  frames(): unknown[] {
    return this.page.frames();
  }

  frame(which: string): unknown {
    return this.page.frame(which);
  }

  async dialog(): Promise<unknown> {
    return this.daemon.command("dialog status");
  }

  async handleDialog(answer: "accept" | "dismiss", text?: string): Promise<void> {
    await this.daemon.command(`dialog ${answer}`, { text: text === undefined ? undefined : [text] });
  }

  async cookies(): Promise<unknown[]> {
    return this.page.cookies();
  }

  async setCookies(...cookies: object[]): Promise<void> {
    await this.page.setCookie(...cookies.flat());
  }

  async clearCookies(): Promise<void> {
    await this.page.context().clearCookies();
  }

  async storage(kind: "local" | "session" = "local"): Promise<unknown> {
    return this.page.evaluate("(kind) => Object.fromEntries(Object.entries(kind === 'local' ? localStorage : sessionStorage))", kind);
  }

  async readClipboard(): Promise<string> {
    return (await this.daemon.command<{ text: string }>("clipboard read")).text;
  }

  async writeClipboard(text: string): Promise<void> {
    await this.daemon.command("clipboard write", { text: [text] });
  }

  async console(): Promise<unknown> {
    return (await this.daemon.command<{ messages: unknown }>("console")).messages;
  }

  async errors(): Promise<unknown> {
    return (await this.daemon.command<{ errors: unknown }>("errors")).errors;
  }

  async requests(): Promise<unknown> {
    return (await this.daemon.command<{ requests: unknown }>("network requests")).requests;
  }

  async downloads(): Promise<unknown> {
    return (await this.daemon.command<{ downloads: unknown }>("downloads")).downloads;
  }

  async route(pattern: Pattern, handler: RouteHandler): Promise<void> {
    await this.page.route(pattern, handler);
  }

  async unroute(pattern: Pattern): Promise<void> {
    await this.page.unroute(pattern);
  }

  async a11y(): Promise<unknown> {
    return this.daemon.command("a11y", {});
  }

  async vitals(): Promise<unknown> {
    return this.daemon.command("vitals", {});
  }

  async isVisible(selector: string): Promise<boolean> {
    return this.on(selector, "isVisible").isVisible();
  }

  async pdf(options: { path?: string } = {}): Promise<Bytes> {
    return this.page.pdf(options);
  }
}

known(Tab, "tab");
called(Tab, "tab", ["evaluate"]); // code makes thousands of calls of it
