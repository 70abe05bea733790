// The options page: a log of what went over the link. Content of pages is shown as text only.

import { element, text } from "./dom";
import type { Entry } from "./log";
import type { LogMessage } from "./messages";

const most = 1_000; // rows
const rows = element("rows");
const filter = element("filter", HTMLInputElement);
const follow = element("follow", HTMLInputElement);
let list: Entry[] = [];

connect();

// connect asks the worker; when Chrome stops the worker, the next one is asked.
function connect(): void {
  const port = chrome.runtime.connect({ name: "log" });
  port.onMessage.addListener((message: LogMessage) => {
    if ("entries" in message) {
      list = message.entries;
      draw();
    } else {
      list.push(message.entry);
      list = list.slice(-most);
      if (matches(message.entry)) {
        rows.append(rowOf(message.entry));
        while (rows.childElementCount > most) {
          rows.firstElementChild?.remove();
        }
        count();
        if (follow.checked) {
          rows.lastElementChild?.scrollIntoView({ block: "nearest" });
        }
      }
    }
  });
  port.onDisconnect.addListener(() => setTimeout(connect, 1_000));
}

function draw(): void {
  rows.replaceChildren(...list.filter(matches).map(rowOf));
  count();
}

function count(): void {
  text("count", `${rows.childElementCount} of ${list.length}`);
}

function matches(entry: Entry): boolean {
  return entry.text.toLowerCase().includes(filter.value.trim().toLowerCase());
}

function rowOf(entry: Entry): HTMLTableRowElement {
  const row = document.createElement("tr");
  const tab = /"tab(?:Id)?":(\d+)/.exec(entry.text)?.[1] ?? "";
  const what = /^\{[^{]*?"(?:m|e|method)":"([^"]+)"/.exec(entry.text)?.[1] ?? (/^\{"id":\d+,"error"/.test(entry.text) ? "error" : "reply");
  const cells = [new Date(entry.time).toLocaleTimeString(), entry.from === "relay" ? "agent" : "browser", tab, what, String(entry.length), entry.text];
  for (const cell of cells) {
    row.insertCell().textContent = cell;
  }
  return row;
}

filter.addEventListener("input", draw);
element("clear").addEventListener("click", () => {
  list = [];
  draw();
});
