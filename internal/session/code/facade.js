(()=>{
"use strict";
var facade = (() => {
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __export = (target, all) => {
    for (var name in all)
      __defProp(target, name, { get: all[name], enumerable: true });
  };
  var __copyProps = (to, from, except, desc) => {
    if (from && typeof from === "object" || typeof from === "function") {
      for (let key of __getOwnPropNames(from))
        if (!__hasOwnProp.call(to, key) && key !== except)
          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
    }
    return to;
  };
  var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

  // ui/script/src/main.ts
  var main_exports = {};
  __export(main_exports, {
    globals: () => globals
  });

  // ui/script/src/called.ts
  var current;
  function calling() {
    return current;
  }
  var following = /* @__PURE__ */ new WeakMap();
  function says(error, label, text2) {
    following.set(error, text2);
    error.message = label + text2;
  }
  function called(of, label, except = []) {
    const prototype = of.prototype;
    const labelOf = typeof label === "string" ? () => label : label;
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (name === "constructor" || except.includes(name)) continue;
      const method = Object.getOwnPropertyDescriptor(prototype, name)?.value;
      if (typeof method === "function") prototype[name] = naming(method, name, labelOf);
    }
  }
  function naming(method, name, label) {
    return function(...args) {
      const outer = current;
      current ??= `${label(this)}.${name}`;
      try {
        const returned = Reflect.apply(method, this, args);
        return returned instanceof Promise ? returned.then(void 0, (error) => rename(error, `${label(this)}.${name}`)) : returned;
      } finally {
        current = outer;
      }
    };
  }
  function rename(error, label) {
    throw renamed(error, label);
  }
  function renamed(error, label) {
    const text2 = error instanceof Error ? following.get(error) : void 0;
    if (text2 !== void 0) error.message = label + text2;
    return error;
  }
  function spoken(error, method, operations, puppeteer) {
    if (typeof error.code !== "string" || error.code === "evaluation_failed" || error.message.startsWith("Protocol error")) return;
    const text2 = after(error.message, operations);
    if (puppeteer && text2.startsWith(": net::")) error.message = text2.slice(2);
    else says(error, method, text2);
    const hint = error.hint?.replace(/\s*Usage: usher [^]*$/, "");
    if (hint) error.hint = hint;
    else delete error.hint;
  }
  var options = { "screenshot-format": "type", "screenshot-quality": "quality" };
  function after(message2, operations) {
    for (const operation of operations) {
      if (message2.startsWith(`${operation} `) || message2.startsWith(`${operation}:`)) return message2.slice(operation.length);
    }
    const text2 = message2.replace(/^Navigation failed: /, "").replace(/^Wait timed out after (\d+)ms: (wait )?(--\w+ )?/, "Timeout $1ms exceeded: ").replace(/^<(\w+)>: /, "$1: ").replace(/^--([\w-]+): /, (_, name) => `${options[name] ?? name.replace(/-(\w)/g, (_2, letter) => letter.toUpperCase())}: `);
    return `: ${text2}`;
  }

  // ui/script/src/cdp.ts
  var open = /* @__PURE__ */ new Map();
  var CDPSession = class _CDPSession {
    constructor(page, number) {
      this.page = page;
      this.number = number;
    }
    page;
    number;
    listeners = /* @__PURE__ */ new Map();
    ended = false;
    // endAll ends the sessions: the call in which they were opened is over.
    static endAll() {
      for (const session of open.values()) session.ended = true;
      open.clear();
    }
    static async open(page) {
      const { session } = await page.daemon.call("page.cdp", {});
      page.context().hub.handle("cdp", (message2) => open.get(message2.session)?.receive(message2));
      const made = new _CDPSession(page, session);
      open.set(session, made);
      return made;
    }
    receive(message2) {
      for (const listener of [...this.listeners.get(message2.method) ?? []]) {
        if (listener.once) this.off(message2.method, listener.handler);
        (async () => listener.handler(message2.params))().catch((error) => this.page.context().hub.uncaught(error));
      }
    }
    async send(method, params = {}) {
      if (this.ended) throw this.named(new Error(`Protocol error (${method}): the session was detached, or ended with the call that opened it`), "TargetCloseError");
      const answer2 = await this.page.daemon.call("page.cdpSend", { session: this.number, method, params }).catch((error) => {
        throw error.message.startsWith("Protocol error") ? this.named(error, "ProtocolError") : error;
      });
      return answer2.result;
    }
    // named gives an error Puppeteer's name.
    named(error, name) {
      if (this.page.daemon.host.config.puppeteer) error.name = name;
      return error;
    }
    on(event, handler) {
      return this.listen(event, handler, false);
    }
    once(event, handler) {
      return this.listen(event, handler, true);
    }
    listen(event, handler, once) {
      const list = this.listeners.get(event) ?? [];
      if (list.length === 0) this.page.context().known.before(this.page.daemon.host.call("page.cdpListen", { tab: this.page.tabId, session: this.number, event }));
      this.listeners.set(event, [...list, { handler, once }]);
      return this;
    }
    off(event, handler) {
      this.listeners.set(event, handler ? (this.listeners.get(event) ?? []).filter((listener) => listener.handler !== handler) : []);
      return this;
    }
    removeListener(event, handler) {
      return this.off(event, handler);
    }
    removeAllListeners(event) {
      if (event === void 0) this.listeners.clear();
      else this.listeners.delete(event);
      return this;
    }
    id() {
      return String(this.number);
    }
    async detach() {
      if (this.ended) return;
      this.ended = true;
      open.delete(this.number);
      await this.page.daemon.call("page.cdpClose", { session: this.number });
    }
  };
  called(CDPSession, "cdpSession");

  // ui/script/src/known.ts
  var silent = /* @__PURE__ */ new Set(["then", "toJSON", "constructor", "inspect", "nodeType", "asymmetricMatch", "$$typeof", "length", "splice", "size", "tagName"]);
  var ownContext = "`context`, the only one of the session, with page.setViewportSize, setUserAgent, emulateTimezone, setGeolocation and their like for the options; another session (usher --session NAME) has other cookies";
  var instead = {
    video: "the command record",
    tracing: "the command trace",
    coverage: "page.createCDPSession() with Profiler and CSS",
    expect: "assert(condition, text)",
    screencast: "the command record",
    serviceWorkers: "page.evaluate with navigator.serviceWorker",
    routeWebSocket: "page.addInitScript with a WebSocket of your own",
    setDragInterception: "locator.dragTo(target)",
    isDragInterceptionEnabled: "locator.dragTo(target)",
    dragEnter: "handle.drag(target)",
    dragOver: "handle.drag(target)",
    removeExposedFunction: "nothing: an exposed function ends with the run",
    ariaSnapshotJSON: "ariaSnapshot()",
    continue: "page.setRequestInterception(true), before the request is sent; this one was not intercepted",
    respond: "page.setRequestInterception(true), before the request is sent; this one was not intercepted",
    waitForXPath: "page.waitForSelector('xpath/' + expression)",
    waitFor: "page.waitForSelector(selector), page.waitForFunction(function) or wait(milliseconds)",
    stackTrace: "message.location()",
    timing: "request.timing()",
    newContext: ownContext,
    createBrowserContext: ownContext,
    createIncognitoBrowserContext: ownContext,
    goto: "page.goto(url); a frame goes with frame.evaluate((url) => { location.href = url; }, url)",
    waitForNavigation: "page.waitForNavigation(); for a frame, frame.waitForURL(url)",
    process: "the command session info",
    wsEndpoint: "the command get cdp-url",
    emulateIdleState: "page.createCDPSession() with Emulation.setIdleOverride",
    queryObjects: "page.evaluate",
    waitForDevicePrompt: "nothing: devices cannot be asked for",
    securityDetails: "response.url()",
    initiator: "page.createCDPSession() with Network.enable",
    client: "page.createCDPSession()",
    toLocator: "page.locator(selector)",
    createReadStream: "download.saveAs(path)",
    setServiceWorkerBypass: "page.createCDPSession() with Network.setBypassServiceWorker",
    on: "page.on(event, handler)",
    isTouchEnabled: "page.viewport().hasTouch"
  };
  function known(of, what) {
    const base = Object.getPrototypeOf(of.prototype);
    const names2 = (from) => {
      const all = /* @__PURE__ */ new Set();
      for (let at = Object.getPrototypeOf(from); at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
        for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") all.add(name);
      }
      return [...all];
    };
    const guard = new Proxy(base, {
      get(target, name, receiver) {
        if (typeof name === "symbol" || Reflect.has(target, name) || silent.has(name)) return Reflect.get(target, name, receiver);
        if (instead[name]) throw new TypeError(`${what} has no member ${name}. There is: ${instead[name]}.`);
        const near = nearest(name, names2(receiver));
        const hint = near.length > 0 ? ` The nearest are: ${near.join(", ")}.` : "";
        throw new TypeError(`${what} has no member ${name}.${hint}`);
      }
    });
    Object.setPrototypeOf(of.prototype, guard);
  }
  function nearest(name, names2) {
    const wanted2 = name.toLowerCase();
    return names2.map((candidate) => ({ candidate, far: distance(wanted2, candidate.toLowerCase()) })).filter(({ candidate, far }) => far <= Math.max(2, wanted2.length / 3) || wanted2.length > 3 && (candidate.toLowerCase().includes(wanted2) || wanted2.includes(candidate.toLowerCase()))).sort((a, b) => a.far - b.far).slice(0, 4).map(({ candidate }) => candidate);
  }
  function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      }
      row = next;
    }
    return row[b.length];
  }

  // ui/script/src/clock.ts
  var Clock = class {
    constructor(daemon) {
      this.daemon = daemon;
    }
    daemon;
    async step(name, value = 0) {
      try {
        await this.daemon().call("page.clock", { name, value });
      } catch (error) {
        if (error.code === "evaluation_failed") says(error, `clock.${name}`, `: ${error.message.replace(/^Evaluation error: /, "").split("\n    at ")[0]}`);
        throw error;
      }
    }
    async install(options2 = {}) {
      await this.step("install", options2.time === void 0 ? Date.now() : timeOf(options2.time));
    }
    async fastForward(ticks) {
      await this.step("fastForward", ticksOf(ticks));
    }
    async pauseAt(time) {
      await this.step("pauseAt", timeOf(time));
    }
    async resume() {
      await this.step("resume");
    }
    async runFor(ticks) {
      await this.step("runFor", ticksOf(ticks));
    }
    async setFixedTime(time) {
      await this.step("setFixedTime", timeOf(time));
    }
    async setSystemTime(time) {
      await this.step("setSystemTime", timeOf(time));
    }
  };
  function wrong(text2) {
    const error = new Error();
    says(error, calling() ?? "clock", `: ${text2}`);
    return error;
  }
  function timeOf(time) {
    const value = time === "" ? 0 : new Date(time).getTime();
    if (!Number.isFinite(value)) throw wrong(`Invalid date: ${String(time)}`);
    return value;
  }
  function ticksOf(ticks) {
    if (typeof ticks === "number") return ticks;
    if (ticks === "") return 0;
    if (!/^(\d\d:){0,2}\d\d?$/.test(ticks)) throw wrong("Clock only understands numbers, 'mm:ss' and 'hh:mm:ss'");
    const parts2 = ticks.split(":").map(Number);
    if (parts2.some((part) => part >= 60)) throw wrong(`Invalid time ${ticks}`);
    return parts2.reduce((sum, part) => sum * 60 + part, 0) * 1e3;
  }
  known(Clock, "the clock");
  called(Clock, "clock");

  // ui/script/src/signal.ts
  function unlessAborted(signal, begin, ended2) {
    if (!signal) return begin();
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abort = () => {
        ended2?.();
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort);
      begin().then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
  }

  // ui/script/src/host.ts
  var defaultTimeout = 3e4;
  var Known = class {
    tabs = [];
    frames = /* @__PURE__ */ new Map();
    states = /* @__PURE__ */ new Map();
    // of tabs
    ready;
    // what operations wait for
    tabsVersion = 0;
    framesVersion = /* @__PURE__ */ new Map();
    // before makes the operations that follow wait for a promise.
    before(first) {
      const ready = Promise.all([this.ready, first]).then(() => {
        if (this.ready === ready) this.ready = void 0;
      });
      this.ready = ready;
      ready.catch(() => {
      });
    }
    // renew forgets what operations of an earlier call wait for.
    renew() {
      this.ready = void 0;
    }
    take(tab, state) {
      const version = state.version ?? 0;
      if (state.tabs && version >= this.tabsVersion) {
        this.tabsVersion = version;
        this.tabs = state.tabs;
      }
      if (state.frames && version >= (this.framesVersion.get(tab) ?? 0)) {
        this.framesVersion.set(tab, version);
        this.frames.set(tab, state.frames);
      }
      const last = this.states.get(tab);
      this.states.set(tab, state.closed ? { url: last?.url ?? "", closed: true } : { url: state.url, ...state.loader ? { loader: state.loader } : {} });
    }
  };
  var Daemon = class {
    // tab is the target id of the tab.
    constructor(host, tab, known3) {
      this.host = host;
      this.tab = tab;
      this.known = known3;
    }
    host;
    tab;
    known;
    defaults = {};
    // state is that of the tab.
    get state() {
      const state = this.known.states.get(this.tab);
      return state?.url ? state : { ...state, url: this.known.tabs.find((tab) => tab.id === this.tab)?.url ?? "" };
    }
    // timeout is that of a call's options, or the default that the code has set.
    timeout(timing) {
      return timing?.timeout ?? this.defaults.action;
    }
    // command runs a command of usher's table and returns its data.
    async command(name, values2 = {}, timing = {}) {
      const result2 = await this.call(name, { values: values2, timeout: this.timeout(timing) }, timing.signal);
      return result2.data;
    }
    // call carries out an operation, and takes over the state of the tab that comes with its result.
    async call(method, params, signal) {
      const label = calling();
      try {
        if (this.known.ready) await this.known.ready;
        const all = { tab: this.tab, ...params };
        if (!signal) return this.took(await this.host.call(method, all, void 0, void 0, label));
        let id = 0;
        const begin = () => this.host.call(method, all, void 0, void 0, label, (number) => id = number);
        return this.took(await unlessAborted(signal, begin, () => this.host.cancel(id)));
      } catch (error) {
        throw named(error, method, params, this.host.config.puppeteer);
      }
    }
    // short is call without a promise of its own: code often makes thousands of calls one after the other. params have the tab.
    short(method, params, done, fail) {
      if (this.known.ready) return this.call(method, params).then(done, fail);
      return this.host.call(method, params, (result2) => done(this.took(result2)), (error) => fail(named(error, method, params, this.host.config.puppeteer)));
    }
    // took takes over the state of the tab that comes with a result.
    took(result2) {
      const state = result2?.page;
      if (state) this.known.take(this.tab, state);
      return result2;
    }
  };
  var TimeoutError = class extends Error {
    name = "TimeoutError";
  };
  var timeouts = /* @__PURE__ */ new Set([
    "timeout",
    "element_not_found",
    "element_not_visible",
    "element_not_stable",
    "element_disabled",
    "element_covered",
    "element_readonly",
    "option_not_found"
  ]);
  function named(error, method, params, puppeteer) {
    const out = typed(error);
    if (out instanceof Error) spoken(out, method, [params.command ?? method, params.name ?? method, "find", "eval", "wait"], puppeteer);
    return out;
  }
  function typed(failure) {
    if (!failure?.code || !timeouts.has(failure.code)) return failure;
    const out = new TimeoutError(failure.message);
    out.code = failure.code;
    if (failure.stack !== void 0) out.stack = failure.stack;
    if (failure.hint !== void 0) out.hint = failure.hint;
    if (failure.data !== void 0) out.data = failure.data;
    return out;
  }

  // ui/script/src/events.ts
  function late(what, limit) {
    const error = new TimeoutError();
    const [, method, event] = /^(\w+)(?:\((.*)\))?$/.exec(what) ?? ["", what];
    says(error, method, `: Timeout ${limit}ms exceeded${event ? ` while waiting for event ${event}` : ""}: there was none`);
    return error;
  }
  var told = { kinds: [], make: () => void 0 };
  var Hub = class {
    // of the last subscription
    constructor(host, known3) {
      this.host = host;
      this.known = known3;
      host.onEvent((name, data) => {
        const change3 = data;
        if (change3.page && change3.targetId) known3.take(change3.targetId, change3.page);
        const own = this.handlers.get(name);
        if (own) return void own(change3);
        for (const emitter of this.emitters) emitter.receive(change3);
      });
    }
    host;
    known;
    emitters = [];
    kinds = /* @__PURE__ */ new Set();
    number = 0;
    handlers = /* @__PURE__ */ new Map();
    logging = /* @__PURE__ */ new Set();
    // listenToLog asks for what the browser writes to the console of a tab.
    listenToLog(tab) {
      if (this.logging.has(tab)) return;
      this.logging.add(tab);
      this.known.before(this.host.post("page.listenToLog", { tab }));
    }
    // handle passes events of a name that are no changes to a function.
    handle(name, handler) {
      this.handlers.set(name, handler);
    }
    // own reports whether the code emits events of its own, so that it may listen to names that are no events of the browser.
    get own() {
      return this.host.config.emits === true;
    }
    // uncaught ends the run with the error of a handler.
    uncaught(error) {
      this.host.uncaught(error);
    }
    add(emitter) {
      this.emitters.push(emitter);
    }
    // renew subscribes, for another call, to what code listens to.
    renew() {
      this.kinds.clear();
      this.logging.clear();
      for (const emitter of this.emitters) this.subscribe(emitter.renew());
    }
    // release ends the subscription to kinds that no code listens to any more.
    release(kinds2) {
      const wanted2 = new Set(this.emitters.flatMap((emitter) => emitter.wanted()));
      const drop = kinds2.filter((kind) => this.kinds.has(kind) && !wanted2.has(kind));
      if (drop.length === 0) return;
      for (const kind of drop) this.kinds.delete(kind);
      this.tell();
    }
    // subscribe asks for changes. Operations that are sent later wait for its answer.
    subscribe(kinds2) {
      const fresh = kinds2.filter((kind) => !this.kinds.has(kind));
      if (fresh.length === 0) return;
      for (const kind of fresh) this.kinds.add(kind);
      this.tell();
    }
    // tell says what code listens to now. The number is there because what is posted may be carried out in another order.
    tell() {
      this.known.before(this.host.post("page.subscribe", { number: ++this.number, kinds: [...this.kinds] }));
    }
  };
  var Emitter = class {
    constructor(hub, what, sources, concerns) {
      this.hub = hub;
      this.what = what;
      this.sources = sources;
      this.concerns = concerns;
      hub.add(this);
    }
    hub;
    what;
    sources;
    concerns;
    listeners = /* @__PURE__ */ new Map();
    running = /* @__PURE__ */ new Map();
    // handlers that have not ended, by the event
    order;
    on(event, handler, once = false) {
      const source = this.sources[event] ?? (this.hub.own ? told : void 0);
      if (!source) throw new TypeError(`${this.what} has no event ${JSON.stringify(event)}. The events are: ${Object.keys(this.sources).join(", ")}.`);
      if (typeof handler !== "function") throw new TypeError(`The handler of ${event} is no function`);
      this.hub.subscribe(source.kinds);
      source.begin?.();
      const list = this.listeners.get(event) ?? [];
      list.push({ handler, once });
      this.listeners.set(event, list);
    }
    off(event, handler) {
      const list = this.listeners.get(event) ?? [];
      const at = list.findLastIndex((listener) => listener.handler === handler);
      this.listeners.set(event, handler ? list.filter((_, index) => index !== at) : []);
    }
    // remove is off and clear for the code, which may have no handler of dialogs then: what comes next does not wait for its answer.
    remove(event, handler) {
      if (event !== void 0 && handler) this.off(event, handler);
      else this.clear(event);
      if (event === void 0 || event === "dialog") this.hub.release(this.sources["dialog"]?.kinds ?? []);
    }
    // renew returns the kinds of changes that code listens to, and begins anew with their order.
    renew() {
      this.order = void 0;
      for (const [, source] of this.heard()) source.begin?.();
      return this.wanted();
    }
    wanted() {
      return this.heard().flatMap(([, source]) => source.kinds);
    }
    heard() {
      return Object.entries(this.sources).filter(([event]) => this.count(event) > 0);
    }
    count(event) {
      return this.listeners.get(event)?.length ?? 0;
    }
    clear(event) {
      if (event === void 0) this.listeners.clear();
      else this.listeners.delete(event);
    }
    receive(change3) {
      if (!this.concerns(change3)) return;
      for (const [event, source] of Object.entries(this.sources)) {
        if (this.count(event) === 0 || !source.kinds.includes(change3.type)) continue;
        const made = source.make(change3);
        if (made === void 0) continue;
        if (made instanceof Promise || this.order) this.later(event, made);
        else this.emit(event, made);
      }
    }
    // later emits a value that is not there yet; what follows waits for it.
    later(event, made) {
      const order = (this.order ?? Promise.resolve()).then(async () => {
        const value = await made;
        if (this.order === order) this.order = void 0;
        if (value !== void 0) this.emit(event, value);
      });
      this.order = order;
    }
    emit(event, ...values2) {
      for (const listener of [...this.listeners.get(event) ?? []]) {
        if (listener.once) this.listeners.set(event, (this.listeners.get(event) ?? []).filter((other) => other !== listener));
        const run = (async () => listener.handler(...values2))().catch((error) => this.hub.uncaught(error));
        const running = this.running.get(event) ?? /* @__PURE__ */ new Set();
        this.running.set(event, running.add(run));
        void run.finally(() => running.delete(run));
      }
    }
    // ended waits until the handlers of an event, or of all, that run have ended.
    async ended(event) {
      const sets = event === void 0 ? [...this.running.values()] : [this.running.get(event) ?? []];
      await Promise.all(sets.flatMap((running) => [...running]));
    }
    // next waits for an event whose value is wanted.
    next(event, wanted2, limit, what, signal) {
      let end = () => {
      };
      return unlessAborted(signal, () => this.settled(event, wanted2, limit, what, (done) => end = done), () => end());
    }
    // settled is next; ends gets the function that ends the wait.
    settled(event, wanted2, limit, what, ends) {
      return new Promise((resolve, reject) => {
        let timer;
        const done = (settle) => {
          this.off(event, handler);
          clearTimeout(timer);
          settle();
        };
        const handler = async (value) => {
          try {
            if (await wanted2(value)) done(() => resolve(value));
          } catch (error) {
            done(() => reject(error));
          }
        };
        this.on(event, handler);
        ends(() => done(() => {
        }));
        timer = setTimeout(() => done(() => reject(late(what, limit))), limit);
      });
    }
  };
  var Events = class {
    on(event, handler) {
      this.emitter.on(event, handler);
      return this;
    }
    addListener(event, handler) {
      return this.on(event, handler);
    }
    once(event, handler) {
      this.emitter.on(event, handler, true);
      return this;
    }
    off(event, handler) {
      this.emitter.remove(event, handler);
      return this;
    }
    removeListener(event, handler) {
      return this.off(event, handler);
    }
    // removeAllListeners waits, with the behavior "wait", for handlers that run.
    removeAllListeners(event, options2) {
      const behavior = options2?.behavior;
      if (behavior !== void 0 && behavior !== "wait" && behavior !== "default") throw new TypeError(`removeAllListeners: behavior: ${JSON.stringify(behavior)} is not one of: wait, default`);
      this.emitter.remove(event);
      if (!options2) return this;
      return behavior === "wait" ? this.emitter.ended(event) : Promise.resolve();
    }
    // emit calls the handlers of an event with values of the code's own, and reports whether there are any.
    emit(event, ...values2) {
      const heard = this.emitter.count(event) > 0;
      this.emitter.emit(event, ...values2);
      return heard;
    }
    listenerCount(event) {
      return this.emitter.count(event);
    }
  };
  function mixin(target) {
    for (const name of Object.getOwnPropertyNames(Events.prototype)) {
      if (name === "constructor") continue;
      Object.defineProperty(target.prototype, name, Object.getOwnPropertyDescriptor(Events.prototype, name));
    }
  }

  // ui/script/src/bytes.ts
  function bytesOf(base64) {
    return Buffer.from(base64, "base64");
  }
  function bytesOfText(text2) {
    return Buffer.from(text2);
  }
  function base64Of(bytes) {
    return Buffer.from(bytes).toString("base64");
  }
  function encoded(bytes, encoding) {
    return encoding === "base64" ? base64Of(bytes) : bytes;
  }

  // ui/script/src/values.ts
  var isHandle = /* @__PURE__ */ Symbol("handle");
  function pass(list) {
    const handles = [];
    const seen = /* @__PURE__ */ new Set();
    const write = (value) => {
      switch (typeof value) {
        case "undefined":
          return "undefined";
        case "string":
          return text(value);
        case "boolean":
          return String(value);
        case "number":
          return Object.is(value, -0) ? "-0" : String(value);
        case "bigint":
          return `${value}n`;
        case "symbol":
          throw new TypeError("A symbol cannot be passed to the page");
        case "function":
          throw new TypeError("A function cannot be passed to the page as an argument: pass its text, define it inside of the evaluated function, or give the page a function of the code with page.exposeFunction(name, function)");
      }
      if (value === null) return "null";
      const handle = value[isHandle];
      if (handle) {
        if (handle.isPlain) return write(handle.plainValue);
        handles.push(handle.argument());
        return `$${handles.length - 1}`;
      }
      return writeObject(value);
    };
    const writeObject = (value) => {
      if (seen.has(value)) throw new TypeError("A value that contains itself cannot be passed to the page");
      seen.add(value);
      const out = (() => {
        if (value instanceof Date) return `new Date(${value.getTime()})`;
        if (value instanceof RegExp) return `new RegExp(${text(value.source)},${text(value.flags)})`;
        if (value instanceof URL) return `new URL(${text(value.href)})`;
        if (value instanceof Map) return `new Map(${write([...value])})`;
        if (value instanceof Set) return `new Set(${write([...value])})`;
        if (value instanceof Error) return `Object.assign(new Error(${text(value.message)}),{name:${text(value.name)},stack:${text(String(value.stack))}})`;
        if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
          return `new ${value.constructor.name in globalThis ? arrayName(value) : "Uint8Array"}([${Array.from(value, write).join(",")}])`;
        }
        if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
        const json = value.toJSON;
        if (typeof json === "function") return write(json.call(value));
        return `{${Object.entries(value).map(([key, item]) => `[${text(key)}]:${write(item)}`).join(",")}}`;
      })();
      seen.delete(value);
      return out;
    };
    return { args: `[${list.map(write).join(",")}]`, handles };
  }
  function arrayName(value) {
    const name = Object.prototype.toString.call(value).slice(8, -1);
    return name.endsWith("Array") ? name : "Uint8Array";
  }
  function text(value) {
    return JSON.stringify(value).replace(/[\u2028\u2029]/g, (c) => c === "\u2028" ? "\\u2028" : "\\u2029");
  }
  var mark = "\u2063usher";
  var encoder = (object) => `((mark) => {
  const marked = (kind, ...parts) => ({[mark]: [kind, ...parts]});
  const within = (value, open) => {
    for (let at = open; at !== null; at = at.up) if (at.value === value) return at;
    return null;
  };
  const write = (value, open) => {
    switch (typeof value) {
      case "undefined": case "function": case "symbol": return marked("undefined");
      case "bigint": return marked("bigint", String(value));
      case "number": return Number.isFinite(value) && !Object.is(value, -0) ? value : marked("number", Object.is(value, -0) ? "-0" : String(value));
    }
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Date) return marked("date", value.getTime());
    if (value instanceof RegExp) return marked("regexp", value.source, value.flags);
    if (value instanceof URL) return marked("url", value.href);
    if (value instanceof Error) return marked("error", value.name, value.message, String(value.stack));
    if (typeof Node === "function" && value instanceof Node) return marked("text", "ref: <Node>");
    if (value === globalThis || value.window === value) return marked("text", "ref: <Window>");
    const json = ofJSON(value);
    if (json !== value) return write(json, open);
    const outer = within(value, open);
    if (outer !== null) return marked("cycle", outer.depth);
    const inside = {value, depth: open === null ? 0 : open.depth + 1, up: open};
    return Array.isArray(value) ? Array.from(value, (item) => write(item, inside)) : writeObject(value, inside);
  };
  const ofJSON = (value) => {
    try {
      return !Array.isArray(value) && typeof value.toJSON === "function" && !ArrayBuffer.isView(value) ? value.toJSON() : value;
    } catch {
      return value; // as Playwright takes it
    }
  };
  const writeObject = (value, open) => {
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return marked("array", Object.prototype.toString.call(value).slice(8, -1), Array.from(value, (item) => write(item, open)));
    return (${object})(value, Object.keys(value).filter((key) => typeof value[key] !== "function"), open);
  };
  return (value) => write(value, null);
})(${JSON.stringify(mark)})`;
  var assigning = encoder(`(value, keys, open) => {
    const out = {};
    for (const key of keys) Object.defineProperty(out, key, {value: write(value[key], open), enumerable: true, configurable: true, writable: true});
    return Object.hasOwn(out, mark) ? marked("object", out) : out;
  }`);
  var listing = encoder(`(value, keys, open) => marked("members", keys.map((key) => [key, write(value[key], open)]))`);
  function encoded2(source) {
    return `async (...args) => ${assigning}(await (${source}
)(...args))`;
  }
  function encodedPure(source) {
    return `(...args) => ${listing}((${source}
)(...args))`;
  }
  function decoded(value, open2 = []) {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return within(value, open2, () => value.forEach((item, index) => value[index] = decoded(item, open2)));
    const parts2 = value[mark];
    if (Array.isArray(parts2)) return unmarked(parts2, open2);
    return decodedObject(value, open2);
  }
  function within(value, open2, f) {
    open2.push(value);
    f();
    open2.pop();
    return value;
  }
  function decodedObject(value, open2) {
    return within(value, open2, () => {
      for (const key of Object.keys(value)) {
        const inner = value[key];
        if (typeof inner === "object" && inner !== null) value[key] = decoded(inner, open2);
      }
    });
  }
  function decodedMembers(members, open2) {
    const out = {};
    return within(out, open2, () => {
      for (const [key, value] of members) {
        Object.defineProperty(out, key, { value: decoded(value, open2), enumerable: true, configurable: true, writable: true });
      }
    });
  }
  function unmarked([kind, first, second, third], open2) {
    switch (kind) {
      case "bigint":
        return BigInt(first);
      case "number":
        return Number(first);
      case "date":
        return new Date(first);
      case "regexp":
        return new RegExp(first, second);
      case "url":
        return new URL(first);
      case "error":
        return Object.assign(new Error(second), { name: first, stack: third });
      case "text":
        return first;
      case "cycle":
        return open2[first];
      case "array":
        return typedArray(first, decoded(second));
      case "object":
        return decodedObject(first, open2);
      case "members":
        return decodedMembers(first, open2);
    }
    return void 0;
  }
  function typedArray(name, items) {
    const make = globalThis[name];
    return make?.from ? make.from(items) : items;
  }
  function result(from) {
    switch (from.special) {
      case void 0:
        return from.value;
      case "undefined":
        return void 0;
      case "NaN":
        return NaN;
      case "Infinity":
        return Infinity;
      case "-Infinity":
        return -Infinity;
      case "-0":
        return -0;
    }
    return BigInt(from.special.replace(/n$/, ""));
  }
  function sourceOf(what, method) {
    if (typeof what === "function") return { source: functionText(what.toString()), function: true };
    if (typeof what !== "string") throw new TypeError(`${method} needs a function or a text of JavaScript, not ${what === null ? "null" : typeof what}`);
    return { source: what, function: isFunction(what) };
  }
  function isFunction(text2) {
    return /^\s*(async(?=[\s(])\s*)?(function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)/.test(text2);
  }
  function functionText(source) {
    if (/^(async\s*)?(function\b|\(|[\w$]+\s*=>)/.test(source)) return source;
    return source.replace(/^(async\s+)?/, "$1function ");
  }

  // ui/script/src/messages.ts
  var Dialog = class {
    constructor(owner, change3) {
      this.owner = owner;
      this.change = change3;
    }
    owner;
    change;
    type() {
      return this.change.dialog?.type ?? this.change.detail ?? "alert";
    }
    message() {
      return this.change.dialog?.message ?? this.change.text ?? "";
    }
    defaultValue() {
      return this.change.dialog?.defaultPrompt ?? "";
    }
    page() {
      return this.owner;
    }
    // accept enters the text into a prompt; other dialogs have no place for one, and both libraries ignore it there.
    async accept(text2) {
      await this.answer(["accept", ...text2 === void 0 || this.type() !== "prompt" ? [] : [text2]]);
    }
    async dismiss() {
      await this.answer(["dismiss"]);
    }
    async answer(answer2) {
      await this.owner.daemon.command("interrupt answer", { id: this.change.id ?? "", answer: answer2 });
    }
  };
  var ConsoleMessage = class {
    constructor(owner, change3) {
      this.owner = owner;
      this.of = { timestamp: Date.now(), ...change3.message ?? { type: change3.detail ?? "log", text: change3.text ?? "", args: [] } };
    }
    owner;
    of;
    type() {
      return this.of.type === "warning" && this.owner.daemon.host.config.puppeteer ? "warn" : this.of.type;
    }
    text() {
      return this.of.text;
    }
    // args are plain: the values that a page logs are kept as they were then.
    args() {
      return this.of.args.map((arg) => {
        const { value, description } = arg;
        return { jsonValue: async () => valueOf(arg), toString: () => String(value ?? description) };
      });
    }
    location() {
      return { url: this.of.url ?? "", lineNumber: Math.max((this.of.line ?? 1) - 1, 0), columnNumber: Math.max((this.of.column ?? 1) - 1, 0) };
    }
    page() {
      return this.owner;
    }
    // timestamp is when the line was written, in milliseconds since 1970.
    timestamp() {
      return this.of.timestamp;
    }
    // worker is null: what workers log comes as if the page had logged it.
    worker() {
      return null;
    }
  };
  function valueOf(arg) {
    if (arg.unserializableValue !== void 0) return result({ special: arg.unserializableValue });
    if (arg.type !== "object" || arg.value !== void 0 || arg.subtype === "null") return arg.subtype === "null" ? null : arg.value;
    const { preview } = arg;
    const flat = preview && !preview.overflow && !preview.entries && (arg.subtype === void 0 || arg.subtype === "array") && preview.properties.every((p) => p.type in plain);
    if (!flat) throw new Error(`The console kept ${arg.description ?? "the object"} as text only: have the page log JSON.stringify(value)`);
    const values2 = preview.properties.map(({ name, type, value }) => [name, plain[type](value ?? "")]);
    return arg.subtype === "array" ? values2.map(([, value]) => value) : Object.fromEntries(values2);
  }
  var plain = {
    string(text2) {
      if (text2.includes("\u2026") && text2.length >= 100) throw new Error("The console kept only the start of a long text: have the page log JSON.stringify(value)");
      return text2;
    },
    number: Number,
    boolean: (text2) => text2 === "true",
    undefined: () => void 0
  };
  function errorOf(change3) {
    const text2 = (change3.thrown?.text ?? change3.text ?? "").replace(/^Uncaught (\(in promise\) )?/, "");
    const match = /^(\w*(?:Error|Exception)\b[\w.]*): ?([^]*)$/.exec(text2);
    const error = new Error(match ? match[2] : text2);
    error.name = match ? match[1] : "Error";
    if (change3.thrown?.stack) error.stack = change3.thrown.stack;
    return error;
  }
  var Request = class _Request {
    constructor(owner, id, entry) {
      this.owner = owner;
      this.id = id;
      this.entry = entry;
    }
    owner;
    id;
    entry;
    url() {
      return this.entry.url ?? "";
    }
    method() {
      return this.entry.method ?? "GET";
    }
    resourceType() {
      return (this.entry.resourceType ?? "other").toLowerCase();
    }
    headers() {
      return lower(this.entry.headers);
    }
    // allHeaders has also those that are added on the way, such as cookies and those of setExtraHTTPHeaders.
    async allHeaders() {
      const now = await this.owner.entry(this.id).catch(() => void 0);
      if (now?.url === this.entry.url) this.entry = { ...this.entry, ...now?.headers ? { headers: now.headers } : {} };
      return this.headers();
    }
    async headerValue(name) {
      return (await this.allHeaders())[name.toLowerCase()] ?? null;
    }
    async headersArray() {
      return Object.entries(await this.allHeaders()).map(([name, value]) => ({ name, value }));
    }
    postData() {
      return this.entry.postData ?? null;
    }
    hasPostData() {
      return this.entry.hasPostData === true || this.entry.postData !== void 0;
    }
    async fetchPostData() {
      return (await this.owner.entry(this.id)).postData ?? null;
    }
    postDataBuffer() {
      const text2 = this.postData();
      return text2 === null ? null : bytesOfText(text2);
    }
    postDataJSON() {
      const text2 = this.postData();
      if (text2 === null) return null;
      if ((this.headers()["content-type"] ?? "").includes("application/x-www-form-urlencoded")) return Object.fromEntries(new URLSearchParams(text2));
      try {
        return JSON.parse(text2);
      } catch {
        throw new Error(`POST data is not a valid JSON object: ${text2}`);
      }
    }
    isNavigationRequest() {
      return this.entry.loaderId !== void 0 && this.entry.loaderId === this.id;
    }
    frame() {
      return this.owner.frameOf(this.entry.frameId) ?? this.owner;
    }
    failure() {
      const text2 = this.entry.failed ?? this.entry.blockedReason;
      return text2 ? { errorText: text2 } : null;
    }
    // redirectChain is the earlier steps of the same request, first to last (Puppeteer); redirectedFrom is the last of them.
    redirectChain() {
      const chain = (this.entry.redirects ?? []).map((entry, index, all) => new _Request(this.owner, this.id, { ...entry, redirects: all.slice(0, index) }));
      chain.forEach((step, index) => step.next = chain[index + 1] ?? this);
      return chain;
    }
    redirectedFrom() {
      return this.redirectChain().at(-1) ?? null;
    }
    next;
    // of a step of a chain
    // redirectedTo is known for the steps of a chain, and null for a request that was answered without a redirect.
    redirectedTo() {
      if (this.next) return this.next;
      const { status } = this.entry;
      if (status && (status < 300 || status > 399)) return null;
      throw new Error("redirectedTo is known for what request.redirectedFrom() returned: take response.request().redirectedFrom() of the last response");
    }
    // serviceWorker is null: code does not see the requests of service workers.
    serviceWorker() {
      return null;
    }
    // existingResponse is the response, if it has come.
    existingResponse() {
      return this.entry.status ? new Response(this) : null;
    }
    // sizes are in bytes. Those of headers are counted as HTTP/1.1 writes them.
    async sizes() {
      const response = await this.answer();
      if (!response) throw new Error("Unable to fetch sizes for failed request");
      await response.finished();
      const entry = await this.owner.entry(this.id);
      const target = this.url().replace(/^[^:]*:\/\/[^/?#]*|#.*$/g, "") || "/";
      const responseHeadersSize = headersSize(`HTTP/1.1 ${entry.status} ${entry.statusText ?? ""}`, entry.responseHeaders);
      return {
        requestBodySize: new TextEncoder().encode(entry.postData ?? "").length,
        requestHeadersSize: headersSize(`${this.method()} ${target} HTTP/1.1`, entry.headers),
        responseBodySize: Math.max((entry.size ?? 0) - responseHeadersSize, 0),
        responseHeadersSize
      };
    }
    timing() {
      return { startTime: this.entry.timestamp ?? 0, responseEnd: this.entry.duration ?? -1 };
    }
    // response waits for it; null for a request that failed. Puppeteer's is at hand, and null before it has come.
    response() {
      if (this.owner.daemon.host.config.puppeteer) return this.entry.status ? new Response(this) : null;
      return this.answer();
    }
    async answer() {
      if (this.entry.status) return new Response(this);
      const end = Date.now() + this.owner.limit({});
      for (; ; ) {
        const entry = await this.owner.entry(this.id);
        if (entry.status) {
          this.entry = entry;
          return new Response(this);
        }
        if (entry.done || entry.failed || Date.now() > end) return null;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  };
  function headersSize(line, headers = {}) {
    const fields = fieldsOf(headers).map(({ name, value }) => `${name}: ${value}`);
    return new TextEncoder().encode([line, ...fields, "", ""].join("\r\n")).length;
  }
  function fieldsOf(headers) {
    return Object.entries(headers).flatMap(([name, values2]) => values2.split("\n").map((value) => ({ name, value })));
  }
  var Response = class {
    constructor(of) {
      this.of = of;
    }
    of;
    request() {
      return this.of;
    }
    frame() {
      return this.of.frame();
    }
    url() {
      return this.of.url();
    }
    // seen is what Playwright shows of a response that the server confirmed (304): the one from the cache. Puppeteer shows what was sent.
    get seen() {
      return this.of.owner.daemon.host.config.puppeteer ? void 0 : this.of.entry.seen;
    }
    status() {
      return this.seen?.status ?? this.of.entry.status ?? 0;
    }
    statusText() {
      return this.seen?.statusText ?? this.of.entry.statusText ?? "";
    }
    ok() {
      return this.status() === 0 || this.status() >= 200 && this.status() <= 299;
    }
    headers() {
      return lower(this.seen?.headers ?? this.of.entry.responseHeaders);
    }
    async allHeaders() {
      return lower(this.of.entry.responseHeaders);
    }
    headerValue(name) {
      return this.headers()[name.toLowerCase()] ?? null;
    }
    // headerValues are the values of all fields of a name.
    async headerValues(name) {
      return (await this.headersArray()).filter((field) => field.name.toLowerCase() === name.toLowerCase()).map(({ value }) => value);
    }
    async headersArray() {
      return fieldsOf(this.seen?.headers ?? this.of.entry.responseHeaders ?? {});
    }
    // httpVersion is the protocol, as Playwright writes it.
    async httpVersion() {
      const { protocol } = await this.of.owner.entry(this.of.id);
      return protocol === "h2" ? "HTTP/2.0" : protocol === void 0 || protocol === "http/1.1" ? "HTTP/1.1" : protocol;
    }
    fromCache() {
      return this.of.entry.fromCache === true;
    }
    fromServiceWorker() {
      return this.of.entry.fromServiceWorker === true;
    }
    remoteAddress() {
      return { ip: this.of.entry.remoteIPAddress ?? "", port: this.of.entry.remotePort ?? 0 };
    }
    async serverAddr() {
      const { ip, port } = this.remoteAddress();
      return ip ? { ipAddress: ip, port } : null;
    }
    // finished waits until the response is complete.
    async finished() {
      const end = Date.now() + this.of.owner.limit({});
      for (; ; ) {
        const entry = await this.of.owner.entry(this.of.id);
        if (entry.failed) return new Error(entry.failed);
        if (entry.done || Date.now() > end) return null;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    // body waits until the response is complete.
    async body() {
      const entry = await this.read();
      return entry.base64Encoded ? bytesOf(entry.responseBody ?? "") : bytesOfText(entry.responseBody ?? "");
    }
    async buffer() {
      return this.body();
    }
    async text() {
      const entry = await this.read();
      if (!entry.base64Encoded) return entry.responseBody ?? "";
      return decode(bytesOf(entry.responseBody ?? ""));
    }
    async json() {
      return JSON.parse(await this.text());
    }
    async read() {
      const failed = await this.finished();
      if (failed) throw failed;
      const entry = await this.of.owner.daemon.command("network request", { id: this.of.id });
      if (entry.bodyError !== void 0) throw new Error(`The body of ${this.url()} cannot be read: ${entry.bodyError}`);
      return entry;
    }
  };
  function decode(bytes) {
    return new TextDecoder().decode(bytes);
  }
  function lower(headers = {}) {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  }
  var Download = class {
    constructor(owner, change3) {
      this.owner = owner;
      this.change = change3;
    }
    owner;
    change;
    url() {
      return this.change.url ?? "";
    }
    suggestedFilename() {
      return this.change.text ?? "";
    }
    page() {
      return this.owner;
    }
    // path waits until the download has ended.
    async path() {
      return (await this.end()).path ?? "";
    }
    async saveAs(path) {
      if (this.ended) throw new Error("saveAs: the file was taken already; call saveAs before path and failure, or only once");
      await this.end(path);
    }
    // failure is why it ended without a file; null if there is one.
    async failure() {
      return this.end().then(() => null, (error) => {
        if (error.code === "download_failed") return "canceled";
        throw error;
      });
    }
    async cancel() {
      throw new Error("A download cannot be cancelled; it ends with the session");
    }
    ended;
    end(path = "") {
      return this.ended ??= this.owner.daemon.command("wait", { download: path });
    }
  };
  var FileChooser = class {
    constructor(owner, id, multiple) {
      this.owner = owner;
      this.id = id;
      this.multiple = multiple;
    }
    owner;
    id;
    multiple;
    page() {
      return this.owner;
    }
    isMultiple() {
      return this.multiple;
    }
    async setFiles(files) {
      const { paths, contents } = given(files);
      if (contents.length > 0) throw new TypeError("A file chooser takes paths of files; give contents to locator.setInputFiles");
      await this.owner.daemon.command("interrupt answer", { id: this.id, answer: paths.length > 0 ? paths : ["dismiss"] });
    }
    async accept(paths) {
      await this.setFiles(paths);
    }
    async cancel() {
      await this.owner.daemon.command("interrupt answer", { id: this.id, answer: ["dismiss"] });
    }
  };
  function given(files) {
    const out = { paths: [], contents: [] };
    for (const file of [files].flat()) {
      if (typeof file === "string") out.paths.push(file);
      else if (file && typeof file === "object" && typeof file.name === "string" && file.buffer instanceof Uint8Array) out.contents.push({ name: file.name, data: base64Of(file.buffer) });
      else throw new TypeError("files are paths, or objects {name, mimeType, buffer}");
    }
    return out;
  }
  known(Request, "a request");
  known(Response, "a response");
  known(Dialog, "a dialog");
  known(ConsoleMessage, "a console message");
  known(Download, "a download");
  known(FileChooser, "a file chooser");
  for (const [of, label] of [[Request, "request"], [Response, "response"], [Dialog, "dialog"], [ConsoleMessage, "consoleMessage"], [Download, "download"], [FileChooser, "fileChooser"]]) called(of, label);

  // ui/script/src/accessibility.ts
  var texts = ["name", "value", "description", "keyshortcuts", "roledescription", "valuetext", "url"];
  var flags = ["disabled", "expanded", "focused", "modal", "multiline", "multiselectable", "readonly", "required", "selected", "busy", "atomic"];
  var tristates = ["checked", "pressed"];
  var numbers = ["level", "valuemax", "valuemin"];
  var tokens = ["autocomplete", "haspopup", "invalid", "orientation", "live", "relevant", "errormessage", "details"];
  var textRoles = /* @__PURE__ */ new Set(["LineBreak", "text", "InlineTextBox", "StaticText"]);
  var leaves = /* @__PURE__ */ new Set(["doc-cover", "graphics-symbol", "img", "image", "Meter", "scrollbar", "slider", "separator", "progressbar"]);
  var controls = /* @__PURE__ */ new Set([
    "button",
    "checkbox",
    "ColorWell",
    "combobox",
    "DisclosureTriangle",
    "listbox",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "radio",
    "scrollbar",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "tree",
    "treeitem"
  ]);
  var landmarks = /* @__PURE__ */ new Set(["banner", "complementary", "contentinfo", "form", "main", "navigation", "region", "search"]);
  var Node = class {
    constructor(of) {
      this.of = of;
      this.role = of.role?.value ?? "Unknown";
      for (const { name, value } of of.properties ?? []) this.properties.set(name.toLowerCase(), value.value);
    }
    of;
    children = [];
    role;
    properties = /* @__PURE__ */ new Map();
    get rich() {
      return this.properties.get("editable") === "richtext";
    }
    focusableInside() {
      return this.children.some((child) => child.properties.get("focusable") === true || child.focusableInside());
    }
    // isLeaf reports whether what is inside of the node is not told to people.
    isLeaf() {
      if (this.children.length === 0 || textRoles.has(this.role) || leaves.has(this.role)) return true;
      if (!this.rich && (this.properties.has("editable") || this.role === "textbox" || this.role === "searchbox")) return true;
      return this.role === "heading" && !!this.of.name?.value && !this.focusableInside();
    }
    isControl() {
      return controls.has(this.role);
    }
    // isInteresting reports whether a person is told of the node. inside says that it is part of a control.
    isInteresting(inside) {
      const has = (name) => this.properties.get(name);
      if (this.role === "Ignored" || has("hidden") || this.of.ignored) return false;
      if (landmarks.has(this.role) || has("focusable") || this.rich || has("busy") || has("live") && has("live") !== "off" || has("modal")) return true;
      if (this.properties.has("errormessage") || this.properties.has("details") || has("roledescription") || this.isControl()) return true;
      return !inside && this.isLeaf() && !!(this.of.name?.value || this.of.description?.value);
    }
    shown() {
      const { properties, of } = this;
      for (const name of ["name", "value", "description"]) if (of[name]) properties.set(name, of[name].value);
      const out = { role: this.role };
      for (const name of texts) if (properties.has(name)) out[name] = properties.get(name);
      for (const name of flags) if (properties.has(name) && !(name === "focused" && this.role === "RootWebArea")) out[name] = !!properties.get(name);
      for (const name of tristates) {
        const value = properties.get(name);
        if (properties.has(name)) out[name] = value === "mixed" ? value : value === "true";
      }
      for (const name of numbers) if (properties.has(name)) out[name] = properties.get(name);
      for (const name of tokens) {
        const value = properties.get(name);
        if (value && value !== "false") out[name] = value;
      }
      return out;
    }
  };
  function treeOf(given2, element) {
    const nodes = new Map(given2.map((each) => [each.nodeId, new Node(each)]));
    for (const node of nodes.values()) {
      for (const id of node.of.childIds ?? []) {
        const child = nodes.get(id);
        if (child) node.children.push(child);
      }
    }
    const all = [...nodes.values()];
    return { root: all[0], wanted: element ? all.find((node) => node.of.backendDOMNodeId === element) : all[0] };
  }
  function collect(into, node, inside) {
    if (node.isInteresting(inside)) into.add(node);
    if (node.isLeaf()) return;
    for (const child of node.children) collect(into, child, inside || node.isControl());
  }
  function shown(node, some) {
    const children = node.children.flatMap((child) => shown(child, some));
    if (some && !some.has(node)) return children;
    const out = node.shown();
    if (children.length > 0) out.children = children;
    return [out];
  }
  var Accessibility = class {
    constructor(page) {
      this.page = page;
    }
    page;
    // snapshot is the tree of the main frame, or of the element root; interestingOnly: false has all nodes.
    async snapshot(options2 = {}) {
      if (options2.includeIframes) throw new TypeError("includeIframes: the tree is that of one frame; take that of an element in another with {root}, or page.ariaSnapshot(), which has frames");
      const { root: element } = options2;
      if (element && !element[isHandle]?.asElement()) throw new TypeError("root needs an element handle, as page.$(selector) returns it");
      const answer2 = await this.page.daemon.call("page.accessibility", element ? { frame: element.frame.id, handles: [element.argument()] } : {});
      const { root, wanted: wanted2 } = treeOf(answer2.nodes, answer2.root);
      if (!root || !wanted2) return null;
      if (options2.interestingOnly === false) return shown(wanted2, void 0)[0] ?? null;
      const interesting = /* @__PURE__ */ new Set();
      collect(interesting, root, false);
      return shown(wanted2, interesting)[0] ?? null;
    }
  };
  called(Accessibility, "accessibility");

  // ui/script/src/binding.ts
  async function expose(page, name, handler) {
    if (typeof handler !== "function") throw new TypeError("exposeFunction needs a function");
    const context = page.context();
    const bindings = context.bindings.get(page.tabId) ?? /* @__PURE__ */ new Map();
    if (bindings.has(name)) throw taken(name);
    bindings.set(name, handler);
    context.bindings.set(page.tabId, bindings);
    context.hub.handle("binding", (call) => void answer(context.page(call.tab), context.bindings.get(call.tab)?.get(call.name), call));
    await page.daemon.call("page.expose", { name });
  }
  function taken(name) {
    const error = new Error();
    says(error, calling() ?? "exposeFunction", `: Function "${name}" has been already registered`);
    return error;
  }
  async function answer(page, handler, call) {
    const reply = { id: call.id };
    try {
      if (!handler) throw new Error(`there is no function ${call.name} any more`);
      reply.value = await handler({ page, context: page.context(), frame: page.frameOf(call.frame) ?? page }, ...call.args);
      JSON.stringify(reply);
    } catch (error) {
      delete reply.value;
      reply.error = error instanceof Error ? { name: error.name, message: error.message } : { name: "Error", message: String(error) };
    }
    await page.daemon.call("page.answerCall", reply).catch((error) => {
      if (error.code !== "stale_ref" && error.code !== "tab_gone") throw error;
    });
  }

  // ui/script/src/emulation.ts
  async function viewport(page, size) {
    const { width, height } = size;
    if (typeof width !== "number" || typeof height !== "number") throw new TypeError("setViewport needs {width, height}");
    const before = page.viewport();
    const mobile = size.isMobile ?? (before?.isMobile ? false : void 0);
    await page.daemon.command("set viewport", { mobile, width: String(width), height: String(height), scale: size.deviceScaleFactor === void 0 ? void 0 : String(size.deviceScaleFactor) });
    const touch = size.hasTouch ?? false;
    if (touch !== (before?.hasTouch ?? false)) {
      await page.daemon.command("cdp", { method: "Emulation.setTouchEmulationEnabled", params: JSON.stringify({ enabled: touch }) });
    }
    page.daemon.host.config.viewport = { ...size };
    if (page.daemon.host.config.puppeteer && touch && !before?.hasTouch) await page.reload();
  }
  async function userAgent(page, agent) {
    await page.daemon.command("set useragent", { text: [typeof agent === "string" ? agent : agent.userAgent] });
  }
  async function media(page, options2) {
    const features = [];
    if (options2.media !== void 0) features.push(`media=${options2.media ?? "default"}`);
    if (options2.colorScheme !== void 0) features.push(`color-scheme=${options2.colorScheme ?? "no-preference"}`);
    if (options2.reducedMotion !== void 0) features.push(`reduced-motion=${options2.reducedMotion ?? "default"}`);
    if (options2.forcedColors !== void 0) features.push(`forced-colors=${options2.forcedColors ?? "default"}`);
    if (options2.contrast !== void 0) features.push(`contrast=${options2.contrast ?? "default"}`);
    if (features.length > 0) await page.daemon.command("set media", { features });
  }
  var names = {
    "prefers-color-scheme": "colorScheme",
    "prefers-reduced-motion": "reducedMotion",
    "forced-colors": "forcedColors",
    "prefers-contrast": "contrast"
  };
  async function mediaFeatures(page, features) {
    if (features === null) return media(page, { colorScheme: null, reducedMotion: null, forcedColors: null, contrast: null });
    const options2 = {};
    for (const { name, value } of features) {
      const key = names[name];
      if (!key) throw new TypeError(`emulateMediaFeatures: ${name} cannot be set. Those that can: ${Object.keys(names).join(", ")}.`);
      options2[key] = value;
    }
    await media(page, options2);
  }
  async function geolocation(page, at) {
    if (at === null) return void await page.daemon.command("set geo", { latitude: "default" });
    await page.daemon.command("set geo", { latitude: String(at.latitude), longitude: String(at.longitude), accuracy: String(at.accuracy ?? 0) });
  }
  async function credentials(page, login) {
    if (!login) throw new TypeError("authenticate needs {username, password}: a login that was set holds until the session ends");
    await page.daemon.command("set credentials", { username: login.username, password: login.password });
  }

  // ui/script/src/outline.ts
  function outlined({ mode, depth, boxes }) {
    if (mode !== void 0 && mode !== "ai" && mode !== "default") throw new TypeError(`mode: ${JSON.stringify(mode)} is not one of: ai, default`);
    if (boxes) throw new TypeError("boxes: the outline has no boxes: use locator.boundingBox(), or tab.box(selector)");
    return depth === void 0 ? {} : { depth };
  }

  // ui/script/src/actions.ts
  var unselect = `(element) => {
  if (!(element instanceof HTMLSelectElement)) throw new Error("the element is not a <select>");
  if (element.selectedIndex < 0) return;
  element.selectedIndex = -1;
  for (const name of ["input", "change"]) element.dispatchEvent(new Event(name, { bubbles: true }));
}`;
  var Actions = class {
    constructor(on) {
      this.on = on;
    }
    on;
    command(name, values2, timing) {
      return this.around(timing, (within3) => this.on.daemon.command(name, { ...this.on.values(), ...values2 }, within3));
    }
    // around carries out an action, with the page's locator handlers.
    around(timing, act) {
      if (timing?.force) return act(timing);
      return this.on.frame.page().handlers.around({ timeout: timing?.timeout, signal: timing?.signal }, act);
    }
    async click(options2 = {}) {
      const at = options2.position ?? options2.offset;
      await this.command("click", {
        button: options2.button,
        count: options2.clickCount ?? options2.count,
        modifiers: modifiers(options2.modifiers),
        at: at && `${at.x},${at.y}`,
        padding: options2.position !== void 0,
        ...aim(options2)
        // Puppeteer counts the offset from the border
      }, options2);
    }
    async dblclick(options2 = {}) {
      await this.click({ ...options2, clickCount: 2 });
    }
    async tap(options2 = {}) {
      const { position: at } = options2;
      if (!at) return void await this.command("tap", aim(options2), options2);
      await this.command("hover", { at: `${at.x},${at.y}`, padding: true, ...aim({ ...options2, trial: true }) }, options2);
      const boxes = await this.boxes(options2);
      if (!boxes || options2.trial) return;
      const [left, top] = await this.look("(element) => [element.clientLeft, element.clientTop]", options2);
      await this.on.frame.page().touchscreen.tap(boxes.inTab.x + left + at.x, boxes.inTab.y + top + at.y);
    }
    async hover(options2 = {}) {
      const at = options2.position;
      const hover = () => this.command("hover", { at: at && `${at.x},${at.y}`, padding: at !== void 0, ...aim(options2) }, options2);
      const held = modifiers(options2.modifiers)?.split("+") ?? [];
      if (held.length === 0) return void await hover();
      const { keyboard } = this.on.frame.page();
      for (const key of held) await keyboard.down(key);
      try {
        await hover();
      } finally {
        for (const key of held.reverse()) await keyboard.up(key);
      }
    }
    // focus does nothing to an element that cannot have the focus, as in both libraries.
    async focus(options2 = {}) {
      await this.focused(options2);
    }
    // focused gives the element the focus, and reports whether it can have it.
    async focused(options2) {
      return this.command("focus", {}, options2).then(() => true, (error) => {
        if (error.code === "element_unsuitable") return false;
        throw error;
      });
    }
    // entered is focused for keys. In Playwright they go to the beginning of a field that did not have the focus.
    async entered(options2) {
      if (options2.atCursor || this.on.daemon.host.config.puppeteer) return this.focused(options2);
      const before = await this.read("(element) => element.localName !== 'input' || element.getRootNode().activeElement === element", options2);
      const focused = await this.focused(options2);
      if (!before && focused) await this.read("(element) => { try { element.setSelectionRange(0, 0); } catch {} }", options2);
      return focused;
    }
    async blur(options2 = {}) {
      await this.read("(element) => element.blur()", options2);
    }
    async fill(value, options2 = {}) {
      if (typeof value !== "string" && typeof value !== "number") throw new TypeError(`fill needs a text, not ${value === null ? "null" : typeof value}`);
      if (this.on.daemon.host.config.puppeteer && await this.read("(element) => element instanceof HTMLSelectElement", options2)) return void await this.selectOption(String(value), options2);
      await this.command("fill", { text: [String(value)] }, options2);
    }
    async clear(options2 = {}) {
      await this.fill("", options2);
    }
    // type types at the cursor, which stays where it is in an element that has the focus, and is where focus() puts it in another.
    async type(text2, options2 = {}) {
      if (!await this.entered(options2)) return this.on.frame.page().keyboard.type(String(text2), options2);
      for (const part of String(text2).split(/(\t)/)) {
        if (part === "	") await this.on.frame.page().keyboard.insertText(part);
        else if (part !== "") await this.command("type", { text: [part], delay: options2.delay }, options2);
      }
    }
    async pressSequentially(text2, options2 = {}) {
      await this.type(text2, options2);
    }
    async press(key, options2 = {}) {
      await this.entered(options2);
      await this.on.daemon.command("press", { key });
    }
    async check(options2 = {}) {
      await this.command("check", aim(options2), options2);
    }
    async uncheck(options2 = {}) {
      await this.command("uncheck", aim(options2), options2);
    }
    async setChecked(checked, options2 = {}) {
      await (checked ? this.check(options2) : this.uncheck(options2));
    }
    async selectOption(values2, options2 = {}) {
      const list = values2 === null ? [] : Array.isArray(values2) ? values2 : [values2];
      const texts2 = [];
      for (const value of list) texts2.push(await this.optionText(value));
      if (texts2.length > 0) await this.command("select", { values: await this.choosable(texts2, options2) }, options2);
      else await this.read(unselect, options2);
      return await this.evaluate("(element) => [...element.selectedOptions].map((option) => option.value)");
    }
    // choosable leaves of several options, in a list that takes one, the first that the list has.
    async choosable(texts2, options2) {
      if (texts2.length < 2) return texts2;
      const first = await this.read(`(element, texts) => element instanceof HTMLSelectElement && !element.multiple
      ? [...element.options].find((option) => texts.includes(option.value) || texts.includes(option.label))?.value ?? texts[0] : null`, options2, texts2);
      return first === null ? texts2 : [first];
    }
    async optionText(option) {
      if (typeof option === "string") return option;
      if ("ref" in option) return await option.evaluate("(element) => element.value");
      if (option.index !== void 0) return await this.evaluate("(element, index) => element.options[index].value", option.index);
      return option.value ?? option.label ?? "";
    }
    // select is Puppeteer's: values only, each its own argument. Those that the list does not have are left out, without waiting for them.
    async select(...values2) {
      const have = await this.evaluate(`(element) => {
      if (!(element instanceof HTMLSelectElement)) throw new Error("Element is not a <select> element.");
      return [...element.options].map((option) => option.value);
    }`);
      const known3 = values2.filter((value) => have.includes(value));
      return this.selectOption(known3.length > 0 ? known3 : null);
    }
    async selectText(options2 = {}) {
      await this.waitFor({ ...options2, state: "visible" });
      await this.read("(element) => { if (element.select) element.select(); else getSelection().selectAllChildren(element); }", options2);
    }
    async setInputFiles(files, options2 = {}) {
      const { paths, contents } = given(files);
      if (contents.length > 0) {
        if (paths.length > 0) throw new TypeError("setInputFiles takes paths or contents, not both in one call");
        const types = [files].flat().map((file) => file.mimeType ?? "");
        return void await this.read(`(element, files) => {
        const input = element instanceof HTMLLabelElement ? element.control : element;
        if (!(input instanceof HTMLInputElement)) throw new Error("Node is not an HTMLInputElement");
        if (input.type !== "file") throw new Error("the element is no field for files: its type is " + input.type);
        if (files.length > 1 && !input.multiple) throw new Error("Non-multiple file input can only accept single file");
        const data = new DataTransfer();
        for (const {name, type, data: text} of files) data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name, {type}));
        input.files = data.files;
        for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, {bubbles: true, composed: type === "input"}));
      }`, options2, contents.map((file, index) => ({ ...file, type: types[index] })));
      }
      if (paths.length === 0) return void await this.read("(element) => { element.value = ''; element.dispatchEvent(new Event('input', {bubbles: true})); element.dispatchEvent(new Event('change', {bubbles: true})); }", options2);
      await this.command("upload", { files: paths }, options2);
    }
    async uploadFile(...paths) {
      await this.setInputFiles(paths);
    }
    async scrollIntoViewIfNeeded(options2 = {}) {
      await this.command("scrollintoview", {}, options2);
    }
    async scrollIntoView(options2 = {}) {
      await this.scrollIntoViewIfNeeded(options2);
    }
    async textContent(options2 = {}) {
      return await this.look("(element) => element.textContent", options2);
    }
    async innerText(options2 = {}) {
      return await this.look("(element) => element.innerText", options2);
    }
    async innerHTML(options2 = {}) {
      return await this.look("(element) => element.innerHTML", options2);
    }
    async inputValue(options2 = {}) {
      return await this.look("(element) => { const field = element instanceof HTMLLabelElement ? element.control : element; if (!field || !('value' in field)) throw new Error('the element has no value: it is no input, textarea or select'); return field.value; }", options2);
    }
    async getAttribute(name, options2 = {}) {
      return await this.look("(element, name) => element.getAttribute(name)", options2, name);
    }
    async boundingBox(options2 = {}) {
      return (await this.boxes(options2))?.inTab ?? null;
    }
    // boxes are the box of the element in its own frame and in the tab's viewport, which are the same in the main frame.
    async boxes(options2 = {}) {
      return this.again(options2, async (left) => {
        const handle = await this.on.handle(left);
        const got = await handle.evaluate(`(element) => {
        const box = element.getBoundingClientRect();
        return element.getClientRects().length ? {box: {x: box.x, y: box.y, width: box.width, height: box.height}, framed: window.parent !== window} : null;
      }`);
        if (!got) return null;
        const inTab = got.framed ? await this.on.daemon.command("get box", { selector: handle.ref }) : got.box;
        return { inFrame: got.box, inTab };
      });
    }
    async evaluate(code, ...rest) {
      const { args, timing } = timed(rest);
      return this.again(timing, (left) => this.read(code, left, ...args), notRun);
    }
    // look is read with a function that changes nothing: an element that was replaced meanwhile is found and read again.
    async look(code, timing, ...args) {
      return this.again(timing, (left) => this.read(code, left, ...args));
    }
    async again(timing, what, codes) {
      return this.on.found ? this.on.frame.again(timing, what, codes) : what(timing);
    }
    async read(code, timing, ...args) {
      return (await this.on.handle(timing)).evaluate(code, ...args);
    }
    async isVisible() {
      return (await this.states()).visible;
    }
    async isHidden() {
      return !(await this.states()).visible;
    }
    async isEnabled(options2 = {}) {
      return (await this.present(options2)).enabled;
    }
    async isDisabled(options2 = {}) {
      return !await this.isEnabled(options2);
    }
    async isChecked(options2 = {}) {
      if ((await this.present(options2)).checked === "true") return true;
      const checkable = await this.look(`(element) => {
      const field = element instanceof HTMLLabelElement && element.control || element;
      const roles = ["checkbox", "menuitemcheckbox", "menuitemradio", "option", "radio", "switch", "treeitem"];
      return ["checkbox", "radio"].includes(field.type) || roles.includes(field.getAttribute("role"));
    }`, options2);
      if (!checkable) throw new Error("Not a checkbox or radio button: the element has no such type or role");
      return false;
    }
    async isEditable() {
      const writable = await this.look(`(element) => {
      const readOnly = (of) => of.getAttribute("aria-readonly") === "true";
      if (element.matches("input, textarea, select")) return !element.hasAttribute("readonly") && !readOnly(element);
      if (element.isContentEditable) return !readOnly(element);
      const roles = ["checkbox", "combobox", "grid", "gridcell", "listbox", "radiogroup", "slider", "spinbutton", "textbox", "columnheader", "rowheader", "searchbox", "switch", "treegrid"];
      if (roles.includes(element.getAttribute("role"))) return !readOnly(element);
      throw new Error("Element is not an <input>, <textarea>, <select> or [contenteditable] and does not have a role allowing [aria-readonly]");
    }`, {});
      return writable === true && await this.isEnabled();
    }
    // present waits for the element and returns its states.
    async present(options2) {
      return this.again(options2, async (left) => {
        await this.on.handle(left);
        const states = await this.states();
        if (!states.attached) throw Object.assign(new Error("the element is not attached to the DOM: it was removed from the page"), { code: "stale_ref" });
        return states;
      });
    }
    // states are those of the element now; of none all are false.
    async states() {
      return await this.on.daemon.call("page.states", this.on.values());
    }
    async isFocused() {
      return await this.evaluate("(element) => element.ownerDocument.activeElement === element");
    }
    async boxModel() {
      const boxes = await this.boxes();
      if (!boxes) return null;
      const { inFrame, inTab } = boxes;
      return this.evaluate(`(element, [x, y]) => {
      if (!element.getClientRects().length) return null;
      const box = element.getBoundingClientRect(), style = getComputedStyle(element), n = (name) => parseFloat(style[name]) || 0;
      const quad = (l, t, r, b) => [{x: l + x, y: t + y}, {x: r + x, y: t + y}, {x: r + x, y: b + y}, {x: l + x, y: b + y}];
      const border = [box.left, box.top, box.right, box.bottom];
      const padding = [border[0] + n("borderLeftWidth"), border[1] + n("borderTopWidth"), border[2] - n("borderRightWidth"), border[3] - n("borderBottomWidth")];
      const content = [padding[0] + n("paddingLeft"), padding[1] + n("paddingTop"), padding[2] - n("paddingRight"), padding[3] - n("paddingBottom")];
      const margin = [border[0] - n("marginLeft"), border[1] - n("marginTop"), border[2] + n("marginRight"), border[3] + n("marginBottom")];
      return {content: quad(...content), padding: quad(...padding), border: quad(...border), margin: quad(...margin), width: element.offsetWidth, height: element.offsetHeight};
    }`, [inTab.x - inFrame.x, inTab.y - inFrame.y]);
    }
    async clickablePoint(offset) {
      const box = await this.boundingBox();
      if (!box) throw new Error("The element has no box: it is not rendered");
      return offset ? { x: box.x + offset.x, y: box.y + offset.y } : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }
    async waitForElementState(state, options2 = {}) {
      if (state === "visible" || state === "hidden") return this.waitFor({ ...options2, state });
      if (state === "stable") return void await this.scrollIntoViewIfNeeded(options2);
      await this.on.frame.until(async () => (state === "editable" ? await this.isEditable() : await this.isEnabled() === (state === "enabled")) ? true : void 0, options2, `waitForElementState: the element did not become ${state}`);
    }
    async ariaSnapshot(options2 = {}) {
      const { selector, ...rest } = this.on.values();
      return (await this.on.daemon.command("snapshot", { ...rest, scope: selector, ...outlined(options2) }, options2)).snapshot;
    }
    async highlight() {
      await this.command("highlight", {}, {});
    }
    async waitFor(options2 = {}) {
      const { selector, ...rest } = this.on.values();
      await this.around(options2, (within3) => this.on.daemon.command("wait", { ...rest, target: selector, state: options2.state ?? "visible" }, within3));
    }
    async screenshot(options2 = {}) {
      const { encoding, ...rest } = options2;
      return encoded(await this.on.frame.capture({ ...rest, on: this.on.values() }), encoding);
    }
    async dispatchEvent(type, init = {}, options2 = {}) {
      await this.read(`(element, type, init, kind) => {
      const touches = {};
      for (const list of kind === "TouchEvent" ? ["touches", "targetTouches", "changedTouches"] : []) {
        if (init[list]) touches[list] = init[list].map((touch) => touch instanceof Touch ? touch : new Touch({identifier: 0, target: element, ...touch}));
      }
      element.dispatchEvent(new window[kind](type, {bubbles: true, cancelable: true, composed: true, ...init, ...touches}));
    }`, options2, type, init, kindOf(type));
    }
    async dragTo(target, options2 = {}) {
      const to = target?.act?.on;
      if (!to) throw new TypeError("dragTo needs a locator or an element");
      if (options2.sourcePosition) return this.dragFrom(options2.sourcePosition, target.act, options2);
      const at = options2.targetPosition;
      const { selector, ...rest } = this.on.values();
      const values2 = { ...rest, source: selector, target: to.values()["selector"], at: at && `${at.x},${at.y}`, padding: at !== void 0 };
      await this.around(options2, (within3) => this.on.daemon.command("drag", values2, within3));
    }
    // dragFrom drags by a point of the element, which the command drag takes by its middle.
    async dragFrom(position, target, options2) {
      const { mouse } = this.on.frame.page();
      const { targetPosition, ...rest } = options2;
      await this.hover({ ...rest, position });
      if (options2.trial) return target.hover({ ...rest, position: targetPosition });
      await mouse.down();
      try {
        for (let moves = 0; moves < 2; moves++) await target.hover({ ...rest, position: targetPosition });
      } finally {
        await mouse.up();
      }
    }
  };
  var kinds = [
    ["MouseEvent", /^(auxclick|click|dblclick|mouse\w+)$/],
    ["KeyboardEvent", /^(key(down|up|press)|textInput)$/],
    ["TouchEvent", /^touch/],
    ["PointerEvent", /^(pointer|(got|lost)pointercapture)/],
    ["FocusEvent", /^(focus|blur|focusin|focusout)$/],
    ["DragEvent", /^(drag|drop)/],
    ["WheelEvent", /^wheel$/]
  ];
  function kindOf(type) {
    return kinds.find(([, types]) => types.test(type))?.[0] ?? "Event";
  }
  function timed(args) {
    const last = args[1];
    if (args.length !== 2 || typeof last !== "object" || last === null || Object.keys(last).join() !== "timeout") return { args, timing: {} };
    return { args: args.slice(0, 1), timing: last };
  }
  function aim({ force, trial }) {
    return { force: force === true, trial: trial === true };
  }
  function modifiers(list) {
    return list?.map((key) => key === "ControlOrMeta" ? "Control" : key).join("+") || void 0;
  }

  // ui/script/src/handle.ts
  async function evaluateIn(frame, method, code, args, asHandle) {
    const source = sourceOf(code, method);
    if (!source.function && args.length > 0 && !(args.length === 1 && args[0] === void 0)) {
      throw new TypeError(`${method}: a text that is no function takes no arguments; pass a function`);
    }
    const encode = source.function && !asHandle;
    const evaluate = (text2) => frame.daemon.call("page.evaluate", { frame: frame.id, source: text2, function: source.function, ...pass(args), handle: asHandle });
    const got = await (encode ? encodedValue(source.source, evaluate) : evaluate(source.source)).catch((error) => {
      throw thrown(error, method, frame);
    });
    if (encode) got.value = decoded(got.value);
    return got;
  }
  var readingOnly = "and the user allows reading only";
  function encodedValue(source, evaluate) {
    return evaluate(encoded2(source)).catch((error) => {
      if (error.code !== "evaluation_failed" || !error.message.includes(readingOnly)) throw error;
      return evaluate(encodedPure(source));
    });
  }
  function evaluateText(frame, source, label) {
    return frame.daemon.short("page.evaluate", { tab: frame.daemon.tab, frame: frame.id, source }, (got) => result(got), (error) => {
      const out = thrown(error, "evaluate", frame);
      return label === void 0 ? out : renamed(out, label);
    });
  }
  function isText(code, args) {
    return typeof code === "string" && args.length === 0 && !isFunction(code);
  }
  function thrown(error, method, frame) {
    if (error.code !== "evaluation_failed") return error;
    const what = error.data?.thrown;
    const { puppeteer } = frame.daemon.host.config;
    const plain2 = what && (what.value === null || !["object", "function", "symbol"].includes(what.type)) ? { value: result(what) } : void 0;
    if (plain2 && puppeteer) return plain2.value;
    const text2 = plain2 ? `${String(plain2.value)}${what?.type === "bigint" ? "n" : ""}` : error.message.replace(/^Evaluation error: /, "");
    const first = text2.split("\n    at ")[0];
    const out = new Error(first);
    if (puppeteer && what?.className) {
      out.name = what.className;
      out.message = first.startsWith(`${out.name}: `) ? first.slice(out.name.length + 2) : first;
    } else if (!puppeteer) says(out, `${frame.id === void 0 ? "page" : "frame"}.${method}`, `: ${first}`);
    const stack = /\n( +at [^]*)$/.exec(text2)?.[1];
    if (error.stack) out.stack = error.stack;
    if (stack && out.stack) out.stack += `
in the page:
${stack}`;
    out.code = error.code;
    return out;
  }
  function handleOf(frame, from) {
    if (!from.handle) return new JSHandle(frame, void 0, result(from));
    return from.handle.ref ? new ElementHandle(frame, from.handle.ref, from.handle) : new JSHandle(frame, from.handle);
  }
  var JSHandle = class {
    constructor(frame, info, plain2) {
      this.frame = frame;
      this.info = info;
      this.plain = plain2;
    }
    frame;
    info;
    plain;
    disposed = false;
    get [isHandle]() {
      return this;
    }
    // isPlain reports whether the handle is of a value that is no object.
    get isPlain() {
      this.usable();
      return !this.info && !(this instanceof ElementHandle);
    }
    get plainValue() {
      return this.plain;
    }
    // argument is how the handle of an object is passed to the page.
    argument() {
      this.usable();
      return { id: this.info.id };
    }
    usable() {
      if (this.disposed) throw new Error("JSHandle is disposed");
    }
    asElement() {
      return null;
    }
    async evaluate(code, ...args) {
      if (!this.info && !(this instanceof ElementHandle)) return code(this.plain, ...args);
      return result(await evaluateIn(this.frame, "evaluate", code, [this, ...args], false));
    }
    async evaluateHandle(code, ...args) {
      return handleOf(this.frame, await evaluateIn(this.frame, "evaluateHandle", code, [this, ...args], true));
    }
    // $ and $$ find elements in a node that is no element, such as a shadow root, by CSS.
    async $(selector) {
      this.searchable("$");
      return (await this.evaluateHandle("(node, selector) => node.querySelector(selector)", selector)).asElement();
    }
    async $$(selector) {
      this.searchable("$$");
      const list = await this.evaluateHandle("(node, selector) => [...node.querySelectorAll(selector)]", selector);
      const out = [...(await list.getProperties()).values()].map((each) => each.asElement());
      await list.dispose();
      return out.filter((each) => each !== null);
    }
    searchable(method) {
      if (this.info?.subtype !== "node") throw new TypeError(`${method} needs a handle of an element, a document or a shadow root; this one is of ${this.kind}: ${String(this)}`);
    }
    async jsonValue() {
      if (!this.info && !(this instanceof ElementHandle)) return this.plain;
      return this.evaluate("(object) => object");
    }
    async getProperty(name) {
      return this.evaluateHandle("(object, name) => object[name]", name);
    }
    async getProperties() {
      const names2 = await this.evaluate("(object) => Object.keys(object)");
      const out = /* @__PURE__ */ new Map();
      for (const name of names2) out.set(name, await this.getProperty(name));
      return out;
    }
    async dispose() {
      if (this.disposed) return;
      this.disposed = true;
      if (this.info) await this.frame.daemon.call("page.dispose", { ids: [this.info.id] });
    }
    // kind is what the handle is of, in a word.
    get kind() {
      return this.info?.subtype ?? this.info?.type ?? typeof this.plain;
    }
    remoteObject() {
      return this.info;
    }
    toString() {
      const { info } = this;
      if (this.frame.daemon.host.config.puppeteer) return info ? `JSHandle@${info.subtype ?? info.type}` : `JSHandle:${String(this.plain)}`;
      return info ? info.subtype !== "node" && info.description || `JSHandle@${info.subtype ?? info.type}` : String(this.plain);
    }
  };
  var ElementHandle = class _ElementHandle extends JSHandle {
    constructor(frame, ref, info) {
      super(frame, info);
      this.ref = ref;
      const values2 = () => {
        this.usable();
        return { selector: ref };
      };
      const on = { daemon: frame.daemon, frame, values: values2, handle: async () => this, describe: () => ref };
      this.actions = new Actions(on);
    }
    ref;
    actions;
    argument() {
      this.usable();
      return this.remoteObject() ? super.argument() : { ref: this.ref };
    }
    asElement() {
      return this;
    }
    toString() {
      return "JSHandle@node";
    }
    // act is the element's actions; the methods of Actions are on the handle, too (see below).
    get act() {
      return this.actions;
    }
    async $(selector) {
      this.usable();
      return (await this.frame.query(selector, "$", this.ref))[0] ?? null;
    }
    async $$(selector) {
      this.usable();
      return this.frame.query(selector, "$$", this.ref);
    }
    async $eval(selector, code, ...args) {
      const found2 = await this.$(selector);
      if (!found2) throw new Error(`failed to find element matching selector "${selector}"`);
      return found2.evaluate(code, ...args);
    }
    async $$eval(selector, code, ...args) {
      return this.frame.evaluateAll(await this.$$(selector), code, args);
    }
    async contentFrame() {
      this.usable();
      return this.frame.contentFrame(this.ref);
    }
    async ownerFrame() {
      return this.frame;
    }
    async $x(expression2) {
      this.usable();
      return this.frame.query(`xpath=${expression2}`, "$x", this.ref);
    }
    async isIntersectingViewport({ threshold = 0 } = {}) {
      return await this.evaluate(`(element, threshold) => new Promise((resolve) => {
      const observer = new IntersectionObserver((entries) => {
        const ratio = entries[0].intersectionRatio;
        resolve(threshold === 1 ? ratio === 1 : ratio > threshold);
        observer.disconnect();
      });
      observer.observe(element);
    })`, threshold);
    }
    // toElement is Puppeteer's: the handle itself, if it is of an element with that name.
    async toElement(name) {
      if (!await this.evaluate("(element, name) => element.nodeName === name.toUpperCase()", name)) throw new Error(`Element is not a(n) \`${name}\` element`);
      return this;
    }
    // drag and drop are Puppeteer's: drag presses the mouse on the element, if it is not dragged yet, and moves to the target; drop drags an
    // element here and lets go.
    async drag(target) {
      const { mouse } = this.frame.page();
      if (!mouse.dragging) {
        await this.scrollIntoViewIfNeeded();
        const from = await this.clickablePoint();
        await mouse.move(from.x, from.y);
        await mouse.down();
        mouse.dragging = true;
      }
      const to = target instanceof _ElementHandle ? await target.clickablePoint() : target;
      await mouse.move(to.x, to.y);
    }
    async drop(source) {
      if (!(source instanceof _ElementHandle)) throw new TypeError("drop takes the element that is dragged: target.drop(source)");
      const { mouse } = this.frame.page();
      await source.drag(this);
      mouse.dragging = false;
      await mouse.up();
    }
    async dragAndDrop(target) {
      await this.drag(target);
      await target.drop(this);
    }
    async waitForSelector(selector, options2 = {}) {
      return this.frame.waitForSelector(selector, options2, this.ref);
    }
  };
  for (const name of Object.getOwnPropertyNames(Actions.prototype)) {
    if (name === "constructor" || name in ElementHandle.prototype) continue;
    const method = Actions.prototype[name];
    if (typeof method !== "function") continue;
    Object.defineProperty(ElementHandle.prototype, name, {
      configurable: true,
      writable: true,
      value(...args) {
        return method.apply(this.act, args);
      }
    });
  }
  known(JSHandle, "a handle");
  called(JSHandle, (handle) => handle instanceof ElementHandle ? "elementHandle" : "jsHandle", ["argument", "usable"]);
  called(ElementHandle, "elementHandle");

  // ui/script/src/looks.ts
  async function partOf(page, { clip, fullPage, scale, timeout }, element) {
    const { puppeteer } = page.daemon.host.config;
    if (!clip && scale !== "css") return { fullPage };
    const timing = timeout === void 0 ? {} : { timeout };
    const found2 = element?.();
    await found2?.scrollIntoViewIfNeeded(timing);
    const box = await found2?.boundingBox(timing);
    if (found2 && !box) throw new Error("screenshot: the element is not visible");
    const at = await page.evaluate(`() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { ratio: devicePixelRatio, x: scrollX, y: scrollY, width: innerWidth, height: innerHeight, scrollWidth, scrollHeight };
  }`);
    const scaled = scale === "css" ? { scale: 1 / at.ratio } : {};
    if (!clip && at.ratio === 1) return { fullPage };
    if (box) return { clip: { ...box, x: box.x + at.x, y: box.y + at.y, ...scaled }, fullPage: true };
    const whole2 = { x: 0, y: 0, width: at.scrollWidth, height: at.scrollHeight };
    if (puppeteer && clip) return { clip: { ...clip, ...scaled }, fullPage: true };
    const around2 = fullPage ? whole2 : at;
    const part = clip ? within2({ ...clip, x: clip.x + around2.x, y: clip.y + around2.y }, around2) : { x: around2.x, y: around2.y, width: around2.width, height: around2.height };
    return { clip: { ...part, ...scaled }, fullPage };
  }
  function within2(box, around2) {
    const x = Math.max(box.x, around2.x), y = Math.max(box.y, around2.y);
    const width = Math.min(box.x + box.width, around2.x + around2.width) - x, height = Math.min(box.y + box.height, around2.y + around2.height) - y;
    if (!(width > 0 && height > 0)) throw new Error("screenshot: Clipped area is either empty or outside the resulting image");
    return { x, y, width, height };
  }
  var values = [["animations", ["disabled", "allow"]], ["caret", ["hide", "initial"]], ["scale", ["device", "css"]]];
  function check(looks) {
    for (const [name, allowed] of values) {
      const value = looks[name];
      if (value !== void 0 && !allowed.includes(value)) throw new TypeError(`${name}: ${JSON.stringify(value)} is not one of: ${allowed.join(", ")}`);
    }
    const type = looks.type ?? /\.(\w+)$/.exec(looks.path ?? "")?.[1] ?? "png";
    if (looks.quality !== void 0 && type === "png") throw new TypeError("quality: a png has none; give a type: jpeg or webp");
  }
  var change = `({css, still, boxes, color}) => {
  const undo = [], add = (name, text) => {
    const element = document.createElement(name);
    (name === "style" ? element.textContent = text : element.style.cssText = text);
    document.documentElement.append(element);
    undo.push(() => element.remove());
  };
  if (css) add("style", css);
  for (const {x, y, width, height} of boxes) {
    add("div", "all: initial; position: absolute; z-index: 2147483647; left: " + x + "px; top: " + y + "px; width: " + width + "px; height: " + height + "px; background: " + color);
  }
  for (const animation of still ? document.getAnimations() : []) {
    if (animation.playState === "finished" || !animation.effect) continue;
    const ends = Number.isFinite(animation.effect.getComputedTiming().endTime) && animation.playbackRate !== 0;
    if (ends) animation.finish();
    else {
      animation.cancel();
      undo.push(() => animation.play());
    }
  }
  return () => undo.forEach((each) => each());
}`;
  async function looking(frame, looks, take) {
    check(looks);
    const css = [looks.caret === "hide" ? "*, *::before, *::after { caret-color: transparent !important }" : "", looks.style ?? ""].join("\n").trim();
    const still = looks.animations === "disabled";
    const boxes = await masked(frame, looks.mask ?? []);
    const undo = [];
    try {
      if (looks.omitBackground) {
        await background(frame, { color: { r: 0, g: 0, b: 0, a: 0 } });
        undo.push(() => background(frame, {}));
      }
      for (const each of css || still ? frame.page().frames() : boxes.length > 0 ? [frame.page()] : []) {
        const own = each === frame.page() ? boxes : [];
        const handle = await each.evaluateHandle(change, { css, still, boxes: own, color: looks.maskColor ?? "#FF00FF" });
        undo.push(() => handle.evaluate("(undo) => undo()").then(() => handle.dispose()));
      }
      return await take();
    } finally {
      for (const each of undo.reverse()) await each().catch(gone);
    }
  }
  async function background(frame, params) {
    await frame.daemon.command("cdp", { method: "Emulation.setDefaultBackgroundColorOverride", params: JSON.stringify(params) });
  }
  async function masked(frame, mask) {
    const out = [];
    for (const locator of mask) {
      if (locator.frame !== frame.page()) throw new TypeError(`mask: ${String(locator)} is in a frame; only elements of the page itself can be covered`);
      out.push(...await locator.evaluateAll(`(elements) => elements.map((element) => {
      const {x, y, width, height} = element.getBoundingClientRect();
      return {x: x + scrollX, y: y + scrollY, width, height};
    })`));
    }
    return out;
  }
  function gone(error) {
    if (!["stale_ref", "frame_detached", "tab_gone"].includes(error.code ?? "")) throw error;
  }

  // ui/script/src/selector.ts
  function normal(selector, method) {
    if (typeof selector !== "string") throw new TypeError(`${method} needs a selector as text, not ${selector === null ? "null" : typeof selector}`);
    const capture = captured(selector.trim());
    if (capture) return join(normal(capture.outer, method), capture.inner && `has=${quoted(normal(capture.inner, method))}`);
    const text2 = selector.trim().replace(/^>>>>?\s*/, "").replace(/\s*>>>>?\s*/g, " >> ");
    const puppeteer = /^(p-)?(text|xpath|pierce|aria)\/([^]*)$/.exec(text2);
    if (puppeteer) return ofHandler(puppeteer[2], puppeteer[3]);
    const named3 = /^(label|placeholder|testid|alt|title|role)\/([^]*)$/.exec(text2);
    if (named3) return named3[1] === "role" ? `role=${named3[2]}` : `${named3[1]}=${named3[2]}`;
    const unknown = /^p-([\w-]+)\//.exec(text2);
    if (unknown) throw new Error(`There is no selector prefix p-${unknown[1]}/. Use text/, xpath/, pierce/ or aria/, or CSS.`);
    const id = /^(id|data-testid|data-test-id|data-test)=("?)([\w-]+)\2$/.exec(text2);
    if (id) return `[${id[1]}="${id[3]}"]`;
    if (/^(?:"[^"]*"|'[^']*')$/.test(text2)) return `text=${text2}`;
    if (text2.startsWith("aria-ref=")) return `@${text2.slice("aria-ref=".length)}`;
    const pseudo = /^([^]*?)::-p-(text|xpath|aria)\(([^]*)\)$/.exec(text2);
    if (pseudo) {
      const inner = ofHandler(pseudo[2], unquote(pseudo[3]));
      return pseudo[1] ? `${pseudo[1].trim()} >> ${inner}` : inner;
    }
    return text2;
  }
  function captured(selector) {
    if (!/(^|>> *)\*\w+=/.test(selector)) return void 0;
    const parts2 = selector.split(/ *>> *(?=(?:[^"']|"[^"]*"|'[^']*')*$)/);
    const at = parts2.findIndex((part) => /^\*\w+=/.test(part));
    if (at < 0) return void 0;
    if (parts2.slice(at + 1).some((part) => /^nth=/.test(part))) throw new Error("nth= cannot follow a part with a star: use locator.nth(index)");
    const outer = [...parts2.slice(0, at), parts2[at].slice(1)].join(" >> ");
    return { outer, inner: parts2.slice(at + 1).join(" >> ") };
  }
  function ofHandler(handler, value) {
    switch (handler) {
      case "text":
        return `text=${value}`;
      case "xpath":
        return `xpath=${value}`;
      case "pierce":
        return value;
    }
    const role2 = /\[role=["']?([^"'\]]+)["']?\]/.exec(value)?.[1];
    const name = /\[name=["']?([^"'\]]+)["']?\]/.exec(value)?.[1] ?? value.replace(/\[[^\]]*\]/g, "").trim();
    return role2 ? `role=${role2}${name ? `[name=${JSON.stringify(name)}s]` : ""}` : `name=${JSON.stringify(name)}`;
  }
  function unquote(text2) {
    const match = /^\s*(["'])([^]*)\1\s*$/.exec(text2);
    return match ? match[2] : text2;
  }
  function wanted(what, exact = false) {
    if (what instanceof RegExp) return String(what);
    return JSON.stringify(what) + (exact ? "s" : "i");
  }
  function role(name, options2 = {}) {
    let out = `role=${name}`;
    if (options2.name !== void 0) out += `[name=${wanted(options2.name, options2.exact)}]`;
    for (const state of ["checked", "disabled", "expanded", "pressed", "selected"]) {
      if (options2[state] !== void 0) out += `[${state}=${options2[state]}]`;
    }
    if (options2.level !== void 0) out += `[level=${options2.level}]`;
    if (options2.includeHidden) out += "[include-hidden]";
    return out;
  }
  function quoted(selector) {
    return JSON.stringify(selector);
  }
  function join(outer, inner) {
    return outer && inner ? `${outer} >> ${inner}` : outer || inner;
  }

  // ui/script/src/locator.ts
  var Finds = class {
    // computed is Puppeteer's locator of what a function returns.
    computed(_) {
      throw new TypeError("locator takes a function on a page or frame only");
    }
    locator(selector, options2 = {}) {
      if (typeof selector === "function") return this.computed(selector);
      const text2 = selector instanceof Locator ? selector.selector : normal(selector, "locator");
      return this.at(text2).filter(options2);
    }
    getByRole(role2, options2 = {}) {
      return this.at(role(role2, options2));
    }
    getByText(text2, options2 = {}) {
      return this.at(`text=${wanted(text2, options2.exact)}`);
    }
    getByLabel(text2, options2 = {}) {
      return this.at(`label=${wanted(text2, options2.exact)}`);
    }
    getByPlaceholder(text2, options2 = {}) {
      return this.at(`placeholder=${wanted(text2, options2.exact)}`);
    }
    getByAltText(text2, options2 = {}) {
      return this.at(`alt=${wanted(text2, options2.exact)}`);
    }
    getByTitle(text2, options2 = {}) {
      return this.at(`title=${wanted(text2, options2.exact)}`);
    }
    getByTestId(id) {
      return this.at(`testid=${wanted(id, true)}`);
    }
  };
  var entered = / >> internal:control=enter-frame$/;
  var Locator = class _Locator extends Finds {
    constructor(frame, selector, strict = true) {
      super();
      this.frame = frame;
      this.selector = selector;
      this.strict = strict;
      this.act = new Actions({
        daemon: frame.daemon,
        frame,
        values: () => ({ selector, frame: frame.id, strict: strict || void 0 }),
        handle: (timing) => this.elementHandle(timing),
        describe: () => selector,
        found: true
      });
    }
    frame;
    selector;
    strict;
    act;
    limit;
    named;
    at(selector) {
      return new _Locator(this.frame, join(this.selector, selector), this.strict);
    }
    frameLocator(selector) {
      return this.at(`${normal(selector, "frameLocator")} >> internal:control=enter-frame`);
    }
    contentFrame() {
      return this.at("internal:control=enter-frame");
    }
    filter(options2 = {}) {
      if (typeof options2 === "function") return new FunctionLocator(this.frame, `() => true`, this).filter(options2);
      let out = this;
      if (options2.hasText !== void 0) out = out.at(`has-text=${wanted(options2.hasText)}`);
      if (options2.hasNotText !== void 0) out = out.at(`has-not-text=${wanted(options2.hasNotText)}`);
      if (options2.has) out = out.at(`has=${quoted(options2.has.selector)}`);
      if (options2.hasNot) out = out.at(`has-not=${quoted(options2.hasNot.selector)}`);
      if (options2.visible !== void 0) out = out.at(`visible=${options2.visible}`);
      return out;
    }
    and(other) {
      return this.at(`and=${quoted(other.selector)}`);
    }
    or(other) {
      return this.at(`or=${quoted(other.selector)}`);
    }
    nth(index) {
      const outer = this.selector.replace(entered, "");
      if (outer === this.selector) return this.at(`nth=${index}`);
      return new _Locator(this.frame, `${outer} >> nth=${index} >> internal:control=enter-frame`, this.strict);
    }
    first() {
      return this.nth(0);
    }
    last() {
      return this.nth(-1);
    }
    // setTimeout and its like are Puppeteer's: they return a locator with other options.
    setTimeout(milliseconds) {
      const out = new _Locator(this.frame, this.selector, this.strict);
      out.limit = milliseconds;
      return out;
    }
    acting = [];
    // on is Puppeteer's: the event action comes when the element is there for one.
    on(event, handler) {
      if (event !== "action") throw new TypeError(`A locator has no event ${JSON.stringify(event)}. The event is: action.`);
      this.acting.push(handler);
      return this;
    }
    once(event, handler) {
      const first = () => {
        this.off(event, first);
        return handler();
      };
      return this.on(event, first);
    }
    off(event, handler) {
      const kept = this.acting.filter((other) => event === "action" && handler !== void 0 && other !== handler);
      this.acting.splice(0, this.acting.length, ...kept);
      return this;
    }
    // tellOfAction waits for the element and calls the handlers of the event action.
    async tellOfAction() {
      await this.elementHandle();
      for (const handler of [...this.acting]) await handler();
    }
    // observed reports whether an action has handlers that are told of it before.
    observed(name) {
      return this.acting.length > 0 && ["click", "fill", "hover"].includes(name);
    }
    // map is Puppeteer's: wait returns what the function makes of the element.
    map(code) {
      return new FunctionLocator(this.frame, `() => true`, this).map(code);
    }
    // scroll is Puppeteer's: to a place within the element.
    async scroll({ signal, ...options2 } = {}) {
      await (await this.elementHandle({ signal })).evaluate("(element, {scrollTop, scrollLeft}) => { if (scrollTop !== undefined) element.scrollTop = scrollTop; if (scrollLeft !== undefined) element.scrollLeft = scrollLeft; }", options2);
    }
    setVisibility(state) {
      return state === null ? this : this.filter({ visible: state === "visible" });
    }
    setWaitForEnabled() {
      return this;
    }
    setEnsureElementIsInTheViewport() {
      return this;
    }
    setWaitForStableBoundingBox() {
      return this;
    }
    clone() {
      return new _Locator(this.frame, this.selector, this.strict);
    }
    // describe gives the locator a name for people.
    describe(description) {
      const out = new _Locator(this.frame, this.selector, this.strict);
      out.limit = this.limit;
      out.named = description;
      return out;
    }
    description() {
      return this.named ?? null;
    }
    // owner is the element of a frameLocator's frame.
    owner() {
      return new _Locator(this.frame, this.selector.replace(entered, ""), this.strict);
    }
    // timed gives the options of an action, its last argument, the locator's own timeout.
    timed(args, required) {
      if (this.limit === void 0) return args;
      const last = args[required];
      return [...args.slice(0, required), ...Array.from({ length: Math.max(required - args.length, 0) }), { timeout: this.limit, ...last }];
    }
    async count() {
      return (await this.frame.find(this.selector)).length;
    }
    async all() {
      return Array.from({ length: await this.count() }, (_, index) => this.nth(index));
    }
    async elementHandle(timing = {}) {
      const limit = timing.timeout ?? this.limit;
      return this.frame.one(this.selector, this.strict, { timeout: limit, signal: timing.signal });
    }
    async waitHandle(options2 = {}) {
      return this.elementHandle(options2);
    }
    async wait(options2 = {}) {
      await this.elementHandle(options2);
    }
    async elementHandles() {
      return this.frame.query(this.selector, "elementHandles");
    }
    async evaluateAll(code, ...args) {
      return this.frame.again({}, async () => this.frame.evaluateAll(await this.elementHandles(), code, args), notRun);
    }
    async evaluateHandle(code, ...rest) {
      const { args, timing } = timed(rest);
      return (await this.elementHandle(timing)).evaluateHandle(code, ...args);
    }
    // waitForFunction waits until a function of the element returns something true. The element is found anew for each call.
    async waitForFunction(code, arg, options2 = {}) {
      const { source } = sourceOf(code, "waitForFunction");
      const limit = this.frame.limit({ timeout: options2.timeout ?? this.limit });
      const end = Date.now() + limit;
      const left = () => ({ timeout: Math.max(end - Date.now(), 1), signal: options2.signal });
      await this.frame.until(async () => {
        const element = await this.elementHandle(left());
        return await element.evaluate(`async (element, arg) => Boolean(await (${source})(element, arg))`, arg) ? true : void 0;
      }, left(), `waitForFunction: the function returned nothing true of ${this.selector}`);
    }
    async allTextContents() {
      return await this.evaluateAll("(elements) => elements.map((element) => element.textContent ?? '')");
    }
    async allInnerTexts() {
      return await this.evaluateAll("(elements) => elements.map((element) => element.innerText ?? '')");
    }
    page() {
      return this.frame.page();
    }
    toString() {
      return this.named ?? `Locator@${this.selector}`;
    }
  };
  var FunctionLocator = class _FunctionLocator {
    constructor(frame, source, of, steps = []) {
      this.frame = frame;
      this.source = source;
      this.of = of;
      this.steps = steps;
    }
    frame;
    source;
    of;
    steps;
    limit;
    step(text2) {
      const out = new _FunctionLocator(this.frame, this.source, this.of, [...this.steps, text2]);
      out.limit = this.limit;
      return out;
    }
    filter(code) {
      return this.step(`async (value) => { if (!(await (${sourceOf(code, "filter").source})(value))) throw none; return value; }`);
    }
    map(code) {
      return this.step(sourceOf(code, "map").source);
    }
    setTimeout(milliseconds) {
      const out = this.step("(value) => value");
      out.limit = milliseconds;
      return out;
    }
    async waitHandle({ signal } = {}) {
      const timing = { timeout: this.limit, signal };
      const first = this.of ? [await this.of.elementHandle(timing)] : [];
      return this.frame.waitForFunction(`async (element) => {
      const none = {};
      try {
        let value = ${this.of ? "element" : `await (${this.source})()`};
        for (const step of [${this.steps.join(", ")}]) value = await step(value);
        return value;
      } catch (error) {
        if (error === none) return null;
        throw error;
      }
    }`, { polling: "raf", ...timing }, ...first);
    }
    async wait(options2 = {}) {
      return (await this.waitHandle(options2)).jsonValue();
    }
    async element(options2) {
      const element = (await this.waitHandle(options2)).asElement();
      if (!element) throw new Error("The locator is of a value that is no element");
      return element;
    }
    async click(options2 = {}) {
      await (await this.element(options2)).click(options2);
    }
    async hover(options2 = {}) {
      await (await this.element(options2)).hover(options2);
    }
    async fill(value, options2 = {}) {
      await (await this.element(options2)).fill(value, options2);
    }
  };
  for (const name of Object.getOwnPropertyNames(Actions.prototype)) {
    const method = Actions.prototype[name];
    if (name === "constructor" || name in Locator.prototype || typeof method !== "function") continue;
    Object.defineProperty(Locator.prototype, name, {
      configurable: true,
      writable: true,
      value(...args) {
        const act = () => method.apply(this.act, this.timed(args, method.length));
        return this.observed(name) ? this.tellOfAction().then(act) : act();
      }
    });
  }
  known(Locator, "a locator");
  known(FunctionLocator, "a locator of a function");
  called(Locator, "locator", ["timed", "tellOfAction", "observed"]);
  called(FunctionLocator, "locator");

  // ui/script/src/pattern.ts
  function globOf(pattern, method) {
    if (typeof pattern === "string") return pattern;
    if (pattern instanceof RegExp || typeof pattern === "function") return void 0;
    throw new TypeError(`${method} needs a text, a regular expression or a function`);
  }
  function matcher(pattern, method, base) {
    if (pattern instanceof RegExp) return (url) => new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(url);
    if (typeof pattern === "function") return (url) => pattern(new URL(url));
    if (typeof pattern !== "string") throw new TypeError(`${method} needs a text, a regular expression or a function`);
    const text2 = complete(pattern, base);
    const whole2 = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*$/i.test(text2) ? `${text2}/` : text2;
    if (!/[*{]/.test(text2)) return (url) => url === whole2;
    const expression2 = new RegExp(`^${expressionOf(text2)}$`);
    return (url) => expression2.test(url);
  }
  function complete(pattern, base) {
    if (/^([a-z][a-z0-9+.-]*:|\*)/i.test(pattern)) return pattern;
    const [, origin, path] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)/i.exec(base) ?? [];
    if (origin === void 0 || path === void 0) return pattern;
    return origin + (pattern.startsWith("/") ? pattern : `${path.replace(/[^/]*$/, "") || "/"}${pattern}`);
  }
  function expressionOf(glob) {
    return glob.split(/(\*\*\/?|\*|\{[^{}]*\})/).map((part) => {
      if (/^\{.*\}$/s.test(part)) return `(${part.slice(1, -1).split(",").map(expressionOf).join("|")})`;
      if (part === "**/") return "(.*/)?";
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      return part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    }).join("");
  }

  // ui/script/src/frame.ts
  var Frame = class extends Finds {
    // parent is the page; undefined for the page itself, which is its own main frame.
    constructor(daemon, id, parent) {
      super();
      this.daemon = daemon;
      this.id = id;
      this.parent = parent;
    }
    daemon;
    id;
    parent;
    info() {
      return this.page().infos().find((info) => this.id === void 0 ? !info.parent : info.id === this.id);
    }
    // url is the address of the frame, as of the last operation or event.
    url() {
      return this.id === void 0 ? this.daemon.state.url || "about:blank" : this.info()?.url ?? "";
    }
    name() {
      return this.info()?.name ?? "";
    }
    page() {
      return this.parent;
    }
    parentFrame() {
      return this.id === void 0 ? null : this.page().frameOf(this.info()?.parent) ?? null;
    }
    childFrames() {
      const id = this.info()?.id;
      return this.page().infos().filter((info) => info.parent !== void 0 && info.parent === id).map((info) => this.page().frameOf(info.id));
    }
    isDetached() {
      return this.id === void 0 ? this.page().isClosed() : this.info() === void 0;
    }
    get detached() {
      return this.isDetached();
    }
    // frameElement is the element of the frame. The main frame has none: null in Puppeteer, an error in Playwright.
    async frameElement() {
      if (this.id === void 0 && this.daemon.host.config.puppeteer) return null;
      const { ref } = await this.daemon.call("page.frameElement", { frame: this.id });
      return new ElementHandle(this.parentFrame() ?? this, ref);
    }
    at(selector) {
      return new Locator(this, selector, !this.daemon.host.config.puppeteer);
    }
    computed(code) {
      return new FunctionLocator(this, sourceOf(code, "locator").source);
    }
    frameLocator(selector) {
      return this.at(`${normal(selector, "frameLocator")} >> internal:control=enter-frame`);
    }
    // --- evaluating ---
    evaluate(code, ...args) {
      return isText(code, args) ? evaluateText(this, code) : this.evaluateAny(code, args);
    }
    async evaluateAny(code, args) {
      return result(await evaluateIn(this, "evaluate", code, args, false));
    }
    async evaluateHandle(code, ...args) {
      return handleOf(this, await evaluateIn(this, "evaluateHandle", code, args, true));
    }
    async evaluateAll(elements, code, args) {
      const source = sourceOf(code, "evaluate");
      return this.evaluate(`(elements, ...args) => (${source.source})(elements, ...args)`, elements, ...args);
    }
    async $eval(selector, code, ...args) {
      return this.again({}, async () => {
        const found2 = await this.$(selector);
        if (!found2) throw this.missing(`Error: failed to find element matching selector "${selector}"`);
        return found2.evaluate(code, ...args);
      }, notRun);
    }
    async $$eval(selector, code, ...args) {
      return this.again({}, async () => this.evaluateAll(await this.$$(selector), code, args), notRun);
    }
    // --- finding ---
    // find returns the elements that a selector matches now, in usher's notation.
    async find(selector, inside) {
      const answer2 = await this.daemon.call("page.query", { selector: inside ? join(`ref=${inside}`, selector) : selector, frame: this.id });
      return answer2.elements;
    }
    async query(selector, method, inside) {
      return (await this.find(normal(selector, method), inside)).map((found2) => new ElementHandle(this, found2.ref));
    }
    // one waits for an element and returns it.
    async one(selector, strict, timing) {
      const answer2 = await this.daemon.call("page.query", { selector, frame: this.id, wait: true, strict, timeout: this.daemon.timeout(timing) }, timing.signal);
      return new ElementHandle(this, answer2.elements[0].ref);
    }
    async $(selector) {
      return (await this.query(selector, "$"))[0] ?? null;
    }
    async $$(selector) {
      return this.query(selector, "$$");
    }
    async $x(expression2) {
      return this.query(`xpath=${expression2}`, "$x");
    }
    async contentFrame(ref) {
      const answer2 = await this.daemon.call("page.contentFrame", { ref });
      return this.page().frameOf(answer2.frame) ?? null;
    }
    // --- waiting ---
    async waitForSelector(selector, options2 = {}, inside) {
      const text2 = inside ? join(`ref=${inside}`, normal(selector, "waitForSelector")) : normal(selector, "waitForSelector");
      const state = options2.state ?? (options2.hidden ? "hidden" : options2.visible || !this.daemon.host.config.puppeteer ? "visible" : "attached");
      const end = Date.now() + this.limit(options2);
      for (let timing = options2; ; timing = { ...options2, timeout: Math.max(end - Date.now(), 1) }) {
        await this.page().handlers.around(timing, (within3) => this.daemon.command("wait", { target: text2, state, frame: this.id }, within3));
        if (state === "hidden" && this.daemon.host.config.puppeteer) return (await this.query(selector, "waitForSelector", inside))[0] ?? null;
        if (state === "hidden" || state === "detached") return null;
        const found2 = await this.find(text2);
        if (options2.strict && found2.length > 1) throw new Error(`waitForSelector: strict mode violation: ${text2} resolved to ${found2.length} elements`);
        if (found2[0]) return new ElementHandle(this, found2[0].ref);
      }
    }
    // until calls a function until it returns something.
    async until(what, options2, message2) {
      return unlessAborted(options2.signal, () => this.repeat(what, options2, message2));
    }
    async repeat(what, options2, message2) {
      const limit = this.limit(options2);
      const end = Date.now() + limit;
      for (; ; ) {
        const found2 = await what();
        if (found2 !== void 0) return found2;
        options2.signal?.throwIfAborted();
        if (Date.now() > end) throw this.late(message2.replace(":", `: Timeout ${limit}ms exceeded:`));
        await this.waitForTimeout(50);
      }
    }
    // waitForFunction accepts Playwright's (code, argument, options) and Puppeteer's (code, options, ...arguments).
    async waitForFunction(code, ...rest) {
      const isOptions = (value) => typeof value === "object" && value !== null && ("timeout" in value || "polling" in value || "signal" in value) && Object.keys(value).every((key) => ["timeout", "polling", "signal", "root"].includes(key));
      const empty = (value) => typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
      const first = isOptions(rest[0]) || empty(rest[0]) && rest.length > 1 && !isOptions(rest[1]) ? rest[0] : void 0;
      const options2 = first ?? (isOptions(rest[1]) ? rest[1] : {});
      const args = first ? rest.slice(1) : rest.length > 0 && !(rest.length === 1 && rest[0] === void 0) ? isOptions(rest[1]) ? [rest[0]] : rest : [];
      return unlessAborted(options2.signal, () => this.poll(code, args, options2));
    }
    async poll(code, args, options2) {
      const source = sourceOf(code, "waitForFunction");
      const call = source.function ? `(${source.source})(...args)` : `(${source.source})`;
      const settles = source.function || this.daemon.host.config.puppeteer ? "" : " || (value === undefined && got instanceof Promise)";
      const text2 = `async (limit, ...args) => {
      const {now, setTimeout} = globalThis.__usherClock?.machine ?? {now: () => performance.now(), setTimeout: globalThis.setTimeout};
      const end = now() + limit;
      for (;;) {
        const got = ${call};
        const value = await got;
        if (value${settles}) return {value};
        if (now() > end) return null;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }`;
      const limit = this.limit(options2);
      const end = Date.now() + limit;
      for (; ; ) {
        const part = Math.min(Math.max(end - Date.now(), 0), 1e3);
        const found2 = await this.again({ timeout: Math.max(end - Date.now(), 1) }, async () => {
          const answer2 = await this.evaluateHandle(text2, part, ...args);
          return answer2.remoteObject() ? answer2.getProperty("value") : void 0;
        }, navigated);
        options2.signal?.throwIfAborted();
        if (found2) return found2;
        if (Date.now() >= end) throw this.late(`waitForFunction: Timeout ${limit}ms exceeded: the function returned nothing true`);
      }
    }
    // limit is how long a wait of our own may take, in milliseconds: as long as an operation (session/code/driver.go).
    limit(options2) {
      const given2 = this.daemon.timeout(options2);
      const left = Math.max(this.daemon.host.config.ends - Date.now(), 0);
      return Math.floor(Math.min(given2 || (given2 === 0 ? left : defaultTimeout), left - Math.min(1e3, left / 10)));
    }
    missing(text2) {
      const error = new Error(text2);
      if (!this.daemon.host.config.puppeteer) says(error, "page.$eval", `: ${text2}`);
      return error;
    }
    late(message2) {
      const error = new TimeoutError();
      const at = message2.indexOf(":");
      says(error, message2.slice(0, at), message2.slice(at));
      return error;
    }
    async waitForTimeout(milliseconds) {
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
    async waitForLoadState(name = "load", options2 = {}) {
      const state = /^networkidle[02]$/.test(name) ? "networkidle" : name;
      if (!["load", "domcontentloaded", "networkidle"].includes(state)) throw new TypeError(`waitForLoadState has no state ${name}: load, domcontentloaded and networkidle`);
      if (this.id !== void 0) return void await this.poll(`document.readyState === "complete" || (${state === "domcontentloaded"} && document.readyState === "interactive")`, [], options2);
      await this.daemon.command("wait", { load: state }, options2);
    }
    async waitForURL(pattern, options2 = {}) {
      await this.addressed(matcher(pattern, "waitForURL", this.url()), options2, "waitForURL");
      if (options2.waitUntil !== "commit") await this.waitForLoadState(options2.waitUntil, options2);
    }
    // awaitURL waits for an address, whose pattern is that of the command wait, and returns it.
    async awaitURL(pattern, options2, method) {
      const glob = globOf(pattern, method);
      if (glob === void 0) return this.addressed(matcher(pattern, method, this.url()), options2, method);
      await this.daemon.command("wait", { url: glob, frame: this.id }, options2);
      return this.url();
    }
    async addressed(matches, options2, method) {
      const limit = this.limit(options2);
      const end = Date.now() + limit;
      for (; ; ) {
        const now = await this.evaluate("location.href");
        if (await matches(now)) return now;
        if (Date.now() > end) throw this.late(`${method}: Timeout ${limit}ms exceeded: the address is ${now} and did not match`);
        await this.waitForTimeout(20);
      }
    }
    // --- reading ---
    async title() {
      return await this.again({}, () => this.evaluate("document.title"));
    }
    async content() {
      if (this.daemon.host.config.puppeteer) return await this.again({}, () => this.evaluate("[...document.childNodes].map((node) => node === document.documentElement ? node.outerHTML : new XMLSerializer().serializeToString(node)).join('')"));
      return await this.again({}, () => this.evaluate(`(() => {
      const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
      return type + (document.documentElement?.outerHTML ?? "");
    })()`));
    }
    // again does what failed with one of the codes again, until the time is over. Without codes it is for what only reads: it is done
    // again where the document or the element was replaced meanwhile.
    async again(options2, what, codes = replaced) {
      let end = Date.now() + this.limit(options2);
      let tries = codes === notRun ? notRunTries : Infinity;
      for (let timing = options2; ; timing = { ...options2, timeout: Math.max(end - Date.now(), 1) }) {
        try {
          return await what(timing);
        } catch (error) {
          if (!codes.has(error.code ?? "") || Date.now() >= end || --tries <= 0) throw error;
          if (this.isDetached()) end = Math.min(end, Date.now() + moveTime);
        }
      }
    }
    async setContent(html, options2 = {}) {
      if (!this.parentFrame() && this.url().startsWith("chrome-error:")) await this.page().goto("about:blank");
      await this.evaluate("(html) => { document.open(); document.write(html); document.close(); }", html);
      await this.waitForLoadState([options2.waitUntil ?? "load"].flat().some((state) => state.startsWith("networkidle")) ? "networkidle" : "load", options2);
    }
    async addScriptTag(options2) {
      needsText("addScriptTag", options2);
      return this.evaluateHandle(`async ({url, content, type, id}) => {
      const script = document.createElement("script");
      if (type) script.type = type;
      if (id) script.id = id;
      const loaded = url && new Promise((resolve, reject) => { script.onload = resolve; script.onerror = () => reject(new Error("the script did not load: " + url)); });
      if (url) script.src = url; else script.text = content;
      document.head.append(script);
      await loaded;
      return script;
    }`, options2);
    }
    async addStyleTag(options2) {
      needsText("addStyleTag", options2);
      return this.evaluateHandle(`async ({url, content}) => {
      const element = document.createElement(url ? "link" : "style");
      const loaded = url && new Promise((resolve, reject) => { element.onload = resolve; element.onerror = () => reject(new Error("the style sheet did not load: " + url)); });
      if (url) { element.rel = "stylesheet"; element.href = url; } else element.textContent = content;
      document.head.append(element);
      await loaded;
      return element;
    }`, options2);
    }
    // capture takes a picture and returns its bytes.
    async capture(options2) {
      return looking(this, options2, () => this.picture(options2));
    }
    async picture({ on, ...options2 }) {
      const { clip, fullPage } = await partOf(this.page(), options2, on && (() => new Locator(this, on["selector"], on["strict"] === true)));
      const element = clip ? {} : { selector: on?.["selector"], frame: on?.["frame"], strict: on?.["strict"] };
      const answer2 = await this.daemon.call("page.screenshot", {
        ...element,
        path: options2.path,
        type: options2.type,
        quality: options2.quality,
        fullPage,
        clip,
        timeout: this.daemon.timeout(options2)
      });
      return bytesOf(answer2.data);
    }
    // --- acting by selector; the first match, as page.click of both libraries ---
    of(selector, method, options2 = {}) {
      return new Locator(this, normal(selector, method), options2.strict === true);
    }
    // there is Puppeteer's page.click and its like: they do not wait for the element.
    async there(selector, method, options2 = {}) {
      if (this.daemon.host.config.puppeteer && !await this.$(selector)) throw new Error(`No element found for selector: ${selector}`);
      return this.of(selector, method, options2);
    }
    async click(selector, options2 = {}) {
      await (await this.there(selector, "click", options2)).click(options2);
    }
    async dblclick(selector, options2 = {}) {
      await this.of(selector, "dblclick", options2).dblclick(options2);
    }
    async tap(selector, options2 = {}) {
      await (await this.there(selector, "tap", options2)).tap(options2);
    }
    async hover(selector, options2 = {}) {
      await (await this.there(selector, "hover", options2)).hover(options2);
    }
    async focus(selector, options2 = {}) {
      await (await this.there(selector, "focus", options2)).focus(options2);
    }
    async fill(selector, value, options2 = {}) {
      await this.of(selector, "fill", options2).fill(value, options2);
    }
    async type(selector, text2, options2 = {}) {
      await (await this.there(selector, "type", options2)).type(text2, options2);
    }
    async press(selector, key, options2 = {}) {
      await this.of(selector, "press", options2).press(key, options2);
    }
    async check(selector, options2 = {}) {
      await this.of(selector, "check", options2).check(options2);
    }
    async uncheck(selector, options2 = {}) {
      await this.of(selector, "uncheck", options2).uncheck(options2);
    }
    async setChecked(selector, checked, options2 = {}) {
      await this.of(selector, "setChecked", options2).setChecked(checked, options2);
    }
    async selectOption(selector, values2, options2 = {}) {
      return this.of(selector, "selectOption", options2).selectOption(values2, options2);
    }
    async select(selector, ...values2) {
      return (await this.there(selector, "select")).select(...values2);
    }
    async setInputFiles(selector, files, options2 = {}) {
      await this.of(selector, "setInputFiles", options2).setInputFiles(files, options2);
    }
    async dragAndDrop(from, to, options2 = {}) {
      await this.of(from, "dragAndDrop").dragTo(this.of(to, "dragAndDrop"), options2);
    }
    async textContent(selector, options2 = {}) {
      return this.of(selector, "textContent", options2).textContent(options2);
    }
    async innerText(selector, options2 = {}) {
      return this.of(selector, "innerText", options2).innerText(options2);
    }
    async innerHTML(selector, options2 = {}) {
      return this.of(selector, "innerHTML", options2).innerHTML(options2);
    }
    async inputValue(selector, options2 = {}) {
      return this.of(selector, "inputValue", options2).inputValue(options2);
    }
    async getAttribute(selector, name, options2 = {}) {
      return this.of(selector, "getAttribute", options2).getAttribute(name, options2);
    }
    async boundingBox(selector, options2 = {}) {
      return this.of(selector, "boundingBox", options2).boundingBox(options2);
    }
    async isVisible(selector) {
      return this.of(selector, "isVisible").isVisible();
    }
    async isHidden(selector) {
      return this.of(selector, "isHidden").isHidden();
    }
    async isEnabled(selector) {
      return this.of(selector, "isEnabled").isEnabled();
    }
    async isDisabled(selector) {
      return this.of(selector, "isDisabled").isDisabled();
    }
    async isChecked(selector) {
      return this.of(selector, "isChecked").isChecked();
    }
    async isEditable(selector) {
      return this.of(selector, "isEditable").isEditable();
    }
    async dispatchEvent(selector, type, init = {}, options2 = {}) {
      await this.of(selector, "dispatchEvent", options2).dispatchEvent(type, init, options2);
    }
  };
  var moveTime = 500;
  var notRun = /* @__PURE__ */ new Set(["stale_ref"]);
  var notRunTries = 5;
  var navigated = /* @__PURE__ */ new Set(["frame_detached"]);
  var replaced = /* @__PURE__ */ new Set([...notRun, ...navigated]);
  function needsText(what, options2) {
    if (options2.url === void 0 && options2.content === void 0) throw new TypeError(`${what}: code has no files: give {content} or {url}`);
  }
  known(Frame, "a frame");
  called(Frame, (frame) => frame.id === void 0 ? "page" : "frame", ["evaluate", "evaluateAny", "repeat", "poll", "find", "query", "one", "until", "limit", "late", "awaitURL", "capture", "picture", "evaluateAll"]);

  // ui/script/src/handlers.ts
  var pause = 100;
  var LocatorHandlers = class {
    constructor(page) {
      this.page = page;
    }
    page;
    list = [];
    running = false;
    add(locator, handler, { times = Infinity, noWaitAfter = false }) {
      if (!(locator instanceof Locator) || locator.frame !== this.page) throw new Error("addLocatorHandler: Locator must belong to the main frame of this page");
      if (typeof handler !== "function") throw new TypeError("addLocatorHandler needs a function: (locator) => ...");
      if (times > 0) this.list.push({ locator, handler, left: times, noWaitAfter });
    }
    remove(locator) {
      this.list = this.list.filter((entry) => entry.locator.selector !== locator.selector);
    }
    // around carries out an action: handlers whose locators are visible are called before it, and while it waits. Actions of handlers are
    // carried out as they are.
    async around(timing, act) {
      if (this.list.length === 0 || this.running) return act(timing);
      const end = Date.now() + this.page.limit(timing);
      await this.check(end);
      const given2 = new AbortController();
      const signal = timing.signal ? AbortSignal.any([timing.signal, given2.signal]) : given2.signal;
      const acted = act({ ...timing, signal });
      try {
        while (!await ended(acted)) await this.check(end);
      } catch (error) {
        given2.abort(error);
        throw error;
      }
      return acted;
    }
    async check(end) {
      for (const entry of [...this.list]) {
        if (!await entry.locator.isVisible()) continue;
        if (--entry.left <= 0) this.list = this.list.filter((other) => other !== entry);
        this.running = true;
        try {
          await entry.handler(entry.locator);
          if (!entry.noWaitAfter) await entry.locator.waitFor({ state: "hidden", timeout: Math.max(end - Date.now(), 1) });
        } finally {
          this.running = false;
        }
      }
    }
  };
  function ended(acted) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), pause);
      const done = () => {
        clearTimeout(timer);
        resolve(true);
      };
      acted.then(done, done);
    });
  }

  // ui/script/src/input.ts
  var Keyboard = class {
    constructor(daemon) {
      this.daemon = daemon;
    }
    daemon;
    // press accepts Puppeteer's option text, which is what the key writes.
    async press(key, options2 = {}) {
      if (options2.text !== void 0) return this.insertText(options2.text);
      if (!options2.delay) return this.key("press", key);
      await this.down(key);
      await new Promise((resolve) => setTimeout(resolve, options2.delay));
      await this.up(key);
    }
    async down(key) {
      await this.key("keydown", key);
    }
    async up(key) {
      await this.key("keyup", key);
    }
    async key(command, key) {
      await this.daemon.command(command, { key: chord(key) }).catch((error) => {
        if (error.code === "unknown_key") says(error, "keyboard.press", `: Unknown key: "${key}"`);
        throw error;
      });
    }
    async type(text2, options2 = {}) {
      for (const part of options2.delay ? text2 : text2.split(/(\t)/)) {
        if (part === "	") await this.insertText(part);
        else if (part !== "") await this.daemon.command("keyboard type", { text: [part] });
        if (options2.delay) await new Promise((resolve) => setTimeout(resolve, options2.delay));
      }
    }
    async insertText(text2) {
      await this.daemon.command("keyboard inserttext", { text: [text2] });
    }
    async sendCharacter(text2) {
      await this.insertText(text2);
    }
  };
  function chord(key) {
    return key.replace("ControlOrMeta", "Control");
  }
  var Mouse = class {
    // an element handle is dragged
    constructor(daemon) {
      this.daemon = daemon;
    }
    daemon;
    dragging = false;
    async move(x, y, options2 = {}) {
      await this.daemon.command("mouse move", { x, y, steps: options2.steps });
    }
    pressed = /* @__PURE__ */ new Set();
    async down(options2 = {}) {
      await this.daemon.command("mouse down", { button: options2.button });
      this.pressed.add(options2.button ?? "left");
    }
    async up(options2 = {}) {
      await this.daemon.command("mouse up", { button: options2.button });
      this.pressed.delete(options2.button ?? "left");
    }
    // reset is Puppeteer's: it releases what is pressed, and moves to the corner.
    async reset() {
      for (const button of [...this.pressed]) await this.up({ button });
      await this.move(0, 0);
    }
    async click(x, y, options2 = {}) {
      await this.daemon.command("click", { at: `${x},${y}`, button: options2.button, count: options2.clickCount ?? options2.count });
    }
    async dblclick(x, y, options2 = {}) {
      await this.click(x, y, { ...options2, clickCount: 2 });
    }
    // wheel accepts Playwright's (x, y) and Puppeteer's ({deltaX, deltaY}).
    async wheel(deltaX = {}, deltaY = 0) {
      const by = typeof deltaX === "number" ? { deltaX, deltaY } : deltaX;
      await this.daemon.command("mouse wheel", { dy: by.deltaY ?? 0, dx: by.deltaX ?? 0 });
    }
    async dragAndDrop(from, to) {
      await this.move(from.x, from.y);
      await this.down();
      await this.move(to.x, to.y, { steps: 10 });
      await this.up();
    }
  };
  var Touchscreen = class {
    constructor(daemon) {
      this.daemon = daemon;
    }
    daemon;
    async tap(x, y) {
      await this.daemon.call("page.touch", { x, y });
    }
    // touchStart, touchMove and touchEnd are Puppeteer's, for one finger.
    async touchStart(x, y) {
      await this.daemon.call("page.touch", { x, y, type: "touchStart" });
      return new Touch(this);
    }
    async touchMove(x, y) {
      await this.daemon.call("page.touch", { x, y, type: "touchMove" });
    }
    async touchEnd() {
      await this.daemon.call("page.touch", { type: "touchEnd" });
    }
  };
  var Touch = class {
    constructor(screen) {
      this.screen = screen;
    }
    screen;
    async move(x, y) {
      await this.screen.touchMove(x, y);
    }
    async end() {
      await this.screen.touchEnd();
    }
  };
  called(Keyboard, "keyboard");
  called(Mouse, "mouse");
  called(Touchscreen, "touchscreen");

  // ui/script/src/paper.ts
  var formats = {
    letter: [8.5, 11],
    legal: [8.5, 14],
    tabloid: [11, 17],
    ledger: [17, 11],
    a0: [33.1, 46.8],
    a1: [23.4, 33.1],
    a2: [16.54, 23.4],
    a3: [11.7, 16.54],
    a4: [8.27, 11.7],
    a5: [5.83, 8.27],
    a6: [4.13, 5.83]
  };
  function inches(length) {
    if (length === void 0) return void 0;
    if (typeof length === "number") return length / 96;
    const match = /^([\d.]+)(px|in|cm|mm)?$/.exec(String(length).trim());
    if (!match) throw new TypeError(`pdf: ${String(length)} is no length, such as 10mm`);
    return Number(match[1]) / { px: 96, in: 1, cm: 2.54, mm: 25.4 }[match[2] ?? "px"];
  }
  function paper(options2) {
    const out = {};
    for (const name of ["landscape", "displayHeaderFooter", "printBackground", "scale", "pageRanges", "headerTemplate", "footerTemplate", "preferCSSPageSize"]) {
      if (options2[name] !== void 0) out[name] = options2[name];
    }
    if (options2["outline"] !== void 0) out["generateDocumentOutline"] = options2["outline"];
    if (options2["format"] !== void 0) {
      const size = formats[String(options2["format"]).toLowerCase()];
      if (!size) throw new TypeError(`pdf: there is no format ${String(options2["format"])}. The formats are: ${Object.keys(formats).join(", ")}.`);
      [out["paperWidth"], out["paperHeight"]] = size;
    }
    if (options2["width"] !== void 0) out["paperWidth"] = inches(options2["width"]);
    if (options2["height"] !== void 0) out["paperHeight"] = inches(options2["height"]);
    const margin = options2["margin"] ?? {};
    for (const side of ["Top", "Bottom", "Left", "Right"]) {
      const length = inches(margin[side.toLowerCase()]);
      if (length !== void 0) out[`margin${side}`] = length;
    }
    return out;
  }

  // ui/script/src/route.ts
  var reasons = {
    aborted: "Aborted",
    accessdenied: "AccessDenied",
    addressunreachable: "AddressUnreachable",
    blockedbyclient: "BlockedByClient",
    blockedbyresponse: "BlockedByResponse",
    connectionaborted: "ConnectionAborted",
    connectionclosed: "ConnectionClosed",
    connectionfailed: "ConnectionFailed",
    connectionrefused: "ConnectionRefused",
    connectionreset: "ConnectionReset",
    internetdisconnected: "InternetDisconnected",
    namenotresolved: "NameNotResolved",
    timedout: "TimedOut",
    failed: "Failed"
  };
  function headerList(headers) {
    return Object.entries(present(headers)).flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: String(one) })));
  }
  function present(headers) {
    return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== void 0));
  }
  function textOf(body) {
    if (body instanceof Uint8Array) return new TextDecoder().decode(body);
    return typeof body === "string" ? body : JSON.stringify(body);
  }
  var Held = class {
    constructor(page, id) {
      this.page = page;
      this.id = id;
    }
    page;
    id;
    answered = false;
    async send(answer2) {
      if (this.answered) throw new Error("The request was answered already");
      this.answered = true;
      await this.page.router.answering(this.page.daemon.call("page.answerRequest", { id: this.id, ...answer2 }));
    }
    async abort(code = "failed") {
      const reason = reasons[code];
      if (!reason) throw new TypeError(`abort has no reason ${JSON.stringify(code)}. The reasons are: ${Object.keys(reasons).join(", ")}.`);
      await this.send({ abort: reason });
    }
    async continue(changes = {}) {
      const { url, method, headers, postData } = changes;
      await this.send({
        continue: {
          url,
          method,
          headers: headers && headerList(headers),
          body: postData === void 0 ? void 0 : base64Of(postData instanceof Uint8Array ? postData : new TextEncoder().encode(textOf(postData)))
        }
      });
    }
    // fulfill answers the request. allowing are headers with which the page may read the answer, where the reply has none of its own.
    async fulfill(reply, allowing = {}) {
      const headers = {};
      for (const [name, value] of Object.entries({ ...reply.response?.headers(), ...reply.headers })) headers[name.toLowerCase()] = value;
      let body = reply.body ?? (reply.response ? await reply.response.body() : "");
      if (headers["access-control-allow-origin"] === void 0) Object.assign(headers, allowing);
      if (reply.json !== void 0) {
        body = JSON.stringify(reply.json);
        headers["content-type"] ??= "application/json";
      }
      if (reply.contentType) headers["content-type"] = reply.contentType;
      const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
      if (reply.response) for (const name of ["content-encoding", "content-length", "transfer-encoding"]) delete headers[name];
      if (!reply.path) headers["content-length"] ??= String(bytes.length);
      await this.send({ fulfill: { status: reply.status ?? reply.response?.status() ?? 200, headers: headerList(headers), body: base64Of(bytes), path: reply.path } });
    }
  };
  var InterceptedRequest = class extends Request {
    constructor(page, id, entry, held, waits) {
      super(page, id, entry);
      this.held = held;
      this.waits = waits;
    }
    held;
    waits;
    best;
    mayAnswer() {
      if (!this.waits) throw new Error("Request Interception is not enabled!");
    }
    // propose answers at once without a priority. Else the answer with the highest one counts when all handlers of the event were
    // called; of several, abort comes before respond and that before continue.
    async propose(rank, priority, answer2) {
      this.mayAnswer();
      if (priority === void 0) return answer2();
      if (this.held.answered) throw new Error("Request is already handled!");
      if (!this.best) setTimeout(() => void this.best?.answer(), 0);
      if (!this.best || priority > this.best.priority || priority === this.best.priority && rank > this.best.rank) this.best = { priority, rank, answer: answer2 };
    }
    async continue(changes = {}, priority) {
      await this.propose(0, priority, () => this.held.continue(changes));
    }
    async abort(code, priority) {
      await this.propose(2, priority, () => this.held.abort(code));
    }
    async respond(reply, priority) {
      await this.propose(1, priority, () => this.held.fulfill(reply));
    }
    isInterceptResolutionHandled() {
      return this.held.answered;
    }
    interceptResolutionState() {
      if (this.held.answered) return { action: "already-handled" };
      if (!this.waits) return { action: "disabled" };
      return this.best ? { action: ["continue", "respond", "abort"][this.best.rank], priority: this.best.priority } : { action: "none" };
    }
  };
  function readable(request) {
    const { origin } = request.headers();
    if (origin === void 0 || !request.url().startsWith("http") || new URL(request.url()).origin === origin.trim()) return {};
    return { "access-control-allow-origin": origin, "access-control-allow-credentials": "true", vary: "Origin" };
  }
  function isPreflight(request) {
    return request.method() === "OPTIONS" && request.headers()["access-control-request-method"] !== void 0;
  }
  function allow(request) {
    const { origin, "access-control-request-method": method, "access-control-request-headers": names2 } = request.headers();
    const headers = { "access-control-allow-origin": origin ?? "*", "access-control-allow-credentials": "true" };
    if (method !== void 0) headers["access-control-allow-methods"] = method;
    if (names2 !== void 0) headers["access-control-allow-headers"] = names2;
    return { status: 204, headers };
  }
  function change2(request, changes) {
    const { router } = request.owner;
    router.change(request.id, changes);
    request.entry = router.changed(request.id, request.entry);
  }
  var Route = class {
    // changes are those of the routes that fell back to this one.
    constructor(of, held, changes, next) {
      this.of = of;
      this.held = held;
      this.changes = changes;
      this.next = next;
    }
    of;
    held;
    changes;
    next;
    request() {
      return this.of;
    }
    async continue(changes = {}) {
      change2(this.of, changes);
      await this.held.continue({ ...this.changes, ...changes });
    }
    async abort(code) {
      await this.held.abort(code);
    }
    // fulfill answers the request. The page may read the answer also where it comes from another origin, as with Playwright.
    async fulfill(reply = {}) {
      await this.held.fulfill(reply, readable(this.of));
    }
    // fallback leaves the request to the route that was added before.
    async fallback(changes = {}) {
      change2(this.of, changes);
      await this.next(changes);
    }
    // fetch gives the code the response of the server. A request as it is goes through the browser; one that is changed is sent in its place.
    async fetch(options2 = {}) {
      const { url, method, headers, postData, ...sending } = { ...this.changes, ...options2 };
      const { page } = this.held;
      if ([url, method, headers, postData].every((one) => one === void 0) && Object.keys(sending).length === 0) {
        const answer2 = await page.daemon.call("page.fetchRequest", { id: this.held.id });
        return new FetchedResponse(this.of.url(), answer2);
      }
      const changed = { method, headers: headers && present(headers), data: postData, ...sending };
      return page.context().request.again(this.of, url ?? this.of.url(), present(changed));
    }
  };
  var FetchedResponse = class {
    constructor(address2, of) {
      this.address = address2;
      this.of = of;
    }
    address;
    of;
    url() {
      return this.address;
    }
    status() {
      return this.of.status;
    }
    statusText() {
      return this.of.statusText;
    }
    ok() {
      return this.of.status >= 200 && this.of.status <= 299;
    }
    headers() {
      return Object.fromEntries(this.of.headers.map(({ name, value }) => [name.toLowerCase(), value]));
    }
    async body() {
      return bytesOf(this.of.body);
    }
    async text() {
      return new TextDecoder().decode(await this.body());
    }
    async json() {
      return JSON.parse(await this.text());
    }
  };
  var Router = class {
    constructor(page) {
      this.page = page;
    }
    page;
    rules = [];
    on = false;
    changes = /* @__PURE__ */ new Map();
    // by the request
    // change notes what a route changed of a request.
    change(id, changes) {
      if (Object.values(changes).some((value) => value !== void 0)) this.changes.set(id, { ...this.changes.get(id), ...changes });
    }
    // changed returns a request as it was sent: it is recorded as the page made it, but for the headers.
    changed(id, entry) {
      const changes = this.changes.get(id);
      if (!changes || entry.redirects?.length) return entry;
      const out = { ...entry };
      if (changes.url !== void 0) out.url = changes.url;
      if (changes.method !== void 0) out.method = changes.method;
      if (changes.headers) out.headers = present(changes.headers);
      if (changes.postData !== void 0) Object.assign(out, { postData: textOf(changes.postData), hasPostData: true });
      return out;
    }
    answers = /* @__PURE__ */ new Set();
    // answering keeps an answer to a request in mind until it was given.
    async answering(answer2) {
      this.answers.add(answer2);
      await answer2.finally(() => this.answers.delete(answer2));
    }
    // intercepts reports whether handlers of the event request answer requests.
    intercepts = false;
    async add(pattern, handler, times = Infinity) {
      if (typeof handler !== "function") throw new TypeError("route needs a handler: (route) => route.fulfill(...), route.continue() or route.abort()");
      globOf(pattern, "route");
      this.rules.unshift({ pattern, matches: whole(pattern, this.page.url()), handler, left: times });
      await this.update();
    }
    async remove(unwanted) {
      this.rules = this.rules.filter((rule) => {
        const gone2 = unwanted(rule);
        if (gone2) rule.left = 0;
        return !gone2;
      });
      await this.update();
    }
    async intercept(on) {
      this.intercepts = on;
      await this.update();
    }
    async update() {
      const context = this.page.context();
      const wanted2 = this.intercepts || this.rules.length > 0;
      context.hub.handle("paused", (paused) => void context.page(paused.tab).router.paused(paused));
      if (wanted2 === this.on) return;
      this.on = wanted2;
      if (!wanted2) await Promise.allSettled(this.answers);
      if (wanted2 !== this.on) return;
      await this.page.daemon.call("page.pauseRequests", { on: wanted2 });
    }
    async paused(paused) {
      const held = new Held(this.page, paused.id);
      if (!this.intercepts && this.page.hides(paused.request.url)) return held.abort("aborted");
      const request = new InterceptedRequest(this.page, paused.request.requestId ?? "", paused.request, held, this.intercepts);
      if (this.intercepts) {
        if (this.page.emitter.count("request") === 0) return held.continue();
        this.page.keep(request);
        this.page.emitter.emit("request", request);
        return;
      }
      if (isPreflight(request)) {
        for (const rule of this.rules) if (rule.left > 0 && await rule.matches(request.url())) return held.fulfill(allow(request));
      }
      await this.offer([...this.rules], request, held, {});
    }
    async offer(rules, request, held, changes) {
      for (let i = 0; i < rules.length; i++) {
        const rule = rules[i];
        if (rule.left <= 0 || !await rule.matches(request.url())) continue;
        if (--rule.left <= 0) this.rules = this.rules.filter((other) => other !== rule);
        const next = (more) => this.offer(rules.slice(i + 1), request, held, { ...changes, ...more });
        try {
          await rule.handler(new Route(request, held, changes, next), request);
        } catch (error) {
          if (!held.answered) await held.continue(changes);
          throw error;
        }
        return;
      }
      await held.continue(changes);
    }
  };
  function whole(pattern, base) {
    return matcher(pattern, "route", base);
  }
  known(Route, "a route");
  known(FetchedResponse, "a response");
  called(InterceptedRequest, "request");
  called(Route, "route");

  // ui/script/src/storage.ts
  var WebStorage = class {
    constructor(page, kind) {
      this.page = page;
      this.kind = kind;
    }
    page;
    kind;
    async getItem(name) {
      return await this.run("(kind, name) => window[kind].getItem(name)", name);
    }
    async setItem(name, value) {
      await this.run("(kind, name, value) => window[kind].setItem(name, value)", name, value);
    }
    async removeItem(name) {
      await this.run("(kind, name) => window[kind].removeItem(name)", name);
    }
    async clear() {
      await this.run("(kind) => window[kind].clear()");
    }
    async items() {
      return await this.run("(kind) => Object.entries(window[kind]).map(([name, value]) => ({name, value}))");
    }
    async run(code, ...args) {
      return this.page.evaluate(code, this.kind, ...args);
    }
  };
  known(WebStorage, "a storage");
  called(WebStorage, "webStorage");

  // ui/script/src/socket.ts
  var WebSocket = class extends Events {
    constructor(page, address2) {
      super();
      this.page = page;
      this.address = address2;
      this.emitter = new Emitter(page.context().hub, "A WebSocket", { framesent: told, framereceived: told, socketerror: told, close: told }, () => false);
    }
    page;
    address;
    emitter;
    closed = false;
    url() {
      return this.address;
    }
    isClosed() {
      return this.closed;
    }
    // waitForEvent accepts Playwright's predicate or {predicate, timeout}.
    async waitForEvent(event, options2 = {}) {
      const { predicate, ...timing } = typeof options2 === "function" ? { predicate: options2 } : options2;
      if (this.closed && event !== "close") throw new Error(`Socket closed: ${this.address}`);
      const timeout = this.page.daemon.timeout(timing);
      const came = this.emitter.next(event, predicate ?? (() => true), this.page.limit(timeout === void 0 ? {} : { timeout }), `waitForEvent(${JSON.stringify(event)})`, timing.signal);
      if (event === "close") return came;
      const ended2 = new AbortController();
      const close = this.emitter.next("close", () => true, 2147483647, "close", ended2.signal).then(() => {
        throw new Error(`Socket closed while waiting for event ${JSON.stringify(event)}: ${this.address}`);
      });
      return Promise.race([came, close]).finally(() => ended2.abort());
    }
    // take passes on an event.
    take(told2) {
      switch (told2.kind) {
        case "sent":
        case "received":
          this.emitter.emit(`frame${told2.kind}`, { payload: told2.binary ? bytesOf(told2.data ?? "") : told2.data ?? "" });
          break;
        case "failed":
          this.emitter.emit("socketerror", told2.error ?? "");
          break;
        case "closed":
          this.closed = true;
          this.emitter.emit("close", this);
      }
    }
  };
  known(WebSocket, "a WebSocket");
  called(WebSocket, "webSocket", ["take"]);
  var Sockets = class {
    constructor(page) {
      this.page = page;
    }
    page;
    all = /* @__PURE__ */ new Map();
    listening = false;
    // listen asks for those that the page opens from now on.
    listen() {
      if (this.listening) return;
      this.listening = true;
      const context = this.page.context();
      context.hub.handle("socket", (told2) => context.page(told2.tab).socketsOf.take(told2));
      context.known.before(this.page.daemon.host.post("page.listenToSockets", { tab: this.page.tabId }));
    }
    take(told2) {
      if (told2.kind === "opened") {
        const socket = new WebSocket(this.page, told2.url ?? "");
        this.all.set(told2.id, socket);
        this.page.emitter.emit("websocket", socket);
        return;
      }
      this.all.get(told2.id)?.take(told2);
      if (told2.kind === "closed") this.all.delete(told2.id);
    }
  };

  // ui/script/src/worker.ts
  var Worker = class extends Events {
    constructor(page, session, address2) {
      super();
      this.page = page;
      this.session = session;
      this.address = address2;
      this.emitter = new Emitter(page.context().hub, "A worker", { close: told }, () => false);
    }
    page;
    session;
    address;
    emitter;
    url() {
      return this.address;
    }
    async evaluate(code, ...args) {
      const source = sourceOf(code, "evaluate");
      const passed = pass(args);
      if (passed.handles.length > 0) throw new TypeError("A handle of the page cannot be passed to a worker: pass its value");
      const text2 = source.function ? `(${encoded2(source.source)})(...${passed.args})` : source.source;
      const got = await this.page.daemon.call("page.evaluateInWorker", { id: this.session, source: text2 }).catch((error) => {
        throw thrown(error, "evaluate", this.page);
      });
      return source.function ? decoded(got.value) : result(got);
    }
    async waitForEvent(event, options2 = {}) {
      const { predicate, ...timing } = typeof options2 === "function" ? { predicate: options2 } : options2;
      return this.emitter.next(event, predicate ?? (() => true), this.page.limit(timing), `waitForEvent(${JSON.stringify(event)})`, timing.signal);
    }
    // ended tells the code's handlers that the worker has ended.
    ended() {
      this.emitter.emit("close", this);
    }
  };
  var Workers = class {
    constructor(page) {
      this.page = page;
    }
    page;
    all = /* @__PURE__ */ new Map();
    listening = false;
    // listen asks for the workers of the page, those that are there first.
    listen() {
      if (this.listening) return;
      this.listening = true;
      const context = this.page.context();
      context.hub.handle("worker", ({ tab, id, url }) => context.page(tab).workersOf.add(id, url));
      context.hub.handle("workerClosed", ({ tab, id }) => context.page(tab).workersOf.remove(id));
      context.known.before(this.page.daemon.host.call("page.listenToWorkers", { tab: this.page.tabId }));
    }
    // list is known without waiting, so that it needs a run that has asked for the workers from the beginning.
    list() {
      if (!this.listening) throw new Error('page.workers: the workers are known only where the code of the run has a call written ".workers(", as page.workers(), or listens to the event "worker" before.');
      return [...this.all.values()];
    }
    add(id, url) {
      const worker = new Worker(this.page, id, url);
      this.all.set(id, worker);
      for (const event of ["worker", "workercreated"]) this.page.emitter.emit(event, worker);
    }
    remove(id) {
      const worker = this.all.get(id);
      this.all.delete(id);
      if (!worker) return;
      worker.ended();
      this.page.emitter.emit("workerdestroyed", worker);
    }
  };
  known(Worker, "a worker");
  called(Worker, "worker", ["ended"]);

  // ui/script/src/page.ts
  var Page = class extends Frame {
    constructor(owner, tabId) {
      super(new Daemon(owner.host, tabId, owner.known), void 0);
      this.owner = owner;
      this.tabId = tabId;
      const { daemon } = this;
      this.events = this.sources();
      this.emitter = new Emitter(owner.hub, "page", this.events, (change3) => change3.type === "tab_opened" || change3.targetId === tabId || change3.targetId === void 0 && change3.type !== "tab_opened");
      this.keyboard = new Keyboard(daemon);
      this.mouse = new Mouse(daemon);
      this.touchscreen = new Touchscreen(daemon);
      this.accessibility = new Accessibility(this);
      this.router = new Router(this);
      if (owner.host.config.workers) this.workersOf.listen();
    }
    owner;
    tabId;
    keyboard;
    mouse;
    touchscreen;
    accessibility;
    localStorage = new WebStorage(this, "localStorage");
    sessionStorage = new WebStorage(this, "sessionStorage");
    emitter;
    events;
    router;
    handlers = new LocatorHandlers(this);
    workersOf = new Workers(this);
    socketsOf = new Sockets(this);
    all = /* @__PURE__ */ new Map();
    opened = null;
    // renew makes the page ready for another call.
    renew() {
      this.router = new Router(this);
      this.workersOf = new Workers(this);
      this.socketsOf = new Sockets(this);
      if (this.emitter.count("websocket") > 0) this.socketsOf.listen();
      if (this.owner.host.config.workers || ["worker", "workercreated", "workerdestroyed"].some((event) => this.emitter.count(event) > 0)) this.workersOf.listen();
    }
    page() {
      return this;
    }
    isClosed() {
      return this.daemon.state.closed === true || !this.owner.known.tabs.some((tab) => tab.id === this.tabId);
    }
    context() {
      return this.owner;
    }
    browserContext() {
      return this.owner;
    }
    target() {
      return this.owner.target(this.tabId);
    }
    get request() {
      return this.owner.request;
    }
    get clock() {
      return this.owner.clock;
    }
    browser() {
      return this.owner.browser();
    }
    async opener() {
      const id = this.owner.known.tabs.find((tab) => tab.id === this.tabId)?.opener;
      return id ? this.owner.page(id) : this.opened;
    }
    // --- frames ---
    mainFrame() {
      return this;
    }
    frames() {
      return [this, ...this.infos().filter((info) => info.parent).map((info) => this.frameOf(info.id))];
    }
    infos() {
      return this.owner.known.frames.get(this.tabId) ?? [];
    }
    // frameOf is the frame with an id; undefined for none.
    frameOf(id) {
      if (id === void 0) return void 0;
      const info = this.infos().find((frame) => frame.id === id);
      if (id === this.tabId || info && !info.parent) return this;
      const have = this.all.get(id);
      if (have) return have;
      if (!info) return void 0;
      const made = new Frame(this.daemon, id, this);
      this.all.set(id, made);
      return made;
    }
    frame(which) {
      const { name, url } = typeof which === "string" ? { name: which, url: void 0 } : which;
      return this.frames().find((frame) => name !== void 0 ? frame.name() === name : matcher(url, "frame", this.url())(frame.url()) === true) ?? null;
    }
    async waitForFrame(which, options2 = {}) {
      const wanted2 = typeof which === "function" ? which : (frame) => frame.url() === which || frame.name() === which;
      return this.until(async () => {
        for (const frame of this.frames()) if (await wanted2(frame)) return frame;
        await this.daemon.call("page.state", {});
        return void 0;
      }, options2, "waitForFrame: there was no such frame");
    }
    workers() {
      return this.workersOf.list();
    }
    // --- loading ---
    async goto(url, options2 = {}) {
      if (typeof url !== "string") throw new TypeError("goto needs an address as text");
      return this.load("open", { url: this.owner.absolute(url) }, options2);
    }
    async reload(options2 = {}) {
      return this.load("reload", {}, options2);
    }
    async goBack(options2 = {}) {
      return this.load("back", {}, options2);
    }
    async goForward(options2 = {}) {
      return this.load("forward", {}, options2);
    }
    async load(command, values2, options2) {
      const states = [options2.waitUntil ?? "load"].flat();
      for (const state of states) if (!loadStates.includes(state)) throw new TypeError(`waitUntil: ${JSON.stringify(state)} is not one of: ${loadStates.join(", ")}`);
      const until = states.every((state) => state === "commit" || state === "domcontentloaded") ? states.includes("domcontentloaded") ? "domcontentloaded" : "commit" : "load";
      const answer2 = await this.daemon.call("page.load", { command, values: values2, until, timeout: this.loadTimeout(options2) });
      if (states.some((state) => state.startsWith("networkidle"))) await this.waitForLoadState("networkidle", options2);
      return answer2.response ? this.responseOf(answer2.response) : null;
    }
    loadTimeout(options2) {
      return options2.timeout ?? this.daemon.defaults.navigation ?? this.daemon.defaults.action;
    }
    responseOf(entry) {
      return new Response(this.requestOf(entry));
    }
    requestOf(entry) {
      const id = entry.requestId ?? "";
      const now = this.router.changed(id, entry);
      const steps = now.redirects?.length ?? 0;
      const have = this.requests.get(id);
      if (have && (have.entry.redirects?.length ?? 0) === steps) {
        have.entry = { ...now, status: now.status ?? have.entry.status ?? 0 };
        return have;
      }
      const made = new Request(this, id, now);
      this.keep(made);
      return made;
    }
    requests = /* @__PURE__ */ new Map();
    // of Puppeteer's code, by their ids
    // keep makes a request the one that later events of it have, too: in Puppeteer it learns of its response.
    keep(request) {
      if (!this.daemon.host.config.puppeteer || request.id === "") return;
      if (this.requests.size >= maxRequests) this.requests.clear();
      this.requests.set(request.id, request);
    }
    // follow tells a request that code has of its response or failure.
    follow(change3) {
      if (change3.request && this.requests.has(change3.request.requestId ?? "")) this.requestOf(change3.request);
    }
    // entry is a request as it is recorded now.
    async entry(id) {
      return this.router.changed(id, (await this.daemon.call("page.request", { id })).request);
    }
    setDefaultTimeout(milliseconds) {
      this.daemon.defaults.action = milliseconds;
    }
    setDefaultNavigationTimeout(milliseconds) {
      this.daemon.defaults.navigation = milliseconds;
    }
    getDefaultTimeout() {
      return this.daemon.defaults.action ?? defaultTimeout;
    }
    getDefaultNavigationTimeout() {
      return this.daemon.defaults.navigation ?? this.getDefaultTimeout();
    }
    async waitForNavigation(options2 = {}) {
      const before = this.daemon.state.loader;
      const wanted2 = options2.url === void 0 ? () => true : (value) => matcher(options2.url, "waitForNavigation", this.url())(value.url());
      const timeout = this.loadTimeout(options2);
      const timing = { timeout, signal: options2.signal };
      await this.emitter.next("framenavigated", (value) => value === this && wanted2(value), this.limit(timing), "waitForNavigation", options2.signal);
      const states = [options2.waitUntil ?? "load"].flat();
      if (!states.includes("commit")) await this.waitForLoadState(states.length > 1 ? "load" : states[0], timing);
      if (states.length > 1 && states.some((state) => state.startsWith("networkidle"))) await this.waitForLoadState("networkidle", timing);
      const loader = this.daemon.state.loader;
      if (!loader || loader === before) return null;
      const entry = await this.entry(loader).catch(() => void 0);
      return entry ? this.responseOf(entry) : null;
    }
    async waitForNetworkIdle(options2 = {}) {
      await this.daemon.call("page.idle", { idle: options2.idleTime ?? 500, connections: options2.concurrency ?? 0, timeout: this.daemon.timeout(options2) }, options2.signal);
    }
    // --- pictures ---
    async screenshot(options2 = {}) {
      return encoded(await this.capture(options2), options2.encoding);
    }
    async pdf(options2 = {}) {
      const answer2 = await this.daemon.call("page.pdf", { path: options2.path, options: paper(options2) });
      return bytesOf(answer2.data);
    }
    // --- the tab ---
    viewport() {
      return this.daemon.host.config.viewport ?? null;
    }
    viewportSize() {
      const size = this.viewport();
      return size && { width: size.width, height: size.height };
    }
    async bringToFront() {
      await this.daemon.command("cdp", { method: "Page.bringToFront" });
    }
    async ariaSnapshot(options2 = {}) {
      return (await this.daemon.command("snapshot", outlined(options2), options2)).snapshot;
    }
    // consoleMessages are those that usher keeps of the tab, oldest first, and pageErrors its uncaught errors.
    async consoleMessages() {
      const { messages } = await this.daemon.command("console");
      return messages.map((message2) => new ConsoleMessage(this, { message: message2 }));
    }
    async pageErrors() {
      const { errors } = await this.daemon.command("errors");
      return errors.map((thrown2) => errorOf({ thrown: thrown2 }));
    }
    // close with runBeforeUnload asks the page, whose handler may open a dialog, and does not wait until it has closed.
    async close(options2 = {}) {
      if (this.isClosed()) return;
      if (options2.runBeforeUnload) await this.daemon.command("cdp", { method: "Page.close" });
      else await this.daemon.command("tab close", { tab: this.tabId });
    }
    async pause() {
      throw new Error("pause has nobody to wait for: the code runs without a debugger");
    }
    // --- events ---
    sources() {
      const request = (change3) => change3.request && !this.hides(change3.request.url) ? this.requestOf(change3.request) : void 0;
      return {
        dialog: { kinds: ["dialog_opened"], make: (change3) => new Dialog(this, change3) },
        console: { kinds: ["console_message"], make: (change3) => new ConsoleMessage(this, change3), begin: () => this.listenToLog() },
        pageerror: { kinds: ["error_thrown"], make: errorOf },
        error: { kinds: ["tab_crashed"], make: () => new Error("The page crashed") },
        request: {
          kinds: this.daemon.host.config.puppeteer ? ["request_sent", "request_answered", "request_failed"] : ["request_sent"],
          make: (change3) => change3.type === "request_sent" ? this.router.intercepts ? void 0 : request(change3) : this.follow(change3)
        },
        response: { kinds: ["request_answered"], make: (change3) => change3.request && !this.hides(change3.request.url) ? this.responseOf(change3.request) : void 0 },
        requestfinished: { kinds: ["request_answered"], make: request },
        requestfailed: { kinds: ["request_failed"], make: request },
        popup: { kinds: ["tab_opened"], make: (change3) => this.popup(change3) },
        download: { kinds: ["download_started"], make: (change3) => new Download(this, change3) },
        filechooser: { kinds: ["interruption_opened"], make: (change3) => change3.chooser ? new FileChooser(this, change3.id ?? "", change3.chooser.multiple) : void 0 },
        framenavigated: { kinds: ["frame_navigated", "tab_navigated"], make: (change3) => change3.type === "tab_navigated" ? this : this.frameOf(change3.frameId) },
        frameattached: { kinds: ["frame_attached"], make: (change3) => this.frameOf(change3.frameId) },
        framedetached: { kinds: ["frame_detached"], make: (change3) => this.all.get(change3.frameId ?? "") },
        load: { kinds: ["load_state"], make: (change3) => change3.detail === "load" && this.frameOf(change3.frameId) === this ? this : void 0 },
        domcontentloaded: { kinds: ["load_state"], make: (change3) => change3.detail?.toLowerCase() === "domcontentloaded" && this.frameOf(change3.frameId) === this ? this : void 0 },
        ...Object.fromEntries(["worker", "workercreated", "workerdestroyed"].map((event) => [event, { kinds: [], make: () => void 0, begin: () => this.workersOf.listen() }])),
        websocket: { kinds: [], make: () => void 0, begin: () => this.socketsOf.listen() },
        close: { kinds: ["tab_closed"], make: () => this },
        crash: { kinds: ["tab_crashed"], make: () => this }
      };
    }
    // hides reports whether code does not see requests to an address: the icon of the page, which Playwright leaves out.
    hides(url) {
      return !this.daemon.host.config.puppeteer && url?.endsWith("/favicon.ico") === true;
    }
    // listenToLog makes what the browser writes to the console an event, as what the page does.
    listenToLog() {
      const context = this.owner;
      context.hub.handle("logged", ({ tab, entry: { level: type, ...at } }) => {
        const page = context.page(tab);
        const message2 = new ConsoleMessage(page, { seq: 0, type: "console_message", message: { type, args: [], ...at } });
        for (const emitter of [page.emitter, context.emitter]) emitter.emit("console", message2);
      });
      context.hub.listenToLog(this.tabId);
    }
    popup(change3) {
      const info = this.owner.known.tabs.find((tab) => tab.id === change3.targetId);
      if (!info || info.opener !== this.tabId) return void 0;
      const page = this.owner.page(info.id);
      page.opened = this;
      return page;
    }
    // waitForEvent accepts Playwright's predicate or {predicate, timeout}.
    async waitForEvent(event, options2 = {}) {
      const { predicate, ...timing } = typeof options2 === "function" ? { predicate: options2 } : options2;
      return this.next(event, predicate ?? (() => true), timing, `waitForEvent(${JSON.stringify(event)})`);
    }
    async next(event, wanted2, timing, what) {
      const timeout = this.daemon.timeout(timing);
      return this.emitter.next(event, wanted2, this.limit(timeout === void 0 ? {} : { timeout }), what, timing.signal);
    }
    async waitForResponse(pattern, options2 = {}) {
      return await this.next("response", byURL(pattern, "waitForResponse", this.url()), options2, `waitForResponse(${String(pattern)})`);
    }
    async waitForRequest(pattern, options2 = {}) {
      return await this.next("request", byURL(pattern, "waitForRequest", this.url()), options2, `waitForRequest(${String(pattern)})`);
    }
    async waitForFileChooser(options2 = {}) {
      return await this.next("filechooser", () => true, options2, "waitForFileChooser");
    }
    async waitForPopup(options2 = {}) {
      return await this.next("popup", () => true, options2, "waitForPopup");
    }
    // --- requests ---
    async route(pattern, handler, options2 = {}) {
      await this.router.add(pattern, handler, options2.times);
    }
    async unroute(pattern, handler) {
      await this.router.remove((route) => String(route.pattern) === String(pattern) && (!handler || route.handler === handler));
    }
    async unrouteAll() {
      await this.router.remove(() => true);
      await this.owner.unrouteHARs();
    }
    async routeFromHAR(har, options2 = {}) {
      await this.owner.routeFromHAR(har, options2);
    }
    async setRequestInterception(on) {
      await this.router.intercept(on);
    }
    async setExtraHTTPHeaders(headers) {
      await this.daemon.command("set headers", { object: JSON.stringify(headers) });
    }
    // --- what comes in the way ---
    async addLocatorHandler(locator, handler, options2 = {}) {
      this.handlers.add(locator, handler, options2);
    }
    async removeLocatorHandler(locator) {
      this.handlers.remove(locator);
    }
    // --- scripts ---
    async exposeFunction(name, handler) {
      await expose(this, name, (_, ...args) => handler(...args));
    }
    async exposeBinding(name, handler) {
      await expose(this, name, handler);
    }
    async addInitScript(script, ...args) {
      await this.evaluateOnNewDocument(script, ...args);
    }
    async evaluateOnNewDocument(script, ...args) {
      let text2;
      if (typeof script === "function") text2 = `(${sourceOf(script, "addInitScript").source})(...${pass(args).args})`;
      else if (typeof script === "string") text2 = script;
      else if (typeof script?.content === "string") text2 = script.content;
      else throw new TypeError("addInitScript needs a function, a text or {content}");
      const data = await this.daemon.command("addinitscript", { script: [text2] });
      return { identifier: data.identifier ?? data.id ?? "" };
    }
    async removeScriptToEvaluateOnNewDocument(identifier) {
      await this.daemon.command("removeinitscript", { id: identifier });
    }
    async createCDPSession() {
      return CDPSession.open(this);
    }
    async requestGC() {
      await this.daemon.command("cdp", { method: "HeapProfiler.collectGarbage" });
    }
    async metrics() {
      const session = await this.createCDPSession();
      await session.send("Performance.enable");
      const { metrics } = await session.send("Performance.getMetrics");
      await session.detach();
      return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
    }
    async cookies(...urls) {
      return this.owner.cookies(urls.length > 0 ? urls : [this.url()]);
    }
    async setCookie(...cookies) {
      await this.owner.addCookies(cookies, this);
    }
    async deleteCookie(...cookies) {
      for (const { name, url, domain, path } of cookies) await this.daemon.command("cookies delete", { name, url, domain, path });
    }
    // --- emulation ---
    async setViewport(size) {
      await viewport(this, size);
    }
    async setViewportSize(size) {
      await viewport(this, { ...this.viewport(), ...size });
    }
    async setUserAgent(agent) {
      await userAgent(this, agent);
    }
    async emulate(device) {
      await viewport(this, device.viewport);
      await userAgent(this, device.userAgent);
    }
    async emulateMedia(options2) {
      await media(this, options2);
    }
    async emulateMediaType(type) {
      await media(this, { media: type ?? null });
    }
    async emulateMediaFeatures(features) {
      await mediaFeatures(this, features);
    }
    async emulateTimezone(zone) {
      await this.daemon.command("set timezone", { name: zone ?? "default" });
    }
    async setGeolocation(position) {
      await geolocation(this, position);
    }
    async setOfflineMode(on) {
      await this.daemon.command("set offline", { switch: on ? "on" : "off" });
    }
    async authenticate(credentials2) {
      await credentials(this, credentials2);
    }
    // emulateNetworkConditions takes bytes a second, and milliseconds of latency; null ends it.
    async emulateNetworkConditions(conditions) {
      const { download = -1, upload = -1, latency = 0, offline = false } = conditions ?? {};
      await this.daemon.command("cdp", { method: "Network.emulateNetworkConditions", params: JSON.stringify({ offline, latency, downloadThroughput: download, uploadThroughput: upload }) });
    }
    async emulateVisionDeficiency(type) {
      await this.daemon.command("cdp", { method: "Emulation.setEmulatedVisionDeficiency", params: JSON.stringify({ type: type ?? "none" }) });
    }
    scripts = true;
    // are enabled
    isJavaScriptEnabled() {
      return this.scripts;
    }
    async setJavaScriptEnabled(on) {
      this.scripts = on;
      await this.daemon.command("cdp", { method: "Emulation.setScriptExecutionDisabled", params: JSON.stringify({ value: !on }) });
    }
    async setBypassCSP(on) {
      await this.daemon.command("cdp", { method: "Page.setBypassCSP", params: JSON.stringify({ enabled: on }) });
    }
    passesServiceWorker = false;
    isServiceWorkerBypassed() {
      return this.passesServiceWorker;
    }
    async setBypassServiceWorker(on) {
      this.passesServiceWorker = on;
      await this.daemon.command("cdp", { method: "Network.setBypassServiceWorker", params: JSON.stringify({ bypass: on }) });
    }
    async setCacheEnabled(on = true) {
      await this.daemon.command("cdp", { method: "Network.setCacheDisabled", params: JSON.stringify({ cacheDisabled: !on }) });
    }
    async emulateCPUThrottling(factor) {
      await this.daemon.command("cdp", { method: "Emulation.setCPUThrottlingRate", params: JSON.stringify({ rate: factor ?? 1 }) });
    }
  };
  var maxRequests = 2e3;
  var loadStates = ["load", "domcontentloaded", "networkidle", "networkidle0", "networkidle2", "commit"];
  function byURL(pattern, method, base) {
    if (typeof pattern === "function") return pattern;
    const wanted2 = matcher(pattern, method, base);
    return (value) => wanted2(value.url());
  }
  mixin(Page);
  known(Page, "page");
  called(Page, "page", ["frameOf", "infos", "loadTimeout", "entry"]);

  // ui/script/src/form.ts
  var Blob = class _Blob {
    type;
    content;
    constructor(parts2 = [], options2 = {}) {
      if (typeof parts2 !== "object" || parts2 === null || !(Symbol.iterator in parts2)) throw new TypeError(`${new.target.name} needs a list of parts: new ${new.target.name}(["text"], ...)`);
      this.content = joined([...parts2].map(bytesOfPart));
      this.type = String(options2.type ?? "").toLowerCase();
    }
    get size() {
      return this.content.length;
    }
    async bytes() {
      return this.content.slice();
    }
    async arrayBuffer() {
      return this.content.slice().buffer;
    }
    async text() {
      return new TextDecoder().decode(this.content);
    }
    slice(start = 0, end = this.size, type = "") {
      return new _Blob([this.content.slice(start, end)], { type });
    }
    // contentOf is the content without a copy and without a promise.
    static contentOf(blob) {
      return blob.content;
    }
  };
  var File = class extends Blob {
    name;
    lastModified;
    constructor(parts2, name, options2 = {}) {
      super(parts2, options2);
      if (name === void 0) throw new TypeError("File needs a name: new File(parts, name)");
      this.name = String(name);
      this.lastModified = options2.lastModified ?? Date.now();
    }
  };
  var FormData = class {
    list = [];
    append(name, value, filename) {
      this.list.push([String(name), entryOf(value, filename)]);
    }
    // set takes the place of the first field of this name, and removes the others.
    set(name, value, filename) {
      const at = this.list.findIndex(([have]) => have === String(name));
      if (at < 0) return this.append(name, value, filename);
      this.list[at] = [String(name), entryOf(value, filename)];
      this.list = this.list.filter(([have], index) => index <= at || have !== String(name));
    }
    get(name) {
      return this.getAll(name)[0] ?? null;
    }
    getAll(name) {
      return this.list.filter(([have]) => have === String(name)).map(([, value]) => value);
    }
    has(name) {
      return this.getAll(name).length > 0;
    }
    delete(name) {
      this.list = this.list.filter(([have]) => have !== String(name));
    }
    entries() {
      return this.list.values();
    }
    keys() {
      return this.list.map(([name]) => name).values();
    }
    values() {
      return this.list.map(([, value]) => value).values();
    }
    forEach(callback) {
      for (const [name, value] of this.list) callback(value, name, this);
    }
    [Symbol.iterator]() {
      return this.entries();
    }
  };
  function entryOf(value, filename) {
    if (!(value instanceof Blob)) return String(value);
    if (value instanceof File && filename === void 0) return value;
    return new File([value], filename ?? "blob", { type: value.type });
  }
  function bytesOfPart(part) {
    if (part instanceof Blob) return Blob.contentOf(part);
    if (part instanceof ArrayBuffer) return new Uint8Array(part.slice(0));
    if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice();
    return bytesOfText(String(part));
  }
  function joined(list) {
    const out = new Uint8Array(list.reduce((sum, bytes) => sum + bytes.length, 0));
    let at = 0;
    for (const bytes of list) {
      out.set(bytes, at);
      at += bytes.length;
    }
    return out;
  }
  known(FormData, "a FormData");

  // ui/script/src/request.ts
  var APIRequestContext = class {
    constructor(of) {
      this.of = of;
    }
    of;
    async get(url, options2 = {}) {
      return this.send("get", url, { ...options2, method: "GET" });
    }
    async post(url, options2 = {}) {
      return this.send("post", url, { ...options2, method: "POST" });
    }
    async put(url, options2 = {}) {
      return this.send("put", url, { ...options2, method: "PUT" });
    }
    async patch(url, options2 = {}) {
      return this.send("patch", url, { ...options2, method: "PATCH" });
    }
    async delete(url, options2 = {}) {
      return this.send("delete", url, { ...options2, method: "DELETE" });
    }
    async head(url, options2 = {}) {
      return this.send("head", url, { ...options2, method: "HEAD" });
    }
    // fetch takes an address, or a request of a page, which it sends again.
    async fetch(what, options2 = {}) {
      return what instanceof Request ? this.again(what, what.url(), options2) : this.send("fetch", what, options2);
    }
    // again sends a request of a page, to an address.
    async again(request, url, options2) {
      const data = options2.data ?? options2.form ?? options2.multipart ?? request.postDataBuffer();
      const own = options2.form || options2.multipart ? {} : { data: data ?? void 0 };
      return this.send("fetch", url, { method: request.method(), ...options2, headers: options2.headers ? ownHeaders(options2.headers) : repeated(request.headers()), ...own });
    }
    async storageState(options2 = {}) {
      return this.of.storageState(options2);
    }
    // dispose is without effect: answers are the code's.
    async dispose() {
    }
    async send(name, url, options2) {
      const method = `apiRequestContext.${name}`;
      if (typeof url !== "string") throw new TypeError(`${method}: url: expected string, got ${typeof url}`);
      const { main } = this.of;
      const answer2 = await main.daemon.call("page.send", {
        name: method,
        url: address(url, options2.params, main.url(), method),
        method: (options2.method ?? "GET").toUpperCase(),
        ...message(options2, method),
        timeout: main.daemon.timeout(options2),
        redirects: options2.maxRedirects ?? 20,
        insecure: options2.ignoreHTTPSErrors === true
      });
      const response = new APIResponse(answer2);
      if (options2.failOnStatusCode && !response.ok()) {
        throw new Error(`${method}: ${answer2.status} ${answer2.statusText}
Response text:
${(await response.text()).slice(0, 1e3)}`);
      }
      return response;
    }
  };
  function repeated(headers) {
    const { cookie: _, ...others } = ownHeaders(headers);
    return others;
  }
  function ownHeaders(headers) {
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !["host", "content-length", "connection"].includes(name.toLowerCase()) && !name.startsWith(":")));
  }
  function address(url, params, base, method) {
    let out;
    try {
      out = new URL(url, /^https?:/.test(base) ? base : void 0);
    } catch {
      throw new TypeError(`${method}: Invalid URL ${JSON.stringify(url)}`);
    }
    if (!/^https?:$/.test(out.protocol)) throw new TypeError(`${method}: Protocol "${out.protocol}" not supported. Expected "http:" or "https:"`);
    if (typeof params === "string") out.search = params;
    else if (params instanceof URLSearchParams) for (const [name, value] of params) out.searchParams.append(name, value);
    else for (const [name, value] of Object.entries(params ?? {})) if (value !== void 0) out.searchParams.append(name, String(value));
    out.hash = "";
    return out.href;
  }
  function message(options2, method) {
    const headers = [];
    Object.entries(options2.headers ?? {}).forEach(([name, value], index) => {
      if (typeof value !== "string") throw new Error(`${method}: headers[${index}].value: expected string, got ${typeof value}`);
      headers.push({ name, value });
    });
    if ([options2.data, options2.form, options2.multipart].filter((body2) => body2 !== void 0).length > 1) {
      throw new Error(`${method}: Only one of 'data', 'form' or 'multipart' can be specified`);
    }
    const given2 = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
    const body = bodyOf(options2, given2);
    if (!body) return { headers };
    if (given2 === void 0) headers.push({ name: "Content-Type", value: body.type });
    const bytes = typeof body.content === "string" ? new TextEncoder().encode(body.content) : body.content;
    return { headers, body: base64Of(bytes) };
  }
  function bodyOf({ data, form, multipart }, type) {
    if (form !== void 0) {
      const fields = new URLSearchParams("");
      for (const [name, value] of fieldsOf2(form)) {
        if (typeof value === "object") throw new TypeError(`form: the field ${JSON.stringify(name)} is no text. Send files as multipart.`);
        fields.append(name, String(value));
      }
      return { type: "application/x-www-form-urlencoded", content: fields.toString() };
    }
    if (multipart !== void 0) return parts(multipart);
    if (data === void 0) return void 0;
    if (data instanceof Uint8Array) return { type: "application/octet-stream", content: data };
    if (typeof data !== "string") return { type: "application/json", content: JSON.stringify(data) };
    const json = type?.toLowerCase().startsWith("application/json") && !isJSON(data);
    return { type: "application/octet-stream", content: json ? JSON.stringify(data) : data };
  }
  function isJSON(text2) {
    try {
      JSON.parse(text2);
      return true;
    } catch {
      return false;
    }
  }
  function fieldsOf2(form) {
    return form instanceof FormData ? [...form] : Object.entries(form);
  }
  function parts(fields) {
    const boundary = `----usher${crypto.randomUUID()}`;
    const quoted2 = (text3) => text3.replace(/[\r\n"]/g, (c) => encodeURIComponent(c));
    const list = [];
    const text2 = (part) => list.push(new TextEncoder().encode(part));
    for (const [name, value] of fieldsOf2(fields)) {
      text2(`--${boundary}\r
content-disposition: form-data; name="${quoted2(name)}"`);
      if (typeof value === "object") {
        const [type, content] = value instanceof File ? [value.type, Blob.contentOf(value)] : [value.mimeType, value.buffer];
        text2(`; filename="${quoted2(value.name)}"\r
content-type: ${type || "application/octet-stream"}\r
\r
`);
        list.push(content);
        text2("\r\n");
      } else text2(`\r
\r
${String(value)}\r
`);
    }
    text2(`--${boundary}--\r
`);
    return { type: `multipart/form-data; boundary=${boundary}`, content: joined(list) };
  }
  var APIResponse = class {
    constructor(of) {
      this.of = of;
      this.bytes = bytesOf(of.body);
    }
    of;
    bytes;
    ok() {
      return this.of.status === 0 || this.of.status >= 200 && this.of.status <= 299;
    }
    status() {
      return this.of.status;
    }
    statusText() {
      return this.of.statusText;
    }
    url() {
      return this.of.url;
    }
    headers() {
      const out = {};
      for (const { name, value } of this.of.headers) {
        const key = name.toLowerCase();
        out[key] = out[key] === void 0 ? value : `${out[key]}${key === "set-cookie" ? "\n" : ", "}${value}`;
      }
      return out;
    }
    headersArray() {
      return this.of.headers.map((header) => ({ ...header }));
    }
    async body() {
      return this.read("body");
    }
    async text() {
      return new TextDecoder().decode(this.read("text"));
    }
    async json() {
      return JSON.parse(new TextDecoder().decode(this.read("json")));
    }
    async dispose() {
      this.bytes = void 0;
    }
    read(method) {
      if (!this.bytes) throw new Error(`apiResponse.${method}: Response has been disposed`);
      return this.bytes;
    }
  };
  known(APIRequestContext, "request");
  known(APIResponse, "a response of request");
  called(APIRequestContext, "apiRequestContext");

  // ui/script/src/context.ts
  var pageEvents = {
    request: ["request_sent"],
    response: ["request_answered"],
    requestfailed: ["request_failed"],
    requestfinished: ["request_answered"],
    dialog: ["dialog_opened"]
  };
  var Context = class {
    constructor(host) {
      this.host = host;
      this.known.take(host.config.target, host.config.page);
      this.hub = new Hub(host, this.known);
      this.emitter = new Emitter(this.hub, "the context", this.sources(), () => true);
      this.whole = new Browser(this);
    }
    host;
    hars = /* @__PURE__ */ new Set();
    // What a page that the code opens gets before it is the code's.
    routes = [];
    exposed = /* @__PURE__ */ new Map();
    timeouts = {};
    known = new Known();
    hub;
    emitter;
    bindings = /* @__PURE__ */ new Map();
    made = /* @__PURE__ */ new Map();
    tabTargets = /* @__PURE__ */ new Map();
    whole;
    request = new APIRequestContext(this);
    clock = new Clock(() => this.main.daemon);
    // renew makes the context ready for another call: what the last one did to requests, its functions in pages and its CDP sessions ended with it.
    renew() {
      this.known.renew();
      this.known.take(this.host.config.target, this.host.config.page);
      this.bindings.clear();
      this.hars.clear();
      this.routes = [];
      this.exposed.clear();
      CDPSession.endAll();
      this.hub.renew();
      for (const page of this.made.values()) page.renew();
    }
    sources() {
      const page = (change3) => change3.targetId ? this.page(change3.targetId) : void 0;
      const ofPages = Object.fromEntries(Object.entries(pageEvents).map(([event, kinds2]) => [event, { kinds: kinds2, make: (change3) => page(change3)?.events[event]?.make(change3) }]));
      const logs = () => this.pages().forEach((each) => each.events["console"]?.begin?.());
      return {
        ...ofPages,
        console: { kinds: ["console_message"], make: (change3) => page(change3)?.events["console"]?.make(change3), begin: logs },
        weberror: { kinds: ["error_thrown"], make: (change3) => ({ error: () => errorOf(change3), page: () => page(change3) ?? null }) },
        page: { kinds: ["tab_opened"], make: page },
        targetcreated: { kinds: ["tab_opened"], make: (change3) => change3.targetId ? this.target(change3.targetId) : void 0 },
        targetchanged: { kinds: ["tab_navigated"], make: (change3) => change3.targetId ? this.target(change3.targetId) : void 0 },
        targetdestroyed: { kinds: ["tab_closed"], make: (change3) => change3.targetId ? this.target(change3.targetId) : void 0 }
      };
    }
    // target is always the same object for one tab.
    target(id) {
      const target = this.tabTargets.get(id) ?? new Target(this, id);
      this.tabTargets.set(id, target);
      return target;
    }
    // page is the page of a tab: always the same object for one tab.
    page(target) {
      const have = this.made.get(target);
      if (have) return have;
      const page = new Page(this, target);
      this.made.set(target, page);
      if (this.timeouts.action !== void 0) page.setDefaultTimeout(this.timeouts.action);
      if (this.timeouts.navigation !== void 0) page.setDefaultNavigationTimeout(this.timeouts.navigation);
      if (this.emitter?.count("console") > 0) page.events["console"]?.begin?.();
      return page;
    }
    pages() {
      return this.known.tabs.map((tab) => this.page(tab.id));
    }
    browser() {
      return this.whole;
    }
    targets() {
      return this.known.tabs.map((tab) => this.target(tab.id));
    }
    absolute(url) {
      return url;
    }
    // main is the page of the run, or another one if the code closed it.
    get main() {
      const own = this.page(this.host.config.target);
      return own.isClosed() ? this.pages()[0] ?? own : own;
    }
    async newPage() {
      const data = await this.main.daemon.command("tab new");
      const id = data.targetId ?? this.known.tabs.at(-1).id;
      const page = this.page(id);
      await page.daemon.call("page.state", {});
      for (const expose2 of this.exposed.values()) await expose2(page);
      for (const { pattern, handler, options: options2 } of this.routes) await page.route(pattern, handler, options2);
      return page;
    }
    async newCDPSession(page) {
      return page.createCDPSession();
    }
    async waitForEvent(event, options2 = {}) {
      const { predicate, timeout } = typeof options2 === "function" ? { predicate: options2, timeout: void 0 } : options2;
      return this.emitter.next(event, predicate ?? (() => true), this.main.limit(timeout === void 0 ? {} : { timeout }), `waitForEvent(${JSON.stringify(event)})`);
    }
    async waitForTarget(wanted2, options2 = {}) {
      return unlessAborted(options2.signal, () => this.findTarget(wanted2, options2));
    }
    async findTarget(wanted2, options2) {
      const limit = this.main.limit(options2);
      const end = Date.now() + limit;
      for (; ; ) {
        for (const target of this.targets()) if (await wanted2(target)) return target;
        options2.signal?.throwIfAborted();
        if (Date.now() > end) throw new TimeoutError(`waitForTarget: Timeout ${limit}ms exceeded: there was none`);
        await new Promise((resolve) => setTimeout(resolve, 50));
        await this.main.daemon.call("page.state", {});
      }
    }
    // --- cookies and storage ---
    // cookies are those of the session, or those that these addresses get.
    async cookies(urls = []) {
      const found2 = /* @__PURE__ */ new Map();
      const list = [urls].flat();
      for (const url of list.length > 0 ? list : [void 0]) {
        const data = await this.main.daemon.command("cookies get", url === void 0 ? { all: true } : { url });
        for (const cookie of data.cookies) found2.set(`${cookie.name};${cookie.domain};${cookie.path}`, cookieOf(cookie, this.host.config.puppeteer));
      }
      return [...found2.values()];
    }
    async addCookies(cookies, page = this.main) {
      if (!Array.isArray(cookies)) throw new TypeError("addCookies needs a list of {name, value, url or domain and path}");
      for (const { name, value, url, domain, path, expires, httpOnly, secure, sameSite } of cookies) {
        await page.daemon.command("cookies set", {
          name,
          value,
          url,
          domain,
          path,
          "http-only": httpOnly || void 0,
          secure: secure || void 0,
          "same-site": sameSite,
          expires: expires === void 0 || expires < 0 ? void 0 : expires
        });
      }
    }
    async setCookie(...cookies) {
      await this.addCookies(cookies);
    }
    async clearCookies(only) {
      if (!only) return void await this.main.daemon.command("cookies clear");
      const is = (wanted2, have) => wanted2 === void 0 || (wanted2 instanceof RegExp ? wanted2.test(have ?? "") : wanted2 === have);
      const gone2 = (await this.cookies()).filter((cookie) => is(only.name, cookie.name) && is(only.domain, cookie.domain) && is(only.path, cookie.path));
      await this.deleteCookie(...gone2);
    }
    async deleteCookie(...cookies) {
      for (const { name, url, domain, path } of cookies) await this.main.daemon.command("cookies delete", { name, url, domain, path });
    }
    // storageState is the session's cookies and storage, in Playwright's form.
    async storageState(options2 = {}) {
      const { state } = await this.main.daemon.call("page.storageState", options2);
      return { ...state, cookies: (state.cookies ?? []).map((cookie) => ({ ...cookie, sameSite: cookie.sameSite ?? "Lax" })) };
    }
    // --- permissions and emulation: for every page ---
    async grantPermissions(permissions) {
      await this.main.daemon.command("set permissions", { policies: permissions.map((name) => `${name}=allow`) });
    }
    // overridePermissions is Puppeteer's: what is not listed is denied.
    async overridePermissions(_origin, permissions) {
      await this.main.daemon.command("set permissions", { policies: ["deny", ...permissions.map((name) => `${name}=allow`)] });
    }
    async clearPermissions() {
      await this.main.daemon.command("set permissions", { policies: ["browser"] });
    }
    async clearPermissionOverrides() {
      await this.clearPermissions();
    }
    async setGeolocation(position) {
      await this.main.setGeolocation(position);
    }
    async setOffline(on) {
      await this.main.setOfflineMode(on);
    }
    async setExtraHTTPHeaders(headers) {
      await this.main.setExtraHTTPHeaders(headers);
    }
    async addInitScript(script, ...args) {
      await this.main.addInitScript(script, ...args);
    }
    async exposeFunction(name, handler) {
      await this.exposeIn(name, (page) => page.exposeFunction(name, handler));
    }
    async exposeBinding(name, handler) {
      await this.exposeIn(name, (page) => page.exposeBinding(name, handler));
    }
    async exposeIn(name, expose2) {
      for (const page of this.pages()) await expose2(page);
      this.exposed.set(name, expose2);
    }
    // route adds a route to every page that is open, and to those that the code opens.
    async route(pattern, handler, options2 = {}) {
      for (const page of this.pages()) await page.route(pattern, handler, options2);
      this.routes.push({ pattern, handler, options: options2 });
    }
    // routeFromHAR answers requests of all pages with those of a HAR, until the end of the run.
    async routeFromHAR(har, options2 = {}) {
      if (options2.update) throw new Error("routeFromHAR replays only: record a HAR with the command `network har start`, and end that with `network har stop`");
      if (options2.url !== void 0 && typeof options2.url !== "string") throw new TypeError("routeFromHAR takes url as a glob, such as **/api/**");
      const { notFound = "abort" } = options2;
      if (notFound !== "abort" && notFound !== "fallback") throw new TypeError(`notFound: ${JSON.stringify(notFound)} is neither "abort" nor "fallback"`);
      await this.main.daemon.command("network har", { action: "replay", path: har, url: options2.url, "not-found": notFound === "abort" ? "abort" : "continue" });
      this.hars.add(har);
    }
    async unrouteHARs() {
      for (const har of this.hars) await this.main.daemon.command("network unroute", { url: har });
      this.hars.clear();
    }
    async unroute(pattern, handler) {
      this.routes = this.routes.filter((route) => String(route.pattern) !== String(pattern) || handler && route.handler !== handler);
      for (const page of this.pages()) await page.unroute(pattern, handler);
    }
    async unrouteAll() {
      this.routes = [];
      for (const page of this.pages()) await page.unrouteAll();
    }
    setDefaultTimeout(milliseconds) {
      this.timeouts.action = milliseconds;
      for (const page of this.pages()) page.setDefaultTimeout(milliseconds);
    }
    setDefaultNavigationTimeout(milliseconds) {
      this.timeouts.navigation = milliseconds;
      for (const page of this.pages()) page.setDefaultNavigationTimeout(milliseconds);
    }
    isClosed() {
      return false;
    }
    // backgroundPages are those of extensions, of which Chromium has none any more.
    backgroundPages() {
      return [];
    }
    async close() {
      throw new Error("The session's browser is not the code's to close: close pages with page.close(), or the session with `usher close`");
    }
  };
  function cookieOf(cookie, puppeteer) {
    const expires = cookie.expires ?? -1;
    const sameSite = puppeteer ? {} : { sameSite: cookie.sameSite ?? "Lax" };
    return { ...cookie, ...sameSite, path: cookie.path ?? "/", expires, httpOnly: cookie.httpOnly === true, secure: cookie.secure === true, session: expires < 0 };
  }
  var Target = class {
    constructor(of, id) {
      this.of = of;
      this.id = id;
    }
    of;
    id;
    type() {
      return "page";
    }
    url() {
      return this.of.known.tabs.find((tab) => tab.id === this.id)?.url ?? this.of.known.states.get(this.id)?.url ?? "";
    }
    async page() {
      return this.of.page(this.id);
    }
    opener() {
      const id = this.of.known.tabs.find((tab) => tab.id === this.id)?.opener;
      return id ? this.of.target(id) : void 0;
    }
    browserContext() {
      return this.of;
    }
    browser() {
      return this.of.browser();
    }
    async createCDPSession() {
      return this.of.page(this.id).createCDPSession();
    }
  };
  var Browser = class {
    constructor(of) {
      this.of = of;
    }
    of;
    get emitter() {
      return this.of.emitter;
    }
    contexts() {
      return [this.of];
    }
    browserContexts() {
      return [this.of];
    }
    defaultBrowserContext() {
      return this.of;
    }
    // pages are at hand; Puppeteer's promise of them is awaited in vain, and to no harm.
    pages() {
      return this.of.pages();
    }
    targets() {
      return this.of.targets();
    }
    async newPage() {
      return this.of.newPage();
    }
    async waitForTarget(wanted2, options2 = {}) {
      return this.of.waitForTarget(wanted2, options2);
    }
    async version() {
      return (await this.information()).product;
    }
    async userAgent() {
      return (await this.information()).userAgent;
    }
    async information() {
      const data = await this.of.page(this.of.host.config.target).daemon.command("cdp", { method: "Browser.getVersion", "browser-target": true });
      return data.result;
    }
    async cookies() {
      return this.of.cookies();
    }
    async setCookie(...cookies) {
      await this.of.addCookies(cookies);
    }
    async deleteCookie(...cookies) {
      await this.of.deleteCookie(...cookies);
    }
    isConnected() {
      return true;
    }
    get connected() {
      return true;
    }
    async close() {
      await this.of.close();
    }
    async disconnect() {
      await this.of.close();
    }
  };
  for (const of of [Context, Browser]) mixin(of);
  known(Context, "the context");
  known(Browser, "browser");
  called(Context, "context");
  called(Browser, "browser");

  // ui/script/src/tab.ts
  var Tab = class {
    constructor(page) {
      this.page = page;
      this.daemon = page.daemon;
      this.name = this.daemon.host.config.name;
    }
    page;
    name;
    observed;
    daemon;
    // signal is aborted when the run ends.
    get signal() {
      return (this.ended ??= new AbortController()).signal;
    }
    ended;
    on(selector, method) {
      return new Locator(this.page, normal(selector, method), false).act;
    }
    url() {
      return this.page.url();
    }
    async title() {
      return this.page.title();
    }
    async goto(url, options2 = {}) {
      this.observed = void 0;
      await this.page.goto(url, options2);
    }
    async back() {
      await this.page.goBack();
    }
    async forward() {
      await this.page.goForward();
    }
    async reload() {
      await this.page.reload();
    }
    async observe(options2 = {}) {
      const seen = await this.daemon.call("page.observe", options2);
      const { viewport: viewport2, scroll } = await this.page.evaluate(`() => ({
      viewport: {width: innerWidth, height: innerHeight, deviceScaleFactor: devicePixelRatio},
      scroll: {x: scrollX, y: scrollY, width: innerWidth, height: innerHeight, scrollWidth: document.documentElement.scrollWidth, scrollHeight: document.documentElement.scrollHeight},
    })`);
      this.observed = seen.elements;
      return { url: seen.url, title: seen.title, viewport: viewport2, scroll, elements: seen.elements };
    }
    // id is the element that the last observe gave this number.
    async id(n) {
      if (!this.observed) throw new Error("There are no element ids: call tab.observe() first; a navigation ends them");
      const found2 = this.observed.find((element) => element.id === n);
      if (!found2) throw new Error(`There is no element ${n}: the last observe had ${this.observed.length}`);
      return new ElementHandle(this.page, found2.ref);
    }
    ref(ref) {
      return new ElementHandle(this.page, ref.startsWith("@") ? ref : `@${ref}`);
    }
    async ariaSnapshot(options2 = {}) {
      const data = await this.daemon.command("snapshot", { ...options2 });
      return data.snapshot;
    }
    async screenshot(options2 = {}) {
      const { display, page: _, ...shot } = await this.daemon.call("page.picture", { ...options2, selector: options2.selector && normal(options2.selector, "screenshot") });
      for (const item of display ?? []) this.daemon.host.display(item);
      return shot;
    }
    async extract(format = "markdown") {
      const html = await this.page.content();
      return (await this.daemon.call("page.extract", { format, html, url: this.url() })).extracted;
    }
    async click(selector, options2 = {}) {
      await this.on(selector, "click").click(options2);
    }
    async dblclick(selector, options2 = {}) {
      await this.on(selector, "dblclick").dblclick(options2);
    }
    async hover(selector, options2 = {}) {
      await this.on(selector, "hover").hover(options2);
    }
    async focus(selector, options2 = {}) {
      await this.on(selector, "focus").focus(options2);
    }
    async check(selector, options2 = {}) {
      await this.on(selector, "check").check(options2);
    }
    async uncheck(selector, options2 = {}) {
      await this.on(selector, "uncheck").uncheck(options2);
    }
    async type(selector, text2, options2 = {}) {
      await this.on(selector, "type").type(text2, { ...options2, atCursor: true });
    }
    async fill(selector, value, options2 = {}) {
      await this.on(selector, "fill").fill(value, options2);
    }
    async press(key, options2 = {}) {
      if (options2.selector) return this.on(options2.selector, "press").press(key, { ...options2, atCursor: true });
      await this.page.keyboard.press(key);
    }
    async scroll(deltaX, deltaY) {
      await this.page.mouse.wheel(deltaX, deltaY);
    }
    async drag(from, to) {
      if (typeof from === "string") {
        const target = typeof to === "string" ? { target: normal(to, "drag") } : { at: `${to.x},${to.y}` };
        await this.daemon.command("drag", { source: normal(from, "drag"), ...target });
        return;
      }
      const end = typeof to === "string" ? await this.centre(to) : to;
      await this.page.mouse.dragAndDrop(from, end);
    }
    async centre(selector) {
      const box = await this.on(selector, "drag").boundingBox();
      if (!box) throw new Error(`drag: ${selector} has no box: it is not rendered`);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }
    async waitFor(selector, options2 = {}) {
      return await this.page.waitForSelector(selector, options2);
    }
    async waitForSelector(selector, options2 = {}) {
      return this.page.waitForSelector(selector, options2);
    }
    // waitForResponse takes part of an address, a regular expression, or a function of the response.
    async waitForResponse(pattern, options2 = {}) {
      return this.page.waitForResponse(typeof pattern === "string" ? (response) => response.url().includes(pattern) : pattern, options2);
    }
    async waitForNavigation(options2 = {}) {
      return this.page.waitForNavigation(options2);
    }
    async waitForDownload(options2 = {}) {
      const data = await this.daemon.command("wait", { download: options2.path ?? "" }, { timeout: options2.timeout });
      return data.path ?? "";
    }
    async waitForText(text2, options2 = {}) {
      await this.daemon.command("wait", { text: text2 }, { timeout: options2.timeout });
    }
    async waitForUrl(pattern, options2 = {}) {
      return this.page.awaitURL(pattern, options2, "waitForUrl");
    }
    evaluate(code, ...args) {
      if (isText(code, args)) return evaluateText(this.page, code, "tab.evaluate");
      return this.page.evaluate(code, ...args).catch((error) => {
        throw renamed(error, "tab.evaluate");
      });
    }
    async scrollIntoView(selector) {
      await this.page.$eval(selector, "(element) => element.scrollIntoView({behavior: 'instant', block: 'center', inline: 'center'})");
    }
    async select(selector, ...values2) {
      return this.on(selector, "select").selectOption(values2);
    }
    async uploadFile(selector, ...paths) {
      if (paths.length === 0) throw new TypeError("uploadFile needs at least one path");
      await this.on(selector, "uploadFile").setInputFiles(paths);
    }
    async text(selector) {
      return this.on(selector, "text").innerText();
    }
    async html(selector) {
      return this.on(selector, "html").innerHTML();
    }
    async value(selector) {
      return this.on(selector, "value").inputValue();
    }
    async attr(selector, name) {
      return this.on(selector, "attr").getAttribute(name);
    }
    async count(selector) {
      return (await this.page.find(normal(selector, "count"))).length;
    }
    async box(selector) {
      return this.on(selector, "box").boundingBox();
    }
    async styles(selector) {
      return (await this.daemon.command("get styles", { selector: normal(selector, "styles") })).styles;
    }
    async isEnabled(selector) {
      return this.on(selector, "isEnabled").isEnabled();
    }
    async isChecked(selector) {
      return this.on(selector, "isChecked").isChecked();
    }
    async keyDown(key) {
      await this.page.keyboard.down(key);
    }
    async keyUp(key) {
      await this.page.keyboard.up(key);
    }
    async clickAt(x, y) {
      await this.page.mouse.click(x, y);
    }
    async pushState(url) {
      await this.daemon.command("pushstate", { url });
    }
    frames() {
      return this.page.frames();
    }
    frame(which) {
      return this.page.frame(which);
    }
    async dialog() {
      return this.daemon.command("dialog status");
    }
    async handleDialog(answer2, text2) {
      await this.daemon.command(`dialog ${answer2}`, { text: text2 === void 0 ? void 0 : [text2] });
    }
    async cookies() {
      return this.page.cookies();
    }
    async setCookies(...cookies) {
      await this.page.setCookie(...cookies.flat());
    }
    async clearCookies() {
      await this.page.context().clearCookies();
    }
    async storage(kind = "local") {
      return this.page.evaluate("(kind) => Object.fromEntries(Object.entries(kind === 'local' ? localStorage : sessionStorage))", kind);
    }
    async readClipboard() {
      return (await this.daemon.command("clipboard read")).text;
    }
    async writeClipboard(text2) {
      await this.daemon.command("clipboard write", { text: [text2] });
    }
    async console() {
      return (await this.daemon.command("console")).messages;
    }
    async errors() {
      return (await this.daemon.command("errors")).errors;
    }
    async requests() {
      return (await this.daemon.command("network requests")).requests;
    }
    async downloads() {
      return (await this.daemon.command("downloads")).downloads;
    }
    async route(pattern, handler) {
      await this.page.route(pattern, handler);
    }
    async unroute(pattern) {
      await this.page.unroute(pattern);
    }
    async a11y() {
      return this.daemon.command("a11y", {});
    }
    async vitals() {
      return this.daemon.command("vitals", {});
    }
    async isVisible(selector) {
      return this.on(selector, "isVisible").isVisible();
    }
    async pdf(options2 = {}) {
      return this.page.pdf(options2);
    }
  };
  known(Tab, "tab");
  called(Tab, "tab", ["evaluate"]);

  // ui/script/src/shown.ts
  var Labelled = class {
    constructor(image, mimeType, text2) {
      this.image = image;
      this.mimeType = mimeType;
      this.text = text2;
    }
    image;
    mimeType;
    text;
  };
  function named2(value) {
    if (value instanceof Page) return `[page ${value.isClosed() ? "(closed)" : value.url()}]`;
    if (value instanceof Frame) return `[frame ${value.url()}]`;
    if (value instanceof Context) return "[the context]";
    if (value instanceof Browser) return "[the browser]";
    if (value instanceof Tab) return `[tab ${value.url()}]`;
    if (value instanceof Target) return `[target ${value.url()}]`;
    if (value instanceof CDPSession) return "[a CDP session]";
    if (value instanceof Locator) return `[locator ${value.selector}]`;
    if (value instanceof FunctionLocator) return "[locator of a function]";
    if (value instanceof JSHandle) return `[JSHandle@${value instanceof ElementHandle ? value.ref : value.kind}: return what you need of it, such as await handle.jsonValue()]`;
    if (value instanceof Response) return `[response ${value.status()} ${value.url()}]`;
    if (value instanceof Request) return `[request ${value.method()} ${value.url()}]`;
    if (value instanceof APIResponse) return `[response ${value.status()} ${value.url()}: return what you need of it, such as await response.json()]`;
    if (value instanceof APIRequestContext) return "[request of the context]";
    if (value instanceof Dialog) return `[dialog ${value.type()} ${JSON.stringify(value.message())}]`;
    if (value instanceof ConsoleMessage) return `[console ${value.type()} ${JSON.stringify(value.text())}]`;
    if (value instanceof Download) return `[download ${value.suggestedFilename()}: keep it with saveAs(path)]`;
    if (value instanceof FileChooser) return "[a file chooser]";
    return void 0;
  }
  var inspected = /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom");
  for (const type of [Page, Frame, Context, Browser, Tab, Target, CDPSession, Locator, FunctionLocator, JSHandle, Response, Request, APIResponse, APIRequestContext, Dialog, ConsoleMessage, Download, FileChooser]) {
    Object.defineProperty(type.prototype, inspected, { value() {
      return named2(this);
    }, configurable: true });
  }
  function mediaType(bytes) {
    const begins = (...first) => first.every((byte, i) => bytes[i] === byte);
    if (begins(137, 80, 78, 71)) return "image/png";
    if (begins(255, 216, 255)) return "image/jpeg";
    if (begins(82, 73, 70, 70) && bytes[8] === 87) return "image/webp";
    if (begins(37, 80, 68, 70)) return "application/pdf";
    return void 0;
  }
  function isBytes(value) {
    return Object.prototype.toString.call(value) === "[object Uint8Array]";
  }
  function shown2(host, value) {
    const seen = /* @__PURE__ */ new Map();
    const picture = (bytes2, type) => host.display({ type: "image", data: base64Of(bytes2), mimeType: type });
    const bytes = (value2, whole2) => {
      const type = mediaType(value2);
      if (!type?.startsWith("image/")) return `[${type ?? "bytes"}, ${value2.length} bytes: save a file with the option path of page.screenshot, page.pdf or download.saveAs]`;
      picture(value2, type);
      return whole2 ? void 0 : `[${type}, ${value2.length} bytes, shown]`;
    };
    const convert = (value2, depth) => {
      if (typeof value2 === "function") return "[a function: call it, and return what it returns]";
      if (typeof value2 !== "object" || value2 === null) return value2;
      if (seen.has(value2)) return seen.get(value2);
      const name = named2(value2);
      if (name !== void 0) return name;
      if (value2 instanceof Labelled) {
        picture(value2.image, value2.mimeType);
        return value2.text;
      }
      if (isBytes(value2)) return bytes(value2, depth === 0);
      if (value2 instanceof Promise) return "[a promise: await it]";
      if (Array.isArray(value2)) {
        const list = [];
        seen.set(value2, list);
        for (const item of value2) list.push(convert(item, depth + 1));
        return list;
      }
      const prototype = Object.getPrototypeOf(value2);
      if (prototype !== Object.prototype && prototype !== null) return value2;
      const out = {};
      seen.set(value2, out);
      for (const key of Object.keys(value2)) {
        const form = typeof value2[key] === "function" ? void 0 : convert(value2[key], depth + 1);
        Object.defineProperty(out, key, { value: form, writable: true, enumerable: true, configurable: true });
      }
      return out;
    };
    return convert(value, 0);
  }
  function displays(host) {
    return (value) => {
      const text2 = shown2(host, value);
      if (text2 !== void 0) host.display(text2);
    };
  }

  // ui/script/src/reading.ts
  var around = 2;
  var Reading = class {
    // when logs were cleared, by the tab
    constructor(page, reader) {
      this.page = page;
      this.reader = reader;
    }
    page;
    reader;
    cleared = /* @__PURE__ */ new Map();
    // snapshot is the page as an outline with refs; after the first call, what changed since.
    async snapshot(options2 = {}) {
      known2("snapshot", options2, ["page", "frame", "locator", "selector", "interactiveOnly", "search", "showDiffSinceLastCall"]);
      const { locator, selector, search } = options2;
      const frame = locator?.frame ?? options2.frame ?? options2.page ?? this.page();
      if (!isFrame(frame)) throw new TypeError("snapshot: frame and page are those of Playwright, such as page.frame('name')");
      const part = locator?.selector ?? (selector === void 0 ? void 0 : normal(selector, "snapshot"));
      const whole2 = part === void 0 && search === void 0 && frame.id === void 0;
      const data = await frame.daemon.command("snapshot", {
        selector: part,
        frame: frame.id,
        interactive: options2.interactiveOnly || void 0,
        compact: true,
        find: search === void 0 ? void 0 : expression(search),
        delta: whole2 && (options2.showDiffSinceLastCall ?? this.reader !== void 0) || void 0,
        reader: this.reader
      });
      const head = data.title ? `${data.title} (${data.url ?? frame.url()})` : data.url ?? frame.url();
      return `${head}
${ownWords(data.snapshot)}`;
    }
    // refToLocator is the locator of a ref of a snapshot; as text it is that of page.locator.
    refToLocator(options2) {
      const { ref, page } = typeof options2 === "string" ? { ref: options2, page: void 0 } : options2;
      const name = /^@?(?:ref=)?(e\d+)$/.exec(String(ref).trim());
      if (!name) throw new TypeError(`refToLocator: ${JSON.stringify(ref)} is no ref of a snapshot, such as "e5"`);
      return new Locator(page ?? this.page(), `@${name[1]}`);
    }
    // waitForPageLoad waits until the page has loaded and its network is quiet. A page that does not become quiet is no error.
    async waitForPageLoad(options2 = {}) {
      const page = options2.page ?? this.page();
      const began = Date.now();
      const limit = page.limit(options2);
      let timedOut = false;
      const within3 = async (wait2) => {
        try {
          await wait2;
        } catch (error) {
          if (error.name !== "TimeoutError") throw error;
          timedOut = true;
        }
      };
      await within3(page.waitForLoadState("load", { timeout: limit }));
      const left = limit - (Date.now() - began);
      if (!timedOut && left > 0) await within3(page.waitForNetworkIdle({ idleTime: 300, timeout: Math.min(left, quietLimit) }));
      const readyState = await page.evaluate("document.readyState");
      return { success: !timedOut, readyState, timedOut, waitTimeMs: Date.now() - began, url: page.url() };
    }
    // getLogs is the last lines of the page's console, with its uncaught errors, oldest first.
    async getLogs(options2 = {}) {
      known2("getLogs", options2, ["page", "count", "search"]);
      const page = options2.page ?? this.page();
      const matches = matcher2(options2.search);
      const lines = (await this.entries(page)).filter((entry) => entry.timestamp > (this.cleared.get(page.tabId) ?? 0)).map((entry) => `[${entry.type}] ${entry.text}${entry.url ? ` (${entry.url}${entry.line ? `:${entry.line}` : ""})` : ""}`).filter(matches);
      return lines.slice(-(options2.count ?? lines.length));
    }
    async entries(page) {
      const { messages } = await page.daemon.command("console");
      const { errors } = await page.daemon.command("errors");
      return [...messages, ...errors.map((error) => ({ ...error, type: "error" }))].sort((a, b) => a.timestamp - b.timestamp);
    }
    // clearLogs makes getLogs begin anew. Other readers of the page's console keep theirs.
    async clearLogs(options2 = {}) {
      const page = options2.page ?? this.page();
      this.cleared.set(page.tabId, (await this.entries(page)).at(-1)?.timestamp ?? 0);
    }
    async getCDPSession(options2 = {}) {
      return (options2.page ?? this.page()).createCDPSession();
    }
    // screenshotWithAccessibilityLabels is a picture in which what can be acted on has numbers, with the list of these.
    async screenshotWithAccessibilityLabels(options2 = {}) {
      const page = options2.page ?? this.page();
      const answer2 = await page.daemon.call("page.labels", { selector: options2.selector && normal(options2.selector, "screenshotWithAccessibilityLabels") });
      return new Labelled(bytesOf(answer2.data), answer2.mimeType, answer2.text);
    }
    // cleanHTML is the HTML of an element without scripts, styles, comments, and attributes that say nothing.
    async cleanHTML(selector = "body", options2 = {}) {
      if (typeof selector !== "string" && !(selector instanceof Locator)) throw new TypeError("cleanHTML takes a selector, or a locator");
      known2("cleanHTML", options2, ["page", "search", "includeStyles", "maxAttributeLength"]);
      const locator = typeof selector === "string" ? (options2.page ?? this.page()).locator(selector).first() : selector;
      const text2 = await locator.evaluate(cleaner, { styles: options2.includeStyles === true, longest: options2.maxAttributeLength ?? 200 });
      return options2.search === void 0 ? text2 : found(text2.split("\n"), matcher2(options2.search));
    }
    // pageMarkdown is the readable part of the page as Markdown, or as text.
    async pageMarkdown(options2 = {}) {
      known2("pageMarkdown", options2, ["page", "search", "format"]);
      const page = options2.page ?? this.page();
      const format = options2.format ?? "markdown";
      const { extracted } = await page.daemon.call("page.extract", { format, html: await page.content(), url: page.url() });
      if (!extracted) return `(${page.url()} has no readable text)`;
      const body = (format === "text" ? extracted.text : extracted.markdown) ?? "";
      const text2 = `${extracted.title ? `# ${extracted.title}

` : ""}${extracted.byline ? `${extracted.byline}

` : ""}${body}`;
      return options2.search === void 0 ? text2 : found(text2.split("\n"), matcher2(options2.search));
    }
  };
  function isFrame(value) {
    return value instanceof Page || value instanceof Frame;
  }
  var quietLimit = 5e3;
  function known2(method, options2, names2) {
    if (typeof options2 !== "object" || options2 === null || options2 instanceof Locator || isFrame(options2)) throw new TypeError(`${method} takes an object with ${names2.join(", ")}`);
    for (const name of Object.keys(options2)) {
      if (!names2.includes(name)) throw new TypeError(`${method} has no option ${name}. The options are: ${names2.join(", ")}.`);
    }
  }
  function expression(search) {
    return search instanceof RegExp ? String(search) : /^\/.*\/\w*$/.test(search) ? wanted(new RegExp(search.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"))) : search;
  }
  function matcher2(search) {
    if (search === void 0) return () => true;
    if (search instanceof RegExp) {
      const pattern = new RegExp(search.source, search.flags.replace(/[gy]/g, ""));
      return (line) => pattern.test(line);
    }
    const text2 = String(search).toLowerCase();
    return (line) => line.toLowerCase().includes(text2);
  }
  function found(lines, matches) {
    const out = [];
    let last = -1;
    lines.forEach((line, i) => {
      if (!matches(line)) return;
      const from = Math.max(last + 1, i - around);
      if (from > last + 1 && out.length > 0) out.push("\u2026");
      const to = Math.min(lines.length - 1, i + around);
      for (let n = from; n <= to; n++) out.push(lines[n]);
      last = Math.max(last, to);
    });
    return out.length > 0 ? out.join("\n") : "(no line matches)";
  }
  function ownWords(outline) {
    return outline.replace(/: snapshot (?:-c )?-s (.+)$/gm, (_, selector) => `: snapshot({selector: ${JSON.stringify(selector.replace(/^'(.*)'$/, "$1"))}})`).replace(/^(- … .*): snapshot(?: -c)?$/gm, "$1: snapshot({showDiffSinceLastCall: false})");
  }
  var cleaner = `(root, {styles, longest}) => {
  const dropped = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "LINK", "META", "BASE"]);
  const kept = /^(id|name|type|value|href|src|alt|title|placeholder|role|for|action|method|checked|selected|disabled|readonly|required|open|hidden|colspan|rowspan|lang|contenteditable|aria-.*|data-(testid|test-id|test|cy|qa)|data-test-.*)$/;
  const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const space = (text) => text.replace(/\\s+/g, " ");
  const attributes = (element) => {
    let out = "";
    for (const {name, value} of element.attributes) {
      if (!kept.test(name) && !(styles && (name === "class" || name === "style"))) continue;
      let text = value.startsWith("data:") ? value.slice(0, value.indexOf(",") + 1) + "\u2026" : value;
      if (text.length > longest) text = text.slice(0, longest) + "\u2026";
      out += " " + name + (text === "" ? "" : '="' + text.replace(/&/g, "&amp;").replace(/"/g, "&quot;") + '"');
    }
    return out;
  };
  const empty = new Set(["AREA", "BR", "COL", "EMBED", "HR", "IMG", "INPUT", "SOURCE", "TRACK", "WBR"]);
  const lines = (node, indent) => {
    if (node.nodeType === 3) {
      const text = escape(space(node.data)).trim();
      return text ? [indent + text] : [];
    }
    if (node.nodeType !== 1 || dropped.has(node.tagName)) return [];
    const tag = node.localName, open = tag + attributes(node);
    if (empty.has(node.tagName)) return [indent + "<" + open + ">"];
    if (tag === "svg") return [indent + "<" + open + "></svg>"];
    const children = [...(node.shadowRoot ? node.shadowRoot.childNodes : []), ...node.childNodes];
    const bare = open === tag && (tag === "div" || tag === "span") && node !== root;
    const inner = children.flatMap((child) => lines(child, bare ? indent : indent + "  "));
    if (bare) return inner;
    if (inner.length === 0) return [indent + "<" + open + "></" + tag + ">"];
    if (inner.length === 1 && inner[0].length < 120 && (inner[0].trim()[0] !== "<" || children.length === 1)) return [indent + "<" + open + ">" + inner[0].trim() + "</" + tag + ">"];
    return [indent + "<" + open + ">", ...inner, indent + "</" + tag + ">"];
  };
  return lines(root, "").join("\\n");
}`;

  // ui/script/src/saved.ts
  var maxLost = 20;
  var typed2 = /* @__PURE__ */ new Set(["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array"]);
  function save(root) {
    const out = { nodes: [], lost: [] };
    const numbers2 = /* @__PURE__ */ new Map();
    const lose = (path) => {
      if (out.lost.length < maxLost) out.lost.push(path);
      return void 0;
    };
    const write = (value, path) => {
      switch (typeof value) {
        case "string":
        case "boolean":
          return value;
        case "number":
          return Number.isFinite(value) && !Object.is(value, -0) ? value : ["number", Object.is(value, -0) ? "-0" : String(value)];
        case "bigint":
          return ["bigint", String(value)];
        case "undefined":
          return ["undefined"];
        case "object":
          return value === null ? null : ["node", node(value, path)];
      }
      return lose(path);
    };
    const node = (value, path) => {
      const have = numbers2.get(value);
      if (have !== void 0) return have;
      const number = out.nodes.length;
      const parts2 = [];
      numbers2.set(value, number);
      out.nodes.push(parts2);
      parts2.push(...partsOf(value, path));
      return number;
    };
    const partsOf = (value, path) => {
      const tag = Object.prototype.toString.call(value).slice(8, -1);
      if (Array.isArray(value)) return ["array", value.map((item, i) => write(item, `${path}[${i}]`) ?? ["undefined"])];
      if (value instanceof Date) return ["date", write(value.getTime(), path)];
      if (value instanceof RegExp) return ["regexp", value.source, value.flags];
      if (value instanceof Map) return ["map", [...value].map(([key, item]) => [write(key, `${path}.key`) ?? ["undefined"], write(item, `${path}.get(${String(key)})`) ?? ["undefined"]])];
      if (value instanceof Set) return ["set", [...value].map((item) => write(item, `${path}.item`) ?? ["undefined"])];
      if (value instanceof Error) return ["error", String(value.name), String(value.message)];
      if (value instanceof URL) return ["url", value.href];
      if (typed2.has(tag)) return ["bytes", tag, Array.from(value)];
      const prototype = Object.getPrototypeOf(value);
      if (prototype !== null && prototype !== Object.prototype) {
        lose(path);
        return ["lost"];
      }
      const members = [];
      for (const key of Object.keys(value)) {
        let form;
        const inner = path ? `${path}.${key}` : key;
        try {
          form = write(value[key], inner);
        } catch {
          lose(inner);
        }
        if (form !== void 0) members.push([key, form]);
      }
      return ["object", members];
    };
    node(root, "");
    return JSON.stringify(out);
  }
  function restore(text2) {
    const { nodes, lost } = JSON.parse(text2);
    const made = /* @__PURE__ */ new Map();
    const read = (form) => {
      if (!Array.isArray(form)) return form;
      switch (form[0]) {
        case "number":
          return Number(form[1]);
        case "bigint":
          return BigInt(form[1]);
        case "node":
          return object(form[1]);
      }
      return void 0;
    };
    const keep = (number, value) => {
      made.set(number, value);
      return value;
    };
    const object = (number) => {
      if (made.has(number)) return made.get(number);
      const [kind, first, second] = nodes[number];
      switch (kind) {
        case "array": {
          const list = keep(number, []);
          for (const item of first) list.push(read(item));
          return list;
        }
        case "map": {
          const map = keep(number, /* @__PURE__ */ new Map());
          for (const [key, item] of first) map.set(read(key), read(item));
          return map;
        }
        case "set": {
          const set = keep(number, /* @__PURE__ */ new Set());
          for (const item of first) set.add(read(item));
          return set;
        }
        case "date":
          return keep(number, new Date(read(first)));
        case "regexp":
          return keep(number, new RegExp(first, second));
        case "error":
          return keep(number, Object.assign(new Error(second), { name: first }));
        case "url":
          return keep(number, new URL(first));
        case "bytes":
          return keep(number, globalThis[first]?.from(second));
        case "object": {
          const out = keep(number, {});
          for (const [key, form] of first) {
            const value = read(form);
            if (Array.isArray(form) && form[0] === "node" && nodes[form[1]][0] === "lost") continue;
            Object.defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true });
          }
          return out;
        }
      }
      return void 0;
    };
    return { value: object(0), lost };
  }

  // ui/script/src/execute.ts
  var scope;
  function scoped(host, common) {
    scope = scope ? scope.again() : new Scope(host);
    return { ...common, ...scope.globals() };
  }
  var Scope = class {
    constructor(host) {
      this.host = host;
      this.context = new Context(host);
      this.reading = new Reading(() => this.page, host.config.keep);
      if (host.state) {
        const { value, lost } = restore(host.state);
        this.state = value;
        const gone2 = lost.length > 0 ? ` Lost, because it is no plain data: ${lost.map((path) => `state.${path}`).join(", ")}.` : "";
        this.warn(`The code of an earlier call had to be stopped: state has its plain data.${gone2}`);
      }
      host.onResult((value) => shown2(host, value));
      host.onSave(() => save(this.current()));
    }
    host;
    context;
    reading;
    state = {};
    warn(text2) {
      globalThis.console.warn(text2);
    }
    // current is the object that the code has as state, which it may have replaced.
    current() {
      const now = globalThis.state;
      return typeof now === "object" && now !== null ? now : this.state;
    }
    // again makes the scope ready for another call.
    again() {
      this.state = this.current();
      this.context.renew();
      return this;
    }
    get page() {
      return this.context.page(this.host.config.target);
    }
    globals() {
      const { reading, page } = this;
      const helpers = {};
      for (const name of ["snapshot", "refToLocator", "waitForPageLoad", "getLogs", "clearLogs", "getCDPSession", "screenshotWithAccessibilityLabels", "cleanHTML", "pageMarkdown"]) {
        helpers[name] = (...args) => reading[name].apply(reading, args);
      }
      return {
        page,
        context: this.context,
        browser: this.context.browser(),
        tab: new Tab(page),
        state: this.state,
        ...helpers,
        locatorForRef: helpers["refToLocator"],
        display: displays(this.host)
      };
    }
  };

  // ui/script/src/main.ts
  function globals(host) {
    const common = {
      assert,
      wait: (what, options2) => wait(host, what, options2),
      TimeoutError,
      Blob,
      File,
      FormData
    };
    if (host.config.playwright) return scoped(host, common);
    const context = new Context(host);
    const page = context.page(host.config.target);
    host.onResult((value) => shown2(host, value));
    return { ...common, tab: new Tab(page), page, browser: context.browser(), context, display: displays(host) };
  }
  function assert(condition, text2) {
    if (!condition) throw new Error(text2 === void 0 ? "Assertion failed" : String(text2));
  }
  async function wait(host, what, options2 = {}) {
    if (typeof what === "number") return new Promise((resolve) => setTimeout(resolve, what));
    if (typeof what !== "function") throw new TypeError("wait needs a number of milliseconds or a function");
    const limit = Math.min(options2.timeout ?? 3e4, Math.max(host.config.timeout - 1e3, host.config.timeout / 2));
    const interval = Math.max(options2.interval ?? 100, 10);
    const end = Date.now() + limit;
    for (; ; ) {
      const value = await what();
      if (value) return value;
      if (Date.now() + interval > end) throw new TimeoutError(`wait: the function returned nothing true within ${limit} ms`);
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  }
  return __toCommonJS(main_exports);
})();
return facade.globals})()
