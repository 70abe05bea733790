// Runs first in every document and worker of a stealth browser, in the page's own world: only there errors are told in words.
// It says them by the console under a secret mark. Natives are taken before any script of the page can replace them, and
// nothing is read that a page could have put a getter or a Proxy in the place of. It may run twice in one window, which a popup
// or frame keeps from its empty first document to one of the same origin; the time of the event tells such reports.
(() => {
  "use strict";
  const say = console.debug, quote = JSON.stringify, apply = Reflect.apply, own = Reflect.getOwnPropertyDescriptor,
    parent = Reflect.getPrototypeOf, text = String, isError = Error.isError;
  const getter = (of, name) => {
    const get = own(of.prototype, name).get;
    return (object) => apply(get, object, []);
  };
  const message = getter(ErrorEvent, "message"), file = getter(ErrorEvent, "filename"), line = getter(ErrorEvent, "lineno"),
    column = getter(ErrorEvent, "colno"), thrown = getter(ErrorEvent, "error"), reason = getter(PromiseRejectionEvent, "reason"),
    when = getter(Event, "timeStamp"), domName = getter(DOMException, "name"), domMessage = getter(DOMException, "message");
  const dom = DOMException.prototype, type = TypeError.prototype, range = RangeError.prototype, reference = ReferenceError.prototype,
    syntax = SyntaxError.prototype, uri = URIError.prototype;
  const name = (of) => of === type ? "TypeError" : of === range ? "RangeError" : of === reference ? "ReferenceError" :
    of === syntax ? "SyntaxError" : of === uri ? "URIError" : "Error";
  // Reading the stack would run a page's Error.prepareStackTrace, so it stays unread.
  const words = (value) => {
    const kind = typeof value;
    if (value === null || kind !== "object" && kind !== "function") return text(value);
    if (kind === "function") return "a function";
    if (!isError || !isError(value)) return "an object";
    const of = parent(value);
    if (of === dom) return domName(value) + ": " + domMessage(value);
    const said = own(value, "message");
    const what = said && typeof said.value === "string" ? said.value : "";
    return what === "" ? name(of) : name(of) + ": " + what;
  };
  addEventListener("error", (event) => {
    if (!event.isTrusted) return;
    try {
      say("MARK[" + quote(message(event)) + "," + quote(file(event)) + "," + line(event) + "," + column(event) + "," + (thrown(event) === null) + "," + when(event) + "]");
    } catch { /* an event of another kind, which tells of no error */ }
  });
  addEventListener("unhandledrejection", (event) => {
    if (!event.isTrusted) return;
    try {
      say("MARK[" + quote("Uncaught (in promise) " + words(reason(event))) + ",\"\",0,0,false," + when(event) + "]");
    } catch { /* as above */ }
  });
})();
