// The commands of the relay.

import { attach, attachments, detach, forget, left } from "./attachments";
import { move, observe } from "./cursor";
import { setGroup } from "./group";
import { begin, notify, reply, send } from "./link";
import { Failure, codeNoMethod, codeNotAttached, codeParams, codeServer, failureOf, type Command } from "./protocol";
import { check, checkNewTab, restricted } from "./restrict";
import { settings } from "./settings";
import { create, created, describe, query, remove, usable, type CreateParams } from "./tabs";

type Params = Record<string, unknown>;

const commands: Record<string, (p: Params) => unknown> = {
  "debugger.attach": async (p) => ({ targetId: (await attach((await usable(p.tabId)).tabId)).targetId }),
  "debugger.detach": async (p) => detach(number(p, "tabId")),
  "debugger.getTargets": () => chrome.debugger.getTargets(),
  "tabs.query": () => query(),
  "tabs.create": (p) => {
    checkNewTab("tabs.create");
    return create(p as CreateParams);
  },
  "tabs.remove": async (p) => {
    const { tabId } = await usable(p.tabId);
    if (!created.has(tabId)) {
      check("Page.close", undefined);
    }
    return remove(tabId);
  },
  "tabs.update": async (p) => {
    const { tabId } = await usable(p.tabId);
    if (p.url !== undefined) {
      check("Page.navigate", undefined);
    }
    const tab = await chrome.tabs.update(tabId, pick(p, "active", "url"));
    return tab === undefined ? describe(await chrome.tabs.get(tabId)) : describe(tab);
  },
  "windows.get": async (p) => windowOf(await chrome.windows.get(number(p, "windowId"))),
  "windows.update": async (p) => windowOf(await chrome.windows.update(number(p, "windowId"), pick(p, "focused", "state", "left", "top", "width", "height"))),
  "downloads.search": (p) => chrome.downloads.search({ orderBy: ["-startTime"], limit: 100, ...pick(p, "url", "id", "filenameRegex", "limit") }),
  "group.set": (p) => setGroup(number(p, "tabId"), p.on === true).then(() => ({})),
  "badge.set": async (p) => {
    const tab = p.tabId === undefined ? {} : { tabId: number(p, "tabId") };
    await chrome.action.setBadgeText({ ...tab, text: String(p.text ?? "") });
    await chrome.action.setTitle({ ...tab, title: String(p.title ?? "usher") });
  },
  "cursor.move": (p) => {
    move(number(p, "tabId"), Number(p.x), Number(p.y), p.kind === "down" || p.kind === "up" ? p.kind : "move");
  },
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

// receive carries out a frame of the relay.
export function receive(message: Command): void {
  if (message.method === "ping") {
    notify("pong", {});
  } else if (message.id === undefined) {
    return;
  } else if (message.m !== undefined) {
    forward(message.id, message.m, message);
  } else if (message.method !== undefined) {
    void answer(message.id, message.method, message.params ?? {});
  }
}

// forward sends a CDP command. Nothing is awaited before it, so that commands stay in order and cost one hop.
function forward(id: number, method: string, message: Command): void {
  const began = begin(id);
  const tabId = message.tab ?? -1;
  const attachment = attachments.get(tabId);
  if (attachment === undefined) {
    fail(id, began, { code: codeNotAttached, message: `the debugger is not attached to tab ${tabId}` });
    return;
  }
  attachment.used = Date.now();
  let params = message.p;
  if (restricted()) {
    try {
      params = check(method, params);
    } catch (e) {
      fail(id, began, { code: e instanceof Failure ? e.code : codeServer, message: (e as Error).message });
      return;
    }
  }
  observe(tabId, message.s, method, params);
  const target = message.s === undefined ? { tabId } : { tabId, sessionId: message.s };
  chrome.debugger.sendCommand(target, method, params, (result) => {
    const error = chrome.runtime.lastError;
    if (error !== undefined && notAttached.test(error.message ?? "")) {
      void tooLate(id, began, tabId);
    } else if (error !== undefined) {
      refuse(id, began, failureOf(error.message));
    } else {
      reply(id, began, `{"id":${id},"result":${result === undefined ? "{}" : JSON.stringify(result)}}`);
    }
  });
}

// notAttached is the beginning of Chrome's answer to a command for a tab from which it has detached the debugger. It was not carried out.
const notAttached = /^Debugger is not attached to the tab/;
const noticeLimit = 1_000; // ms in which Chrome's notice follows

// tooLate answers a command that came when Chrome had detached the debugger, but its notice had not come yet; the relay gets the notice first.
async function tooLate(id: number, began: number, tabId: number): Promise<void> {
  if (!(await left(tabId, noticeLimit)) && attachments.has(tabId)) {
    forget(tabId);
    notify("debugger.onDetach", { tabId, reason: "target_closed" });
  }
  fail(id, began, { code: codeNotAttached, message: `the debugger is not attached to tab ${tabId}` });
}

// refuse answers with an error of Chrome. To what it was asked by a worker that it has stopped, Chrome answers "No SW": the command may
// have been carried out, which the relay says when the next worker does not know it. If this one lives, it answers after all.
function refuse(id: number, began: number, error: { code: number; message: string }): void {
  if (error.message === "No SW") {
    setTimeout(() => fail(id, began, error), 1_000);
  } else {
    fail(id, began, error);
  }
}

function fail(id: number, began: number, error: { code: number; message: string }): void {
  reply(id, began, JSON.stringify({ id, error }));
}

async function answer(id: number, method: string, params: Params): Promise<void> {
  const began = begin(id);
  if (method === "runtime.reload") {
    reply(id, began, JSON.stringify({ id, result: {} }));
    setTimeout(() => chrome.runtime.reload(), 100); // the frame above has to leave first
    return;
  }
  try {
    const command = Object.hasOwn(commands, method) ? commands[method] : undefined;
    if (command === undefined) {
      throw new Failure(`this extension has no method ${method}`, codeNoMethod);
    }
    reply(id, began, JSON.stringify({ id, result: (await command(params)) ?? {} }));
  } catch (e) {
    const message = e instanceof Error ? e.message : String(e);
    refuse(id, began, e instanceof Failure ? { code: e.code, message } : failureOf(message));
  }
}

// debuggerEvent passes on an event of CDP.
export function debuggerEvent(tabId: number, session: string | undefined, method: string, params: object | undefined): void {
  const tail = session === undefined ? "}" : `,"s":${JSON.stringify(session)}}`;
  send(`{"tab":${tabId},"e":"${method}","p":${params === undefined ? "{}" : JSON.stringify(params)}${tail}`, tabId);
}
