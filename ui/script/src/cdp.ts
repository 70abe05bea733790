// CDP sessions of the code's own.

import { called } from "./called";
import type { Page } from "./page";

interface Message {
  session: number;
  method: string;
  params: unknown;
}

const open = new Map<number, CDPSession>();

export class CDPSession {
  private readonly listeners = new Map<string, { handler: (params: never) => unknown; once: boolean }[]>();
  private ended = false;

  private constructor(private readonly page: Page, private readonly number: number) {}

  // endAll ends the sessions: the call in which they were opened is over.
  static endAll(): void {
    for (const session of open.values()) session.ended = true;
    open.clear();
  }

  static async open(page: Page): Promise<CDPSession> {
    const { session } = (await page.daemon.call("page.cdp", {})) as { session: number };
    page.context().hub.handle<Message>("cdp", (message) => open.get(message.session)?.receive(message));
    const made = new CDPSession(page, session);
    open.set(session, made);
    return made;
  }

  private receive(message: Message): void {
    for (const listener of [...(this.listeners.get(message.method) ?? [])]) {
      if (listener.once) this.off(message.method, listener.handler);
      (async () => listener.handler(message.params as never))().catch((error: unknown) => this.page.context().hub.uncaught(error));
    }
  }

  async send(method: string, params: object = {}): Promise<unknown> {
    if (this.ended) throw this.named(new Error(`Protocol error (${method}): the session was detached, or ended with the call that opened it`), "TargetCloseError");
    const answer = (await this.page.daemon.call("page.cdpSend", { session: this.number, method, params }).catch((error: Error) => {
      throw error.message.startsWith("Protocol error") ? this.named(error, "ProtocolError") : error;
    })) as { result: unknown };
    return answer.result;
  }

  // named gives an error Puppeteer's name.
  private named(error: Error, name: string): Error {
    if (this.page.daemon.host.config.puppeteer) error.name = name;
    return error;
  }

  on(event: string, handler: (params: never) => unknown): this {
    return this.listen(event, handler, false);
  }

  once(event: string, handler: (params: never) => unknown): this {
    return this.listen(event, handler, true);
  }

  private listen(event: string, handler: (params: never) => unknown, once: boolean): this {
    const list = this.listeners.get(event) ?? [];
    if (list.length === 0) this.page.context().known.before(this.page.daemon.host.call("page.cdpListen", { tab: this.page.tabId, session: this.number, event }));
    this.listeners.set(event, [...list, { handler, once }]);
    return this;
  }

  off(event: string, handler?: (params: never) => unknown): this {
    this.listeners.set(event, handler ? (this.listeners.get(event) ?? []).filter((listener) => listener.handler !== handler) : []);
    return this;
  }

  removeListener(event: string, handler?: (params: never) => unknown): this {
    return this.off(event, handler);
  }

  removeAllListeners(event?: string): this {
    if (event === undefined) this.listeners.clear();
    else this.listeners.delete(event);
    return this;
  }

  id(): string {
    return String(this.number);
  }

  async detach(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    open.delete(this.number);
    await this.page.daemon.call("page.cdpClose", { session: this.number });
  }
}
called(CDPSession, "cdpSession");
