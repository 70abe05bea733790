// Functions of the code that pages call.

import { calling, says } from "./called";
import type { Page } from "./page";

interface Call {
  tab: string;
  id: number;
  name: string;
  frame?: string;
  args: unknown[];
}

export type Handler = (source: { page: Page; context: unknown; frame: unknown }, ...args: unknown[]) => unknown;

// expose gives the page, and each that follows it in the tab, a function that calls the handler.
export async function expose(page: Page, name: string, handler: Handler): Promise<void> {
  if (typeof handler !== "function") throw new TypeError("exposeFunction needs a function");
  const context = page.context();
  const bindings = context.bindings.get(page.tabId) ?? new Map<string, Handler>();
  if (bindings.has(name)) throw taken(name);
  bindings.set(name, handler);
  context.bindings.set(page.tabId, bindings);
  context.hub.handle<Call>("binding", (call) => void answer(context.page(call.tab), context.bindings.get(call.tab)?.get(call.name), call));
  await page.daemon.call("page.expose", { name });
}

function taken(name: string): Error {
  const error = new Error();
  says(error, calling() ?? "exposeFunction", `: Function "${name}" has been already registered`);
  return error;
}

async function answer(page: Page, handler: Handler | undefined, call: Call): Promise<void> {
  const reply: { id: number; value?: unknown; error?: { name: string; message: string } } = { id: call.id };
  try {
    if (!handler) throw new Error(`there is no function ${call.name} any more`);
    reply.value = await handler({ page, context: page.context(), frame: page.frameOf(call.frame) ?? page }, ...call.args);
    JSON.stringify(reply);
  } catch (error) {
    delete reply.value;
    reply.error = error instanceof Error ? { name: error.name, message: error.message } : { name: "Error", message: String(error) };
  }
  await page.daemon.call("page.answerCall", reply).catch((error: { code?: string }) => {
    if (error.code !== "stale_ref" && error.code !== "tab_gone") throw error; // the document that called has gone
  });
}
