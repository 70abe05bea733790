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

  // ui/script/src/host.ts
  var Daemon = class {
    // tab is the target id of the tab; undefined for that of the run.
    constructor(host, state = host.config.page, tab) {
      this.host = host;
      this.state = state;
      this.tab = tab;
    }
    host;
    state;
    tab;
    ready;
    // before makes the operations that follow wait for a promise.
    before(first) {
      const ready = Promise.all([this.ready, first]).then(() => {
        if (this.ready === ready) this.ready = void 0;
      });
      this.ready = ready;
    }
    // command runs a command of usher's table and returns its data.
    async command(name, values = {}, timing = {}) {
      const result2 = await this.call(name, { values, ...timing });
      return result2.data;
    }
    // call carries out an operation, and takes over the state of the tab that comes with its result.
    async call(method, params) {
      try {
        if (this.ready) await this.ready;
        const result2 = await this.host.call(method, this.tab ? { tab: this.tab, ...params } : params);
        const state = result2?.page;
        if (state) this.state = state;
        return result2;
      } catch (error) {
        throw named(error);
      }
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
    "element_readonly"
  ]);
  function named(error) {
    const failure = error;
    if (!failure?.code || !timeouts.has(failure.code)) return error;
    const out = new TimeoutError(failure.message);
    out.code = failure.code;
    if (failure.hint !== void 0) out.hint = failure.hint;
    if (failure.data !== void 0) out.data = failure.data;
    return out;
  }

  // ui/script/src/events.ts
  var Hub = class {
    constructor(daemon) {
      this.daemon = daemon;
      daemon.host.onEvent((_, data) => {
        for (const emitter of this.emitters) emitter.receive(data);
      });
    }
    daemon;
    emitters = [];
    kinds = /* @__PURE__ */ new Set();
    add(emitter) {
      this.emitters.push(emitter);
    }
    // subscribe asks for changes. Operations that are sent later wait for its answer.
    subscribe(kinds) {
      const fresh = kinds.filter((kind) => !this.kinds.has(kind));
      if (fresh.length === 0) return;
      for (const kind of fresh) this.kinds.add(kind);
      this.daemon.before(this.daemon.host.call("page.subscribe", { kinds: fresh }));
    }
  };
  var Emitter = class {
    constructor(hub, sources, concerns) {
      this.hub = hub;
      this.sources = sources;
      this.concerns = concerns;
      hub.add(this);
    }
    hub;
    sources;
    concerns;
    listeners = /* @__PURE__ */ new Map();
    order = Promise.resolve();
    on(event, handler, once = false) {
      const source = this.sources[event];
      if (!source) throw new TypeError(`page has no event ${JSON.stringify(event)}. The events are: ${Object.keys(this.sources).join(", ")}.`);
      if (typeof handler !== "function") throw new TypeError(`The handler of ${event} is no function`);
      this.hub.subscribe(source.kinds);
      const list = this.listeners.get(event) ?? [];
      list.push({ handler, once });
      this.listeners.set(event, list);
    }
    off(event, handler) {
      const list = this.listeners.get(event) ?? [];
      this.listeners.set(event, handler ? list.filter((listener) => listener.handler !== handler) : []);
    }
    has(event) {
      return (this.listeners.get(event)?.length ?? 0) > 0;
    }
    clear(event) {
      if (event === void 0) this.listeners.clear();
      else this.listeners.delete(event);
    }
    receive(change) {
      if (!this.concerns(change)) return;
      for (const [event, source] of Object.entries(this.sources)) {
        if (!this.has(event) || !source.kinds.includes(change.type)) continue;
        const made = source.make(change);
        if (made === void 0) continue;
        this.order = this.order.then(async () => {
          const value = await made;
          if (value !== void 0) this.emit(event, value);
        });
      }
    }
    emit(event, value) {
      for (const listener of [...this.listeners.get(event) ?? []]) {
        if (listener.once) this.off(event, listener.handler);
        void (async () => listener.handler(value))();
      }
    }
  };

  // ui/script/src/bytes.ts
  function bytesOf(base64) {
    return Buffer.from(base64, "base64");
  }

  // ui/script/src/actions.ts
  var Actions = class {
    constructor(on) {
      this.on = on;
    }
    on;
    command(name, values, timing, waits = false) {
      return this.on.daemon.command(name, { ...this.on.values(), ...values }, { timeout: timing?.timeout, waits });
    }
    async click(options = {}) {
      const at = options.position ?? options.offset;
      if (options.trial) return void await this.scrollIntoViewIfNeeded(options);
      await this.command("click", {
        button: options.button,
        count: options.clickCount ?? options.count,
        modifiers: modifiers(options.modifiers),
        at: at && `${at.x},${at.y}`
      }, options);
    }
    async dblclick(options = {}) {
      await this.click({ ...options, clickCount: 2 });
    }
    async tap(options = {}) {
      await this.command("tap", {}, options);
    }
    async hover(options = {}) {
      await this.command("hover", {}, options);
    }
    async focus(options = {}) {
      await this.command("focus", {}, options);
    }
    async blur() {
      await this.evaluate("(element) => element.blur()");
    }
    async fill(value, options = {}) {
      if (typeof value !== "string" && typeof value !== "number") throw new TypeError(`fill needs a text, not ${value === null ? "null" : typeof value}`);
      await this.command("fill", { text: [String(value)] }, options);
    }
    async clear(options = {}) {
      await this.fill("", options);
    }
    async type(text2, options = {}) {
      await this.command("type", { text: [String(text2)], delay: options.delay }, options);
    }
    async pressSequentially(text2, options = {}) {
      await this.type(text2, options);
    }
    async press(key, options = {}) {
      await this.focus(options);
      await this.on.daemon.command("press", { key });
    }
    async check(options = {}) {
      await this.command("check", {}, options);
    }
    async uncheck(options = {}) {
      await this.command("uncheck", {}, options);
    }
    async setChecked(checked, options = {}) {
      await (checked ? this.check(options) : this.uncheck(options));
    }
    async selectOption(values, options = {}) {
      const list = values === null ? [] : Array.isArray(values) ? values : [values];
      const texts = [];
      for (const value of list) texts.push(await this.optionText(value));
      await this.command("select", { values: texts.length > 0 ? texts : [""] }, options);
      return await this.evaluate("(element) => [...element.selectedOptions].map((option) => option.value)");
    }
    async optionText(option) {
      if (typeof option === "string") return option;
      if ("ref" in option) return await option.evaluate("(element) => element.value");
      if (option.index !== void 0) return await this.evaluate("(element, index) => element.options[index].value", option.index);
      return option.value ?? option.label ?? "";
    }
    // select is Puppeteer's: values only, each its own argument.
    async select(...values) {
      return this.selectOption(values);
    }
    async selectText() {
      await this.evaluate("(element) => { if (element.select) element.select(); else getSelection().selectAllChildren(element); }");
    }
    async setInputFiles(files, options = {}) {
      const list = Array.isArray(files) ? files : [files];
      if (list.some((file) => typeof file !== "string")) throw new TypeError("setInputFiles needs paths of files; contents cannot be given");
      if (list.length === 0) return void await this.evaluate("(element) => { element.value = ''; element.dispatchEvent(new Event('input', {bubbles: true})); element.dispatchEvent(new Event('change', {bubbles: true})); }");
      await this.command("upload", { files: list }, options);
    }
    async uploadFile(...paths) {
      await this.setInputFiles(paths);
    }
    async scrollIntoViewIfNeeded(options = {}) {
      await this.command("scrollintoview", {}, options);
    }
    async scrollIntoView(options = {}) {
      await this.scrollIntoViewIfNeeded(options);
    }
    async textContent(options = {}) {
      return await this.read("(element) => element.textContent", options);
    }
    async innerText(options = {}) {
      return await this.read("(element) => element.innerText", options);
    }
    async innerHTML(options = {}) {
      return await this.read("(element) => element.innerHTML", options);
    }
    async inputValue(options = {}) {
      return await this.read("(element) => { const field = element instanceof HTMLLabelElement ? element.control : element; if (!field || !('value' in field)) throw new Error('the element has no value: it is no input, textarea or select'); return field.value; }", options);
    }
    async getAttribute(name, options = {}) {
      return await this.read("(element, name) => element.getAttribute(name)", options, name);
    }
    async boundingBox(options = {}) {
      const box = await this.read("(element) => { const box = element.getBoundingClientRect(); return element.getClientRects().length ? {x: box.x, y: box.y, width: box.width, height: box.height} : null; }", options);
      return box;
    }
    async evaluate(code, ...args) {
      return (await this.on.handle({})).evaluate(code, ...args);
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
    async isEnabled(options = {}) {
      await this.on.handle(options);
      return (await this.states()).enabled;
    }
    async isDisabled(options = {}) {
      return !await this.isEnabled(options);
    }
    async isChecked(options = {}) {
      await this.on.handle(options);
      return (await this.states()).checked === "true";
    }
    async isEditable() {
      return await this.read("(element) => !element.disabled && !element.readOnly && (element.isContentEditable || 'value' in element)", {});
    }
    // states are those of the element now; of none all are false.
    async states() {
      return await this.on.daemon.call("page.states", this.on.values());
    }
    async waitFor(options = {}) {
      const { selector, ...rest } = this.on.values();
      await this.on.daemon.command("wait", { ...rest, target: selector, state: options.state ?? "visible" }, { timeout: options.timeout, waits: true });
    }
    async screenshot(options = {}) {
      return this.on.frame.capture({ ...options, on: this.on.values() });
    }
    async dispatchEvent(type, init = {}) {
      await this.evaluate("(element, type, init) => element.dispatchEvent(new (type.startsWith('mouse') || type === 'click' ? MouseEvent : Event)(type, {bubbles: true, cancelable: true, composed: true, ...init}))", type, init);
    }
    async dragTo(target, options = {}) {
      const to = target?.act?.on;
      if (!to) throw new TypeError("dragTo needs a locator or an element");
      const at = options.targetPosition;
      const { selector, ...rest } = this.on.values();
      await this.on.daemon.command("drag", { ...rest, source: selector, target: to.values()["selector"], at: at && `${at.x},${at.y}` }, options);
    }
  };
  function modifiers(list) {
    return list?.map((key) => key === "ControlOrMeta" ? "Control" : key).join("+") || void 0;
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
          throw new TypeError("A function cannot be passed to the page as an argument: pass its text, or define it inside of the evaluated function");
      }
      if (value === null) return "null";
      const handle = value[isHandle];
      if (handle) {
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
        if (value instanceof Map) return `new Map(${write([...value])})`;
        if (value instanceof Set) return `new Set(${write([...value])})`;
        if (value instanceof Error) return `Object.assign(new Error(${text(value.message)}),{name:${text(value.name)}})`;
        if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
          return `new ${value.constructor.name in globalThis ? arrayName(value) : "Uint8Array"}([${Array.from(value, String).join(",")}])`;
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
  var encoder = `((mark) => {
  const open = new Set();
  const marked = (kind, ...parts) => ({[mark]: [kind, ...parts]});
  const write = (value) => {
    switch (typeof value) {
      case "undefined": case "function": case "symbol": return marked("undefined");
      case "bigint": return marked("bigint", String(value));
      case "number": return Number.isFinite(value) && !Object.is(value, -0) ? value : marked("number", Object.is(value, -0) ? "-0" : String(value));
    }
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Date) return marked("date", value.getTime());
    if (value instanceof RegExp) return marked("regexp", value.source, value.flags);
    if (value instanceof Error) return marked("error", value.name, value.message, String(value.stack));
    if (value instanceof Node) return marked("text", "ref: <Node>");
    if (value === globalThis) return marked("text", "ref: <Window>");
    if (open.has(value)) throw new TypeError("the result refers to itself: return the parts that are needed");
    open.add(value);
    const out = Array.isArray(value) ? Array.from(value, write) : writeObject(value);
    open.delete(value);
    return out;
  };
  const writeObject = (value) => {
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return marked("array", Object.prototype.toString.call(value).slice(8, -1), Array.from(value, write));
    if (typeof value.toJSON === "function") return write(value.toJSON());
    const out = {};
    for (const key of Object.keys(value)) {
      const inner = value[key];
      if (typeof inner !== "function") Object.defineProperty(out, key, {value: write(inner), enumerable: true, configurable: true, writable: true});
    }
    return Object.hasOwn(out, mark) ? marked("object", out) : out;
  };
  return write;
})(${JSON.stringify(mark)})`;
  function encoded(source) {
    return `async (...args) => ${encoder}(await (${source}
)(...args))`;
  }
  function decoded(value) {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(decoded);
    const parts = value[mark];
    if (Array.isArray(parts)) return unmarked(parts);
    return decodedObject(value);
  }
  function decodedObject(value) {
    for (const key of Object.keys(value)) {
      const inner = value[key];
      if (typeof inner === "object" && inner !== null) value[key] = decoded(inner);
    }
    return value;
  }
  function unmarked([kind, first, second, third]) {
    switch (kind) {
      case "bigint":
        return BigInt(first);
      case "number":
        return Number(first);
      case "date":
        return new Date(first);
      case "regexp":
        return new RegExp(first, second);
      case "error":
        return Object.assign(new Error(second), { name: first, stack: third });
      case "text":
        return first;
      case "array":
        return typedArray(first, decoded(second));
      case "object":
        return decodedObject(first);
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
    const isFunction = /^\s*(async\s+)?(function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)/.test(what);
    return { source: what, function: isFunction };
  }
  function functionText(source) {
    if (/^(async\s*)?(function\b|\(|[\w$]+\s*=>)/.test(source)) return source;
    return source.replace(/^(async\s+)?/, "$1function ");
  }

  // ui/script/src/handle.ts
  async function evaluateIn(frame, method, code, args, asHandle) {
    const source = sourceOf(code, method);
    if (!source.function && args.length > 0 && !(args.length === 1 && args[0] === void 0)) {
      throw new TypeError(`${method}: a text that is no function takes no arguments; pass a function`);
    }
    const encode2 = source.function && !asHandle;
    if (encode2) source.source = encoded(source.source);
    const got = await frame.daemon.call("page.evaluate", { frame: frame.id, ...source, ...pass(args), handle: asHandle });
    if (encode2) got.value = decoded(got.value);
    return got;
  }
  function handleOf(frame, from) {
    if (!from.handle) return new JSHandle(frame, void 0, result(from));
    return from.handle.ref ? new ElementHandle(frame, from.handle.ref, from.handle) : new JSHandle(frame, from.handle);
  }
  var JSHandle = class {
    constructor(frame, info, plain) {
      this.frame = frame;
      this.info = info;
      this.plain = plain;
    }
    frame;
    info;
    plain;
    disposed = false;
    get [isHandle]() {
      return this;
    }
    // argument is how the handle is passed to the page.
    argument() {
      if (this.disposed) throw new Error("The handle was disposed");
      if (!this.info) throw new TypeError("A handle of a plain value: pass (await handle.jsonValue()) instead");
      return { id: this.info.id };
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
    async jsonValue() {
      if (!this.info && !(this instanceof ElementHandle)) return this.plain;
      return this.evaluate("(object) => object");
    }
    async getProperty(name) {
      return this.evaluateHandle("(object, name) => object[name]", name);
    }
    async getProperties() {
      const names = await this.evaluate("(object) => Object.keys(object)");
      const out = /* @__PURE__ */ new Map();
      for (const name of names) out.set(name, await this.getProperty(name));
      return out;
    }
    async dispose() {
      if (this.disposed) return;
      this.disposed = true;
      if (this.info) await this.frame.daemon.call("page.dispose", { ids: [this.info.id] });
    }
    remoteObject() {
      return this.info;
    }
    toString() {
      return this.info ? `JSHandle@${this.info.subtype ?? this.info.type}` : `JSHandle:${String(this.plain)}`;
    }
  };
  var ElementHandle = class extends JSHandle {
    constructor(frame, ref, info) {
      super(frame, info);
      this.ref = ref;
      const on = { daemon: frame.daemon, frame, values: () => ({ selector: ref }), handle: async () => this, describe: () => ref };
      this.actions = new Actions(on);
    }
    ref;
    actions;
    argument() {
      return this.remoteObject() ? super.argument() : { ref: this.ref };
    }
    asElement() {
      return this;
    }
    toString() {
      return `JSHandle@${this.ref}`;
    }
    // act is the element's actions; the methods of Actions are on the handle, too (see below).
    get act() {
      return this.actions;
    }
    async $(selector) {
      return (await this.frame.query(selector, "$", this.ref))[0] ?? null;
    }
    async $$(selector) {
      return this.frame.query(selector, "$$", this.ref);
    }
    async $eval(selector, code, ...args) {
      const found = await this.$(selector);
      if (!found) throw new Error(`failed to find element matching selector "${selector}"`);
      return found.evaluate(code, ...args);
    }
    async $$eval(selector, code, ...args) {
      return this.frame.evaluateAll(await this.$$(selector), code, args);
    }
    async contentFrame() {
      return this.frame.contentFrame(this.ref);
    }
    async ownerFrame() {
      return this.frame;
    }
    async $x(expression) {
      return this.frame.query(`xpath=${expression}`, "$x", this.ref);
    }
    async isIntersectingViewport() {
      return await this.evaluate(`(element) => new Promise((resolve) => {
      const observer = new IntersectionObserver((entries) => { resolve(entries[0].intersectionRatio > 0); observer.disconnect(); });
      observer.observe(element);
    })`);
    }
    async waitForSelector(selector, options = {}) {
      return this.frame.waitForSelector(selector, options, this.ref);
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

  // ui/script/src/selector.ts
  function normal(selector, method) {
    if (typeof selector !== "string") throw new TypeError(`${method} needs a selector as text, not ${selector === null ? "null" : typeof selector}`);
    const text2 = selector.trim();
    const puppeteer = /^(p-)?(text|xpath|pierce|aria)\/([^]*)$/.exec(text2);
    if (puppeteer) return ofHandler(puppeteer[2], puppeteer[3]);
    const named2 = /^(label|placeholder|testid|alt|title|role)\/([^]*)$/.exec(text2);
    if (named2) return named2[1] === "role" ? `role=${named2[2]}` : `${named2[1]}=${named2[2]}`;
    const unknown = /^p-([\w-]+)\//.exec(text2);
    if (unknown) throw new Error(`There is no selector prefix p-${unknown[1]}/. Use text/, xpath/, pierce/ or aria/, or CSS.`);
    if (text2.startsWith("aria-ref=")) return `@${text2.slice("aria-ref=".length)}`;
    const pseudo = /^([^]*?)::-p-(text|xpath|aria)\(([^]*)\)$/.exec(text2);
    if (pseudo) {
      const inner = ofHandler(pseudo[2], unquote(pseudo[3]));
      return pseudo[1] ? `${pseudo[1].trim()} >> ${inner}` : inner;
    }
    return ofPseudos(text2);
  }
  function ofPseudos(text2) {
    const match = /^([^]*?):(has-text|text-is|text|visible|nth-match)(?:\(((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^()"'])*)\))?$/.exec(text2);
    if (!match || text2.includes(" >> ")) return text2;
    const [, css = "", name, inner = ""] = match;
    const before = css.trim() ? `${ofPseudos(css.trim())} >> ` : "";
    switch (name) {
      case "visible":
        return css.trim() ? `${before}visible=true` : text2;
      case "has-text":
        return css.trim() ? `${before}has-text=${JSON.stringify(unquote(inner))}i` : `text=${JSON.stringify(unquote(inner))}i`;
      case "text":
        return css.trim() ? `${before}and=${quoted(`text=${JSON.stringify(unquote(inner))}i`)}` : `text=${JSON.stringify(unquote(inner))}i`;
      case "text-is":
        return css.trim() ? `${before}and=${quoted(`text=${JSON.stringify(unquote(inner))}s`)}` : `text=${JSON.stringify(unquote(inner))}s`;
    }
    return text2;
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
  function role(name, options = {}) {
    let out = `role=${name}`;
    if (options.name !== void 0) out += `[name=${wanted(options.name, options.exact)}]`;
    for (const state of ["checked", "disabled", "expanded", "pressed", "selected"]) {
      if (options[state] !== void 0) out += `[${state}=${options[state]}]`;
    }
    if (options.level !== void 0) out += `[level=${options.level}]`;
    if (options.includeHidden) out += "[include-hidden]";
    return out;
  }
  function quoted(selector) {
    return JSON.stringify(selector);
  }
  function join(outer, inner) {
    return outer ? `${outer} >> ${inner}` : inner;
  }

  // ui/script/src/known.ts
  var silent = /* @__PURE__ */ new Set(["then", "toJSON", "constructor", "inspect", "nodeType", "asymmetricMatch", "$$typeof", "length", "splice", "size", "tagName"]);
  function known(of, what) {
    const base = Object.getPrototypeOf(of.prototype);
    const names = () => {
      const all = /* @__PURE__ */ new Set();
      for (let at = of.prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
        for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") all.add(name);
      }
      return [...all];
    };
    const guard = new Proxy(base, {
      get(target, name, receiver) {
        if (typeof name === "symbol" || Reflect.has(target, name) || silent.has(name)) return Reflect.get(target, name, receiver);
        const near = nearest(name, names());
        const hint = near.length > 0 ? ` The nearest are: ${near.join(", ")}.` : "";
        throw new TypeError(`${what} has no member ${name}.${hint}`);
      }
    });
    Object.setPrototypeOf(of.prototype, guard);
  }
  function nearest(name, names) {
    const wanted2 = name.toLowerCase();
    return names.map((candidate) => ({ candidate, far: distance(wanted2, candidate.toLowerCase()) })).filter(({ candidate, far }) => far <= Math.max(2, wanted2.length / 3) || wanted2.length > 3 && (candidate.toLowerCase().includes(wanted2) || wanted2.includes(candidate.toLowerCase()))).sort((a, b) => a.far - b.far).slice(0, 4).map(({ candidate }) => candidate);
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

  // ui/script/src/locator.ts
  var Finds = class {
    locator(selector, options = {}) {
      const text2 = selector instanceof Locator ? selector.selector : normal(selector, "locator");
      return this.at(text2).filter(options);
    }
    getByRole(role2, options = {}) {
      return this.at(role(role2, options));
    }
    getByText(text2, options = {}) {
      return this.at(`text=${wanted(text2, options.exact)}`);
    }
    getByLabel(text2, options = {}) {
      return this.at(`label=${wanted(text2, options.exact)}`);
    }
    getByPlaceholder(text2, options = {}) {
      return this.at(`placeholder=${wanted(text2, options.exact)}`);
    }
    getByAltText(text2, options = {}) {
      return this.at(`alt=${wanted(text2, options.exact)}`);
    }
    getByTitle(text2, options = {}) {
      return this.at(`title=${wanted(text2, options.exact)}`);
    }
    getByTestId(id) {
      return this.at(`testid=${wanted(id, true)}`);
    }
  };
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
        describe: () => selector
      });
    }
    frame;
    selector;
    strict;
    act;
    limit;
    at(selector) {
      return new _Locator(this.frame, join(this.selector, selector), this.strict);
    }
    frameLocator(selector) {
      return this.at(`${normal(selector, "frameLocator")} >> internal:control=enter-frame`);
    }
    contentFrame() {
      return this.at("internal:control=enter-frame");
    }
    filter(options = {}) {
      if (typeof options === "function") throw new TypeError("filter takes {hasText, hasNotText, has, hasNot, visible}, and no function");
      let out = this;
      if (options.hasText !== void 0) out = out.at(`has-text=${wanted(options.hasText)}`);
      if (options.hasNotText !== void 0) out = out.at(`has-not-text=${wanted(options.hasNotText)}`);
      if (options.has) out = out.at(`has=${quoted(options.has.selector)}`);
      if (options.hasNot) out = out.at(`has-not=${quoted(options.hasNot.selector)}`);
      if (options.visible !== void 0) out = out.at(`visible=${options.visible}`);
      return out;
    }
    and(other) {
      return this.at(`and=${quoted(other.selector)}`);
    }
    or(other) {
      return this.at(`or=${quoted(other.selector)}`);
    }
    nth(index) {
      return this.at(`nth=${index}`);
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
    async count() {
      return (await this.frame.find(this.selector)).length;
    }
    async all() {
      return Array.from({ length: await this.count() }, (_, index) => this.nth(index));
    }
    async elementHandle(timing = {}) {
      const limit = timing.timeout ?? this.limit;
      return this.frame.one(this.selector, this.strict, limit === void 0 ? {} : { timeout: limit });
    }
    async waitHandle() {
      return this.elementHandle();
    }
    async wait() {
      await this.elementHandle();
    }
    async elementHandles() {
      return this.frame.query(this.selector, "elementHandles");
    }
    async evaluateAll(code, ...args) {
      return this.frame.evaluateAll(await this.elementHandles(), code, args);
    }
    async evaluateHandle(code, ...args) {
      return (await this.elementHandle()).evaluateHandle(code, ...args);
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
      return `Locator@${this.selector}`;
    }
  };
  for (const name of Object.getOwnPropertyNames(Actions.prototype)) {
    const method = Actions.prototype[name];
    if (name === "constructor" || name in Locator.prototype || typeof method !== "function") continue;
    Object.defineProperty(Locator.prototype, name, {
      configurable: true,
      writable: true,
      value(...args) {
        return method.apply(this.act, args);
      }
    });
  }
  known(Locator, "a locator");

  // ui/script/src/pattern.ts
  function globOf(pattern, method) {
    if (typeof pattern === "string") return pattern;
    if (pattern instanceof RegExp || typeof pattern === "function") return void 0;
    throw new TypeError(`${method} needs a text, a regular expression or a function`);
  }
  function matcher(pattern, method) {
    if (pattern instanceof RegExp) return (url) => new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(url);
    if (typeof pattern === "function") return (url) => pattern(new URL(url));
    if (typeof pattern !== "string") throw new TypeError(`${method} needs a text, a regular expression or a function`);
    if (!pattern.includes("*")) return (url) => url.includes(pattern);
    const text2 = pattern.split(/(\*\*\/?|\*)/).map((part) => {
      if (part === "**/") return "(.*/)?";
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      return part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    }).join("");
    const expression = new RegExp(`^${text2}$`);
    return (url) => expression.test(url);
  }

  // ui/script/src/frame.ts
  var Frame = class _Frame extends Finds {
    constructor(daemon, id, address) {
      super();
      this.daemon = daemon;
      this.id = id;
      this.address = address;
    }
    daemon;
    id;
    address;
    // url is the address of the frame: of the page itself as of the last operation.
    url() {
      return this.address ?? this.daemon.state.url;
    }
    page() {
      return this;
    }
    at(selector) {
      return new Locator(this, selector);
    }
    frameLocator(selector) {
      return this.at(`${normal(selector, "frameLocator")} >> internal:control=enter-frame`);
    }
    // --- evaluating ---
    async evaluate(code, ...args) {
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
      const found = await this.$(selector);
      if (!found) throw new Error(`failed to find element matching selector "${selector}"`);
      return found.evaluate(code, ...args);
    }
    async $$eval(selector, code, ...args) {
      return this.evaluateAll(await this.$$(selector), code, args);
    }
    // --- finding ---
    // find returns the elements that a selector matches now, in usher's notation.
    async find(selector, inside) {
      const answer = await this.daemon.call("page.query", { selector: inside ? join(`ref=${inside}`, selector) : selector, frame: this.id });
      return answer.elements;
    }
    async query(selector, method, inside) {
      return (await this.find(normal(selector, method), inside)).map((found) => new ElementHandle(this, found.ref));
    }
    // one waits for an element and returns it.
    async one(selector, strict, timing) {
      const answer = await this.daemon.call("page.query", { selector, frame: this.id, wait: true, strict, timeout: timing.timeout });
      return new ElementHandle(this, answer.elements[0].ref);
    }
    async $(selector) {
      return (await this.query(selector, "$"))[0] ?? null;
    }
    async $$(selector) {
      return this.query(selector, "$$");
    }
    async $x(expression) {
      return this.query(`xpath=${expression}`, "$x");
    }
    async contentFrame(ref) {
      const answer = await this.daemon.call("page.contentFrame", { ref });
      return answer.frame ? new _Frame(this.daemon, answer.frame, answer.url) : null;
    }
    // --- waiting ---
    async waitForSelector(selector, options = {}, inside) {
      const text2 = inside ? join(`ref=${inside}`, normal(selector, "waitForSelector")) : normal(selector, "waitForSelector");
      const state = options.state ?? (options.hidden ? "hidden" : options.visible ? "visible" : "attached");
      await this.daemon.command("wait", { target: text2, state, frame: this.id }, { timeout: options.timeout, waits: true });
      if (state === "hidden" || state === "detached") return null;
      return (await this.find(text2)).map((found) => new ElementHandle(this, found.ref))[0] ?? null;
    }
    // waitForFunction accepts Playwright's (code, argument, options) and Puppeteer's (code, options, ...arguments).
    async waitForFunction(code, ...rest) {
      const isOptions = (value) => typeof value === "object" && value !== null && ("timeout" in value || "polling" in value) && Object.keys(value).every((key) => ["timeout", "polling", "signal", "root"].includes(key));
      const first = isOptions(rest[0]) ? rest[0] : void 0;
      const options = first ?? (isOptions(rest[1]) ? rest[1] : {});
      const args = first ? rest.slice(1) : rest.length > 0 && !(rest.length === 1 && rest[0] === void 0) ? isOptions(rest[1]) ? [rest[0]] : rest : [];
      return this.poll(code, args, options);
    }
    async poll(code, args, options) {
      const source = sourceOf(code, "waitForFunction");
      const call = source.function ? `(${source.source})(...args)` : `(${source.source})`;
      const text2 = `async (limit, ...args) => {
      const end = performance.now() + limit;
      for (;;) {
        const value = await ${call};
        if (value) return {value};
        if (performance.now() > end) return null;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }`;
      const end = Date.now() + this.limit(options);
      for (; ; ) {
        const part = Math.min(Math.max(end - Date.now(), 0), 1e3);
        const found = await this.evaluateHandle(text2, part, ...args);
        if (found.remoteObject()) return found.getProperty("value");
        if (Date.now() >= end) throw this.late(`waitForFunction: the function returned nothing true within ${this.limit(options)} ms`);
      }
    }
    // limit is how long a wait of our own may take, in milliseconds.
    limit(options) {
      if (options.timeout === 0) return this.daemon.host.config.timeout;
      return Math.min(options.timeout ?? this.daemon.host.config.timeout * (2 / 3), this.daemon.host.config.timeout);
    }
    late(message) {
      return new TimeoutError(message);
    }
    async waitForTimeout(milliseconds) {
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
    async waitForLoadState(state = "load", options = {}) {
      await this.daemon.command("wait", { load: state }, { timeout: options.timeout, waits: true });
    }
    async waitForURL(pattern, options = {}) {
      await this.awaitURL(pattern, options, "waitForURL");
    }
    // awaitURL waits for an address and returns it.
    async awaitURL(pattern, options, method) {
      const glob = globOf(pattern, method);
      if (glob !== void 0) {
        await this.daemon.command("wait", { url: glob }, { timeout: options.timeout, waits: true });
        return this.daemon.state.url;
      }
      const matches = matcher(pattern, method);
      const end = Date.now() + this.limit(options);
      for (; ; ) {
        const now = await this.evaluate("location.href");
        if (await matches(now)) return now;
        if (Date.now() > end) throw this.late(`${method}: the address is ${now} and did not match within ${this.limit(options)} ms`);
        await this.waitForTimeout(50);
      }
    }
    // --- reading ---
    async title() {
      return await this.evaluate("document.title");
    }
    async content() {
      return await this.evaluate(`(() => {
      const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
      return type + (document.documentElement?.outerHTML ?? "");
    })()`);
    }
    async setContent(html) {
      await this.evaluate("(html) => { document.open(); document.write(html); document.close(); }", html);
      await this.waitForLoadState("load");
    }
    async addScriptTag(options) {
      return this.evaluateHandle(`async ({url, content, type}) => {
      const script = document.createElement("script");
      if (type) script.type = type;
      const loaded = url && new Promise((resolve, reject) => { script.onload = resolve; script.onerror = () => reject(new Error("the script did not load: " + url)); });
      if (url) script.src = url; else script.text = content;
      document.head.append(script);
      await loaded;
      return script;
    }`, options);
    }
    async addStyleTag(options) {
      return this.evaluateHandle(`async ({url, content}) => {
      const element = document.createElement(url ? "link" : "style");
      const loaded = url && new Promise((resolve, reject) => { element.onload = resolve; element.onerror = () => reject(new Error("the style sheet did not load: " + url)); });
      if (url) { element.rel = "stylesheet"; element.href = url; } else element.textContent = content;
      document.head.append(element);
      await loaded;
      return element;
    }`, options);
    }
    // capture takes a picture and returns its bytes.
    async capture(options) {
      const answer = await this.daemon.call("page.screenshot", {
        selector: options.on?.["selector"],
        frame: options.on?.["frame"],
        strict: options.on?.["strict"],
        path: options.path,
        type: options.type,
        quality: options.quality,
        fullPage: options.fullPage
      });
      return bytesOf(answer.data);
    }
    // --- acting by selector; the first match, as page.click of both libraries ---
    of(selector, method) {
      return new Locator(this, normal(selector, method), false);
    }
    async click(selector, options = {}) {
      await this.of(selector, "click").click(options);
    }
    async dblclick(selector, options = {}) {
      await this.of(selector, "dblclick").dblclick(options);
    }
    async tap(selector, options = {}) {
      await this.of(selector, "tap").tap(options);
    }
    async hover(selector, options = {}) {
      await this.of(selector, "hover").hover(options);
    }
    async focus(selector, options = {}) {
      await this.of(selector, "focus").focus(options);
    }
    async fill(selector, value, options = {}) {
      await this.of(selector, "fill").fill(value, options);
    }
    async type(selector, text2, options = {}) {
      await this.of(selector, "type").type(text2, options);
    }
    async press(selector, key, options = {}) {
      await this.of(selector, "press").press(key, options);
    }
    async check(selector, options = {}) {
      await this.of(selector, "check").check(options);
    }
    async uncheck(selector, options = {}) {
      await this.of(selector, "uncheck").uncheck(options);
    }
    async setChecked(selector, checked, options = {}) {
      await this.of(selector, "setChecked").setChecked(checked, options);
    }
    async selectOption(selector, values, options = {}) {
      return this.of(selector, "selectOption").selectOption(values, options);
    }
    async select(selector, ...values) {
      return this.of(selector, "select").selectOption(values);
    }
    async setInputFiles(selector, files, options = {}) {
      await this.of(selector, "setInputFiles").setInputFiles(files, options);
    }
    async dragAndDrop(from, to, options = {}) {
      await this.of(from, "dragAndDrop").dragTo(this.of(to, "dragAndDrop"), options);
    }
    async textContent(selector, options = {}) {
      return this.of(selector, "textContent").textContent(options);
    }
    async innerText(selector, options = {}) {
      return this.of(selector, "innerText").innerText(options);
    }
    async innerHTML(selector, options = {}) {
      return this.of(selector, "innerHTML").innerHTML(options);
    }
    async inputValue(selector, options = {}) {
      return this.of(selector, "inputValue").inputValue(options);
    }
    async getAttribute(selector, name, options = {}) {
      return this.of(selector, "getAttribute").getAttribute(name, options);
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
    async dispatchEvent(selector, type, init = {}) {
      await this.of(selector, "dispatchEvent").dispatchEvent(type, init);
    }
  };

  // ui/script/src/input.ts
  var Keyboard = class {
    constructor(daemon) {
      this.daemon = daemon;
    }
    daemon;
    async press(key, options = {}) {
      if (!options.delay) return void await this.daemon.command("press", { key: chord(key) });
      await this.down(key);
      await new Promise((resolve) => setTimeout(resolve, options.delay));
      await this.up(key);
    }
    async down(key) {
      await this.daemon.command("keydown", { key: chord(key) });
    }
    async up(key) {
      await this.daemon.command("keyup", { key: chord(key) });
    }
    async type(text2, options = {}) {
      if (!options.delay) return void await this.daemon.command("keyboard type", { text: [text2] });
      for (const key of text2) {
        await this.daemon.command("keyboard type", { text: [key] });
        await new Promise((resolve) => setTimeout(resolve, options.delay));
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
    constructor(daemon) {
      this.daemon = daemon;
    }
    daemon;
    async move(x, y, options = {}) {
      await this.daemon.command("mouse move", { x, y, steps: options.steps });
    }
    async down(options = {}) {
      await this.daemon.command("mouse down", { button: options.button });
    }
    async up(options = {}) {
      await this.daemon.command("mouse up", { button: options.button });
    }
    async click(x, y, options = {}) {
      await this.daemon.command("click", { at: `${x},${y}`, button: options.button, count: options.clickCount ?? options.count });
    }
    async dblclick(x, y, options = {}) {
      await this.click(x, y, { ...options, clickCount: 2 });
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
      await this.daemon.call("page.tapAt", { x, y });
    }
  };

  // ui/script/src/messages.ts
  var Dialog = class {
    constructor(daemon, change, prompt) {
      this.daemon = daemon;
      this.change = change;
      this.prompt = prompt;
    }
    daemon;
    change;
    prompt;
    type() {
      return this.change.detail ?? "alert";
    }
    message() {
      return this.change.text ?? "";
    }
    defaultValue() {
      return this.prompt;
    }
    async accept(text2) {
      await this.daemon.command("dialog accept", { text: text2 === void 0 ? void 0 : [text2] });
    }
    async dismiss() {
      await this.daemon.command("dialog dismiss");
    }
  };
  async function dialogOf(daemon, change) {
    const status = await daemon.command("dialog status");
    return new Dialog(daemon, status.hasDialog ? { ...change, text: status.message ?? change.text ?? "" } : change, status.defaultPrompt ?? "");
  }
  var ConsoleMessage = class {
    constructor(change) {
      this.change = change;
    }
    change;
    type() {
      return this.change.detail ?? "log";
    }
    text() {
      return this.change.text ?? "";
    }
    // args is empty: values that a page logs are kept as text only.
    args() {
      return [];
    }
    location() {
      return { url: this.change.url ?? "" };
    }
  };
  var Request = class _Request {
    constructor(daemon, id, entry) {
      this.daemon = daemon;
      this.id = id;
      this.entry = entry;
    }
    daemon;
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
    postData() {
      return this.entry.postData ?? null;
    }
    postDataJSON() {
      const text2 = this.postData();
      return text2 === null ? null : JSON.parse(text2);
    }
    isNavigationRequest() {
      return this.resourceType() === "document";
    }
    failure() {
      const text2 = this.entry.failed ?? this.entry.blockedReason;
      return text2 ? { errorText: text2 } : null;
    }
    async response() {
      const entry = await this.daemon.command("network request", { id: this.id });
      return entry.status ? new Response(new _Request(this.daemon, this.id, entry)) : null;
    }
  };
  var Response = class {
    constructor(of) {
      this.of = of;
    }
    of;
    request() {
      return this.of;
    }
    url() {
      return this.of.url();
    }
    status() {
      return this.of.entry.status ?? 0;
    }
    statusText() {
      return this.of.entry.statusText ?? "";
    }
    ok() {
      return this.status() === 0 || this.status() >= 200 && this.status() <= 299;
    }
    headers() {
      return lower(this.of.entry.responseHeaders);
    }
    headerValue(name) {
      return this.headers()[name.toLowerCase()] ?? null;
    }
    // body waits until the response is complete.
    async body() {
      const entry = await this.read();
      return entry.base64Encoded ? bytesOf(entry.responseBody ?? "") : encode(entry.responseBody ?? "");
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
      const end = Date.now() + 1e4;
      for (; ; ) {
        const entry = await this.of.daemon.command("network request", { id: this.of.id });
        if (entry.bodyError === void 0) return entry;
        if (Date.now() > end || !/arrive|not.*finished|yet/.test(entry.bodyError)) throw new Error(`The body of ${this.url()} cannot be read: ${entry.bodyError}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  function encode(text2) {
    return new TextEncoder().encode(text2);
  }
  function decode(bytes) {
    return new TextDecoder().decode(bytes);
  }
  function lower(headers = {}) {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  }
  async function requestOf(daemon, change) {
    const id = change.id ?? "";
    const entry = await daemon.command("network request", { id });
    return new Request(daemon, id, entry);
  }
  async function responseOf(daemon, change) {
    return new Response(await requestOf(daemon, change));
  }
  var Download = class {
    constructor(daemon, change) {
      this.daemon = daemon;
      this.change = change;
    }
    daemon;
    change;
    url() {
      return this.change.url ?? "";
    }
    suggestedFilename() {
      return this.change.text ?? "";
    }
    // path waits until the download has ended.
    async path() {
      const done = await this.daemon.command("wait", { download: "" }, { waits: true });
      return done.path ?? "";
    }
    async saveAs(path) {
      await this.daemon.command("wait", { download: path }, { waits: true });
    }
  };

  // ui/script/src/page.ts
  var Page = class _Page extends Frame {
    constructor(daemon, hub, tab) {
      super(daemon, void 0);
      this.hub = hub;
      this.emitter = new Emitter(hub, this.sources(), (change) => change.type === "tab_opened" || change.targetId === void 0 || change.targetId === tab);
      this.keyboard = new Keyboard(daemon);
      this.mouse = new Mouse(daemon);
      this.touchscreen = new Touchscreen(daemon);
    }
    hub;
    keyboard;
    mouse;
    touchscreen;
    size = null;
    emitter;
    isClosed() {
      return this.daemon.state.closed === true;
    }
    mainFrame() {
      return this;
    }
    async goto(url, options = {}) {
      if (typeof url !== "string") throw new TypeError("goto needs an address as text");
      const data = await this.daemon.command("open", { url }, { timeout: options.timeout, waits: true });
      await this.settle(options);
      return data;
    }
    async settle(options) {
      const list = [options.waitUntil].flat();
      if (list.some((state) => state?.startsWith("networkidle"))) await this.waitForLoadState("networkidle", options);
    }
    async reload(options = {}) {
      const data = await this.daemon.command("reload", {}, { timeout: options.timeout, waits: true });
      await this.settle(options);
      return data;
    }
    async goBack(options = {}) {
      return this.daemon.command("back", {}, { timeout: options.timeout, waits: true });
    }
    async goForward(options = {}) {
      return this.daemon.command("forward", {}, { timeout: options.timeout, waits: true });
    }
    async screenshot(options = {}) {
      const bytes = await this.capture(options);
      return options.encoding === "base64" ? bytes.toString("base64") : bytes;
    }
    async pdf(options = {}) {
      const answer = await this.daemon.call("page.pdf", { path: options.path });
      return bytesOf(answer.data);
    }
    async setViewport(size) {
      await this.daemon.command("set viewport", { width: String(size.width), height: size.height, scale: size.deviceScaleFactor });
      this.size = { ...size };
    }
    async setViewportSize(size) {
      await this.setViewport(size);
    }
    viewport() {
      return this.size;
    }
    viewportSize() {
      return this.size && { width: this.size.width, height: this.size.height };
    }
    async bringToFront() {
      await this.daemon.call("page.evaluate", { source: "0", function: false, args: "[]", handles: [] });
    }
    async close() {
      await this.daemon.command("tab close", {});
    }
    // --- events ---
    sources() {
      const { daemon } = this;
      return {
        dialog: { kinds: ["dialog_opened"], make: (change) => dialogOf(daemon, change) },
        console: { kinds: ["console_message"], make: (change) => new ConsoleMessage(change) },
        pageerror: { kinds: ["error_thrown"], make: (change) => new Error(change.text ?? "") },
        request: { kinds: ["request_sent"], make: (change) => requestOf(daemon, change) },
        response: { kinds: ["request_answered"], make: (change) => responseOf(daemon, change) },
        requestfinished: { kinds: ["request_answered"], make: (change) => requestOf(daemon, change) },
        requestfailed: { kinds: ["request_failed"], make: (change) => requestOf(daemon, change) },
        popup: { kinds: ["tab_opened"], make: (change) => this.opened(change) },
        download: { kinds: ["download_started"], make: (change) => new Download(daemon, change) },
        framenavigated: { kinds: ["frame_navigated", "tab_navigated"], make: (change) => change.type === "tab_navigated" ? this : new Frame(daemon, change.frameId, change.url) },
        frameattached: { kinds: ["frame_attached"], make: (change) => new Frame(daemon, change.frameId, change.url) },
        framedetached: { kinds: ["frame_detached"], make: (change) => new Frame(daemon, change.frameId, change.url) },
        load: { kinds: ["load_state"], make: (change) => change.detail === "load" ? this : void 0 },
        domcontentloaded: { kinds: ["load_state"], make: (change) => change.detail?.toLowerCase() === "domcontentloaded" ? this : void 0 },
        close: { kinds: ["tab_closed"], make: () => this },
        crash: { kinds: ["tab_crashed"], make: () => this }
      };
    }
    opened(change) {
      const tab = change.targetId;
      return new _Page(new Daemon(this.daemon.host, { url: change.url ?? "" }, tab), this.hub, tab);
    }
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
      this.emitter.off(event, handler);
      return this;
    }
    removeListener(event, handler) {
      return this.off(event, handler);
    }
    removeAllListeners(event) {
      this.emitter.clear(event);
      return this;
    }
    // waitForEvent accepts Playwright's predicate or {predicate, timeout}.
    async waitForEvent(event, options = {}) {
      const { predicate, ...timing } = typeof options === "function" ? { predicate: options } : options;
      return this.next(event, predicate ?? (() => true), timing, `waitForEvent(${JSON.stringify(event)})`);
    }
    next(event, wanted2, timing, what) {
      const limit = this.limit(timing);
      return new Promise((resolve, reject) => {
        const done = (settle) => {
          this.emitter.off(event, handler);
          settle();
        };
        const handler = async (value) => {
          try {
            if (await wanted2(value)) done(() => resolve(value));
          } catch (error) {
            done(() => reject(error));
          }
        };
        this.emitter.on(event, handler);
        setTimeout(() => done(() => reject(this.late(`${what}: there was none within ${limit} ms`))), limit);
      });
    }
    async waitForResponse(pattern, options = {}) {
      const wanted2 = typeof pattern === "function" ? pattern : (value) => matcher(pattern, "waitForResponse")(value.url());
      return await this.next("response", wanted2, options, `waitForResponse(${String(pattern)})`);
    }
    async waitForRequest(pattern, options = {}) {
      const wanted2 = typeof pattern === "function" ? pattern : (value) => matcher(pattern, "waitForRequest")(value.url());
      return await this.next("request", wanted2, options, `waitForRequest(${String(pattern)})`);
    }
    async waitForNavigation(options = {}) {
      const wanted2 = options.url === void 0 ? () => true : (value) => matcher(options.url, "waitForNavigation")(value.url());
      await this.next("framenavigated", (value) => value === this && wanted2(value), options, "waitForNavigation");
      await this.waitForLoadState(options.waitUntil === "domcontentloaded" ? "domcontentloaded" : "load", options);
      await this.settle(options);
    }
    async waitForNetworkIdle(options = {}) {
      await this.waitForLoadState("networkidle", options);
    }
  };
  known(Page, "page");

  // ui/script/src/tab.ts
  var Tab = class {
    constructor(daemon, page) {
      this.daemon = daemon;
      this.page = page;
      this.name = daemon.host.config.name;
    }
    daemon;
    page;
    name;
    observed;
    on(selector, method) {
      return new Locator(this.page, normal(selector, method), false).act;
    }
    url() {
      return this.page.url();
    }
    async title() {
      return this.page.title();
    }
    async goto(url, options = {}) {
      this.observed = void 0;
      return await this.page.goto(url, options);
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
    async observe(options = {}) {
      const seen = await this.daemon.call("page.observe", options);
      this.observed = seen.elements;
      return seen;
    }
    // id is the element that the last observe gave this number.
    async id(n) {
      if (!this.observed) throw new Error("There are no element ids: call tab.observe() first; a navigation ends them");
      const found = this.observed.find((element) => element.id === n);
      if (!found) throw new Error(`There is no element ${n}: the last observe had ${this.observed.length}`);
      return new ElementHandle(this.page, found.ref);
    }
    ref(ref) {
      return new ElementHandle(this.page, ref.startsWith("@") ? ref : `@${ref}`);
    }
    async ariaSnapshot(options = {}) {
      const data = await this.daemon.command("snapshot", { ...options });
      return data.snapshot;
    }
    async screenshot(options = {}) {
      const { display, ...shot } = await this.daemon.call("page.picture", { ...options, selector: options.selector && normal(options.selector, "screenshot") });
      for (const item of display ?? []) this.daemon.host.display(item);
      return shot;
    }
    async extract(format = "markdown") {
      return this.daemon.call("page.extract", { format });
    }
    async click(selector, options = {}) {
      await this.on(selector, "click").click(options);
    }
    async dblclick(selector, options = {}) {
      await this.on(selector, "dblclick").dblclick(options);
    }
    async hover(selector, options = {}) {
      await this.on(selector, "hover").hover(options);
    }
    async focus(selector, options = {}) {
      await this.on(selector, "focus").focus(options);
    }
    async check(selector, options = {}) {
      await this.on(selector, "check").check(options);
    }
    async uncheck(selector, options = {}) {
      await this.on(selector, "uncheck").uncheck(options);
    }
    async type(selector, text2, options = {}) {
      await this.on(selector, "type").type(text2, options);
    }
    async fill(selector, value, options = {}) {
      await this.on(selector, "fill").fill(value, options);
    }
    async press(key, options = {}) {
      if (options.selector) return this.on(options.selector, "press").press(key, options);
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
    async waitFor(selector, options = {}) {
      return await this.page.waitForSelector(selector, options);
    }
    async waitForSelector(selector, options = {}) {
      return this.page.waitForSelector(selector, options);
    }
    async waitForText(text2, options = {}) {
      await this.daemon.command("wait", { text: text2 }, { timeout: options.timeout, waits: true });
    }
    async waitForUrl(pattern, options = {}) {
      return this.page.awaitURL(pattern, options, "waitForUrl");
    }
    async evaluate(code, ...args) {
      return this.page.evaluate(code, ...args);
    }
    async scrollIntoView(selector) {
      await this.page.$eval(selector, "(element) => element.scrollIntoView({behavior: 'instant', block: 'center', inline: 'center'})");
    }
    async select(selector, ...values) {
      return this.on(selector, "select").selectOption(values);
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
    async isVisible(selector) {
      return this.on(selector, "isVisible").isVisible();
    }
    async pdf(options = {}) {
      return this.page.pdf(options);
    }
  };
  known(Tab, "tab");

  // ui/script/src/main.ts
  function globals(host) {
    const daemon = new Daemon(host);
    const page = new Page(daemon, new Hub(daemon), host.config.target);
    const tab = new Tab(daemon, page);
    return {
      tab,
      page,
      display: (value) => host.display(value),
      assert,
      wait: (what, options) => wait(host, what, options),
      TimeoutError
    };
  }
  function assert(condition, text2) {
    if (!condition) throw new Error(text2 === void 0 ? "Assertion failed" : String(text2));
  }
  async function wait(host, what, options = {}) {
    if (typeof what === "number") return new Promise((resolve) => setTimeout(resolve, what));
    if (typeof what !== "function") throw new TypeError("wait needs a number of milliseconds or a function");
    const limit = Math.min(options.timeout ?? 3e4, Math.max(host.config.timeout - 1e3, host.config.timeout / 2));
    const interval = Math.max(options.interval ?? 100, 10);
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
