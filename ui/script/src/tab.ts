// tab: the helpers of the tool browser, with short names and few options.

import type { Bytes } from "./bytes";
import type { Actions } from "./actions";
import { ElementHandle } from "./handle";
import type { Daemon, Timing } from "./host";
import { known } from "./known";
import { Locator } from "./locator";
import type { Opened, Page } from "./page";
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

  constructor(private readonly daemon: Daemon, readonly page: Page) {
    this.name = daemon.host.config.name;
  }

  private on(selector: string, method: string): Actions {
    return new Locator(this.page, normal(selector, method), false).act;
  }

  url(): string {
    return this.page.url();
  }

  async title(): Promise<string> {
    return this.page.title();
  }

  async goto(url: string, options: Timing & { waitUntil?: string } = {}): Promise<Opened> {
    this.observed = undefined;
    return (await this.page.goto(url, options)) as Opened;
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
    this.observed = seen.elements;
    return seen;
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
    const { display, ...shot } = (await this.daemon.call("page.picture", { ...options, selector: options.selector && normal(options.selector, "screenshot") })) as
      { display?: unknown[]; dest: string; mimeType: string; bytes: number; width: number; height: number };
    for (const item of display ?? []) this.daemon.host.display(item);
    return shot;
  }

  async extract(format: "markdown" | "text" = "markdown"): Promise<unknown> {
    return this.daemon.call("page.extract", { format });
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
    await this.on(selector, "type").type(text, options);
  }

  async fill(selector: string, value: string, options: Timing = {}): Promise<void> {
    await this.on(selector, "fill").fill(value, options);
  }

  async press(key: string, options: Timing & { selector?: string } = {}): Promise<void> {
    if (options.selector) return this.on(options.selector, "press").press(key, options);
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

  async waitForText(text: string, options: Timing = {}): Promise<void> {
    await this.daemon.command("wait", { text }, { timeout: options.timeout, waits: true });
  }

  async waitForUrl(pattern: Pattern, options: Timing = {}): Promise<string> {
    return this.page.awaitURL(pattern, options, "waitForUrl");
  }

  async evaluate(code: string | ((...args: never[]) => unknown), ...args: unknown[]): Promise<unknown> {
    return this.page.evaluate(code, ...args);
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

  async isVisible(selector: string): Promise<boolean> {
    return this.on(selector, "isVisible").isVisible();
  }

  async pdf(options: { path?: string } = {}): Promise<Bytes> {
    return this.page.pdf(options);
  }
}

known(Tab, "tab");
