"use strict";
(() => {
  // extension/src/dom.ts
  function element(id, type) {
    const found = document.getElementById(id);
    if (found === null || type !== void 0 && !(found instanceof type)) {
      throw new Error(`the page has no element #${id} of that kind`);
    }
    return found;
  }
  function text(id, content) {
    element(id).textContent = content;
  }

  // extension/src/settings.ts
  var defaults = {
    mode: "auto",
    readOnly: false,
    lockUrl: false,
    noNewTabs: false,
    instructions: "",
    ghostCursor: false,
    idleDetachMinutes: 10,
    shared: []
  };
  var settingsKey = "settings";
  var sharedKey = "shared";
  function valid(stored, shared) {
    const from = typeof stored === "object" && stored !== null ? stored : {};
    const is = (key) => typeof from[key] === "boolean" ? from[key] : defaults[key];
    const minutes = from.idleDetachMinutes;
    return {
      mode: from.mode === "manual" || from.mode === "attached-only" ? from.mode : "auto",
      readOnly: is("readOnly"),
      lockUrl: is("lockUrl"),
      noNewTabs: is("noNewTabs"),
      instructions: typeof from.instructions === "string" ? from.instructions.slice(0, 1e4) : "",
      ghostCursor: is("ghostCursor"),
      idleDetachMinutes: typeof minutes === "number" && minutes >= 0 && minutes <= 60 ? minutes : defaults.idleDetachMinutes,
      shared: Array.isArray(shared) ? shared.filter((id) => Number.isInteger(id)) : []
    };
  }
  var settings = defaults;
  async function loadSettings() {
    const [local, session] = await Promise.all([chrome.storage.local.get(settingsKey), chrome.storage.session.get(sharedKey)]);
    settings = valid(local[settingsKey], session[sharedKey]);
  }
  function onSettings(changed) {
    chrome.storage.onChanged.addListener((changes) => {
      const stored = changes[settingsKey];
      const shared = changes[sharedKey];
      if (stored === void 0 && shared === void 0) {
        return;
      }
      const before = settings;
      const { shared: _, ...kept } = settings;
      settings = valid(stored === void 0 ? kept : stored.newValue, shared === void 0 ? settings.shared : shared.newValue);
      changed(before);
    });
  }
  function change(some) {
    settings = { ...settings, ...some };
    const { shared: _, ...kept } = settings;
    void chrome.storage.local.set({ [settingsKey]: kept });
  }
  var config = fetch(chrome.runtime.getURL("relay.json")).then((r) => r.json());
  function relayAddress(typed) {
    const text2 = typed.trim();
    const url = URL.parse(/^\d+$/.test(text2) ? `ws://127.0.0.1:${text2}` : /^wss?:/.test(text2) ? text2 : `ws://${text2}`);
    if (url === null || url.protocol !== "ws:" || !["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) {
      return void 0;
    }
    return `ws://${url.host}/extension`;
  }

  // extension/src/popup.ts
  var states = {
    connected: "Connected",
    connecting: "Connecting\u2026",
    "not paired": "Not paired",
    waiting: "No relay",
    off: "Disconnected"
  };
  var port = chrome.runtime.connect({ name: "popup" });
  var ask = (request) => port.postMessage(request);
  var form = element("settings", HTMLFormElement);
  var address = element("address", HTMLInputElement);
  port.onMessage.addListener((report) => {
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
  function detailOf(report) {
    switch (report.state) {
      case "connected":
        return report.detail;
      case "waiting":
        return `${report.detail}. usher starts it with the first command that needs this browser; usher extension doctor says more.`;
      case "not paired":
        return report.detail.startsWith("not paired") ? "" : report.detail;
      default:
        return report.detail;
    }
  }
  function showFront(tab) {
    const share = element("share", HTMLButtonElement);
    text("front", tab === void 0 ? "No tab." : tab.title || tab.url);
    share.hidden = tab === void 0 || /^(chrome|edge|brave|devtools)/.test(tab.url);
    if (tab !== void 0) {
      share.textContent = tab.shared ? "Stop sharing" : "Share with agents";
      share.onclick = () => ask({ do: "share", tabId: tab.tabId, on: !tab.shared });
    }
  }
  function showTabs(tabs) {
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
  function fill() {
    for (const input of form.elements) {
      if (input instanceof HTMLInputElement && input.type === "radio") {
        input.checked = input.value === settings.mode;
      } else if (input instanceof HTMLInputElement && input.type === "checkbox") {
        input.checked = settings[input.name];
      } else if ((input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) && input !== document.activeElement) {
        input.value = String(settings[input.name]);
      }
    }
  }
  form.addEventListener("change", (event) => {
    const input = event.target;
    if (!input.reportValidity()) {
      return;
    }
    const value = input.type === "checkbox" ? input.checked : input.type === "number" ? Number(input.value) : input.value;
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
    const wrong = typed !== "" && relayAddress(typed) === void 0;
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
})();
