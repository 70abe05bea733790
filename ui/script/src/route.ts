// Requests that the code answers, changes or aborts: Playwright's routes, and Puppeteer's request interception.

import { called } from "./called";
import { base64Of, bytesOf } from "./bytes";
import { known } from "./known";
import { type Entry, Request } from "./messages";
import type { Page } from "./page";
import type { APIResponse } from "./request";
import { globOf, matcher, type Pattern } from "./pattern";

export type RouteHandler = (route: Route, request: InterceptedRequest) => unknown;

interface Rule {
  pattern: Pattern;
  matches: (url: string) => unknown;
  handler: RouteHandler;
  left: number;
}

// Paused is a request that waits for the code.
interface Paused {
  tab: string;
  id: string;
  request: Entry;
}

interface Changes {
  url?: string;
  method?: string;
  headers?: Record<string, string | undefined>;
  postData?: unknown;
}

interface Reply {
  status?: number;
  headers?: Record<string, string | string[]>;
  contentType?: string;
  body?: string | Uint8Array;
  json?: unknown;
  path?: string;
  response?: FetchedResponse | APIResponse;
}

// The reasons to abort, as both libraries name them, and the protocol's.
const reasons: Record<string, string> = {
  aborted: "Aborted", accessdenied: "AccessDenied", addressunreachable: "AddressUnreachable", blockedbyclient: "BlockedByClient",
  blockedbyresponse: "BlockedByResponse", connectionaborted: "ConnectionAborted", connectionclosed: "ConnectionClosed", connectionfailed: "ConnectionFailed",
  connectionrefused: "ConnectionRefused", connectionreset: "ConnectionReset", internetdisconnected: "InternetDisconnected",
  namenotresolved: "NameNotResolved", timedout: "TimedOut", failed: "Failed",
};

// headerList leaves out headers that are undefined: so code removes one from those of a request.
function headerList(headers: Record<string, string | string[] | undefined>): { name: string; value: string }[] {
  return Object.entries(present(headers)).flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: String(one) })));
}

function present<T>(headers: Record<string, T | undefined>): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, T>;
}

// textOf is a body as text.
function textOf(body: unknown): string {
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return typeof body === "string" ? body : JSON.stringify(body);
}

// Held is a paused request, until it is answered.
class Held {
  answered = false;

  constructor(readonly page: Page, readonly id: string) {}

  async send(answer: object): Promise<void> {
    if (this.answered) throw new Error("The request was answered already");
    this.answered = true;
    await this.page.router.answering(this.page.daemon.call("page.answerRequest", { id: this.id, ...answer }));
  }

  async abort(code = "failed"): Promise<void> {
    const reason = reasons[code];
    if (!reason) throw new TypeError(`abort has no reason ${JSON.stringify(code)}. The reasons are: ${Object.keys(reasons).join(", ")}.`);
    await this.send({ abort: reason });
  }

  async continue(changes: Changes = {}): Promise<void> {
    const { url, method, headers, postData } = changes;
    await this.send({
      continue: {
        url, method, headers: headers && headerList(headers),
        body: postData === undefined ? undefined : base64Of(postData instanceof Uint8Array ? postData : new TextEncoder().encode(textOf(postData))),
      },
    });
  }

  // fulfill answers the request. allowing are headers with which the page may read the answer, where the reply has none of its own.
  async fulfill(reply: Reply, allowing: Record<string, string> = {}): Promise<void> {
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries({ ...reply.response?.headers(), ...reply.headers })) headers[name.toLowerCase()] = value;
    let body = reply.body ?? (reply.response ? await reply.response.body() : "");
    if (headers["access-control-allow-origin"] === undefined) Object.assign(headers, allowing);
    if (reply.json !== undefined) {
      body = JSON.stringify(reply.json);
      headers["content-type"] ??= "application/json";
    }
    if (reply.contentType) headers["content-type"] = reply.contentType;
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    if (reply.response) for (const name of ["content-encoding", "content-length", "transfer-encoding"]) delete headers[name];
    if (!reply.path) headers["content-length"] ??= String(bytes.length);
    await this.send({ fulfill: { status: reply.status ?? reply.response?.status() ?? 200, headers: headerList(headers), body: base64Of(bytes), path: reply.path } });
  }
}

// InterceptedRequest is a request that waits; its methods continue, abort and respond are Puppeteer's.
export class InterceptedRequest extends Request {
  constructor(page: Page, id: string, entry: Entry, private readonly held: Held, private readonly waits: boolean) {
    super(page, id, entry);
  }

  private best: { priority: number; rank: number; answer: () => Promise<void> } | undefined;

  private mayAnswer(): void {
    if (!this.waits) throw new Error("Request Interception is not enabled!");
  }

  // propose answers at once without a priority. Else the answer with the highest one counts when all handlers of the event were
  // called; of several, abort comes before respond and that before continue.
  private async propose(rank: number, priority: number | undefined, answer: () => Promise<void>): Promise<void> {
    this.mayAnswer();
    if (priority === undefined) return answer();
    if (this.held.answered) throw new Error("Request is already handled!");
    if (!this.best) setTimeout(() => void this.best?.answer(), 0);
    if (!this.best || priority > this.best.priority || (priority === this.best.priority && rank > this.best.rank)) this.best = { priority, rank, answer };
  }

  async continue(changes: Changes = {}, priority?: number): Promise<void> {
    await this.propose(0, priority, () => this.held.continue(changes));
  }

  async abort(code?: string, priority?: number): Promise<void> {
    await this.propose(2, priority, () => this.held.abort(code));
  }

  async respond(reply: Reply, priority?: number): Promise<void> {
    await this.propose(1, priority, () => this.held.fulfill(reply));
  }

  isInterceptResolutionHandled(): boolean {
    return this.held.answered;
  }

  interceptResolutionState(): { action: string; priority?: number } {
    if (this.held.answered) return { action: "already-handled" };
    if (!this.waits) return { action: "disabled" };
    return this.best ? { action: ["continue", "respond", "abort"][this.best.rank] as string, priority: this.best.priority } : { action: "none" };
  }
}

// readable are the headers that let the page read an answer from another origin; none for one from its own.
function readable(request: Request): Record<string, string> {
  const { origin } = request.headers();
  if (origin === undefined || !request.url().startsWith("http") || new URL(request.url()).origin === origin.trim()) return {};
  return { "access-control-allow-origin": origin, "access-control-allow-credentials": "true", vary: "Origin" };
}

// isPreflight reports whether the browser asks for leave to send a request to another origin.
function isPreflight(request: Request): boolean {
  return request.method() === "OPTIONS" && request.headers()["access-control-request-method"] !== undefined;
}

// allow is the answer to a preflight request whose own request a route answers.
function allow(request: Request): Reply {
  const { origin, "access-control-request-method": method, "access-control-request-headers": names } = request.headers();
  const headers: Record<string, string> = { "access-control-allow-origin": origin ?? "*", "access-control-allow-credentials": "true" };
  if (method !== undefined) headers["access-control-allow-methods"] = method;
  if (names !== undefined) headers["access-control-allow-headers"] = names;
  return { status: 204, headers };
}

// change makes a request what a route sends in its place, as Playwright shows it from then on.
function change(request: Request, changes: Changes): void {
  const { router } = request.owner;
  router.change(request.id, changes);
  request.entry = router.changed(request.id, request.entry);
}

export class Route {
  // changes are those of the routes that fell back to this one.
  constructor(private readonly of: InterceptedRequest, private readonly held: Held, private readonly changes: Changes, private readonly next: (changes: Changes) => Promise<void>) {}

  request(): InterceptedRequest {
    return this.of;
  }

  async continue(changes: Changes = {}): Promise<void> {
    change(this.of, changes);
    await this.held.continue({ ...this.changes, ...changes });
  }

  async abort(code?: string): Promise<void> {
    await this.held.abort(code);
  }

  // fulfill answers the request. The page may read the answer also where it comes from another origin, as with Playwright.
  async fulfill(reply: Reply = {}): Promise<void> {
    await this.held.fulfill(reply, readable(this.of));
  }

  // fallback leaves the request to the route that was added before.
  async fallback(changes: Changes = {}): Promise<void> {
    change(this.of, changes);
    await this.next(changes);
  }

  // fetch gives the code the response of the server. A request as it is goes through the browser; one that is changed is sent in its place.
  async fetch(options: Changes & Sending = {}): Promise<FetchedResponse | APIResponse> {
    const { url, method, headers, postData, ...sending } = { ...this.changes, ...options };
    const { page } = this.held;
    if ([url, method, headers, postData].every((one) => one === undefined) && Object.keys(sending).length === 0) {
      const answer = (await page.daemon.call("page.fetchRequest", { id: this.held.id })) as Fetched;
      return new FetchedResponse(this.of.url(), answer);
    }
    const changed = { method, headers: headers && (present(headers) as Record<string, string>), data: postData, ...sending };
    return page.context().request.again(this.of, url ?? this.of.url(), present(changed));
  }
}

// Sending are options of route.fetch that the browser does not have.
interface Sending {
  timeout?: number;
  maxRedirects?: number;
}

interface Fetched {
  status: number;
  statusText: string;
  headers: { name: string; value: string }[];
  body: string;
}

export class FetchedResponse {
  constructor(private readonly address: string, private readonly of: Fetched) {}

  url(): string {
    return this.address;
  }

  status(): number {
    return this.of.status;
  }

  statusText(): string {
    return this.of.statusText;
  }

  ok(): boolean {
    return this.of.status >= 200 && this.of.status <= 299;
  }

  headers(): Record<string, string> {
    return Object.fromEntries(this.of.headers.map(({ name, value }) => [name.toLowerCase(), value]));
  }

  async body(): Promise<Uint8Array> {
    return bytesOf(this.of.body);
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.body());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

// Router has the routes of a page; those of its context come after them.
export class Router {
  private rules: Rule[] = [];
  private on = false;

  constructor(private readonly page: Page) {}

  private readonly changes = new Map<string, Changes>(); // by the request

  // change notes what a route changed of a request.
  change(id: string, changes: Changes): void {
    if (Object.values(changes).some((value) => value !== undefined)) this.changes.set(id, { ...this.changes.get(id), ...changes });
  }

  // changed returns a request as it was sent: it is recorded as the page made it, but for the headers.
  changed(id: string, entry: Entry): Entry {
    const changes = this.changes.get(id);
    if (!changes || entry.redirects?.length) return entry; // what a redirect asks for is another request
    const out = { ...entry };
    if (changes.url !== undefined) out.url = changes.url;
    if (changes.method !== undefined) out.method = changes.method;
    if (changes.headers) out.headers = present(changes.headers);
    if (changes.postData !== undefined) Object.assign(out, { postData: textOf(changes.postData), hasPostData: true });
    return out;
  }

  private readonly answers = new Set<Promise<unknown>>();

  // answering keeps an answer to a request in mind until it was given.
  async answering(answer: Promise<unknown>): Promise<void> {
    this.answers.add(answer);
    await answer.finally(() => this.answers.delete(answer));
  }

  // intercepts reports whether handlers of the event request answer requests.
  intercepts = false;

  async add(pattern: Pattern, handler: RouteHandler, times = Infinity): Promise<void> {
    if (typeof handler !== "function") throw new TypeError("route needs a handler: (route) => route.fulfill(...), route.continue() or route.abort()");
    globOf(pattern, "route");
    this.rules.unshift({ pattern, matches: whole(pattern, this.page.url()), handler, left: times });
    await this.update();
  }

  async remove(unwanted: (rule: Rule) => boolean): Promise<void> {
    this.rules = this.rules.filter((rule) => {
      const gone = unwanted(rule);
      if (gone) rule.left = 0; // also for a request that is being offered
      return !gone;
    });
    await this.update();
  }

  async intercept(on: boolean): Promise<void> {
    this.intercepts = on;
    await this.update();
  }

  private async update(): Promise<void> {
    const context = this.page.context();
    const wanted = this.intercepts || this.rules.length > 0;
    context.hub.handle<Paused>("paused", (paused) => void context.page(paused.tab).router.paused(paused));
    if (wanted === this.on) return;
    this.on = wanted;
    if (!wanted) await Promise.allSettled(this.answers); // else they would come after the end, which lets the requests go as they are
    if (wanted !== this.on) return; // a route was added meanwhile
    await this.page.daemon.call("page.pauseRequests", { on: wanted });
  }

  private async paused(paused: Paused): Promise<void> {
    const held = new Held(this.page, paused.id);
    if (!this.intercepts && this.page.hides(paused.request.url)) return held.abort("aborted");
    const request = new InterceptedRequest(this.page, paused.request.requestId ?? "", paused.request, held, this.intercepts);
    if (this.intercepts) {
      if (this.page.emitter.count("request") === 0) return held.continue();
      this.page.keep(request);
      this.page.emitter.emit("request", request); // the handlers answer it
      return;
    }
    if (isPreflight(request)) {
      for (const rule of this.rules) if (rule.left > 0 && (await rule.matches(request.url()))) return held.fulfill(allow(request));
    }
    await this.offer([...this.rules], request, held, {});
  }

  private async offer(rules: Rule[], request: InterceptedRequest, held: Held, changes: Changes): Promise<void> {
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i] as Rule;
      if (rule.left <= 0 || !(await rule.matches(request.url()))) continue;
      if (--rule.left <= 0) this.rules = this.rules.filter((other) => other !== rule);
      const next = (more: Changes) => this.offer(rules.slice(i + 1), request, held, { ...changes, ...more });
      try {
        await rule.handler(new Route(request, held, changes, next), request);
      } catch (error) {
        if (!held.answered) await held.continue(changes);
        throw error;
      }
      return;
    }
    await held.continue(changes);
  }
}

// whole matches a pattern with the whole address, as routes do.
function whole(pattern: Pattern, base: string): (url: string) => unknown {
  return matcher(pattern, "route", base);
}

known(Route, "a route");
known(FetchedResponse, "a response");
called(InterceptedRequest, "request");
called(Route, "route");
