// Events of the page, as Playwright and Puppeteer name them. Each comes from changes that usher numbers and keeps in order.

import type { Daemon } from "./host";

export type Handler = (...args: never[]) => unknown;

// Change is a change of a tab, as `usher events` prints it.
export interface Change {
  seq: number;
  type: string;
  targetId?: string;
  frameId?: string;
  id?: string;
  url?: string;
  text?: string;
  detail?: string;
  status?: number;
}

// Source makes the values of an event from the changes of some kinds; undefined for a change that is not this event.
export interface Source {
  kinds: string[];
  make(change: Change): unknown;
}

interface Listener {
  handler: Handler;
  once: boolean;
}

// Hub passes changes to the emitters of tabs.
export class Hub {
  private readonly emitters: Emitter[] = [];
  private readonly kinds = new Set<string>();

  constructor(private readonly daemon: Daemon) {
    daemon.host.onEvent((_, data) => {
      for (const emitter of this.emitters) emitter.receive(data as Change);
    });
  }

  add(emitter: Emitter): void {
    this.emitters.push(emitter);
  }

  // subscribe asks for changes. Operations that are sent later wait for its answer.
  subscribe(kinds: string[]): void {
    const fresh = kinds.filter((kind) => !this.kinds.has(kind));
    if (fresh.length === 0) return;
    for (const kind of fresh) this.kinds.add(kind);
    this.daemon.before(this.daemon.host.call("page.subscribe", { kinds: fresh }));
  }
}

// Emitter has the events of a page. Values of one event are made in order, and handlers run in the order of changes.
export class Emitter {
  private readonly listeners = new Map<string, Listener[]>();
  private order: Promise<unknown> = Promise.resolve();

  constructor(private readonly hub: Hub, private readonly sources: Record<string, Source>, private readonly concerns: (change: Change) => boolean) {
    hub.add(this);
  }

  on(event: string, handler: Handler, once = false): void {
    const source = this.sources[event];
    if (!source) throw new TypeError(`page has no event ${JSON.stringify(event)}. The events are: ${Object.keys(this.sources).join(", ")}.`);
    if (typeof handler !== "function") throw new TypeError(`The handler of ${event} is no function`);
    this.hub.subscribe(source.kinds);
    const list = this.listeners.get(event) ?? [];
    list.push({ handler, once });
    this.listeners.set(event, list);
  }

  off(event: string, handler?: Handler): void {
    const list = this.listeners.get(event) ?? [];
    this.listeners.set(event, handler ? list.filter((listener) => listener.handler !== handler) : []);
  }

  has(event: string): boolean {
    return (this.listeners.get(event)?.length ?? 0) > 0;
  }

  clear(event?: string): void {
    if (event === undefined) this.listeners.clear();
    else this.listeners.delete(event);
  }

  receive(change: Change): void {
    if (!this.concerns(change)) return;
    for (const [event, source] of Object.entries(this.sources)) {
      if (!this.has(event) || !source.kinds.includes(change.type)) continue;
      const made = source.make(change);
      if (made === undefined) continue;
      this.order = this.order.then(async () => {
        const value = await made;
        if (value !== undefined) this.emit(event, value);
      });
    }
  }

  private emit(event: string, value: unknown): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) {
      if (listener.once) this.off(event, listener.handler);
      // An error in a handler is the run's: a promise that nobody awaits and that rejects is reported.
      void (async () => (listener.handler as (value: unknown) => unknown)(value))();
    }
  }
}
