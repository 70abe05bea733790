// Dedicated workers of a page.

import { called } from "./called";
import { Emitter, Events, told, type Waiting } from "./events";
import { thrown } from "./handle";
import { known } from "./known";
import type { Page } from "./page";
import { decoded, encoded, type Evaluated, pass, result, sourceOf } from "./values";

type Code = string | ((...args: never[]) => unknown);

interface Told {
  tab: string;
  id: string;
  url: string;
}

// Worker has one event, close: what it logs comes with page.on("console").
export class Worker extends Events {
  protected readonly emitter: Emitter;

  constructor(private readonly page: Page, private readonly session: string, private readonly address: string) {
    super();
    this.emitter = new Emitter(page.context().hub, "A worker", { close: told }, () => false);
  }

  url(): string {
    return this.address;
  }

  async evaluate(code: Code, ...args: unknown[]): Promise<unknown> {
    const source = sourceOf(code, "evaluate");
    const passed = pass(args);
    if (passed.handles.length > 0) throw new TypeError("A handle of the page cannot be passed to a worker: pass its value");
    const text = source.function ? `(${encoded(source.source)})(...${passed.args})` : source.source;
    const got = (await this.page.daemon.call("page.evaluateInWorker", { id: this.session, source: text }).catch((error: Error) => {
      throw thrown(error, "evaluate", this.page);
    })) as Evaluated;
    return source.function ? decoded(got.value) : result(got);
  }

  async waitForEvent(event: string, options: Waiting = {}): Promise<unknown> {
    const { predicate, ...timing } = typeof options === "function" ? { predicate: options } : options;
    return this.emitter.next(event, (predicate ?? (() => true)) as (value: unknown) => unknown, this.page.limit(timing), `waitForEvent(${JSON.stringify(event)})`, timing.signal);
  }

  // ended tells the code's handlers that the worker has ended.
  ended(): void {
    this.emitter.emit("close", this);
  }
}

// Workers are those of one page.
export class Workers {
  private readonly all = new Map<string, Worker>();
  private listening = false;

  constructor(private readonly page: Page) {}

  // listen asks for the workers of the page, those that are there first.
  listen(): void {
    if (this.listening) return;
    this.listening = true;
    const context = this.page.context();
    context.hub.handle<Told>("worker", ({ tab, id, url }) => context.page(tab).workersOf.add(id, url));
    context.hub.handle<Told>("workerClosed", ({ tab, id }) => context.page(tab).workersOf.remove(id));
    context.known.before(this.page.daemon.host.call("page.listenToWorkers", { tab: this.page.tabId }));
  }

  // list is known without waiting, so that it needs a run that has asked for the workers from the beginning.
  list(): Worker[] {
    if (!this.listening) throw new Error('page.workers: the workers are known only where the code of the run has a call written ".workers(", as page.workers(), or listens to the event "worker" before.');
    return [...this.all.values()];
  }

  private add(id: string, url: string): void {
    const worker = new Worker(this.page, id, url);
    this.all.set(id, worker);
    for (const event of ["worker", "workercreated"]) this.page.emitter.emit(event, worker);
  }

  private remove(id: string): void {
    const worker = this.all.get(id);
    this.all.delete(id);
    if (!worker) return;
    worker.ended();
    this.page.emitter.emit("workerdestroyed", worker);
  }
}

known(Worker, "a worker");
called(Worker, "worker", ["ended"]);
