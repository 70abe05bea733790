"use strict";
(() => {
  // extension/src/protocol.ts
  var protocol = 1;
  var closeNotPaired = 4001;
  var closeWrongSecret = 4003;
  var codeServer = -32e3;
  var codeNoMethod = -32601;
  var codeParams = -32602;
  var Failure = class extends Error {
    constructor(message, code2 = codeServer) {
      super(message);
      this.code = code2;
    }
    code;
  };
  function failureOf(text) {
    const message = text ?? "unknown error";
    if (message.startsWith("{")) {
      try {
        const parsed = JSON.parse(message);
        if (typeof parsed.message === "string") {
          return { code: typeof parsed.code === "number" ? parsed.code : codeServer, message: parsed.message };
        }
      } catch {
      }
    }
    return { code: codeServer, message };
  }

  // extension/src/attachments.ts
  var key = "attached";
  var protocolVersion = "1.3";
  var attachments = /* @__PURE__ */ new Map();
  var changed = () => {
  };
  function store() {
    void chrome.storage.session.set({ [key]: list() });
    changed();
  }
  function list() {
    return [...attachments].map(([tabId, { targetId }]) => ({ tabId, targetId }));
  }
  async function loadAttachments() {
    const { [key]: stored } = await chrome.storage.session.get(key);
    const before = Array.isArray(stored) ? stored : [];
    const targets = before.length === 0 ? [] : await chrome.debugger.getTargets();
    for (const { tabId } of before) {
      const target = targets.find((t) => t.tabId === tabId);
      if (target !== void 0 && target.attached && await ours(tabId)) {
        attachments.set(tabId, { targetId: target.id, used: Date.now() });
      }
    }
    if (before.length !== attachments.size) {
      store();
    }
  }
  async function ours(tabId) {
    try {
      await chrome.debugger.sendCommand({ tabId }, "Target.getTargetInfo");
      return true;
    } catch (e) {
      return !/not attached/i.test(String(e));
    }
  }
  var attaching = /* @__PURE__ */ new Map();
  function attach(tabId) {
    let pending = attaching.get(tabId);
    if (pending === void 0) {
      pending = attachOnce(tabId).finally(() => attaching.delete(tabId));
      attaching.set(tabId, pending);
    }
    return pending;
  }
  async function attachOnce(tabId) {
    const have = attachments.get(tabId);
    if (have !== void 0) {
      return { tabId, targetId: have.targetId };
    }
    for (let attempt = 1; ; attempt++) {
      try {
        await chrome.debugger.attach({ tabId }, protocolVersion);
        break;
      } catch (e) {
        const message = e instanceof Error ? e.message : String(e);
        if (/already attached/i.test(message)) {
          if (await ours(tabId)) {
            break;
          }
          throw new Failure(`tab ${tabId} is being debugged by DevTools or another extension: ${message}`);
        }
        if (attempt < 3 && /chrome-extension:\/\/|different extension/i.test(message)) {
          await new Promise((done) => setTimeout(done, 100 * attempt));
          continue;
        }
        throw new Failure(`attach to tab ${tabId}: ${message}`);
      }
    }
    const target = (await chrome.debugger.getTargets()).find((t) => t.tabId === tabId);
    if (target === void 0) {
      throw new Failure(`tab ${tabId} was closed while the debugger was being attached`);
    }
    attachments.set(tabId, { targetId: target.id, used: Date.now() });
    store();
    return { tabId, targetId: target.id };
  }
  async function detach(tabId) {
    try {
      await chrome.debugger.detach({ tabId });
    } catch (e) {
      const message = e instanceof Error ? e.message : String(e);
      if (!/not attached|no tab with/i.test(message)) {
        throw new Failure(`detach from tab ${tabId}: ${message}`);
      }
    }
    forget(tabId);
  }
  function forget(tabId) {
    if (attachments.delete(tabId)) {
      store();
    }
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
  var defaultRelay = "ws://127.0.0.1:19222/extension";
  var settingsKey = "settings";
  var sharedKey = "shared";
  var identityKey = "identity";
  function valid(stored, shared) {
    const from = typeof stored === "object" && stored !== null ? stored : {};
    const is = (key2) => typeof from[key2] === "boolean" ? from[key2] : defaults[key2];
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
  function onSettings(changed3) {
    chrome.storage.onChanged.addListener((changes) => {
      const stored = changes[settingsKey];
      const shared = changes[sharedKey];
      if (stored === void 0 && shared === void 0) {
        return;
      }
      const before = settings;
      const { shared: _, ...kept } = settings;
      settings = valid(stored === void 0 ? kept : stored.newValue, shared === void 0 ? settings.shared : shared.newValue);
      changed3(before);
    });
  }
  async function loadIdentity() {
    const [stored, written] = await Promise.all([
      chrome.storage.local.get(identityKey),
      fetch(chrome.runtime.getURL("relay.json")).then((r) => r.json())
    ]);
    const have = stored[identityKey] ?? {};
    const identity = { relay: have.relay ?? "", install: have.install ?? "", token: have.token ?? "" };
    if (identity.install === "") {
      identity.install = crypto.randomUUID();
      await chrome.storage.local.set({ [identityKey]: identity });
    }
    const code2 = identity.token === "" ? written.code ?? "" : "";
    return { ...identity, relay: identity.relay || written.relay || defaultRelay, code: code2 };
  }
  async function storeIdentity(change) {
    const stored = await chrome.storage.local.get(identityKey);
    await chrome.storage.local.set({ [identityKey]: { relay: "", install: "", token: "", ...stored[identityKey], ...change } });
  }

  // extension/src/link.ts
  var resumeKey = "resume";
  var firstDelay = 500;
  var longestDelay = 5e3;
  var opening = 5e3;
  var silence = 2e4;
  var queueLimit = 4 << 20;
  var socket;
  var welcomed = false;
  var heard = 0;
  var delay = firstDelay;
  var retry;
  var code = "";
  var queue = [];
  var queued = 0;
  var lost = /* @__PURE__ */ new Set();
  var status = { state: "waiting", detail: "", relay: "", address: "" };
  var receive = () => {
  };
  var changed2 = () => {
  };
  function serve(onCommand, onChange) {
    receive = onCommand;
    changed2 = onChange;
  }
  function become(state, detail) {
    status.state = state;
    status.detail = detail;
    changed2();
  }
  function send(text, tabId = -1) {
    if (welcomed && socket !== void 0) {
      socket.send(text);
      return;
    }
    if (lost.size > 0 || queued + text.length > queueLimit) {
      lost.add(tabId);
      return;
    }
    queue.push(text);
    queued += text.length;
  }
  function notify(method, params) {
    send(JSON.stringify({ method, params }));
  }
  function reconnect() {
    const old = socket;
    forget2();
    old?.close(1e3, "reconnect");
    delay = firstDelay;
    void connect();
  }
  function wake() {
    if (socket === void 0 && status.state !== "not paired") {
      void connect();
    }
  }
  function forget2() {
    socket = void 0;
    welcomed = false;
    clearTimeout(retry);
    retry = void 0;
  }
  async function connect() {
    clearTimeout(retry);
    retry = void 0;
    if (socket !== void 0) {
      return;
    }
    const [identity, stored, ua] = await Promise.all([loadIdentity(), chrome.storage.session.get(resumeKey), product()]);
    if (socket !== void 0) {
      return;
    }
    const mine = new WebSocket(identity.relay);
    socket = mine;
    status.address = identity.relay;
    if (status.state !== "waiting") {
      become("connecting", "");
    }
    let limit = setTimeout(() => mine.close(), opening);
    mine.onopen = () => {
      clearTimeout(limit);
      limit = setTimeout(() => mine.close(), opening);
      const typed = code || identity.code;
      code = "";
      mine.send(
        JSON.stringify({
          method: "hello",
          params: {
            protocol,
            version: version(),
            userAgent: navigator.userAgent,
            product: ua,
            install: identity.install,
            ...identity.token === "" ? {} : { token: identity.token },
            ...typed === "" ? {} : { code: typed },
            ...typeof stored[resumeKey] === "string" ? { resume: stored[resumeKey] } : {},
            attached: list(),
            settings
          }
        })
      );
    };
    mine.onmessage = (event) => {
      heard = Date.now();
      const message = JSON.parse(event.data);
      if (welcomed) {
        receive(message, mine);
      } else if (message.method === "welcome") {
        clearTimeout(limit);
        welcome(message.params, identity.relay);
      }
    };
    mine.onclose = (event) => {
      clearTimeout(limit);
      if (socket === mine) {
        forget2();
        ended(event, identity.relay);
      }
    };
  }
  function welcome(w, address) {
    welcomed = true;
    delay = firstDelay;
    status.relay = w.relay;
    void chrome.storage.session.set({ [resumeKey]: w.session });
    if (w.token !== void 0) {
      void storeIdentity({ token: w.token });
    }
    const kept = w.resumed ? queue : [];
    const gone = w.resumed ? [...lost] : [];
    queue = [];
    queued = 0;
    lost.clear();
    for (const text of kept) {
      send(text);
    }
    if (gone.length > 0) {
      notify("events.lost", { tabs: gone.filter((id) => id >= 0) });
    }
    become("connected", `to ${w.relay} at ${address}`);
  }
  function ended(event, address) {
    if (event.code === closeNotPaired || event.code === closeWrongSecret) {
      become("not paired", event.reason);
      return;
    }
    become("waiting", event.reason || `no relay answers at ${address}`);
    retry = setTimeout(() => void connect(), delay);
    delay = Math.min(delay * 2, longestDelay);
  }
  setInterval(() => {
    if (welcomed && Date.now() - heard > silence) {
      reconnect();
    }
  }, 5e3);
  function version() {
    const manifest = chrome.runtime.getManifest();
    return manifest.version_name ?? manifest.version;
  }
  async function product() {
    const data = navigator.userAgentData;
    const brands = (await data?.getHighEntropyValues(["fullVersionList"]))?.fullVersionList ?? [];
    const full = brands.find((b) => b.brand === "Chromium")?.version;
    return `Chrome/${full ?? /Chrome\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? "0"}`;
  }

  // extension/src/tabs.ts
  function describe(tab) {
    return {
      tabId: tab.id ?? -1,
      windowId: tab.windowId,
      index: tab.index,
      url: tab.url || tab.pendingUrl || "",
      title: tab.title ?? "",
      active: tab.active,
      status: tab.status ?? "complete",
      discarded: tab.discarded,
      ...tab.openerTabId === void 0 ? {} : { openerTabId: tab.openerTabId },
      incognito: tab.incognito,
      groupId: tab.groupId,
      ...tab.lastAccessed === void 0 ? {} : { lastAccessed: tab.lastAccessed }
    };
  }
  var created = /* @__PURE__ */ new Set();
  var createdKey = "created";
  async function loadCreated() {
    const { [createdKey]: stored } = await chrome.storage.session.get(createdKey);
    for (const id of Array.isArray(stored) ? stored : []) {
      created.add(id);
    }
  }
  function addCreated(tabId) {
    created.add(tabId);
    void chrome.storage.session.set({ [createdKey]: [...created] });
  }
  function removeCreated(tabId) {
    if (created.delete(tabId)) {
      void chrome.storage.session.set({ [createdKey]: [...created] });
    }
  }
  function mayUse(tab) {
    if (settings.shared.includes(tab.tabId)) {
      return true;
    }
    switch (settings.mode) {
      case "auto":
        return created.has(tab.tabId) || /^(https?:|about:blank)/.test(tab.url);
      case "manual":
        return created.has(tab.tabId);
      case "attached-only":
        return false;
    }
  }
  var visible = /* @__PURE__ */ new Set();
  async function query() {
    const tabs = (await chrome.tabs.query({})).map(describe).filter((t) => t.tabId >= 0 && mayUse(t));
    visible.clear();
    for (const tab of tabs) {
      visible.add(tab.tabId);
    }
    return tabs;
  }
  async function usable(tabId) {
    if (!Number.isInteger(tabId)) {
      throw new Failure(`tabId must be a number, not ${JSON.stringify(tabId)}`, codeParams);
    }
    let tab;
    try {
      tab = describe(await chrome.tabs.get(tabId));
    } catch {
      throw new Failure(`there is no tab ${String(tabId)}`);
    }
    if (!mayUse(tab)) {
      throw new Failure(
        settings.mode === "auto" ? `tab ${tab.tabId} shows a page that agents may not use (only http, https and about:blank); the user can share it in the extension's popup` : `tab ${tab.tabId} is not shared with agents (mode ${settings.mode}); the user can share it in the extension's popup`
      );
    }
    return tab;
  }
  async function create(p) {
    if (settings.noNewTabs || settings.mode === "attached-only") {
      throw new Failure(
        settings.noNewTabs ? 'no new tabs: the user turned "no new tabs" on in the extension' : "no new tabs: the extension is in the mode attached-only"
      );
    }
    const url = p.url || "about:blank";
    let tab;
    const windows = p.newWindow === true ? [] : await chrome.windows.getAll({ windowTypes: ["normal"] });
    const focused = windows.find((w) => w.focused) ?? windows[0];
    const windowId = windows.some((w) => w.id === p.windowId) ? p.windowId : focused?.id;
    if (windowId === void 0) {
      tab = (await chrome.windows.create({ url, focused: p.active ?? true }))?.tabs?.[0];
    } else {
      tab = await chrome.tabs.create({
        url,
        windowId,
        active: p.active ?? false,
        ...p.openerTabId === void 0 ? {} : { openerTabId: p.openerTabId }
      });
    }
    if (tab?.id === void 0) {
      throw new Failure("Chrome opened no tab");
    }
    addCreated(tab.id);
    visible.add(tab.id);
    return describe(tab);
  }
  async function remove(tabId) {
    const tabs = await chrome.tabs.query({ windowType: "normal" });
    if (tabs.length === 1 && tabs[0]?.id === tabId) {
      const blank = await chrome.tabs.create({ url: "about:blank", windowId: tabs[0].windowId });
      if (blank.id !== void 0 && settings.mode !== "attached-only") {
        addCreated(blank.id);
      }
    }
    await chrome.tabs.remove(tabId);
  }

  // extension/src/commands.ts
  var commands = {
    "debugger.attach": async (p) => ({ targetId: (await attach((await usable(p.tabId)).tabId)).targetId }),
    "debugger.detach": async (p) => detach(number(p, "tabId")),
    "debugger.getTargets": () => chrome.debugger.getTargets(),
    "tabs.query": () => query(),
    "tabs.create": (p) => create(p),
    "tabs.remove": async (p) => remove((await usable(p.tabId)).tabId),
    "tabs.update": async (p) => {
      const { tabId } = await usable(p.tabId);
      const tab = await chrome.tabs.update(tabId, pick(p, "active", "url"));
      return tab === void 0 ? describe(await chrome.tabs.get(tabId)) : describe(tab);
    },
    "windows.get": async (p) => windowOf(await chrome.windows.get(number(p, "windowId"))),
    "windows.update": async (p) => windowOf(await chrome.windows.update(number(p, "windowId"), pick(p, "focused", "state", "left", "top", "width", "height"))),
    "downloads.search": (p) => chrome.downloads.search({ orderBy: ["-startTime"], limit: 100, ...pick(p, "url", "id", "filenameRegex", "limit") }),
    "settings.get": () => settings
  };
  function number(p, key2) {
    const value = p[key2];
    if (typeof value !== "number" || !Number.isInteger(value)) {
      throw new Failure(`${key2} must be a number, not ${JSON.stringify(value)}`, codeParams);
    }
    return value;
  }
  function pick(p, ...keys) {
    return Object.fromEntries(keys.filter((k) => p[k] !== void 0).map((k) => [k, p[k]]));
  }
  function windowOf(w) {
    const { id, focused, state, left, top, width, height, incognito, type } = w;
    return { windowId: id, focused, state, left, top, width, height, incognito, type };
  }
  function receive2(message, socket2) {
    if (message.m !== void 0) {
      forward(message, socket2);
    } else if (message.method === "ping") {
      notify("pong", {});
    } else if (message.method !== void 0 && message.id !== void 0) {
      void answer(message.id, message.method, message.params ?? {}, socket2);
    }
  }
  function forward(message, socket2) {
    const tabId = message.tab ?? -1;
    const attachment = attachments.get(tabId);
    if (attachment === void 0) {
      fail(message.id, { code: codeServer, message: `the debugger is not attached to tab ${tabId}; call debugger.attach first` }, socket2);
      return;
    }
    attachment.used = Date.now();
    const target = message.s === void 0 ? { tabId } : { tabId, sessionId: message.s };
    chrome.debugger.sendCommand(target, message.m ?? "", message.p, (result) => {
      const error = chrome.runtime.lastError;
      if (error !== void 0) {
        fail(message.id, failureOf(error.message), socket2);
      } else if (socket2.readyState === WebSocket.OPEN) {
        socket2.send(`{"id":${message.id},"result":${result === void 0 ? "{}" : JSON.stringify(result)}}`);
      }
    });
  }
  function fail(id, error, socket2) {
    if (socket2.readyState === WebSocket.OPEN) {
      socket2.send(JSON.stringify({ id, error }));
    }
  }
  async function answer(id, method, params, socket2) {
    if (method === "runtime.reload") {
      socket2.send(JSON.stringify({ id, result: {} }));
      setTimeout(() => chrome.runtime.reload(), 100);
      return;
    }
    try {
      const command = Object.hasOwn(commands, method) ? commands[method] : void 0;
      if (command === void 0) {
        throw new Failure(`this extension has no method ${method}`, codeNoMethod);
      }
      const result = await command(params) ?? {};
      if (socket2.readyState === WebSocket.OPEN) {
        socket2.send(JSON.stringify({ id, result }));
      }
    } catch (e) {
      const message = e instanceof Error ? e.message : String(e);
      fail(id, e instanceof Failure ? { code: e.code, message } : failureOf(message), socket2);
    }
  }
  function debuggerEvent(tabId, session, method, params) {
    const tail = session === void 0 ? "}" : `,"s":${JSON.stringify(session)}}`;
    send(`{"tab":${tabId},"e":"${method}","p":${params === void 0 ? "{}" : JSON.stringify(params)}${tail}`, tabId);
  }

  // extension/src/worker.ts
  var alarm = "connect";
  chrome.debugger.onEvent.addListener((source, method, params) => {
    if (source.tabId !== void 0) {
      debuggerEvent(source.tabId, source.sessionId, method, params);
    }
  });
  chrome.debugger.onDetach.addListener(async (source, reason) => {
    await ready;
    const tabs = reason === "canceled_by_user" ? [...attachments.keys()] : source.tabId === void 0 ? [] : [source.tabId];
    for (const tabId of tabs) {
      forget(tabId);
      notify("debugger.onDetach", { tabId, reason });
    }
  });
  chrome.tabs.onCreated.addListener(async (tab) => {
    await ready;
    if (tab.id !== void 0 && tab.openerTabId !== void 0 && attachments.has(tab.openerTabId)) {
      addCreated(tab.id);
    }
    seen(tab);
  });
  chrome.tabs.onUpdated.addListener(async (tabId, changes, tab) => {
    await ready;
    if (seen(tab) !== "known") {
      return;
    }
    const { url, title, status: status2, discarded } = changes;
    if (url !== void 0 || title !== void 0 || status2 !== void 0 || discarded !== void 0) {
      notify("tabs.onUpdated", { tabId, changes: { url, title, status: status2, discarded }, tab: describe(tab) });
    }
  });
  chrome.tabs.onRemoved.addListener(async (tabId, { windowId }) => {
    await ready;
    removeCreated(tabId);
    forget(tabId);
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
  function seen(tab) {
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
  onSettings(() => {
    notify("settings.onChanged", settings);
  });
  chrome.alarms.onAlarm.addListener(async () => {
    await ready;
    wake();
  });
  chrome.runtime.onStartup.addListener(() => {
  });
  chrome.runtime.onInstalled.addListener(() => {
  });
  serve(receive2, () => {
  });
  var ready = (async () => {
    await Promise.all([loadSettings(), loadAttachments(), loadCreated(), chrome.alarms.create(alarm, { periodInMinutes: 0.5 })]);
    await query();
  })();
  void ready.then(wake);
})();
