// Playwright's locator handlers: functions of the code that deal with what comes in the way of an action.

import { Locator } from "./locator";
import type { Timing } from "./host";
import type { Page } from "./page";

interface Options {
  times?: number;
  noWaitAfter?: boolean;
}

interface Entry {
  locator: Locator;
  handler: (locator: Locator) => unknown;
  left: number;
  noWaitAfter: boolean;
}

// pause is how long an action waits before it is looked again whether a handler has something to do, in milliseconds.
const pause = 100;

export class LocatorHandlers {
  private list: Entry[] = [];
  private running = false;

  constructor(private readonly page: Page) {}

  add(locator: unknown, handler: unknown, { times = Infinity, noWaitAfter = false }: Options): void {
    if (!(locator instanceof Locator) || locator.frame !== this.page) throw new Error("addLocatorHandler: Locator must belong to the main frame of this page");
    if (typeof handler !== "function") throw new TypeError("addLocatorHandler needs a function: (locator) => ...");
    if (times > 0) this.list.push({ locator, handler: handler as Entry["handler"], left: times, noWaitAfter });
  }

  remove(locator: Locator): void {
    this.list = this.list.filter((entry) => entry.locator.selector !== locator.selector);
  }

  // around carries out an action: handlers whose locators are visible are called before it, and while it waits. Actions of handlers are
  // carried out as they are.
  async around<T>(timing: Timing, act: (timing: Timing) => Promise<T>): Promise<T> {
    if (this.list.length === 0 || this.running) return act(timing);
    const end = Date.now() + this.page.limit(timing);
    await this.check(end);
    const given = new AbortController();
    const signal = timing.signal ? AbortSignal.any([timing.signal, given.signal]) : given.signal;
    const acted = act({ ...timing, signal });
    try {
      while (!(await ended(acted))) await this.check(end);
    } catch (error) {
      given.abort(error);
      throw error;
    }
    return acted;
  }

  private async check(end: number): Promise<void> {
    for (const entry of [...this.list]) {
      if (!(await entry.locator.isVisible())) continue;
      if (--entry.left <= 0) this.list = this.list.filter((other) => other !== entry);
      this.running = true;
      try {
        await entry.handler(entry.locator);
        if (!entry.noWaitAfter) await entry.locator.waitFor({ state: "hidden", timeout: Math.max(end - Date.now(), 1) });
      } finally {
        this.running = false;
      }
    }
  }
}

// ended waits a little for an action, and reports whether it has ended.
function ended(acted: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), pause);
    const done = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    acted.then(done, done);
  });
}
