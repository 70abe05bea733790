// The WebSockets that a page opens.

import { bytesOf } from "./bytes";
import { called } from "./called";
import { Emitter, Events, told, type Waiting } from "./events";
import { known } from "./known";
import type { Page } from "./page";

// Told is an event of a socket as usher tells of it.
interface Told {
  tab: string;
  id: string;
  kind: "opened" | "sent" | "received" | "failed" | "closed";
  url?: string;
  data?: string; // a text, or base64
  binary?: boolean;
  error?: string;
}

// WebSocket is a socket of a page.
export class WebSocket extends Events {
  protected readonly emitter: Emitter;
  private closed = false;

  constructor(private readonly page: Page, private readonly address: string) {
    super();
    this.emitter = new Emitter(page.context().hub, "A WebSocket", { framesent: told, framereceived: told, socketerror: told, close: told }, () => false);
  }

  url(): string {
    return this.address;
  }

  isClosed(): boolean {
    return this.closed;
  }

  // waitForEvent accepts Playwright's predicate or {predicate, timeout}.
  async waitForEvent(event: string, options: Waiting = {}): Promise<unknown> {
    const { predicate, ...timing } = typeof options === "function" ? { predicate: options } : options;
    if (this.closed && event !== "close") throw new Error(`Socket closed: ${this.address}`);
    const timeout = this.page.daemon.timeout(timing);
    const came = this.emitter.next(event, (predicate ?? (() => true)) as (value: unknown) => unknown, this.page.limit(timeout === undefined ? {} : { timeout }), `waitForEvent(${JSON.stringify(event)})`, timing.signal);
    if (event === "close") return came;
    const ended = new AbortController();
    const close = this.emitter.next("close", () => true, 0x7fffffff, "close", ended.signal).then(() => {
      throw new Error(`Socket closed while waiting for event ${JSON.stringify(event)}: ${this.address}`);
    });
    return Promise.race([came, close]).finally(() => ended.abort());
  }

  // take passes on an event.
  take(told: Told): void {
    switch (told.kind) {
      case "sent":
      case "received":
        this.emitter.emit(`frame${told.kind}`, { payload: told.binary ? bytesOf(told.data ?? "") : told.data ?? "" });
        break;
      case "failed":
        this.emitter.emit("socketerror", told.error ?? "");
        break;
      case "closed":
        this.closed = true;
        this.emitter.emit("close", this);
    }
  }
}
known(WebSocket, "a WebSocket");
called(WebSocket, "webSocket", ["take"]);

// Sockets are those of one page that are open.
export class Sockets {
  private readonly all = new Map<string, WebSocket>();
  private listening = false;

  constructor(private readonly page: Page) {}

  // listen asks for those that the page opens from now on.
  listen(): void {
    if (this.listening) return;
    this.listening = true;
    const context = this.page.context();
    context.hub.handle<Told>("socket", (told) => context.page(told.tab).socketsOf.take(told));
    context.known.before(this.page.daemon.host.post("page.listenToSockets", { tab: this.page.tabId }));
  }

  private take(told: Told): void {
    if (told.kind === "opened") {
      const socket = new WebSocket(this.page, told.url ?? "");
      this.all.set(told.id, socket);
      this.page.emitter.emit("websocket", socket);
      return;
    }
    this.all.get(told.id)?.take(told);
    if (told.kind === "closed") this.all.delete(told.id);
  }
}
