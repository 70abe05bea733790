// The popup: state of the link, pairing, tabs, settings. It asks the worker over a port, and writes settings into the storage itself.

import { element, text } from "./dom";
import type { Report, Request, TabRow } from "./messages";
import { change, loadSettings, onSettings, relayAddress, settings, type Mode } from "./settings";

const states: Record<Report["state"], string> = {
  connected: "Connected",
  connecting: "Connecting…",
  "not paired": "Not paired",
  waiting: "No relay",
  off: "Disconnected",
};

const port = chrome.runtime.connect({ name: "popup" });
const ask = (request: Request) => port.postMessage(request);

const form = element("settings", HTMLFormElement);
const address = element("address", HTMLInputElement);

port.onMessage.addListener((report: Report) => {
  element("dot").dataset.state = report.state;
  text("state-text", states[report.state]);
  text("detail", detailOf(report));
  text("version", `extension ${report.version}`);
  element("pair").hidden = report.state !== "not paired";
  element("connect").hidden = report.state === "connected";
  element("disconnect").hidden = report.state === "off";
  element("unpair").hidden = !report.paired;
  if (document.activeElement !== address) {
    address.value = report.address;
  }
  showFront(report.active);
  showTabs(report.tabs);
});

function detailOf(report: Report): string {
  switch (report.state) {
    case "connected":
      return report.detail;
    case "waiting":
      return `${report.detail}. usher starts it with the first command that needs this browser; usher extension doctor says more.`;
    case "not paired": // the form below says what to do
      return report.detail.startsWith("not paired") ? "" : report.detail;
    default:
      return report.detail;
  }
}

function showFront(tab: TabRow | undefined): void {
  const share = element("share", HTMLButtonElement);
  text("front", tab === undefined ? "No tab." : tab.title || tab.url);
  share.hidden = tab === undefined || /^(chrome|edge|brave|devtools)/.test(tab.url); // the debugger cannot be attached to these
  if (tab !== undefined) {
    share.textContent = tab.shared ? "Stop sharing" : "Share with agents";
    share.onclick = () => ask({ do: "share", tabId: tab.tabId, on: !tab.shared });
  }
}

function showTabs(tabs: TabRow[]): void {
  const rows = tabs.map((tab) => {
    const row = document.createElement("li");
    const what = document.createElement("div");
    const title = document.createElement("span");
    title.textContent = tab.title || tab.url;
    title.title = tab.url;
    const notes = document.createElement("small");
    notes.textContent = [tab.attached ? "in use" : "", tab.shared ? "shared by you" : "", tab.created ? "opened by an agent" : ""].filter(Boolean).join(", ");
    what.append(title, notes);
    row.append(what);
    if (tab.attached) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Detach";
      button.setAttribute("aria-label", `Detach ${tab.title || tab.url}`);
      button.onclick = () => ask({ do: "detach", tabId: tab.tabId });
      row.append(button);
    }
    return row;
  });
  element("tabs").replaceChildren(...rows);
  element("no-tabs").hidden = rows.length > 0;
  element("detach-all").hidden = !tabs.some((t) => t.attached);
}

// fill shows the settings. The field that has the focus is left alone: the user is typing.
function fill(): void {
  for (const input of form.elements) {
    if (input instanceof HTMLInputElement && input.type === "radio") {
      input.checked = input.value === settings.mode;
    } else if (input instanceof HTMLInputElement && input.type === "checkbox") {
      input.checked = settings[input.name as "readOnly"];
    } else if ((input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) && input !== document.activeElement) {
      input.value = String(settings[input.name as "instructions"]);
    }
  }
}

form.addEventListener("change", (event) => {
  const input = event.target as HTMLInputElement;
  if (!input.reportValidity()) {
    return;
  }
  const value = input.type === "checkbox" ? input.checked : input.type === "number" ? Number(input.value) : (input.value as Mode);
  change({ [input.name]: value });
});
form.addEventListener("submit", (event) => event.preventDefault());

element("pair").addEventListener("submit", (event) => {
  event.preventDefault();
  ask({ do: "pair", code: element("code", HTMLInputElement).value.replaceAll(" ", "") });
});

element("relay").addEventListener("submit", (event) => {
  event.preventDefault();
  const typed = address.value.trim();
  const wrong = typed !== "" && relayAddress(typed) === undefined;
  text("address-error", wrong ? "Give a port, or an address of this computer such as ws://127.0.0.1:19222." : "");
  if (!wrong) {
    address.blur();
    ask({ do: "relay", address: typed });
  }
});

element("connect").addEventListener("click", () => ask({ do: "connect" }));
element("disconnect").addEventListener("click", () => ask({ do: "disconnect" }));
element("unpair").addEventListener("click", () => ask({ do: "unpair" }));
element("detach-all").addEventListener("click", () => ask({ do: "detachAll" }));
element("log").addEventListener("click", () => void chrome.runtime.openOptionsPage());

onSettings(fill);
void loadSettings().then(fill);
