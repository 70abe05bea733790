// The page: a tab, with Playwright's and Puppeteer's methods.

import type { Bytes } from "./bytes";
import { bytesOf } from "./bytes";
import { Frame } from "./frame";
import { Daemon, type Timing } from "./host";
import { Keyboard, Mouse, Touchscreen } from "./input";
import { Emitter, type Change, type Handler, type Hub, type Source } from "./events";
import { known } from "./known";
import { ConsoleMessage, dialogOf, Download, Request, requestOf, type Response, responseOf } from "./messages";
import { matcher, type Pattern } from "./pattern";

interface LoadOptions extends Timing {
  waitUntil?: string | string[];
}

export interface Opened {
  url?: string;
  title?: string;
  status?: number;
}

export class Page extends Frame {
  readonly keyboard: Keyboard;
  readonly mouse: Mouse;
  readonly touchscreen: Touchscreen;
  private size: { width: number; height: number; deviceScaleFactor?: number } | null = null;

  private readonly emitter: Emitter;

  constructor(daemon: Daemon, private readonly hub: Hub, tab: string) {
    super(daemon, undefined);
    this.emitter = new Emitter(hub, this.sources(), (change) => change.type === "tab_opened" || change.targetId === undefined || change.targetId === tab);
    this.keyboard = new Keyboard(daemon);
    this.mouse = new Mouse(daemon);
    this.touchscreen = new Touchscreen(daemon);
  }

  isClosed(): boolean {
    return this.daemon.state.closed === true;
  }

  mainFrame(): Frame {
    return this;
  }

  async goto(url: string, options: LoadOptions = {}): Promise<unknown> {
    if (typeof url !== "string") throw new TypeError("goto needs an address as text");
    const data = await this.daemon.command<Opened>("open", { url }, { timeout: options.timeout, waits: true });
    await this.settle(options);
    return data;
  }

  private async settle(options: LoadOptions): Promise<void> {
    const list = [options.waitUntil].flat();
    if (list.some((state) => state?.startsWith("networkidle"))) await this.waitForLoadState("networkidle", options);
  }

  async reload(options: LoadOptions = {}): Promise<unknown> {
    const data = await this.daemon.command("reload", {}, { timeout: options.timeout, waits: true });
    await this.settle(options);
    return data;
  }

  async goBack(options: LoadOptions = {}): Promise<unknown> {
    return this.daemon.command("back", {}, { timeout: options.timeout, waits: true });
  }

  async goForward(options: LoadOptions = {}): Promise<unknown> {
    return this.daemon.command("forward", {}, { timeout: options.timeout, waits: true });
  }

  async screenshot(options: { path?: string; type?: string; quality?: number; fullPage?: boolean; encoding?: string } = {}): Promise<Bytes | string> {
    const bytes = await this.capture(options);
    return options.encoding === "base64" ? (bytes as unknown as { toString(encoding: string): string }).toString("base64") : bytes;
  }

  async pdf(options: { path?: string } = {}): Promise<Bytes> {
    const answer = (await this.daemon.call("page.pdf", { path: options.path })) as { data: string };
    return bytesOf(answer.data);
  }

  async setViewport(size: { width: number; height: number; deviceScaleFactor?: number }): Promise<void> {
    await this.daemon.command("set viewport", { width: String(size.width), height: size.height, scale: size.deviceScaleFactor });
    this.size = { ...size };
  }

  async setViewportSize(size: { width: number; height: number }): Promise<void> {
    await this.setViewport(size);
  }

  viewport(): { width: number; height: number; deviceScaleFactor?: number } | null {
    return this.size;
  }

  viewportSize(): { width: number; height: number } | null {
    return this.size && { width: this.size.width, height: this.size.height };
  }

  async bringToFront(): Promise<void> {
    await this.daemon.call("page.evaluate", { source: "0", function: false, args: "[]", handles: [] });
  }

  async close(): Promise<void> {
    await this.daemon.command("tab close", {});
  }

  // --- events ---

  private sources(): Record<string, Source> {
    const { daemon } = this;
    return {
      dialog: { kinds: ["dialog_opened"], make: (change) => dialogOf(daemon, change) },
      console: { kinds: ["console_message"], make: (change) => new ConsoleMessage(change) },
      pageerror: { kinds: ["error_thrown"], make: (change) => new Error(change.text ?? "") },
      request: { kinds: ["request_sent"], make: (change) => requestOf(daemon, change) },
      response: { kinds: ["request_answered"], make: (change) => responseOf(daemon, change) },
      requestfinished: { kinds: ["request_answered"], make: (change) => requestOf(daemon, change) },
      requestfailed: { kinds: ["request_failed"], make: (change) => requestOf(daemon, change) },
      popup: { kinds: ["tab_opened"], make: (change) => this.opened(change) },
      download: { kinds: ["download_started"], make: (change) => new Download(daemon, change) },
      framenavigated: { kinds: ["frame_navigated", "tab_navigated"], make: (change) => (change.type === "tab_navigated" ? this : new Frame(daemon, change.frameId, change.url)) },
      frameattached: { kinds: ["frame_attached"], make: (change) => new Frame(daemon, change.frameId, change.url) },
      framedetached: { kinds: ["frame_detached"], make: (change) => new Frame(daemon, change.frameId, change.url) },
      load: { kinds: ["load_state"], make: (change) => (change.detail === "load" ? this : undefined) },
      domcontentloaded: { kinds: ["load_state"], make: (change) => (change.detail?.toLowerCase() === "domcontentloaded" ? this : undefined) },
      close: { kinds: ["tab_closed"], make: () => this },
      crash: { kinds: ["tab_crashed"], make: () => this },
    };
  }

  private opened(change: Change): Page {
    const tab = change.targetId as string;
    return new Page(new Daemon(this.daemon.host, { url: change.url ?? "" }, tab), this.hub, tab);
  }

  on(event: string, handler: Handler): this {
    this.emitter.on(event, handler);
    return this;
  }

  addListener(event: string, handler: Handler): this {
    return this.on(event, handler);
  }

  once(event: string, handler: Handler): this {
    this.emitter.on(event, handler, true);
    return this;
  }

  off(event: string, handler?: Handler): this {
    this.emitter.off(event, handler);
    return this;
  }

  removeListener(event: string, handler?: Handler): this {
    return this.off(event, handler);
  }

  removeAllListeners(event?: string): this {
    this.emitter.clear(event);
    return this;
  }

  // waitForEvent accepts Playwright's predicate or {predicate, timeout}.
  async waitForEvent(event: string, options: ((value: never) => boolean | Promise<boolean>) | (Timing & { predicate?: (value: never) => boolean | Promise<boolean> }) = {}): Promise<unknown> {
    const { predicate, ...timing } = typeof options === "function" ? { predicate: options } : options;
    return this.next(event, (predicate ?? (() => true)) as (value: unknown) => boolean | Promise<boolean>, timing, `waitForEvent(${JSON.stringify(event)})`);
  }

  private next(event: string, wanted: (value: unknown) => boolean | Promise<boolean>, timing: Timing, what: string): Promise<unknown> {
    const limit = this.limit(timing);
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        this.emitter.off(event, handler);
        settle();
      };
      const handler = async (value: unknown): Promise<void> => {
        try {
          if (await wanted(value)) done(() => resolve(value));
        } catch (error) {
          done(() => reject(error));
        }
      };
      this.emitter.on(event, handler as Handler);
      setTimeout(() => done(() => reject(this.late(`${what}: there was none within ${limit} ms`))), limit);
    });
  }

  async waitForResponse(pattern: Pattern | ((response: Response) => boolean | Promise<boolean>), options: Timing = {}): Promise<Response> {
    const wanted = typeof pattern === "function"
      ? (pattern as (value: unknown) => boolean)
      : (value: unknown) => matcher(pattern, "waitForResponse")((value as Response).url());
    return (await this.next("response", wanted, options, `waitForResponse(${String(pattern)})`)) as Response;
  }

  async waitForRequest(pattern: Pattern | ((request: Request) => boolean | Promise<boolean>), options: Timing = {}): Promise<Request> {
    const wanted = typeof pattern === "function"
      ? (pattern as (value: unknown) => boolean)
      : (value: unknown) => matcher(pattern, "waitForRequest")((value as Request).url());
    return (await this.next("request", wanted, options, `waitForRequest(${String(pattern)})`)) as Request;
  }

  async waitForNavigation(options: LoadOptions & { url?: Pattern } = {}): Promise<void> {
    const wanted = options.url === undefined ? () => true : (value: unknown) => matcher(options.url as Pattern, "waitForNavigation")((value as Frame).url());
    await this.next("framenavigated", (value) => value === this && wanted(value), options, "waitForNavigation");
    await this.waitForLoadState(options.waitUntil === "domcontentloaded" ? "domcontentloaded" : "load", options);
    await this.settle(options);
  }

  async waitForNetworkIdle(options: Timing = {}): Promise<void> {
    await this.waitForLoadState("networkidle", options);
  }
}

known(Page, "page");
