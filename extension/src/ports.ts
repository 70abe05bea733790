// The worker's side of popup and options page.

import { attachments, detach } from "./attachments";
import { disconnect, notify, pair, reconnect, status, version } from "./link";
import { entries, watch } from "./log";
import type { LogMessage, Report, Request, TabRow } from "./messages";
import { relayAddress, settings, share, storeIdentity } from "./settings";
import { created, describe } from "./tabs";

const popups = new Set<chrome.runtime.Port>();

// accept serves a page of the extension.
export function accept(port: chrome.runtime.Port): void {
  if (port.name === "log") {
    const post = (m: LogMessage) => port.postMessage(m);
    post({ entries: entries() });
    watch((entry) => post({ entry }));
    port.onDisconnect.addListener(() => watch(undefined));
  } else if (port.name === "popup") {
    popups.add(port);
    port.onDisconnect.addListener(() => popups.delete(port));
    port.onMessage.addListener((request: Request) => void act(request));
    void report();
  }
}

// report sends the state to open popups.
export async function report(): Promise<void> {
  if (popups.size === 0) {
    return;
  }
  const tabs = await chrome.tabs.query({});
  const [front] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
  const rows = tabs.map(row).filter((r) => r.attached || r.shared || r.created);
  const message: Report = {
    state: status.state,
    detail: status.detail,
    address: status.address,
    relay: status.relay,
    version: version(),
    paired: status.paired,
    tabs: rows,
    ...(front === undefined ? {} : { active: row(front) }),
  };
  for (const port of popups) {
    port.postMessage(message);
  }
}

function row(tab: chrome.tabs.Tab): TabRow {
  const { tabId, title, url } = describe(tab);
  return { tabId, title, url, attached: attachments.has(tabId), shared: settings.shared.includes(tabId), created: created.has(tabId) };
}

async function act(request: Request): Promise<void> {
  switch (request.do) {
    case "pair":
      await pair(request.code);
      break;
    case "unpair":
      await storeIdentity({ token: "" });
      reconnect();
      break;
    case "relay": {
      // The token belongs to the relay that gave it; another relay must not learn it.
      const address = request.address.trim() === "" ? "" : relayAddress(request.address);
      if (address !== undefined && (address === "" || address !== status.address)) {
        await storeIdentity({ relay: address, token: "" });
      }
      reconnect();
      break;
    }
    case "connect":
      await storeIdentity({ off: false });
      reconnect();
      break;
    case "disconnect":
      await disconnect();
      break;
    case "share":
      await share([request.tabId], request.on);
      notify(request.on ? "user.share" : "user.unshare", { tabId: request.tabId });
      break;
    case "detach":
      await drop(request.tabId, "detached_by_user");
      break;
    case "detachAll":
      for (const tabId of [...attachments.keys()]) {
        await drop(tabId, "detached_by_user");
      }
      notify("user.detachAll", {});
      break;
  }
  await report();
}

// drop detaches a tab in the user's name, and tells the relay.
export async function drop(tabId: number, reason: string): Promise<void> {
  await detach(tabId);
  notify("debugger.onDetach", { tabId, reason });
}
