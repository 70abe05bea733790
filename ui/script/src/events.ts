// Events of the page, as Playwright and Puppeteer name them. Each comes from changes that usher numbers and keeps in order.

import { says } from "./called";
import { type Host, type Known, type PageState, TimeoutError, type Timing } from "./host";
import type { Entry, Line } from "./messages";
import { unlessAborted } from "./signal";

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
  request?: Entry;
  message?: Line;
  thrown?: { text: string; stack?: string };
  dialog?: { type: string; message: string; defaultPrompt: string };
  chooser?: { multiple: boolean };
  page?: PageState;
}

// Source makes the values of an event from the changes of some kinds; undefined for a change that is not this event.
export interface Source {
  kinds: string[];
  make(change: Change): unknown;
  begin?(): void; // is called when code begins to listen
}

// late is the error of an event that did not come. what is the method that waits, with the event in parentheses.
function late(what: string, limit: number): Error {
  const error = new TimeoutError();
  const [, method, event] = /^(\w+)(?:\((.*)\))?$/.exec(what) ?? ["", what];
  says(error, method as string, `: Timeout ${limit}ms exceeded${event ? ` while waiting for event ${event}` : ""}: there was none`);
  return error;
}

// told is the source of an event that is not made of changes: its emitter is told of it, or the code itself emits it.
export const told: Source = { kinds: [], make: () => undefined };

// Waiting is a predicate of Playwright's waitForEvent, or its options.
export type Waiting = ((value: never) => unknown) | (Timing & { predicate?: (value: never) => unknown });

interface Listener {
  handler: Handler;
  once: boolean;
}

// Hub passes changes to the emitters of tabs.
export class Hub {
  private readonly emitters: Emitter[] = [];
  private readonly kinds = new Set<string>();
  private number = 0; // of the last subscription

  constructor(private readonly host: Host, private readonly known: Known) {
    host.onEvent((name, data) => {
      const change = data as Change;
      if (change.page && change.targetId) known.take(change.targetId, change.page);
      const own = this.handlers.get(name);
      if (own) return void own(change);
      for (const emitter of this.emitters) emitter.receive(change);
    });
  }

  private readonly handlers = new Map<string, (data: unknown) => void>();
  private readonly logging = new Set<string>();

  // listenToLog asks for what the browser writes to the console of a tab.
  listenToLog(tab: string): void {
    if (this.logging.has(tab)) return;
    this.logging.add(tab);
    this.known.before(this.host.post("page.listenToLog", { tab }));
  }

  // handle passes events of a name that are no changes to a function.
  handle<T>(name: string, handler: (data: T) => void): void {
    this.handlers.set(name, handler as (data: unknown) => void);
  }

  // own reports whether the code emits events of its own, so that it may listen to names that are no events of the browser.
  get own(): boolean {
    return this.host.config.emits === true;
  }

  // uncaught ends the run with the error of a handler.
  uncaught(error: unknown): void {
    this.host.uncaught(error);
  }

  add(emitter: Emitter): void {
    this.emitters.push(emitter);
  }

  // renew subscribes, for another call, to what code listens to.
  renew(): void {
    this.kinds.clear();
    this.logging.clear();
    for (const emitter of this.emitters) this.subscribe(emitter.renew());
  }

  // release ends the subscription to kinds that no code listens to any more.
  release(kinds: string[]): void {
    const wanted = new Set(this.emitters.flatMap((emitter) => emitter.wanted()));
    const drop = kinds.filter((kind) => this.kinds.has(kind) && !wanted.has(kind));
    if (drop.length === 0) return;
    for (const kind of drop) this.kinds.delete(kind);
    this.tell();
  }

  // subscribe asks for changes. Operations that are sent later wait for its answer.
  subscribe(kinds: string[]): void {
    const fresh = kinds.filter((kind) => !this.kinds.has(kind));
    if (fresh.length === 0) return;
    for (const kind of fresh) this.kinds.add(kind);
    this.tell();
  }

  // tell says what code listens to now. The number is there because what is posted may be carried out in another order.
  private tell(): void {
    this.known.before(this.host.post("page.subscribe", { number: ++this.number, kinds: [...this.kinds] }));
  }
}

// Emitter has the events of a page. Values of one event are made in order, and handlers run in the order of changes.
export class Emitter {
  private readonly listeners = new Map<string, Listener[]>();
  private readonly running = new Map<string, Set<Promise<unknown>>>(); // handlers that have not ended, by the event
  private order: Promise<unknown> | undefined;

  constructor(private readonly hub: Hub, private readonly what: string, private readonly sources: Record<string, Source>, private readonly concerns: (change: Change) => boolean) {
    hub.add(this);
  }

  on(event: string, handler: Handler, once = false): void {
    const source = this.sources[event] ?? (this.hub.own ? told : undefined);
    if (!source) throw new TypeError(`${this.what} has no event ${JSON.stringify(event)}. The events are: ${Object.keys(this.sources).join(", ")}.`);
    if (typeof handler !== "function") throw new TypeError(`The handler of ${event} is no function`);
    this.hub.subscribe(source.kinds);
    source.begin?.();
    const list = this.listeners.get(event) ?? [];
    list.push({ handler, once });
    this.listeners.set(event, list);
  }

  off(event: string, handler?: Handler): void {
    const list = this.listeners.get(event) ?? [];
    const at = list.findLastIndex((listener) => listener.handler === handler); // one of them, where it was added more than once
    this.listeners.set(event, handler ? list.filter((_, index) => index !== at) : []);
  }

  // remove is off and clear for the code, which may have no handler of dialogs then: what comes next does not wait for its answer.
  remove(event?: string, handler?: Handler): void {
    if (event !== undefined && handler) this.off(event, handler);
    else this.clear(event);
    if (event === undefined || event === "dialog") this.hub.release(this.sources["dialog"]?.kinds ?? []);
  }

  // renew returns the kinds of changes that code listens to, and begins anew with their order.
  renew(): string[] {
    this.order = undefined;
    for (const [, source] of this.heard()) source.begin?.();
    return this.wanted();
  }

  wanted(): string[] {
    return this.heard().flatMap(([, source]) => source.kinds);
  }

  private heard(): [string, Source][] {
    return Object.entries(this.sources).filter(([event]) => this.count(event) > 0);
  }

  count(event: string): number {
    return this.listeners.get(event)?.length ?? 0;
  }

  clear(event?: string): void {
    if (event === undefined) this.listeners.clear();
    else this.listeners.delete(event);
  }

  receive(change: Change): void {
    if (!this.concerns(change)) return;
    for (const [event, source] of Object.entries(this.sources)) {
      if (this.count(event) === 0 || !source.kinds.includes(change.type)) continue;
      const made = source.make(change);
      if (made === undefined) continue;
      if (made instanceof Promise || this.order) this.later(event, made);
      else this.emit(event, made);
    }
  }

  // later emits a value that is not there yet; what follows waits for it.
  private later(event: string, made: unknown): void {
    const order = (this.order ?? Promise.resolve()).then(async () => {
      const value = await made;
      if (this.order === order) this.order = undefined;
      if (value !== undefined) this.emit(event, value);
    });
    this.order = order;
  }

  emit(event: string, ...values: unknown[]): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) {
      if (listener.once) this.listeners.set(event, (this.listeners.get(event) ?? []).filter((other) => other !== listener));
      // An error in a handler is the run's, and ends it at once: what the handler was to do, such as to answer a dialog, may be what the
      // code waits for.
      const run = (async () => (listener.handler as (...all: unknown[]) => unknown)(...values))().catch((error: unknown) => this.hub.uncaught(error));
      const running = this.running.get(event) ?? new Set();
      this.running.set(event, running.add(run));
      void run.finally(() => running.delete(run));
    }
  }

  // ended waits until the handlers of an event, or of all, that run have ended.
  async ended(event?: string): Promise<void> {
    const sets = event === undefined ? [...this.running.values()] : [this.running.get(event) ?? []];
    await Promise.all(sets.flatMap((running) => [...running]));
  }

  // next waits for an event whose value is wanted.
  next(event: string, wanted: (value: unknown) => unknown, limit: number, what: string, signal?: AbortSignal): Promise<unknown> {
    let end = (): void => {};
    return unlessAborted(signal, () => this.settled(event, wanted, limit, what, (done) => (end = done)), () => end());
  }

  // settled is next; ends gets the function that ends the wait.
  private settled(event: string, wanted: (value: unknown) => unknown, limit: number, what: string, ends: (end: () => void) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let timer: number | undefined;
      const done = (settle: () => void): void => {
        this.off(event, handler as Handler);
        clearTimeout(timer);
        settle();
      };
      const handler = async (value: unknown): Promise<void> => {
        try {
          if (await wanted(value)) done(() => resolve(value));
        } catch (error) {
          done(() => reject(error));
        }
      };
      this.on(event, handler as Handler);
      ends(() => done(() => {}));
      timer = setTimeout(() => done(() => reject(late(what, limit))), limit);
    });
  }
}

// Events has the methods by which code listens.
export abstract class Events {
  protected abstract readonly emitter: Emitter;

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
    this.emitter.remove(event, handler);
    return this;
  }

  removeListener(event: string, handler?: Handler): this {
    return this.off(event, handler);
  }

  // removeAllListeners waits, with the behavior "wait", for handlers that run.
  removeAllListeners(event?: string, options?: { behavior?: string }): this | Promise<void> {
    const behavior = options?.behavior;
    if (behavior !== undefined && behavior !== "wait" && behavior !== "default") throw new TypeError(`removeAllListeners: behavior: ${JSON.stringify(behavior)} is not one of: wait, default`);
    this.emitter.remove(event);
    if (!options) return this;
    return behavior === "wait" ? this.emitter.ended(event) : Promise.resolve();
  }

  // emit calls the handlers of an event with values of the code's own, and reports whether there are any.
  emit(event: string, ...values: unknown[]): boolean {
    const heard = this.emitter.count(event) > 0;
    this.emitter.emit(event, ...values);
    return heard;
  }

  listenerCount(event: string): number {
    return this.emitter.count(event);
  }
}

// mixin gives a class that extends another one the methods of Events.
export function mixin(target: { prototype: object }): void {
  for (const name of Object.getOwnPropertyNames(Events.prototype)) {
    if (name === "constructor") continue;
    Object.defineProperty(target.prototype, name, Object.getOwnPropertyDescriptor(Events.prototype, name) as PropertyDescriptor);
  }
}
