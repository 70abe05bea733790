// The tab group "usher" and the toolbar badge: what shows a person which tabs agents use.

import { attachments } from "./attachments";
import { status } from "./link";

const title = "usher";
const color = "cyan";

let work: Promise<unknown> = Promise.resolve();

// inOrder runs changes of groups one after another: two at once would make two groups.
function inOrder(change: () => Promise<unknown>): Promise<unknown> {
  work = work.then(change, change);
  return work;
}

// setGroup puts a tab into the group of its window, or takes it out. A pinned tab, and one in a group of the user's, stays where it is.
export function setGroup(tabId: number, on: boolean): Promise<unknown> {
  return inOrder(async () => {
    const tab = await chrome.tabs.get(tabId);
    const groups = await chrome.tabGroups.query({ windowId: tab.windowId, title });
    const mine = groups.find((g) => g.id === tab.groupId);
    if (!on && mine !== undefined) {
      await chrome.tabs.ungroup(tabId);
    }
    if (on && mine === undefined && tab.groupId === -1 && !tab.pinned) {
      const into = groups[0]?.id;
      const groupId = await chrome.tabs.group(into === undefined ? { tabIds: [tabId], createProperties: { windowId: tab.windowId } } : { tabIds: [tabId], groupId: into });
      if (into === undefined) {
        await chrome.tabGroups.update(groupId, { title, color });
      }
    }
  });
}

const grouped = new Set<number>();
let timer: ReturnType<typeof setTimeout> | undefined;

// show makes groups and badge agree with the attachments, a moment after the last change: a tab that is used for a moment only does
// not move.
export function show(): void {
  badge();
  clearTimeout(timer);
  timer = setTimeout(() => {
    for (const tabId of attachments.keys()) {
      if (!grouped.has(tabId)) {
        grouped.add(tabId);
        setGroup(tabId, true).catch(forgetTab(tabId));
      }
    }
    for (const tabId of grouped) {
      if (!attachments.has(tabId)) {
        grouped.delete(tabId);
        setGroup(tabId, false).catch(forgetTab(tabId));
      }
    }
  }, 750);
}

// forgetTab is for tabs that are closed, or in windows without groups, such as popups: there is nothing to show then.
function forgetTab(tabId: number): () => void {
  return () => void grouped.delete(tabId);
}

function badge(): void {
  const n = attachments.size;
  const [text, background, meaning] =
    status.state === "connected"
      ? n > 0
        ? [String(n), "#0e7490", `agents are using ${n} ${n === 1 ? "tab" : "tabs"}`]
        : ["", "#0e7490", "connected"]
      : status.state === "not paired"
        ? ["!", "#b91c1c", "not paired"]
        : ["", "#525252", status.state === "off" ? "disconnected by you" : "no relay"];
  void chrome.action.setBadgeText({ text });
  void chrome.action.setBadgeBackgroundColor({ color: background });
  void chrome.action.setTitle({ title: `usher: ${meaning}` });
}
