// What code for the tool execute has in scope. One Scope serves all calls of a client, as long as their realm lives.

import { Context } from "./context";
import type { Host } from "./host";
import type { Page } from "./page";
import { Reading } from "./reading";
import { restore, save } from "./saved";
import { displays, shown } from "./shown";
import { Tab } from "./tab";

let scope: Scope | undefined;

// scoped returns the names that code has.
export function scoped(host: Host, common: Record<string, unknown>): Record<string, unknown> {
  scope = scope ? scope.again() : new Scope(host);
  return { ...common, ...scope.globals() };
}

class Scope {
  private readonly context: Context;
  private readonly reading: Reading;
  private state: object = {};

  constructor(private readonly host: Host) {
    this.context = new Context(host);
    this.reading = new Reading(() => this.page, host.config.keep);
    if (host.state) {
      const { value, lost } = restore(host.state);
      this.state = value;
      const gone = lost.length > 0 ? ` Lost, because it is no plain data: ${lost.map((path) => `state.${path}`).join(", ")}.` : "";
      this.warn(`The code of an earlier call had to be stopped: state has its plain data.${gone}`);
    }
    host.onResult((value) => shown(host, value));
    host.onSave(() => save(this.current()));
  }

  private warn(text: string): void {
    (globalThis as unknown as { console: { warn(text: string): void } }).console.warn(text);
  }

  // current is the object that the code has as state, which it may have replaced.
  private current(): object {
    const now: unknown = (globalThis as { state?: unknown }).state;
    return typeof now === "object" && now !== null ? now : this.state;
  }

  // again makes the scope ready for another call.
  again(): this {
    this.state = this.current();
    this.context.renew();
    return this;
  }

  private get page(): Page {
    return this.context.page(this.host.config.target);
  }

  globals(): Record<string, unknown> {
    const { reading, page } = this;
    const helpers: Record<string, unknown> = {};
    for (const name of ["snapshot", "refToLocator", "waitForPageLoad", "getLogs", "clearLogs", "getCDPSession", "screenshotWithAccessibilityLabels", "cleanHTML", "pageMarkdown"] as const) {
      helpers[name] = (...args: unknown[]) => (reading[name] as (...all: unknown[]) => unknown).apply(reading, args);
    }
    return {
      page, context: this.context, browser: this.context.browser(), tab: new Tab(page), state: this.state, ...helpers, locatorForRef: helpers["refToLocator"],
      display: displays(this.host),
    };
  }
}
