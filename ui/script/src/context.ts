// The browser, as code sees it: the session's tabs, with their cookies and permissions.

import { called } from "./called";
import type { Handler as BindingHandler } from "./binding";
import { CDPSession } from "./cdp";
import { Clock } from "./clock";
import { type Change, Emitter, type Events, Hub, mixin, type Source } from "./events";
import { type Host, Known, TimeoutError, type TabInfo, type Timing } from "./host";
import { known } from "./known";
import { errorOf } from "./messages";
import { Page } from "./page";
import type { Pattern } from "./pattern";
import { APIRequestContext } from "./request";
import { unlessAborted } from "./signal";
import type { RouteHandler } from "./route";

interface Cookie {
  name: string;
  value: string;
  url?: string;
  domain?: string;
  path?: string;
  expires?: number;
  httpOnly?: boolean;
  secure?: boolean;
  sameSite?: string;
}

// pageEvents are the events of pages that the context has, too, and the changes that they are made of.
const pageEvents = {
  request: ["request_sent"], response: ["request_answered"], requestfailed: ["request_failed"], requestfinished: ["request_answered"], dialog: ["dialog_opened"],
};

export interface HAROptions {
  url?: string | RegExp;
  notFound?: string;
  update?: boolean;
}

export class Context {
  private readonly hars = new Set<string>();
  // What a page that the code opens gets before it is the code's.
  private routes: { pattern: Pattern; handler: RouteHandler; options: { times?: number } }[] = [];
  private readonly exposed = new Map<string, (page: Page) => Promise<void>>();
  private readonly timeouts: { action?: number; navigation?: number } = {};
  readonly known = new Known();
  readonly hub: Hub;
  readonly emitter: Emitter;
  readonly bindings = new Map<string, Map<string, BindingHandler>>();
  private readonly made = new Map<string, Page>();
  private readonly tabTargets = new Map<string, Target>();
  private readonly whole: Browser;
  readonly request = new APIRequestContext(this);
  readonly clock = new Clock(() => this.main.daemon);

  constructor(readonly host: Host) {
    this.known.take(host.config.target, host.config.page);
    this.hub = new Hub(host, this.known);
    this.emitter = new Emitter(this.hub, "the context", this.sources(), () => true);
    this.whole = new Browser(this);
  }

  // renew makes the context ready for another call: what the last one did to requests, its functions in pages and its CDP sessions ended with it.
  renew(): void {
    this.known.renew();
    this.known.take(this.host.config.target, this.host.config.page);
    this.bindings.clear();
    this.hars.clear();
    this.routes = [];
    this.exposed.clear();
    CDPSession.endAll();
    this.hub.renew();
    for (const page of this.made.values()) page.renew();
  }

  private sources(): Record<string, Source> {
    const page = (change: Change) => (change.targetId ? this.page(change.targetId) : undefined);
    const ofPages = Object.fromEntries(Object.entries(pageEvents).map(([event, kinds]) => [event, { kinds, make: (change: Change) => page(change)?.events[event]?.make(change) }]));
    const logs = () => this.pages().forEach((each) => each.events["console"]?.begin?.());
    return {
      ...ofPages,
      console: { kinds: ["console_message"], make: (change) => page(change)?.events["console"]?.make(change), begin: logs },
      weberror: { kinds: ["error_thrown"], make: (change) => ({ error: () => errorOf(change), page: () => page(change) ?? null }) },
      page: { kinds: ["tab_opened"], make: page },
      targetcreated: { kinds: ["tab_opened"], make: (change) => (change.targetId ? this.target(change.targetId) : undefined) },
      targetchanged: { kinds: ["tab_navigated"], make: (change) => (change.targetId ? this.target(change.targetId) : undefined) },
      targetdestroyed: { kinds: ["tab_closed"], make: (change) => (change.targetId ? this.target(change.targetId) : undefined) },
    };
  }

  // target is always the same object for one tab.
  target(id: string): Target {
    const target = this.tabTargets.get(id) ?? new Target(this, id);
    this.tabTargets.set(id, target);
    return target;
  }

  // page is the page of a tab: always the same object for one tab.
  page(target: string): Page {
    const have = this.made.get(target);
    if (have) return have;
    const page = new Page(this, target);
    this.made.set(target, page);
    if (this.timeouts.action !== undefined) page.setDefaultTimeout(this.timeouts.action);
    if (this.timeouts.navigation !== undefined) page.setDefaultNavigationTimeout(this.timeouts.navigation);
    if (this.emitter?.count("console") > 0) page.events["console"]?.begin?.();
    return page;
  }

  pages(): Page[] {
    return this.known.tabs.map((tab) => this.page(tab.id));
  }

  browser(): Browser {
    return this.whole;
  }

  targets(): Target[] {
    return this.known.tabs.map((tab) => this.target(tab.id));
  }

  absolute(url: string): string {
    return url;
  }

  // main is the page of the run, or another one if the code closed it.
  get main(): Page {
    const own = this.page(this.host.config.target);
    return own.isClosed() ? this.pages()[0] ?? own : own;
  }

  async newPage(): Promise<Page> {
    const data = await this.main.daemon.command<{ targetId?: string }>("tab new");
    const id = data.targetId ?? (this.known.tabs.at(-1) as TabInfo).id;
    const page = this.page(id);
    await page.daemon.call("page.state", {});
    for (const expose of this.exposed.values()) await expose(page);
    for (const { pattern, handler, options } of this.routes) await page.route(pattern, handler, options);
    return page;
  }

  async newCDPSession(page: Page): Promise<CDPSession> {
    return page.createCDPSession();
  }

  async waitForEvent(event: string, options: ((value: never) => unknown) | (Timing & { predicate?: (value: never) => unknown }) = {}): Promise<unknown> {
    const { predicate, timeout } = typeof options === "function" ? { predicate: options, timeout: undefined } : options;
    return this.emitter.next(event, (predicate ?? (() => true)) as (value: unknown) => unknown, this.main.limit(timeout === undefined ? {} : { timeout }), `waitForEvent(${JSON.stringify(event)})`);
  }

  async waitForTarget(wanted: (target: Target) => unknown, options: Timing = {}): Promise<Target> {
    return unlessAborted(options.signal, () => this.findTarget(wanted, options));
  }

  private async findTarget(wanted: (target: Target) => unknown, options: Timing): Promise<Target> {
    const limit = this.main.limit(options);
    const end = Date.now() + limit;
    for (;;) {
      for (const target of this.targets()) if (await wanted(target)) return target;
      options.signal?.throwIfAborted();
      if (Date.now() > end) throw new TimeoutError(`waitForTarget: Timeout ${limit}ms exceeded: there was none`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await this.main.daemon.call("page.state", {});
    }
  }

  // --- cookies and storage ---

  // cookies are those of the session, or those that these addresses get.
  async cookies(urls: string | string[] = []): Promise<Cookie[]> {
    const found = new Map<string, Cookie>();
    const list = [urls].flat();
    for (const url of list.length > 0 ? list : [undefined]) {
      const data = await this.main.daemon.command<{ cookies: Cookie[] }>("cookies get", url === undefined ? { all: true } : { url });
      for (const cookie of data.cookies) found.set(`${cookie.name};${cookie.domain};${cookie.path}`, cookieOf(cookie, this.host.config.puppeteer));
    }
    return [...found.values()];
  }

  async addCookies(cookies: Cookie[], page = this.main): Promise<void> {
    if (!Array.isArray(cookies)) throw new TypeError("addCookies needs a list of {name, value, url or domain and path}");
    for (const { name, value, url, domain, path, expires, httpOnly, secure, sameSite } of cookies) {
      await page.daemon.command("cookies set", {
        name, value, url, domain, path, "http-only": httpOnly || undefined, secure: secure || undefined, "same-site": sameSite,
        expires: expires === undefined || expires < 0 ? undefined : expires,
      });
    }
  }

  async setCookie(...cookies: Cookie[]): Promise<void> {
    await this.addCookies(cookies);
  }

  async clearCookies(only?: { name?: string | RegExp; domain?: string | RegExp; path?: string | RegExp }): Promise<void> {
    if (!only) return void (await this.main.daemon.command("cookies clear"));
    const is = (wanted: string | RegExp | undefined, have: string | undefined) => wanted === undefined || (wanted instanceof RegExp ? wanted.test(have ?? "") : wanted === have);
    const gone = (await this.cookies()).filter((cookie) => is(only.name, cookie.name) && is(only.domain, cookie.domain) && is(only.path, cookie.path));
    await this.deleteCookie(...gone);
  }

  async deleteCookie(...cookies: Cookie[]): Promise<void> {
    for (const { name, url, domain, path } of cookies) await this.main.daemon.command("cookies delete", { name, url, domain, path });
  }

  // storageState is the session's cookies and storage, in Playwright's form.
  async storageState(options: { path?: string } = {}): Promise<unknown> {
    const { state } = (await this.main.daemon.call("page.storageState", options)) as { state: { cookies?: Cookie[] } };
    return { ...state, cookies: (state.cookies ?? []).map((cookie) => ({ ...cookie, sameSite: cookie.sameSite ?? "Lax" })) };
  }

  // --- permissions and emulation: for every page ---

  async grantPermissions(permissions: string[]): Promise<void> {
    await this.main.daemon.command("set permissions", { policies: permissions.map((name) => `${name}=allow`) });
  }

  // overridePermissions is Puppeteer's: what is not listed is denied.
  async overridePermissions(_origin: string, permissions: string[]): Promise<void> {
    await this.main.daemon.command("set permissions", { policies: ["deny", ...permissions.map((name) => `${name}=allow`)] });
  }

  async clearPermissions(): Promise<void> {
    await this.main.daemon.command("set permissions", { policies: ["browser"] });
  }

  async clearPermissionOverrides(): Promise<void> {
    await this.clearPermissions();
  }

  async setGeolocation(position: { latitude: number; longitude: number; accuracy?: number }): Promise<void> {
    await this.main.setGeolocation(position);
  }

  async setOffline(on: boolean): Promise<void> {
    await this.main.setOfflineMode(on);
  }

  async setExtraHTTPHeaders(headers: Record<string, string>): Promise<void> {
    await this.main.setExtraHTTPHeaders(headers);
  }

  async addInitScript(script: unknown, ...args: unknown[]): Promise<void> {
    await this.main.addInitScript(script, ...args);
  }

  async exposeFunction(name: string, handler: (...args: never[]) => unknown): Promise<void> {
    await this.exposeIn(name, (page) => page.exposeFunction(name, handler));
  }

  async exposeBinding(name: string, handler: (source: never, ...args: never[]) => unknown): Promise<void> {
    await this.exposeIn(name, (page) => page.exposeBinding(name, handler));
  }

  private async exposeIn(name: string, expose: (page: Page) => Promise<void>): Promise<void> {
    for (const page of this.pages()) await expose(page);
    this.exposed.set(name, expose);
  }

  // route adds a route to every page that is open, and to those that the code opens.
  async route(pattern: Pattern, handler: RouteHandler, options: { times?: number } = {}): Promise<void> {
    for (const page of this.pages()) await page.route(pattern, handler, options);
    this.routes.push({ pattern, handler, options });
  }

  // routeFromHAR answers requests of all pages with those of a HAR, until the end of the run.
  async routeFromHAR(har: string, options: HAROptions = {}): Promise<void> {
    if (options.update) throw new Error("routeFromHAR replays only: record a HAR with the command `network har start`, and end that with `network har stop`");
    if (options.url !== undefined && typeof options.url !== "string") throw new TypeError("routeFromHAR takes url as a glob, such as **/api/**");
    const { notFound = "abort" } = options;
    if (notFound !== "abort" && notFound !== "fallback") throw new TypeError(`notFound: ${JSON.stringify(notFound)} is neither "abort" nor "fallback"`);
    await this.main.daemon.command("network har", { action: "replay", path: har, url: options.url, "not-found": notFound === "abort" ? "abort" : "continue" });
    this.hars.add(har);
  }

  async unrouteHARs(): Promise<void> {
    for (const har of this.hars) await this.main.daemon.command("network unroute", { url: har });
    this.hars.clear();
  }

  async unroute(pattern: Pattern, handler?: RouteHandler): Promise<void> {
    this.routes = this.routes.filter((route) => String(route.pattern) !== String(pattern) || (handler && route.handler !== handler));
    for (const page of this.pages()) await page.unroute(pattern, handler);
  }

  async unrouteAll(): Promise<void> {
    this.routes = [];
    for (const page of this.pages()) await page.unrouteAll();
  }

  setDefaultTimeout(milliseconds: number): void {
    this.timeouts.action = milliseconds;
    for (const page of this.pages()) page.setDefaultTimeout(milliseconds);
  }

  setDefaultNavigationTimeout(milliseconds: number): void {
    this.timeouts.navigation = milliseconds;
    for (const page of this.pages()) page.setDefaultNavigationTimeout(milliseconds);
  }

  isClosed(): boolean {
    return false;
  }

  // backgroundPages are those of extensions, of which Chromium has none any more.
  backgroundPages(): Page[] {
    return [];
  }

  async close(): Promise<void> {
    throw new Error("The session's browser is not the code's to close: close pages with page.close(), or the session with `usher close`");
  }
}

// cookieOf has both libraries' members.
function cookieOf(cookie: Cookie, puppeteer: boolean): Cookie & { session: boolean } {
  const expires = cookie.expires ?? -1;
  const sameSite = puppeteer ? {} : { sameSite: cookie.sameSite ?? "Lax" }; // as browsers treat a cookie that has none
  return { ...cookie, ...sameSite, path: cookie.path ?? "/", expires, httpOnly: cookie.httpOnly === true, secure: cookie.secure === true, session: expires < 0 };
}

export class Target {
  constructor(private readonly of: Context, private readonly id: string) {}

  type(): string {
    return "page";
  }

  url(): string {
    return this.of.known.tabs.find((tab) => tab.id === this.id)?.url ?? this.of.known.states.get(this.id)?.url ?? "";
  }

  async page(): Promise<Page> {
    return this.of.page(this.id);
  }

  opener(): Target | undefined {
    const id = this.of.known.tabs.find((tab) => tab.id === this.id)?.opener;
    return id ? this.of.target(id) : undefined;
  }

  browserContext(): Context {
    return this.of;
  }

  browser(): Browser {
    return this.of.browser();
  }

  async createCDPSession(): Promise<CDPSession> {
    return this.of.page(this.id).createCDPSession();
  }
}

// Browser is the session's share of the browser.
export class Browser {
  constructor(private readonly of: Context) {}

  get emitter(): Emitter {
    return this.of.emitter;
  }

  contexts(): Context[] {
    return [this.of];
  }

  browserContexts(): Context[] {
    return [this.of];
  }

  defaultBrowserContext(): Context {
    return this.of;
  }

  // pages are at hand; Puppeteer's promise of them is awaited in vain, and to no harm.
  pages(): Page[] {
    return this.of.pages();
  }

  targets(): Target[] {
    return this.of.targets();
  }

  async newPage(): Promise<Page> {
    return this.of.newPage();
  }

  async waitForTarget(wanted: (target: Target) => unknown, options: Timing = {}): Promise<Target> {
    return this.of.waitForTarget(wanted, options);
  }

  async version(): Promise<string> {
    return ((await this.information()) as { product: string }).product;
  }

  async userAgent(): Promise<string> {
    return ((await this.information()) as { userAgent: string }).userAgent;
  }

  private async information(): Promise<unknown> {
    const data = await this.of.page(this.of.host.config.target).daemon.command<{ result: unknown }>("cdp", { method: "Browser.getVersion", "browser-target": true });
    return data.result;
  }

  async cookies(): Promise<Cookie[]> {
    return this.of.cookies();
  }

  async setCookie(...cookies: Cookie[]): Promise<void> {
    await this.of.addCookies(cookies);
  }

  async deleteCookie(...cookies: Cookie[]): Promise<void> {
    await this.of.deleteCookie(...cookies);
  }

  isConnected(): boolean {
    return true;
  }

  get connected(): boolean {
    return true;
  }

  async close(): Promise<void> {
    await this.of.close();
  }

  async disconnect(): Promise<void> {
    await this.of.close();
  }
}

for (const of of [Context, Browser]) mixin(of);

type Listening = Pick<Events, "on" | "once" | "off" | "addListener" | "removeListener" | "removeAllListeners" | "emit" | "listenerCount">;

export interface Context extends Listening {}

export interface Browser extends Listening {}

known(Context, "the context");
known(Browser, "browser");
called(Context, "context");
called(Browser, "browser");
