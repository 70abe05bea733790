// Tabs and windows: what the relay may know of them, and the commands for them.

import { attachments } from "./attachments";
import { Failure, codeParams, type Tab } from "./protocol";
import { settings } from "./settings";

export function describe(tab: chrome.tabs.Tab): Tab {
  return {
    tabId: tab.id ?? -1,
    windowId: tab.windowId,
    index: tab.index,
    url: tab.url || tab.pendingUrl || "",
    title: tab.title ?? "",
    active: tab.active,
    status: tab.status ?? "complete",
    discarded: tab.discarded,
    ...(tab.openerTabId === undefined ? {} : { openerTabId: tab.openerTabId }),
    incognito: tab.incognito,
    groupId: tab.groupId,
    ...(tab.lastAccessed === undefined ? {} : { lastAccessed: tab.lastAccessed }),
  };
}

// created are the tabs that agents opened, and what pages in their tabs opened. In storage.session, as ids are those of one run.
export const created = new Set<number>();
const createdKey = "created";

export async function loadCreated(): Promise<void> {
  const { [createdKey]: stored } = await chrome.storage.session.get(createdKey);
  for (const id of Array.isArray(stored) ? (stored as number[]) : []) {
    created.add(id);
  }
}

export function addCreated(tabId: number): void {
  created.add(tabId);
  void chrome.storage.session.set({ [createdKey]: [...created] });
}

export function removeCreated(tabId: number): void {
  if (created.delete(tabId)) {
    void chrome.storage.session.set({ [createdKey]: [...created] });
  }
}

// mayUse tells whether agents may see and control a tab under the present mode.
export function mayUse(tab: Tab): boolean {
  if (settings.shared.includes(tab.tabId)) {
    return true;
  }
  switch (settings.mode) {
    case "auto":
      return created.has(tab.tabId) || attachments.has(tab.tabId) || /^(https?:|about:blank|$)/.test(tab.url);
    case "manual":
      return created.has(tab.tabId);
    case "attached-only":
      return false;
  }
}

// visible are the tabs that the relay knows. Tabs that agents may not use are not reported: neither address nor title leaves the
// browser. A tab that becomes usable is reported as created, one that ceases to be as removed.
export const visible = new Set<number>();

export async function query(): Promise<Tab[]> {
  const tabs = (await chrome.tabs.query({})).map(describe).filter((t) => t.tabId >= 0 && mayUse(t));
  visible.clear();
  for (const tab of tabs) {
    visible.add(tab.tabId);
  }
  return tabs;
}

// usable returns a tab that agents may use.
export async function usable(tabId: unknown): Promise<Tab> {
  if (!Number.isInteger(tabId)) {
    throw new Failure(`tabId must be a number, not ${JSON.stringify(tabId)}`, codeParams);
  }
  let tab: Tab;
  try {
    tab = describe(await chrome.tabs.get(tabId as number));
  } catch {
    throw new Failure(`there is no tab ${String(tabId)}`);
  }
  if (!mayUse(tab)) {
    throw new Failure(
      settings.mode === "auto"
        ? `tab ${tab.tabId} shows a page that agents may not use (only http, https and about:blank); the user can share it in the extension's popup`
        : `tab ${tab.tabId} is not shared with agents (mode ${settings.mode}); the user can share it in the extension's popup`,
    );
  }
  return tab;
}

export interface CreateParams {
  url?: string;
  active?: boolean;
  windowId?: number;
  openerTabId?: number;
  newWindow?: boolean;
}

export async function create(p: CreateParams): Promise<Tab> {
  const url = p.url || "about:blank";
  let tab: chrome.tabs.Tab | undefined;
  const windows = p.newWindow === true ? [] : await chrome.windows.getAll({ windowTypes: ["normal"] });
  const focused = windows.find((w) => w.focused) ?? windows[0];
  const windowId = windows.some((w) => w.id === p.windowId) ? p.windowId : focused?.id;
  if (windowId !== undefined) {
    try {
      tab = await chrome.tabs.create({
        url,
        windowId,
        active: p.active ?? false,
        ...(p.openerTabId === undefined ? {} : { openerTabId: p.openerTabId }),
      });
    } catch (e) {
      if (!/no window/i.test(String(e))) {
        throw e;
      } // Chrome lists a window while it is being closed
    }
  }
  tab ??= (await chrome.windows.create({ url, focused: p.active ?? true }))?.tabs?.[0];
  if (tab?.id === undefined) {
    throw new Failure("Chrome opened no tab");
  }
  addCreated(tab.id);
  visible.add(tab.id);
  return describe(tab);
}

// remove closes a tab. The browser may end with its last window, so a blank tab is opened before the last one is closed.
export async function remove(tabId: number): Promise<void> {
  const tabs = await chrome.tabs.query({ windowType: "normal" });
  if (tabs.length === 1 && tabs[0]?.id === tabId) {
    const blank = await chrome.tabs.create({ url: "about:blank", windowId: tabs[0].windowId });
    if (blank.id !== undefined && settings.mode !== "attached-only") {
      addCreated(blank.id);
    }
  }
  await chrome.tabs.remove(tabId);
}
