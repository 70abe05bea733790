function setGlobals(members) {
  for (const name of Object.keys(members)) define(globalThis, name, members[name])
}

setGlobals({
  console, setTimeout, setInterval, setImmediate, clearTimeout, clearInterval: clearTimeout, clearImmediate: clearTimeout, queueMicrotask,
  DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController, TextEncoder, TextDecoder, btoa, atob, Buffer, URL, URLSearchParams,
  structuredClone, crypto, performance,
})
if (Array.fromAsync === undefined) define(Array, 'fromAsync', (items, map, self) => fromAsync(items, map, self))
for (const T of [DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController, TextEncoder, TextDecoder, URL, URLSearchParams]) {
  Object.defineProperty(T.prototype, Symbol.toStringTag, { value: T.name, configurable: true })
}

return {
  setFacade(f) {
    install = f
  },
  lock, begin, start, finish, settle, event, rejected, fire, describe,
}
