// The page: a tab, with Playwright's and Puppeteer's methods.

import { called } from "./called";
import { Accessibility } from "./accessibility";
import { type Bytes, bytesOf, encoded } from "./bytes";
import { expose } from "./binding";
import { CDPSession } from "./cdp";
import type { Clock } from "./clock";
import type { Context, HAROptions, Target } from "./context";
import * as emulation from "./emulation";
import { Emitter, type Change, type Events, mixin, type Source } from "./events";
import { Frame } from "./frame";
import { LocatorHandlers } from "./handlers";
import { Daemon, defaultTimeout, type FrameInfo, type Size, type Timing } from "./host";
import type { Locator } from "./locator";
import type { Shot } from "./looks";
import { outlined, type OutlineOptions } from "./outline";
import { Keyboard, Mouse, Touchscreen } from "./input";
import { known } from "./known";
import { ConsoleMessage, Dialog, Download, type Entry, errorOf, FileChooser, Request, Response } from "./messages";
import { paper } from "./paper";
import { matcher, type Pattern } from "./pattern";
import type { APIRequestContext } from "./request";
import { type RouteHandler, Router } from "./route";
import { WebStorage } from "./storage";
import { sourceOf } from "./values";
import { pass } from "./values";
import { Sockets } from "./socket";
import { type Worker, Workers } from "./worker";

export interface LoadOptions extends Timing {
  waitUntil?: string | string[];
}

// Logged is an entry that the browser wrote to the console.
interface Logged {
  tab: string;
  entry: { level: string; text: string; url?: string; line?: number };
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
  readonly accessibility: Accessibility;
  readonly localStorage = new WebStorage(this, "localStorage");
  readonly sessionStorage = new WebStorage(this, "sessionStorage");
  readonly emitter: Emitter;
  readonly events: Record<string, Source>;
  router: Router;
  readonly handlers = new LocatorHandlers(this);
  workersOf = new Workers(this);
  socketsOf = new Sockets(this);
  private readonly all = new Map<string, Frame>();
  private opened: Page | null = null;

  constructor(private readonly owner: Context, readonly tabId: string) {
    super(new Daemon(owner.host, tabId, owner.known), undefined);
    const { daemon } = this;
    this.events = this.sources();
    this.emitter = new Emitter(owner.hub, "page", this.events, (change) =>
      change.type === "tab_opened" || change.targetId === tabId || (change.targetId === undefined && change.type !== "tab_opened"));
    this.keyboard = new Keyboard(daemon);
    this.mouse = new Mouse(daemon);
    this.touchscreen = new Touchscreen(daemon);
    this.accessibility = new Accessibility(this);
    this.router = new Router(this);
    if (owner.host.config.workers) this.workersOf.listen();
  }

  // renew makes the page ready for another call.
  renew(): void {
    this.router = new Router(this);
    this.workersOf = new Workers(this);
    this.socketsOf = new Sockets(this);
    if (this.emitter.count("websocket") > 0) this.socketsOf.listen();
    if (this.owner.host.config.workers || ["worker", "workercreated", "workerdestroyed"].some((event) => this.emitter.count(event) > 0)) this.workersOf.listen();
  }

  override page(): Page {
    return this;
  }

  isClosed(): boolean {
    return this.daemon.state.closed === true || !this.owner.known.tabs.some((tab) => tab.id === this.tabId);
  }

  context(): Context {
    return this.owner;
  }

  browserContext(): Context {
    return this.owner;
  }

  target(): Target {
    return this.owner.target(this.tabId);
  }

  get request(): APIRequestContext {
    return this.owner.request;
  }

  get clock(): Clock {
    return this.owner.clock;
  }

  browser(): unknown {
    return this.owner.browser();
  }

  async opener(): Promise<Page | null> {
    const id = this.owner.known.tabs.find((tab) => tab.id === this.tabId)?.opener;
    return id ? this.owner.page(id) : this.opened;
  }

  // --- frames ---

  mainFrame(): Frame {
    return this;
  }

  frames(): Frame[] {
    return [this, ...this.infos().filter((info) => info.parent).map((info) => this.frameOf(info.id) as Frame)];
  }

  infos(): FrameInfo[] {
    return this.owner.known.frames.get(this.tabId) ?? [];
  }

  // frameOf is the frame with an id; undefined for none.
  frameOf(id: string | undefined): Frame | undefined {
    if (id === undefined) return undefined;
    const info = this.infos().find((frame) => frame.id === id);
    if (id === this.tabId || (info && !info.parent)) return this;
    const have = this.all.get(id);
    if (have) return have;
    if (!info) return undefined;
    const made = new Frame(this.daemon, id, this);
    this.all.set(id, made);
    return made;
  }

  frame(which: string | { name?: string; url?: Pattern }): Frame | null {
    const { name, url } = typeof which === "string" ? { name: which, url: undefined } : which;
    return this.frames().find((frame) => (name !== undefined ? frame.name() === name : matcher(url as Pattern, "frame", this.url())(frame.url()) === true)) ?? null;
  }

  async waitForFrame(which: string | ((frame: Frame) => unknown), options: Timing = {}): Promise<Frame> {
    const wanted = typeof which === "function" ? which : (frame: Frame) => frame.url() === which || frame.name() === which;
    return this.until(async () => {
      for (const frame of this.frames()) if (await wanted(frame)) return frame;
      await this.daemon.call("page.state", {});
      return undefined;
    }, options, "waitForFrame: there was no such frame");
  }

  workers(): Worker[] {
    return this.workersOf.list();
  }

  // --- loading ---

  async goto(url: string, options: LoadOptions & { referer?: string } = {}): Promise<Response | null> {
    if (typeof url !== "string") throw new TypeError("goto needs an address as text");
    return this.load("open", { url: this.owner.absolute(url) }, options);
  }

  async reload(options: LoadOptions = {}): Promise<Response | null> {
    return this.load("reload", {}, options);
  }

  async goBack(options: LoadOptions = {}): Promise<Response | null> {
    return this.load("back", {}, options);
  }

  async goForward(options: LoadOptions = {}): Promise<Response | null> {
    return this.load("forward", {}, options);
  }

  private async load(command: string, values: { url?: string }, options: LoadOptions): Promise<Response | null> {
    const states = [options.waitUntil ?? "load"].flat();
    for (const state of states) if (!loadStates.includes(state)) throw new TypeError(`waitUntil: ${JSON.stringify(state)} is not one of: ${loadStates.join(", ")}`);
    const until = states.every((state) => state === "commit" || state === "domcontentloaded") ? (states.includes("domcontentloaded") ? "domcontentloaded" : "commit") : "load";
    const answer = (await this.daemon.call("page.load", { command, values, until, timeout: this.loadTimeout(options) })) as { response?: Entry };
    if (states.some((state) => state.startsWith("networkidle"))) await this.waitForLoadState("networkidle", options);
    return answer.response ? this.responseOf(answer.response) : null;
  }

  loadTimeout(options: Timing): number | undefined {
    return options.timeout ?? this.daemon.defaults.navigation ?? this.daemon.defaults.action;
  }

  private responseOf(entry: Entry): Response {
    return new Response(this.requestOf(entry));
  }

  private requestOf(entry: Entry): Request {
    const id = entry.requestId ?? "";
    const now = this.router.changed(id, entry);
    const steps = now.redirects?.length ?? 0;
    const have = this.requests.get(id);
    if (have && (have.entry.redirects?.length ?? 0) === steps) {
      have.entry = { ...now, status: now.status ?? have.entry.status ?? 0 };
      return have;
    }
    const made = new Request(this, id, now);
    this.keep(made);
    return made;
  }

  private readonly requests = new Map<string, Request>(); // of Puppeteer's code, by their ids

  // keep makes a request the one that later events of it have, too: in Puppeteer it learns of its response.
  keep(request: Request): void {
    if (!this.daemon.host.config.puppeteer || request.id === "") return;
    if (this.requests.size >= maxRequests) this.requests.clear();
    this.requests.set(request.id, request);
  }

  // follow tells a request that code has of its response or failure.
  private follow(change: Change): undefined {
    if (change.request && this.requests.has(change.request.requestId ?? "")) this.requestOf(change.request);
  }

  // entry is a request as it is recorded now.
  async entry(id: string): Promise<Entry> {
    return this.router.changed(id, ((await this.daemon.call("page.request", { id })) as { request: Entry }).request);
  }

  setDefaultTimeout(milliseconds: number): void {
    this.daemon.defaults.action = milliseconds;
  }

  setDefaultNavigationTimeout(milliseconds: number): void {
    this.daemon.defaults.navigation = milliseconds;
  }

  getDefaultTimeout(): number {
    return this.daemon.defaults.action ?? defaultTimeout;
  }

  getDefaultNavigationTimeout(): number {
    return this.daemon.defaults.navigation ?? this.getDefaultTimeout();
  }

  async waitForNavigation(options: LoadOptions & { url?: Pattern } = {}): Promise<Response | null> {
    const before = this.daemon.state.loader;
    const wanted = options.url === undefined ? () => true : (value: unknown) => matcher(options.url as Pattern, "waitForNavigation", this.url())((value as Frame).url());
    const timeout = this.loadTimeout(options);
    const timing = { timeout, signal: options.signal };
    await this.emitter.next("framenavigated", (value) => value === this && wanted(value), this.limit(timing), "waitForNavigation", options.signal);
    const states = [options.waitUntil ?? "load"].flat();
    if (!states.includes("commit")) await this.waitForLoadState(states.length > 1 ? "load" : states[0], timing);
    if (states.length > 1 && states.some((state) => state.startsWith("networkidle"))) await this.waitForLoadState("networkidle", timing);
    const loader = this.daemon.state.loader;
    if (!loader || loader === before) return null; // within the document
    const entry = await this.entry(loader).catch(() => undefined);
    return entry ? this.responseOf(entry) : null;
  }

  async waitForNetworkIdle(options: Timing & { idleTime?: number; concurrency?: number } = {}): Promise<void> {
    await this.daemon.call("page.idle", { idle: options.idleTime ?? 500, connections: options.concurrency ?? 0, timeout: this.daemon.timeout(options) }, options.signal);
  }

  // --- pictures ---

  async screenshot(options: { encoding?: string } & Omit<Shot, "on"> & Timing = {}): Promise<Bytes | string> {
    return encoded(await this.capture(options), options.encoding);
  }

  async pdf(options: { path?: string } & Record<string, unknown> = {}): Promise<Bytes> {
    const answer = (await this.daemon.call("page.pdf", { path: options.path, options: paper(options) })) as { data: string };
    return bytesOf(answer.data);
  }

  // --- the tab ---

  viewport(): Size | null {
    return this.daemon.host.config.viewport ?? null;
  }

  viewportSize(): { width: number; height: number } | null {
    const size = this.viewport();
    return size && { width: size.width, height: size.height };
  }

  async bringToFront(): Promise<void> {
    await this.daemon.command("cdp", { method: "Page.bringToFront" });
  }

  async ariaSnapshot(options: OutlineOptions = {}): Promise<string> {
    return (await this.daemon.command<{ snapshot: string }>("snapshot", outlined(options), options)).snapshot;
  }

  // consoleMessages are those that usher keeps of the tab, oldest first, and pageErrors its uncaught errors.
  async consoleMessages(): Promise<ConsoleMessage[]> {
    const { messages } = await this.daemon.command<{ messages: NonNullable<Change["message"]>[] }>("console");
    return messages.map((message) => new ConsoleMessage(this, { message }));
  }

  async pageErrors(): Promise<Error[]> {
    const { errors } = await this.daemon.command<{ errors: NonNullable<Change["thrown"]>[] }>("errors");
    return errors.map((thrown) => errorOf({ thrown }));
  }

  // close with runBeforeUnload asks the page, whose handler may open a dialog, and does not wait until it has closed.
  async close(options: { runBeforeUnload?: boolean } = {}): Promise<void> {
    if (this.isClosed()) return;
    if (options.runBeforeUnload) await this.daemon.command("cdp", { method: "Page.close" });
    else await this.daemon.command("tab close", { tab: this.tabId });
  }

  async pause(): Promise<void> {
    throw new Error("pause has nobody to wait for: the code runs without a debugger");
  }

  // --- events ---

  private sources(): Record<string, Source> {
    const request = (change: Change): Request | undefined => (change.request && !this.hides(change.request.url) ? this.requestOf(change.request) : undefined);
    return {
      dialog: { kinds: ["dialog_opened"], make: (change) => new Dialog(this, change) },
      console: { kinds: ["console_message"], make: (change) => new ConsoleMessage(this, change), begin: () => this.listenToLog() },
      pageerror: { kinds: ["error_thrown"], make: errorOf },
      error: { kinds: ["tab_crashed"], make: () => new Error("The page crashed") },
      request: {
        kinds: this.daemon.host.config.puppeteer ? ["request_sent", "request_answered", "request_failed"] : ["request_sent"],
        make: (change) => (change.type === "request_sent" ? (this.router.intercepts ? undefined : request(change)) : this.follow(change)),
      },
      response: { kinds: ["request_answered"], make: (change) => (change.request && !this.hides(change.request.url) ? this.responseOf(change.request) : undefined) },
      requestfinished: { kinds: ["request_answered"], make: request },
      requestfailed: { kinds: ["request_failed"], make: request },
      popup: { kinds: ["tab_opened"], make: (change) => this.popup(change) },
      download: { kinds: ["download_started"], make: (change) => new Download(this, change) },
      filechooser: { kinds: ["interruption_opened"], make: (change) => (change.chooser ? new FileChooser(this, change.id ?? "", change.chooser.multiple) : undefined) },
      framenavigated: { kinds: ["frame_navigated", "tab_navigated"], make: (change) => (change.type === "tab_navigated" ? this : this.frameOf(change.frameId)) },
      frameattached: { kinds: ["frame_attached"], make: (change) => this.frameOf(change.frameId) },
      framedetached: { kinds: ["frame_detached"], make: (change) => this.all.get(change.frameId ?? "") },
      load: { kinds: ["load_state"], make: (change) => (change.detail === "load" && this.frameOf(change.frameId) === this ? this : undefined) },
      domcontentloaded: { kinds: ["load_state"], make: (change) => (change.detail?.toLowerCase() === "domcontentloaded" && this.frameOf(change.frameId) === this ? this : undefined) },
      ...Object.fromEntries(["worker", "workercreated", "workerdestroyed"].map((event) => [event, { kinds: [], make: () => undefined, begin: () => this.workersOf.listen() }])),
      websocket: { kinds: [], make: () => undefined, begin: () => this.socketsOf.listen() },
      close: { kinds: ["tab_closed"], make: () => this },
      crash: { kinds: ["tab_crashed"], make: () => this },
    };
  }

  // hides reports whether code does not see requests to an address: the icon of the page, which Playwright leaves out.
  hides(url: string | undefined): boolean {
    return !this.daemon.host.config.puppeteer && url?.endsWith("/favicon.ico") === true;
  }

  // listenToLog makes what the browser writes to the console an event, as what the page does.
  private listenToLog(): void {
    const context = this.owner;
    context.hub.handle<Logged>("logged", ({ tab, entry: { level: type, ...at } }) => {
      const page = context.page(tab);
      const message = new ConsoleMessage(page, { seq: 0, type: "console_message", message: { type, args: [], ...at } });
      for (const emitter of [page.emitter, context.emitter]) emitter.emit("console", message);
    });
    context.hub.listenToLog(this.tabId);
  }

  private popup(change: Change): Page | undefined {
    const info = this.owner.known.tabs.find((tab) => tab.id === change.targetId);
    if (!info || info.opener !== this.tabId) return undefined;
    const page = this.owner.page(info.id);
    page.opened = this;
    return page;
  }

  // waitForEvent accepts Playwright's predicate or {predicate, timeout}.
  async waitForEvent(event: string, options: ((value: never) => unknown) | (Timing & { predicate?: (value: never) => unknown }) = {}): Promise<unknown> {
    const { predicate, ...timing } = typeof options === "function" ? { predicate: options } : options;
    return this.next(event, (predicate ?? (() => true)) as (value: unknown) => unknown, timing, `waitForEvent(${JSON.stringify(event)})`);
  }

  private async next(event: string, wanted: (value: unknown) => unknown, timing: Timing, what: string): Promise<unknown> {
    const timeout = this.daemon.timeout(timing);
    return this.emitter.next(event, wanted, this.limit(timeout === undefined ? {} : { timeout }), what, timing.signal);
  }

  async waitForResponse(pattern: Pattern | ((response: Response) => unknown), options: Timing = {}): Promise<Response> {
    return (await this.next("response", byURL(pattern as Pattern, "waitForResponse", this.url()), options, `waitForResponse(${String(pattern)})`)) as Response;
  }

  async waitForRequest(pattern: Pattern | ((request: Request) => unknown), options: Timing = {}): Promise<Request> {
    return (await this.next("request", byURL(pattern as Pattern, "waitForRequest", this.url()), options, `waitForRequest(${String(pattern)})`)) as Request;
  }

  async waitForFileChooser(options: Timing = {}): Promise<FileChooser> {
    return (await this.next("filechooser", () => true, options, "waitForFileChooser")) as FileChooser;
  }

  async waitForPopup(options: Timing = {}): Promise<Page> {
    return (await this.next("popup", () => true, options, "waitForPopup")) as Page;
  }

  // --- requests ---

  async route(pattern: Pattern, handler: RouteHandler, options: { times?: number } = {}): Promise<void> {
    await this.router.add(pattern, handler, options.times);
  }

  async unroute(pattern: Pattern, handler?: RouteHandler): Promise<void> {
    await this.router.remove((route) => String(route.pattern) === String(pattern) && (!handler || route.handler === handler));
  }

  async unrouteAll(): Promise<void> {
    await this.router.remove(() => true);
    await this.owner.unrouteHARs();
  }

  async routeFromHAR(har: string, options: HAROptions = {}): Promise<void> {
    await this.owner.routeFromHAR(har, options);
  }

  async setRequestInterception(on: boolean): Promise<void> {
    await this.router.intercept(on);
  }

  async setExtraHTTPHeaders(headers: Record<string, string>): Promise<void> {
    await this.daemon.command("set headers", { object: JSON.stringify(headers) });
  }

  // --- what comes in the way ---

  async addLocatorHandler(locator: Locator, handler: (locator: Locator) => unknown, options: { times?: number; noWaitAfter?: boolean } = {}): Promise<void> {
    this.handlers.add(locator, handler, options);
  }

  async removeLocatorHandler(locator: Locator): Promise<void> {
    this.handlers.remove(locator);
  }

  // --- scripts ---

  async exposeFunction(name: string, handler: (...args: never[]) => unknown): Promise<void> {
    await expose(this, name, (_, ...args) => (handler as (...all: unknown[]) => unknown)(...args));
  }

  async exposeBinding(name: string, handler: (source: never, ...args: never[]) => unknown): Promise<void> {
    await expose(this, name, handler as (...all: unknown[]) => unknown);
  }

  async addInitScript(script: unknown, ...args: unknown[]): Promise<void> {
    await this.evaluateOnNewDocument(script, ...args);
  }

  async evaluateOnNewDocument(script: unknown, ...args: unknown[]): Promise<{ identifier: string }> {
    let text: string;
    if (typeof script === "function") text = `(${sourceOf(script, "addInitScript").source})(...${pass(args).args})`;
    else if (typeof script === "string") text = script;
    else if (typeof (script as { content?: unknown })?.content === "string") text = (script as { content: string }).content;
    else throw new TypeError("addInitScript needs a function, a text or {content}");
    const data = await this.daemon.command<{ identifier?: string; id?: string }>("addinitscript", { script: [text] });
    return { identifier: data.identifier ?? data.id ?? "" };
  }

  async removeScriptToEvaluateOnNewDocument(identifier: string): Promise<void> {
    await this.daemon.command("removeinitscript", { id: identifier });
  }

  async createCDPSession(): Promise<CDPSession> {
    return CDPSession.open(this);
  }

  async requestGC(): Promise<void> {
    await this.daemon.command("cdp", { method: "HeapProfiler.collectGarbage" });
  }

  async metrics(): Promise<Record<string, number>> {
    const session = await this.createCDPSession();
    await session.send("Performance.enable");
    const { metrics } = (await session.send("Performance.getMetrics")) as { metrics: { name: string; value: number }[] };
    await session.detach();
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  }

  async cookies(...urls: string[]): Promise<unknown[]> {
    return this.owner.cookies(urls.length > 0 ? urls : [this.url()]);
  }

  async setCookie(...cookies: object[]): Promise<void> {
    await this.owner.addCookies(cookies as never[], this);
  }

  async deleteCookie(...cookies: { name: string; url?: string; domain?: string; path?: string }[]): Promise<void> {
    for (const { name, url, domain, path } of cookies) await this.daemon.command("cookies delete", { name, url, domain, path });
  }

  // --- emulation ---

  async setViewport(size: Size): Promise<void> {
    await emulation.viewport(this, size);
  }

  async setViewportSize(size: { width: number; height: number }): Promise<void> {
    await emulation.viewport(this, { ...this.viewport(), ...size });
  }

  async setUserAgent(agent: string | { userAgent: string }): Promise<void> {
    await emulation.userAgent(this, agent);
  }

  async emulate(device: { userAgent: string; viewport: Size }): Promise<void> {
    await emulation.viewport(this, device.viewport);
    await emulation.userAgent(this, device.userAgent);
  }

  async emulateMedia(options: emulation.Media): Promise<void> {
    await emulation.media(this, options);
  }

  async emulateMediaType(type?: string): Promise<void> {
    await emulation.media(this, { media: type ?? null });
  }

  async emulateMediaFeatures(features: { name: string; value: string }[] | null): Promise<void> {
    await emulation.mediaFeatures(this, features);
  }

  async emulateTimezone(zone?: string): Promise<void> {
    await this.daemon.command("set timezone", { name: zone ?? "default" });
  }

  async setGeolocation(position: emulation.Position): Promise<void> {
    await emulation.geolocation(this, position);
  }

  async setOfflineMode(on: boolean): Promise<void> {
    await this.daemon.command("set offline", { switch: on ? "on" : "off" });
  }

  async authenticate(credentials: { username: string; password: string } | null): Promise<void> {
    await emulation.credentials(this, credentials);
  }

  // emulateNetworkConditions takes bytes a second, and milliseconds of latency; null ends it.
  async emulateNetworkConditions(conditions: { download?: number; upload?: number; latency?: number; offline?: boolean } | null): Promise<void> {
    const { download = -1, upload = -1, latency = 0, offline = false } = conditions ?? {};
    await this.daemon.command("cdp", { method: "Network.emulateNetworkConditions", params: JSON.stringify({ offline, latency, downloadThroughput: download, uploadThroughput: upload }) });
  }

  async emulateVisionDeficiency(type?: string): Promise<void> {
    await this.daemon.command("cdp", { method: "Emulation.setEmulatedVisionDeficiency", params: JSON.stringify({ type: type ?? "none" }) });
  }

  private scripts = true; // are enabled

  isJavaScriptEnabled(): boolean {
    return this.scripts;
  }

  async setJavaScriptEnabled(on: boolean): Promise<void> {
    this.scripts = on;
    await this.daemon.command("cdp", { method: "Emulation.setScriptExecutionDisabled", params: JSON.stringify({ value: !on }) });
  }

  async setBypassCSP(on: boolean): Promise<void> {
    await this.daemon.command("cdp", { method: "Page.setBypassCSP", params: JSON.stringify({ enabled: on }) });
  }

  private passesServiceWorker = false;

  isServiceWorkerBypassed(): boolean {
    return this.passesServiceWorker;
  }

  async setBypassServiceWorker(on: boolean): Promise<void> {
    this.passesServiceWorker = on;
    await this.daemon.command("cdp", { method: "Network.setBypassServiceWorker", params: JSON.stringify({ bypass: on }) });
  }

  async setCacheEnabled(on = true): Promise<void> {
    await this.daemon.command("cdp", { method: "Network.setCacheDisabled", params: JSON.stringify({ cacheDisabled: !on }) });
  }

  async emulateCPUThrottling(factor: number | null): Promise<void> {
    await this.daemon.command("cdp", { method: "Emulation.setCPUThrottlingRate", params: JSON.stringify({ rate: factor ?? 1 }) });
  }
}

// maxRequests is how many requests are remembered.
const maxRequests = 2000;

const loadStates = ["load", "domcontentloaded", "networkidle", "networkidle0", "networkidle2", "commit"];

function byURL(pattern: Pattern, method: string, base: string): (value: unknown) => unknown {
  if (typeof pattern === "function") return pattern as unknown as (value: unknown) => unknown;
  const wanted = matcher(pattern, method, base);
  return (value) => wanted((value as Request).url());
}

mixin(Page);

export interface Page extends Pick<Events, "on" | "once" | "off" | "addListener" | "removeListener" | "removeAllListeners" | "emit" | "listenerCount"> {}

known(Page, "page");
called(Page, "page", ["frameOf", "infos", "loadTimeout", "entry"]);
