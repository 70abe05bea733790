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

function shows(T, f) {
  define(T.prototype, custom, f)
}
shows(URL, function () {
  const all = {}
  for (const name of parts) all[name] = this[name]
  return 'URL ' + inspect({ ...all, searchParams: this.searchParams })
})
shows(URLSearchParams, function () {
  const list = [...this].map(([name, value]) => quote(name) + ' => ' + quote(value))
  return list.length === 0 ? 'URLSearchParams {}' : 'URLSearchParams { ' + list.join(', ') + ' }'
})
shows(AbortSignal, function () {
  return 'AbortSignal { aborted: ' + this.aborted + ' }'
})
shows(AbortController, function () {
  return 'AbortController { signal: ' + inspect(this.signal) + ' }'
})

// The engine has no Intl: numbers are written as in en-US, whatever the locale.
define(Number.prototype, 'toLocaleString', function (locale, options = {}) {
  const n = Number(this)
  if (!Number.isFinite(n)) return Number.isNaN(n) ? 'NaN' : n < 0 ? '-∞' : '∞'
  const least = Number(options.minimumFractionDigits) || 0
  const digits = options.maximumFractionDigits === undefined ? Math.max(3, least) : Number(options.maximumFractionDigits)
  let [whole, fraction = ''] = n.toFixed(Math.min(100, digits)).split('.')
  while (fraction.length > least && fraction.endsWith('0')) fraction = fraction.slice(0, -1)
  if (options.useGrouping !== false && !whole.includes('e')) whole = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === '' ? whole : whole + '.' + fraction
})

return {
  setFacade(f) {
    install = f
  },
  lock, begin, start, finish, settle, event, rejected, fire, describe, save, cancel, unawaited,
}
