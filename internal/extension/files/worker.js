"use strict";
(() => {
  // extension/src/protocol.ts
  var protocol = 1;
  var closeNotPaired = 4001;
  var closeWrongSecret = 4003;
  var codeServer = -32e3;
  var codeNoMethod = -32601;
  var codeParams = -32602;
  var codeUserRefused = -32010;
  var codeNotAttached = -32011;
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
  function onAttachments(f) {
    changed = f;
  }
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
    let pending2 = attaching.get(tabId);
    if (pending2 === void 0) {
      pending2 = attachOnce(tabId).finally(() => attaching.delete(tabId));
      attaching.set(tabId, pending2);
    }
    return pending2;
  }
  async function attachOnce(tabId) {
    const have = attachments.get(tabId);
    if (have !== void 0) {
      return { tabId, targetId: have.targetId };
    }
    for (let attempt2 = 1; ; attempt2++) {
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
        if (attempt2 < 3 && /chrome-extension:\/\/|different extension/i.test(message)) {
          await new Promise((done) => setTimeout(done, 100 * attempt2));
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
    for (const tell of leaving.get(tabId) ?? []) {
      tell();
    }
    leaving.delete(tabId);
  }
  var leaving = /* @__PURE__ */ new Map();
  function left(tabId, limit) {
    if (!attachments.has(tabId)) {
      return Promise.resolve(true);
    }
    return new Promise((done) => {
      setTimeout(() => done(false), limit);
      leaving.set(tabId, [...leaving.get(tabId) ?? [], () => done(true)]);
    });
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
  function onSettings(changed4) {
    chrome.storage.onChanged.addListener((changes) => {
      const stored = changes[settingsKey];
      const shared = changes[sharedKey];
      if (stored === void 0 && shared === void 0) {
        return;
      }
      const before = settings;
      const { shared: _, ...kept } = settings;
      settings = valid(stored === void 0 ? kept : stored.newValue, shared === void 0 ? settings.shared : shared.newValue);
      changed4(before);
    });
  }
  async function share(tabIds, on) {
    const { [sharedKey]: stored } = await chrome.storage.session.get(sharedKey);
    const list2 = new Set(valid({}, stored).shared);
    for (const id of tabIds) {
      if (on) {
        list2.add(id);
      } else {
        list2.delete(id);
      }
    }
    await chrome.storage.session.set({ [sharedKey]: [...list2] });
  }
  var nobody = { relay: "", off: false, install: "", token: "" };
  var config = fetch(chrome.runtime.getURL("relay.json")).then((r) => r.json());
  async function loadIdentity() {
    const [stored, written] = await Promise.all([chrome.storage.local.get(identityKey), config]);
    const identity = { ...nobody, ...stored[identityKey] };
    if (identity.install === "") {
      identity.install = crypto.randomUUID();
      await storeIdentity({ install: identity.install });
    }
    return { ...identity, token: identity.token || written.token || "", address: identity.relay || written.relay || defaultRelay };
  }
  async function storeIdentity(change) {
    const stored = await chrome.storage.local.get(identityKey);
    await chrome.storage.local.set({ [identityKey]: { ...nobody, ...stored[identityKey], ...change } });
  }
  function relayAddress(typed) {
    const text = typed.trim();
    const url = URL.parse(/^\d+$/.test(text) ? `ws://127.0.0.1:${text}` : /^wss?:/.test(text) ? text : `ws://${text}`);
    if (url === null || url.protocol !== "ws:" || !["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) {
      return void 0;
    }
    return `ws://${url.host}/extension`;
  }

  // extension/src/cursor.ts
  var visibleFor = 5e3;
  var moving = { r: 14, g: 116, b: 144, a: 0.85 };
  var pressed = { r: 217, g: 119, b: 6, a: 0.95 };
  var outline = { r: 255, g: 255, b: 255, a: 0.95 };
  var shown = /* @__PURE__ */ new Map();
  var domains = /* @__PURE__ */ new Set();
  function observe(tabId, session, method, p) {
    if (session !== void 0) {
      return;
    }
    switch (method) {
      case "Input.dispatchMouseEvent":
        if (settings.ghostCursor && typeof p?.x === "number" && typeof p.y === "number") {
          move(tabId, p.x, p.y, p.type === "mousePressed" ? "down" : p.type === "mouseReleased" ? "up" : "move");
        }
        break;
      case "Page.captureScreenshot":
        hide(tabId);
        break;
      case "DOM.enable":
        domains.add(tabId);
        break;
      case "DOM.disable":
        domains.delete(tabId);
        break;
    }
  }
  function move(tabId, x, y, kind) {
    if (!settings.ghostCursor || !attachments.has(tabId)) {
      return;
    }
    let s = shown.get(tabId);
    if (s === void 0) {
      s = { enabled: false, busy: false };
      shown.set(tabId, s);
    }
    const state = s;
    const draw = () => {
      state.busy = true;
      if (!state.enabled) {
        state.enabled = true;
        send(tabId, "DOM.enable");
        send(tabId, "Overlay.enable");
        if (!domains.has(tabId)) {
          send(tabId, "DOM.disable");
        }
      }
      const quad = [x, y, x, y + 18, x + 5, y + 14, x + 13, y + 13];
      send(tabId, "Overlay.highlightQuad", { quad, color: kind === "down" ? pressed : moving, outlineColor: outline }, () => {
        state.busy = false;
        const next = state.next;
        delete state.next;
        next?.();
      });
      clearTimeout(state.hide);
      state.hide = setTimeout(() => hide(tabId), visibleFor);
    };
    if (state.busy) {
      state.next = draw;
    } else {
      draw();
    }
  }
  function hide(tabId) {
    const s = shown.get(tabId);
    if (s !== void 0) {
      clearTimeout(s.hide);
      delete s.next;
      send(tabId, "Overlay.hideHighlight");
    }
  }
  function forgetCursor(tabId) {
    clearTimeout(shown.get(tabId)?.hide);
    shown.delete(tabId);
    domains.delete(tabId);
  }
  function send(tabId, method, params, done) {
    chrome.debugger.sendCommand({ tabId }, method, params, () => {
      void chrome.runtime.lastError;
      done?.();
    });
  }

  // extension/src/encode.ts
  var piece = 64 << 10;
  var widest = 3;
  var encoder = new TextEncoder();
  function encode(text) {
    let bytes = new Uint8Array(text.length + (text.length >> 4) + widest * (piece + 1));
    let length = 0;
    for (let from = 0; from < text.length; ) {
      let to = Math.min(from + piece, text.length);
      if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) {
        to++;
      }
      if (bytes.length - length < widest * (to - from)) {
        const larger = new Uint8Array(length + widest * (text.length - from));
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      length += encoder.encodeInto(text.slice(from, to), bytes.subarray(length)).written;
      from = to;
    }
    return bytes.subarray(0, length);
  }
  function isHighSurrogate(unit) {
    return unit >= 55296 && unit < 56320;
  }

  // extension/src/log.ts
  var most = 1e3;
  var longest = 300;
  var ring = [];
  var count = 0;
  var watcher;
  function watch(f) {
    watcher = f;
  }
  function record(from, text) {
    const entry = { number: ++count, time: Date.now(), from, text: text.length > longest ? beginning(text) : text, length: text.length };
    ring[entry.number % most] = entry;
    watcher?.(entry);
  }
  function beginning(text) {
    return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, longest)));
  }
  function entries() {
    return ring.filter((e) => e !== void 0).sort((a, b) => a.number - b.number);
  }

  // extension/src/link.ts
  var resumeKey = "resume";
  var firstDelay = 50;
  var grace = 5e3;
  var densest = 400;
  var longestDelay = 5e3;
  var opening = 1e4;
  var silence = 2e4;
  var stay = 3e5;
  var largest = 128 << 10;
  var queueLimit = 4 << 20;
  var batch = false;
  var gathered = "";
  var emptying = false;
  var attempt = 0;
  var socket;
  var welcomed = false;
  var heard = 0;
  var delay = firstDelay;
  var lostAt = 0;
  var retry;
  var code = "";
  var queue = [];
  var queued = 0;
  var pending = /* @__PURE__ */ new Set();
  var epoch = 0;
  var lost = /* @__PURE__ */ new Set();
  var status = { state: "waiting", detail: "", relay: "", address: "", paired: false };
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
  function send2(text, tabId = -1) {
    if (welcomed && socket !== void 0) {
      transmit(socket, text);
      return;
    }
    if (lost.size > 0 || queued + text.length > queueLimit) {
      lost.add(tabId);
      return;
    }
    queue.push({ text });
    queued += text.length;
  }
  function transmit(to, text) {
    record("browser", text);
    if (text.length > largest) {
      empty(to);
      to.send(encode(text));
    } else if (!batch || gathered === "" && pending.size === 0) {
      to.send(text);
    } else {
      gathered = gathered === "" ? text : `${gathered}
${text}`;
      if (pending.size === 0 || gathered.length > largest) {
        empty(to);
      } else if (!emptying) {
        emptying = true;
        void scheduler.postTask(() => {
          emptying = false;
          if (to === socket) {
            empty(to);
          }
        });
      }
    }
  }
  function empty(to) {
    if (gathered !== "") {
      const text = gathered;
      gathered = "";
      to.send(text);
    }
  }
  function begin(id) {
    pending.add(id);
    return epoch;
  }
  function reply(id, began, text) {
    if (began !== epoch) {
      return;
    }
    if (welcomed && socket !== void 0) {
      pending.delete(id);
      transmit(socket, text);
      return;
    }
    if (queued + text.length > queueLimit) {
      text = JSON.stringify({ id, error: { code: codeServer, message: "the result came while the connection to the relay was broken, and was too large to be kept" } });
    }
    queue.push({ text, id });
    queued += text.length;
  }
  function notify(method, params) {
    send2(JSON.stringify({ method, params }));
  }
  async function pair(typed) {
    code = typed;
    await storeIdentity({ off: false });
    reconnect();
  }
  function reconnect() {
    const old = socket;
    forget2();
    old?.close(1e3, "reconnect");
    delay = firstDelay;
    void connect();
  }
  async function disconnect() {
    await storeIdentity({ off: true });
    const old = socket;
    forget2();
    old?.close(1e3, "disconnected by the user");
    become("off", "");
  }
  function wake() {
    if (socket === void 0 && status.state !== "not paired" && status.state !== "off") {
      void connect();
    }
  }
  function forget2() {
    if (welcomed) {
      lostAt = Date.now();
    }
    attempt++;
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
    const number2 = ++attempt;
    const [identity, stored, ua] = await Promise.all([loadIdentity(), chrome.storage.session.get(resumeKey), product()]);
    if (number2 !== attempt) {
      return;
    }
    status.address = identity.address;
    status.paired = identity.token !== "";
    if (identity.off) {
      become("off", "");
      return;
    }
    const answers = await listens(identity.address);
    if (number2 !== attempt) {
      return;
    }
    if (!answers) {
      ended("", identity.address);
      return;
    }
    const mine = new WebSocket(identity.address);
    socket = mine;
    if (status.state !== "waiting") {
      become("connecting", "");
    }
    let limit = setTimeout(() => mine.close(), opening);
    mine.onopen = () => {
      clearTimeout(limit);
      limit = setTimeout(() => mine.close(), opening);
      const typed = code;
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
            batch: true,
            attached: list(),
            pending: [...pending],
            settings
          }
        })
      );
    };
    mine.onmessage = (event) => {
      heard = Date.now();
      if (mine !== socket) {
        return;
      }
      let message;
      try {
        message = JSON.parse(event.data);
      } catch {
        mine.close(4400, "a frame is not JSON");
        return;
      }
      const messages = Array.isArray(message) ? message : [message];
      if (welcomed && messages[0]?.method !== "ping") {
        record("relay", event.data);
      }
      for (const one of messages) {
        if (welcomed) {
          receive(one);
        } else if (one.method === "welcome") {
          clearTimeout(limit);
          welcome(one.params, identity.address);
        }
      }
    };
    mine.onclose = (event) => {
      clearTimeout(limit);
      if (socket === mine) {
        forget2();
        if (event.code === closeNotPaired || event.code === closeWrongSecret) {
          become("not paired", event.reason);
        } else {
          ended(event.reason, identity.address);
        }
      }
    };
  }
  function welcome(w, address) {
    welcomed = true;
    batch = w.batch === true;
    gathered = "";
    delay = firstDelay;
    status.relay = w.relay;
    void chrome.storage.session.set({ [resumeKey]: w.session });
    if (w.token !== void 0) {
      void storeIdentity({ token: w.token });
      status.paired = true;
    }
    if (!w.resumed) {
      epoch++;
      pending.clear();
    }
    const kept = w.resumed ? queue : [];
    const gone = w.resumed ? [...lost] : [];
    queue = [];
    queued = 0;
    lost.clear();
    for (const { text, id } of kept) {
      if (id === void 0) {
        send2(text);
      } else {
        reply(id, epoch, text);
      }
    }
    if (gone.length > 0) {
      notify("events.lost", { tabs: gone.filter((id) => id >= 0) });
    }
    become("connected", `to ${w.relay} at ${address}`);
  }
  function ended(reason, address) {
    become("waiting", reason || `no relay answers at ${address}`);
    clearTimeout(retry);
    retry = setTimeout(() => void connect(), delay);
    delay = Math.min(delay * 2, Date.now() - lostAt < grace ? densest : longestDelay);
  }
  async function listens(address) {
    try {
      await fetch(new URL("/", address.replace(/^ws/, "http")), { method: "HEAD", mode: "no-cors", cache: "no-store", signal: AbortSignal.timeout(opening) });
      return true;
    } catch {
      return false;
    }
  }
  setInterval(() => {
    if (welcomed && Date.now() - heard > silence) {
      reconnect();
    }
  }, 5e3);
  setInterval(() => {
    if (!welcomed && Date.now() - heard < stay) {
      void chrome.runtime.getPlatformInfo();
    }
  }, 2e4);
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

  // extension/src/group.ts
  var title = "usher";
  var color = "cyan";
  var work = Promise.resolve();
  function inOrder(change) {
    work = work.then(change, change);
    return work;
  }
  function setGroup(tabId, on) {
    return inOrder(async () => {
      const tab = await chrome.tabs.get(tabId);
      const groups = await chrome.tabGroups.query({ windowId: tab.windowId, title });
      const mine = groups.find((g) => g.id === tab.groupId);
      if (!on && mine !== void 0) {
        await chrome.tabs.ungroup(tabId);
      }
      if (on && mine === void 0 && tab.groupId === -1 && !tab.pinned) {
        const into = groups[0]?.id;
        const groupId = await chrome.tabs.group(into === void 0 ? { tabIds: [tabId], createProperties: { windowId: tab.windowId } } : { tabIds: [tabId], groupId: into });
        if (into === void 0) {
          await chrome.tabGroups.update(groupId, { title, color });
        }
      }
    });
  }
  var grouped = /* @__PURE__ */ new Set();
  var timer;
  function show() {
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
  function forgetTab(tabId) {
    return () => void grouped.delete(tabId);
  }
  function badge() {
    const n = attachments.size;
    const [text, background, meaning] = status.state === "connected" ? n > 0 ? [String(n), "#0e7490", `agents are using ${n} ${n === 1 ? "tab" : "tabs"}`] : ["", "#0e7490", "connected"] : status.state === "not paired" ? ["!", "#b91c1c", "not paired"] : ["", "#525252", status.state === "off" ? "disconnected by you" : "no relay"];
    void chrome.action.setBadgeText({ text });
    void chrome.action.setBadgeBackgroundColor({ color: background });
    void chrome.action.setTitle({ title: `usher: ${meaning}` });
  }

  // internal/relay/acting.json
  var acting_default = {
    commands: [
      "CSS.addRule",
      "CSS.createStyleSheet",
      "CacheStorage.deleteCache",
      "CacheStorage.deleteEntry",
      "DOM.copyTo",
      "DOM.focus",
      "DOM.moveTo",
      "DOM.redo",
      "DOM.removeAttribute",
      "DOM.removeNode",
      "DOM.scrollIntoViewIfNeeded",
      "DOM.setAttributeValue",
      "DOM.setAttributesAsText",
      "DOM.setFileInputFiles",
      "DOM.setNodeName",
      "DOM.setNodeValue",
      "DOM.setOuterHTML",
      "DOM.undo",
      "Debugger.setReturnValue",
      "Debugger.setScriptSource",
      "Debugger.setVariableValue",
      "Fetch.fulfillRequest",
      "Network.clearBrowserCache",
      "Network.clearBrowserCookies",
      "Network.deleteCookies",
      "Network.replayXHR",
      "Network.setCookie",
      "Network.setCookies",
      "Page.close",
      "Page.reload",
      "Page.setDocumentContent",
      "Runtime.runScript",
      "Runtime.setProtocolObject"
    ],
    prefixes: [
      "CSS.set",
      "Input.",
      "Storage.clear",
      "Storage.delete",
      "Storage.set",
      "WebAuthn.",
      "WebMCP.invoke"
    ],
    harmless: [
      "Input.setIgnoreInputEvents",
      "Input.setInterceptDrags"
    ],
    navigations: [
      "Page.navigate",
      "Page.navigateToHistoryEntry",
      "Page.resetNavigationHistory"
    ]
  };

  // extension/src/reading.ts
  var rules = { scripts: [], calls: [], functions: [] };
  async function loadRules() {
    try {
      rules = await (await fetch(chrome.runtime.getURL("reading.json"))).json();
    } catch (e) {
      console.error("reading.json cannot be read, so usher reads nothing in read-only mode; run `usher extension install`:", e);
    }
  }
  function reads(method, params) {
    switch (method) {
      case "Runtime.evaluate":
        return isReading(params?.expression);
      case "Page.addScriptToEvaluateOnNewDocument":
        return isReading(params?.source);
      case "Runtime.callFunctionOn":
        return rules.functions.includes(String(params?.functionDeclaration));
    }
    return false;
  }
  function isReading(text) {
    if (typeof text !== "string") {
      return false;
    }
    if (rules.scripts.includes(text)) {
      return true;
    }
    const call = callOf(text);
    const tail = text.slice(call?.before.length);
    const name = call?.reads.find((n) => tail.startsWith(n + call.open));
    if (call === void 0 || name === void 0 || !tail.endsWith(call.close)) {
      return false;
    }
    const argument = tail.slice(name.length + call.open.length, -call.close.length);
    try {
      return argument === "" || JSON.parse(argument) !== void 0;
    } catch {
      return false;
    }
  }
  function isActingCall(text) {
    return typeof text === "string" && callOf(text) !== void 0 && !isReading(text);
  }
  var callOf = (text) => rules.calls.find((c) => text.startsWith(c.before));

  // extension/src/restrict.ts
  var scripts = /* @__PURE__ */ new Set(["Runtime.evaluate", "Runtime.callFunctionOn", "Debugger.evaluateOnCallFrame"]);
  var writes = new Set(acting_default.commands);
  var harmless = new Set(acting_default.harmless);
  var navigations = new Set(acting_default.navigations);
  function restricted() {
    return settings.readOnly || settings.lockUrl || settings.noNewTabs || settings.mode === "attached-only";
  }
  function check(method, params) {
    if (settings.lockUrl && navigations.has(method)) {
      throw refusal(method, "lock URL", "agents may not open another page in a tab");
    }
    if (method === "Target.createTarget") {
      checkNewTab(method);
    }
    if (!settings.readOnly) {
      return params;
    }
    if (scripts.has(method)) {
      if (isActingCall(params?.expression)) {
        throw refusal("acting on the page", "read-only", "agents may look, not act");
      }
      return reads(method, params) ? params : { ...params, throwOnSideEffect: true };
    }
    if (harmless.has(method)) {
      return params;
    }
    if (writes.has(method) || navigations.has(method) || acting_default.prefixes.some((p) => method.startsWith(p)) || writesWith(method, params)) {
      throw refusal(method, "read-only", "agents may look, not act");
    }
    return params;
  }
  function checkNewTab(what) {
    if (settings.noNewTabs) {
      throw refusal(what, "no new tabs", "agents may not open tabs");
    }
    if (settings.mode === "attached-only") {
      throw refusal(what, "attached-only", "agents may use the tabs that the user shared, and open none");
    }
  }
  function writesWith(method, params) {
    switch (method) {
      case "Page.addScriptToEvaluateOnNewDocument":
        return typeof params?.source !== "string" || params.source.trim() !== "" && !reads(method, params);
      case "Page.handleJavaScriptDialog":
        return params?.accept === true;
      case "Fetch.continueRequest":
        return ["url", "method", "postData", "headers"].some((k) => params?.[k] !== void 0);
    }
    return false;
  }
  function refusal(what, setting, meaning) {
    return new Failure(`${what} was refused: "${setting}" is on in the usher extension (${meaning}); the user can change it in the extension's popup`, codeUserRefused);
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
        return created.has(tab.tabId) || attachments.has(tab.tabId) || /^(https?:|about:blank|$)/.test(tab.url);
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
    const url = p.url || "about:blank";
    let tab;
    const windows = p.newWindow === true ? [] : await chrome.windows.getAll({ windowTypes: ["normal"] });
    const focused = windows.find((w) => w.focused) ?? windows[0];
    const windowId = windows.some((w) => w.id === p.windowId) ? p.windowId : focused?.id;
    if (windowId !== void 0) {
      try {
        tab = await chrome.tabs.create({
          url,
          windowId,
          active: p.active ?? false,
          ...p.openerTabId === void 0 ? {} : { openerTabId: p.openerTabId }
        });
      } catch (e) {
        if (!/no window/i.test(String(e))) {
          throw e;
        }
      }
    }
    tab ??= (await chrome.windows.create({ url, focused: p.active ?? true }))?.tabs?.[0];
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
    "tabs.create": (p) => {
      checkNewTab("tabs.create");
      return create(p);
    },
    "tabs.remove": async (p) => {
      const { tabId } = await usable(p.tabId);
      if (!created.has(tabId)) {
        check("Page.close", void 0);
      }
      return remove(tabId);
    },
    "tabs.update": async (p) => {
      const { tabId } = await usable(p.tabId);
      if (p.url !== void 0) {
        check("Page.navigate", void 0);
      }
      const tab = await chrome.tabs.update(tabId, pick(p, "active", "url"));
      return tab === void 0 ? describe(await chrome.tabs.get(tabId)) : describe(tab);
    },
    "windows.get": async (p) => windowOf(await chrome.windows.get(number(p, "windowId"))),
    "windows.update": async (p) => windowOf(await chrome.windows.update(number(p, "windowId"), pick(p, "focused", "state", "left", "top", "width", "height"))),
    "downloads.search": (p) => chrome.downloads.search({ orderBy: ["-startTime"], limit: 100, ...pick(p, "url", "id", "filenameRegex", "limit") }),
    "group.set": (p) => setGroup(number(p, "tabId"), p.on === true).then(() => ({})),
    "badge.set": async (p) => {
      const tab = p.tabId === void 0 ? {} : { tabId: number(p, "tabId") };
      await chrome.action.setBadgeText({ ...tab, text: String(p.text ?? "") });
      await chrome.action.setTitle({ ...tab, title: String(p.title ?? "usher") });
    },
    "cursor.move": (p) => {
      move(number(p, "tabId"), Number(p.x), Number(p.y), p.kind === "down" || p.kind === "up" ? p.kind : "move");
    },
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
    const { id, focused, state, left: left2, top, width, height, incognito, type } = w;
    return { windowId: id, focused, state, left: left2, top, width, height, incognito, type };
  }
  function receive2(message) {
    if (message.method === "ping") {
      notify("pong", {});
    } else if (message.id === void 0) {
      return;
    } else if (message.m !== void 0) {
      forward(message.id, message.m, message);
    } else if (message.method !== void 0) {
      void answer(message.id, message.method, message.params ?? {});
    }
  }
  function forward(id, method, message) {
    const began = begin(id);
    const tabId = message.tab ?? -1;
    const attachment = attachments.get(tabId);
    if (attachment === void 0) {
      fail(id, began, { code: codeNotAttached, message: `the debugger is not attached to tab ${tabId}` });
      return;
    }
    attachment.used = Date.now();
    let params = message.p;
    if (restricted()) {
      try {
        params = check(method, params);
      } catch (e) {
        fail(id, began, { code: e instanceof Failure ? e.code : codeServer, message: e.message });
        return;
      }
    }
    observe(tabId, message.s, method, params);
    const target = message.s === void 0 ? { tabId } : { tabId, sessionId: message.s };
    chrome.debugger.sendCommand(target, method, params, (result) => {
      const error = chrome.runtime.lastError;
      if (error !== void 0 && notAttached.test(error.message ?? "")) {
        void tooLate(id, began, tabId);
      } else if (error !== void 0) {
        refuse(id, began, failureOf(error.message));
      } else {
        reply(id, began, `{"id":${id},"result":${result === void 0 ? "{}" : JSON.stringify(result)}}`);
      }
    });
  }
  var notAttached = /^Debugger is not attached to the tab/;
  var noticeLimit = 1e3;
  async function tooLate(id, began, tabId) {
    if (!await left(tabId, noticeLimit) && attachments.has(tabId)) {
      forget(tabId);
      notify("debugger.onDetach", { tabId, reason: "target_closed" });
    }
    fail(id, began, { code: codeNotAttached, message: `the debugger is not attached to tab ${tabId}` });
  }
  function refuse(id, began, error) {
    if (error.message === "No SW") {
      setTimeout(() => fail(id, began, error), 1e3);
    } else {
      fail(id, began, error);
    }
  }
  function fail(id, began, error) {
    reply(id, began, JSON.stringify({ id, error }));
  }
  async function answer(id, method, params) {
    const began = begin(id);
    if (method === "runtime.reload") {
      reply(id, began, JSON.stringify({ id, result: {} }));
      setTimeout(() => chrome.runtime.reload(), 100);
      return;
    }
    try {
      const command = Object.hasOwn(commands, method) ? commands[method] : void 0;
      if (command === void 0) {
        throw new Failure(`this extension has no method ${method}`, codeNoMethod);
      }
      reply(id, began, JSON.stringify({ id, result: await command(params) ?? {} }));
    } catch (e) {
      const message = e instanceof Error ? e.message : String(e);
      refuse(id, began, e instanceof Failure ? { code: e.code, message } : failureOf(message));
    }
  }
  function debuggerEvent(tabId, session, method, params) {
    const tail = session === void 0 ? "}" : `,"s":${JSON.stringify(session)}}`;
    send2(`{"tab":${tabId},"e":"${method}","p":${params === void 0 ? "{}" : JSON.stringify(params)}${tail}`, tabId);
  }

  // extension/src/idle.ts
  async function sweep(now) {
    const limit = settings.idleDetachMinutes * 6e4;
    if (limit === 0) {
      return;
    }
    for (const [tabId, { used }] of [...attachments]) {
      if (now - used >= limit) {
        await detach(tabId);
        notify("debugger.onDetach", { tabId, reason: "idle" });
      }
    }
  }

  // extension/src/ports.ts
  var popups = /* @__PURE__ */ new Set();
  function accept(port) {
    if (port.name === "log") {
      const post = (m) => port.postMessage(m);
      post({ entries: entries() });
      watch((entry) => post({ entry }));
      port.onDisconnect.addListener(() => watch(void 0));
    } else if (port.name === "popup") {
      popups.add(port);
      port.onDisconnect.addListener(() => popups.delete(port));
      port.onMessage.addListener((request) => void act(request));
      void report();
    }
  }
  async function report() {
    if (popups.size === 0) {
      return;
    }
    const tabs = await chrome.tabs.query({});
    const [front] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
    const rows = tabs.map(row).filter((r) => r.attached || r.shared || r.created);
    const message = {
      state: status.state,
      detail: status.detail,
      address: status.address,
      relay: status.relay,
      version: version(),
      paired: status.paired,
      tabs: rows,
      ...front === void 0 ? {} : { active: row(front) }
    };
    for (const port of popups) {
      port.postMessage(message);
    }
  }
  function row(tab) {
    const { tabId, title: title2, url } = describe(tab);
    return { tabId, title: title2, url, attached: attachments.has(tabId), shared: settings.shared.includes(tabId), created: created.has(tabId) };
  }
  async function act(request) {
    switch (request.do) {
      case "pair":
        await pair(request.code);
        break;
      case "unpair":
        await storeIdentity({ token: "" });
        reconnect();
        break;
      case "relay": {
        const address = request.address.trim() === "" ? "" : relayAddress(request.address);
        if (address !== void 0 && (address === "" || address !== status.address)) {
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
  async function drop(tabId, reason) {
    await detach(tabId);
    notify("debugger.onDetach", { tabId, reason });
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
      forgetCursor(tabId);
      notify("debugger.onDetach", { tabId, reason });
    }
  });
  chrome.tabs.onCreated.addListener(async (tab) => {
    await ready;
    if (tab.id !== void 0 && tab.openerTabId !== void 0 && attachments.has(tab.openerTabId) && /^(https?:|about:blank|$)/.test(describe(tab).url)) {
      addCreated(tab.id);
    }
    seen(tab);
  });
  chrome.tabs.onUpdated.addListener(async (tabId, changes, tab) => {
    await ready;
    if (seen(tab) !== "known") {
      return;
    }
    const { url, title: title2, status: status2, discarded } = changes;
    if (url !== void 0 || title2 !== void 0 || status2 !== void 0 || discarded !== void 0) {
      notify("tabs.onUpdated", { tabId, changes: { url, title: title2, status: status2, discarded }, tab: describe(tab) });
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
  onSettings(async (before) => {
    await ready;
    notify("settings.onChanged", settings);
    if (before.mode !== settings.mode || before.shared.join() !== settings.shared.join()) {
      for (const tab of await chrome.tabs.query({})) {
        const used = tab.id !== void 0 && attachments.has(tab.id);
        if (used && settings.mode !== "auto" && !mayUse(describe(tab))) {
          await drop(tab.id, "not_shared");
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
  chrome.runtime.onStartup.addListener(() => {
  });
  chrome.runtime.onInstalled.addListener(() => {
  });
  chrome.runtime.onConnect.addListener(async (port) => {
    await ready;
    accept(port);
  });
  function changed3() {
    show();
    void report();
  }
  serve(receive2, changed3);
  onAttachments(changed3);
  var ready = (async () => {
    await Promise.all([loadSettings(), loadCreated(), loadAttachments(), loadRules(), chrome.alarms.create(alarm, { periodInMinutes: 0.5 })]);
    await query();
  })();
  void ready.then(wake);
})();
