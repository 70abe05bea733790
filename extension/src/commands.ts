// The commands of the relay.

import { attach, attachments, detach } from "./attachments";
import { notify, send } from "./link";
import { Failure, codeNoMethod, codeParams, codeServer, failureOf, type Command } from "./protocol";
import { settings } from "./settings";
import { create, describe, query, remove, usable, type CreateParams } from "./tabs";

type Params = Record<string, unknown>;

const commands: Record<string, (p: Params) => unknown> = {
  "debugger.attach": async (p) => ({ targetId: (await attach((await usable(p.tabId)).tabId)).targetId }),
  "debugger.detach": async (p) => detach(number(p, "tabId")),
  "debugger.getTargets": () => chrome.debugger.getTargets(),
  "tabs.query": () => query(),
  "tabs.create": (p) => create(p as CreateParams),
  "tabs.remove": async (p) => remove((await usable(p.tabId)).tabId),
  "tabs.update": async (p) => {
    const { tabId } = await usable(p.tabId);
    const tab = await chrome.tabs.update(tabId, pick(p, "active", "url"));
    return tab === undefined ? describe(await chrome.tabs.get(tabId)) : describe(tab);
  },
  "windows.get": async (p) => windowOf(await chrome.windows.get(number(p, "windowId"))),
  "windows.update": async (p) => windowOf(await chrome.windows.update(number(p, "windowId"), pick(p, "focused", "state", "left", "top", "width", "height"))),
  "downloads.search": (p) => chrome.downloads.search({ orderBy: ["-startTime"], limit: 100, ...pick(p, "url", "id", "filenameRegex", "limit") }),
  "settings.get": () => settings,
};

function number(p: Params, key: string): number {
  const value = p[key];
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw new Failure(`${key} must be a number, not ${JSON.stringify(value)}`, codeParams);
  }
  return value;
}

// pick copies the members that are there: chrome's functions refuse others.
function pick(p: Params, ...keys: string[]): Params {
  return Object.fromEntries(keys.filter((k) => p[k] !== undefined).map((k) => [k, p[k]]));
}

function windowOf(w: chrome.windows.Window): object {
  const { id, focused, state, left, top, width, height, incognito, type } = w;
  return { windowId: id, focused, state, left, top, width, height, incognito, type };
}

// receive carries out a frame of the relay, and answers on the socket it came from: a later link has ids of its own.
export function receive(message: Command, socket: WebSocket): void {
  if (message.m !== undefined) {
    forward(message, socket);
  } else if (message.method === "ping") {
    notify("pong", {});
  } else if (message.method !== undefined && message.id !== undefined) {
    void answer(message.id, message.method, message.params ?? {}, socket);
  }
}

// forward sends a CDP command. Nothing is awaited before it, so that commands stay in order and cost one hop.
function forward(message: Command, socket: WebSocket): void {
  const tabId = message.tab ?? -1;
  const attachment = attachments.get(tabId);
  if (attachment === undefined) {
    fail(message.id, { code: codeServer, message: `the debugger is not attached to tab ${tabId}; call debugger.attach first` }, socket);
    return;
  }
  attachment.used = Date.now();
  const target = message.s === undefined ? { tabId } : { tabId, sessionId: message.s };
  chrome.debugger.sendCommand(target, message.m ?? "", message.p, (result) => {
    const error = chrome.runtime.lastError;
    if (error !== undefined) {
      fail(message.id, failureOf(error.message), socket);
    } else if (socket.readyState === WebSocket.OPEN) {
      socket.send(`{"id":${message.id},"result":${result === undefined ? "{}" : JSON.stringify(result)}}`);
    }
  });
}

function fail(id: number | undefined, error: { code: number; message: string }, socket: WebSocket): void {
  if (socket.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify({ id, error }));
  }
}

async function answer(id: number, method: string, params: Params, socket: WebSocket): Promise<void> {
  if (method === "runtime.reload") {
    socket.send(JSON.stringify({ id, result: {} }));
    setTimeout(() => chrome.runtime.reload(), 100); // the frame above has to leave first
    return;
  }
  try {
    const command = Object.hasOwn(commands, method) ? commands[method] : undefined;
    if (command === undefined) {
      throw new Failure(`this extension has no method ${method}`, codeNoMethod);
    }
    const result = (await command(params)) ?? {};
    if (socket.readyState === WebSocket.OPEN) {
      socket.send(JSON.stringify({ id, result }));
    }
  } catch (e) {
    const message = e instanceof Error ? e.message : String(e);
    fail(id, e instanceof Failure ? { code: e.code, message } : failureOf(message), socket);
  }
}

// debuggerEvent passes on an event of CDP.
export function debuggerEvent(tabId: number, session: string | undefined, method: string, params: object | undefined): void {
  const tail = session === undefined ? "}" : `,"s":${JSON.stringify(session)}}`;
  send(`{"tab":${tabId},"e":"${method}","p":${params === undefined ? "{}" : JSON.stringify(params)}${tail}`, tabId);
}
