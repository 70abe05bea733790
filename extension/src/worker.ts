// The service worker of the extension. Listeners are added while the script runs for the first time: Chrome starts the worker for an
// event only if its listener is there then.

import { attachments, forget, loadAttachments, onAttachments } from "./attachments";
import { debuggerEvent, receive } from "./commands";
import { forgetCursor } from "./cursor";
import { show } from "./group";
import { sweep } from "./idle";
import { notify, serve, wake } from "./link";
import { accept, drop, report } from "./ports";
import { loadRules } from "./reading";
import { loadSettings, onSettings, settings, share } from "./settings";
import { addCreated, created, describe, loadCreated, mayUse, query, removeCreated, visible } from "./tabs";

const alarm = "connect";

chrome.debugger.onEvent.addListener((source, method, params) => {
  if (source.tabId !== undefined) {
    debuggerEvent(source.tabId, source.sessionId, method, params);
  }
});

chrome.debugger.onDetach.addListener(async (source, reason) => {
  await ready;
  // The user who presses Cancel in Chrome's bar ends the debugging of all tabs. Chrome reports each; the list may have more.
  const tabs = reason === "canceled_by_user" ? [...attachments.keys()] : source.tabId === undefined ? [] : [source.tabId];
  for (const tabId of tabs) {
    forget(tabId);
    forgetCursor(tabId);
    notify("debugger.onDetach", { tabId, reason });
  }
});

chrome.tabs.onCreated.addListener(async (tab) => {
  await ready;
  // What a page of an agent's tab opened is the agent's, too. A tab that the user opened beside it shows the browser's own page.
  if (tab.id !== undefined && tab.openerTabId !== undefined && attachments.has(tab.openerTabId) && /^(https?:|about:blank|$)/.test(describe(tab).url)) {
    addCreated(tab.id);
  }
  seen(tab);
});

chrome.tabs.onUpdated.addListener(async (tabId, changes, tab) => {
  await ready;
  if (seen(tab) !== "known") {
    return;
  }
  const { url, title, status, discarded } = changes;
  if (url !== undefined || title !== undefined || status !== undefined || discarded !== undefined) {
    notify("tabs.onUpdated", { tabId, changes: { url, title, status, discarded }, tab: describe(tab) });
  }
});

chrome.tabs.onRemoved.addListener(async (tabId, { windowId }) => {
  await ready;
  removeCreated(tabId);
  forget(tabId);
  forgetCursor(tabId);
  if (settings.shared.includes(tabId)) {
    void share([tabId], false);
  }
  if (visible.delete(tabId)) {
    notify("tabs.onRemoved", { tabId, windowId });
  }
});

chrome.tabs.onActivated.addListener(async ({ tabId, windowId }) => {
  await ready;
  if (visible.has(tabId)) {
    notify("tabs.onActivated", { tabId, windowId });
  }
});

chrome.tabs.onReplaced.addListener(async (addedTabId, removedTabId) => {
  await ready;
  if (created.has(removedTabId)) {
    removeCreated(removedTabId);
    addCreated(addedTabId);
  }
  if (visible.delete(removedTabId)) {
    visible.add(addedTabId);
    notify("tabs.onReplaced", { addedTabId, removedTabId });
  }
});

// seen reports a tab that agents may use and the relay does not know, or the other way round.
function seen(tab: chrome.tabs.Tab): "known" | "new" | "hidden" {
  const t = describe(tab);
  if (mayUse(t)) {
    if (visible.has(t.tabId)) {
      return "known";
    }
    visible.add(t.tabId);
    notify("tabs.onCreated", t);
    return "new";
  }
  if (visible.delete(t.tabId)) {
    notify("tabs.onRemoved", { tabId: t.tabId, windowId: t.windowId });
  }
  return "hidden";
}

onSettings(async (before) => {
  await ready;
  notify("settings.onChanged", settings);
  if (before.mode !== settings.mode || before.shared.join() !== settings.shared.join()) {
    for (const tab of await chrome.tabs.query({})) {
      const used = tab.id !== undefined && attachments.has(tab.id);
      if (used && settings.mode !== "auto" && !mayUse(describe(tab))) {
        await drop(tab.id as number, "not_shared");
      }
      seen(tab);
    }
  }
  await report();
});

chrome.alarms.onAlarm.addListener(async () => {
  await ready;
  wake();
  await sweep(Date.now());
});

// Chrome starts the worker with the browser, and after an installation, only for these.
chrome.runtime.onStartup.addListener(() => {});
chrome.runtime.onInstalled.addListener(() => {});

chrome.runtime.onConnect.addListener(async (port) => {
  await ready;
  accept(port);
});

function changed(): void {
  show();
  void report();
}

serve(receive, changed);
onAttachments(changed);

const ready = (async () => {
  await Promise.all([loadSettings(), loadCreated(), loadAttachments(), loadRules(), chrome.alarms.create(alarm, { periodInMinutes: 0.5 })]);
  await query();
})();
void ready.then(wake);
