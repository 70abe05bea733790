// What code has in scope besides the language: tab, page and their like.

import { Context } from "./context";
import { scoped } from "./execute";
import { Blob, File, FormData } from "./form";
import { type Host, TimeoutError } from "./host";
import { displays, shown } from "./shown";
import { Tab } from "./tab";

// globals returns the names that a run's code has.
export function globals(host: Host): Record<string, unknown> {
  const common = {
    assert,
    wait: (what: unknown, options?: { timeout?: number; interval?: number }) => wait(host, what, options),
    TimeoutError,
    Blob,
    File,
    FormData,
  };
  if (host.config.playwright) return scoped(host, common);
  const context = new Context(host);
  const page = context.page(host.config.target);
  host.onResult((value) => shown(host, value));
  return { ...common, tab: new Tab(page), page, browser: context.browser(), context, display: displays(host) };
}

function assert(condition: unknown, text?: unknown): void {
  if (!condition) throw new Error(text === undefined ? "Assertion failed" : String(text));
}

// wait waits for a time in milliseconds, or until a function returns something true, and returns that.
async function wait(host: Host, what: unknown, options: { timeout?: number; interval?: number } = {}): Promise<unknown> {
  if (typeof what === "number") return new Promise((resolve) => setTimeout(resolve, what));
  if (typeof what !== "function") throw new TypeError("wait needs a number of milliseconds or a function");
  const limit = Math.min(options.timeout ?? 30_000, Math.max(host.config.timeout - 1000, host.config.timeout / 2));
  const interval = Math.max(options.interval ?? 100, 10);
  const end = Date.now() + limit;
  for (;;) {
    const value: unknown = await (what as () => unknown)();
    if (value) return value;
    if (Date.now() + interval > end) throw new TimeoutError(`wait: the function returned nothing true within ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}
