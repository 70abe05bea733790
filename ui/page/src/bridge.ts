// The bridge: alert, confirm and prompt of a page's own world, over the debugger instead of a native dialog.
//
// It runs in the main world of each document before the page's scripts. What it defines is nearly indistinguishable
// from the native functions: concise methods have no prototype, cannot be constructed and own exactly length and name;
// their text is hidden by a gap that is put between name and parameter list when the script is completed (see
// bridge_script.go). Nothing here may call what a page can replace afterwards, so all that is needed is taken first.
(() => {
  "use strict";
  const page = globalThis as unknown as Record<Kind, Function>;
  const apply = Reflect.apply;
  const define = Reflect.defineProperty;
  const own = Reflect.getOwnPropertyDescriptor;
  const capture = (Error as unknown as { captureStackTrace(error: object, below: Function): void }).captureStackTrace;
  const slice = String.prototype.slice;
  const getPrototypeOf = Reflect.getPrototypeOf;
  const TypeErrorPrototype = TypeError.prototype;
  const nativeText = Function.prototype.toString;
  const currentEvent = own(page, "event")?.get;
  const eventType = own(Event.prototype, "type")?.get;
  const natives = { alert: page.alert, confirm: page.confirm, prompt: page.prompt };

  type Kind = "alert" | "confirm" | "prompt";

  // The supervisor reads the question from `this` of the paused frame, which comes with the event, and sets reply.
  // Other callers of this function cannot answer it: reply is a local variable. No debugger, no reply.
  function ask(this: string): unknown {
    let reply: unknown;
    debugger;
    return reply;
  }

  // A document that is being left shows no dialogs; the native function sees to that.
  function leaving(): boolean {
    if (!currentEvent || !eventType) return false;
    const event = apply(currentEvent, page, []);
    if (!event) return false;
    const type = apply(eventType, event, []);
    return type === "beforeunload" || type === "pagehide" || type === "unload" || type === "visibilitychange";
  }

  // Chromium cuts what a dialog shows at this length (measured on Chromium 156).
  function shown(text: string): string {
    return text.length > 10240 ? apply(slice, text, [0, 10240]) : text;
  }

  function question(kind: Kind, message: string, preset: string): unknown {
    if (leaving()) return undefined;
    message = shown(message);
    return apply(ask, kind + "\0" + message.length + "\0" + message + shown(preset), []);
  }

  // plain reports whether a call is of the usual kind: on this window, without a symbol, which cannot become text.
  function plain(self: unknown, args: IArguments, used: number): boolean {
    if (self !== undefined && self !== null && self !== page) return false;
    for (let i = 0; i < used && i < args.length; i++) if (typeof args[i] === "symbol") return false;
    return true;
  }

  // native forwards a call. The stack of an error that it throws must not show this function.
  function native(kind: Kind, self: unknown, args: IArguments): unknown {
    try {
      return apply(natives[kind], self, args);
    } catch (error) {
      let foreign = false; // may come from the page's own code
      for (let i = 0; i < args.length; i++) if (typeof args[i] === "object" || typeof args[i] === "function") foreign = true;
      if (!foreign && error && typeof error === "object") capture(error, ours[kind]);
      throw error;
    }
  }

  // text converts a page's value to text, once. For a value that cannot be converted Chromium words the error
  // differently than a script would, and it does not come from here.
  function text(kind: Kind, value: unknown): string {
    if (typeof value === "string") return value;
    try {
      return `${value}`;
    } catch (error) {
      if (error && typeof error === "object" && getPrototypeOf(error) === TypeErrorPrototype) {
        const message = own(error, "message");
        const said = message && message.value;
        if (said === "Cannot convert a Symbol value to a string" || said === "Cannot convert object to primitive value") {
          capture(error, ours[kind]);
          define(error, "message", { __proto__: null, value: `Failed to execute '${kind}' on 'Window': ${said}` } as PropertyDescriptor);
        }
      }
      throw error;
    }
  }

  // optional is WebIDL's `optional DOMString x = ""`; alert's message is not optional, it has an overload without one.
  function optional(kind: Kind, args: IArguments, i: number): string {
    return args.length > i && args[i] !== undefined ? text(kind, args[i]) : "";
  }

  const ours = {
    alert(this: unknown): unknown {
      if (!plain(this, arguments, 1)) return native("alert", this, arguments);
      const message = arguments.length ? text("alert", arguments[0]) : "";
      if (question("alert", message, "") === undefined) apply(natives.alert, page, [message]);
      return undefined;
    },
    confirm(this: unknown): unknown {
      if (!plain(this, arguments, 1)) return native("confirm", this, arguments);
      const message = optional("confirm", arguments, 0);
      const reply = question("confirm", message, "");
      return reply === undefined ? apply(natives.confirm, page, [message]) : reply;
    },
    prompt(this: unknown): unknown {
      if (!plain(this, arguments, 2)) return native("prompt", this, arguments);
      const message = optional("prompt", arguments, 0);
      const preset = optional("prompt", arguments, 1);
      const reply = question("prompt", message, preset);
      return reply === undefined ? apply(natives.prompt, page, [message, preset]) : reply;
    },
  };

  // A function that the page has put there itself stays: it opens no native dialog.
  function replace(kind: Kind): void {
    if (typeof natives[kind] !== "function") return;
    if (apply(nativeText, natives[kind], []) !== `function ${kind}() { [native code] }`) return;
    define(page, kind, { __proto__: null, value: ours[kind] } as PropertyDescriptor);
  }
  replace("alert");
  replace("confirm");
  replace("prompt");
})();
