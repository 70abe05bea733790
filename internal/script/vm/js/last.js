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

// The engine has no Intl: numbers and times are written as in en-US, and whoever wants them otherwise is told.
function onlyEnglish(what, locale, options, known) {
  const unknown = Object.keys(options ?? {}).filter((name) => options[name] !== undefined && !known.includes(name))
  if (unknown.length === 0 && (locale === undefined || /^en(-US)?$/.test(String(locale)))) return
  noIntl(what + (unknown.length > 0 ? ' with ' + unknown.join(', ') : ' for ' + String(locale)))
}
function noIntl(what) {
  throw new TypeError(what + ' is not there: the engine of this code has no Intl. Let the page do it: await page.evaluate((time) => new Date(time).toLocaleDateString("de-DE"), Date.now())')
}
const Intl = {}
for (const name of ['Collator', 'DateTimeFormat', 'DisplayNames', 'ListFormat', 'Locale', 'NumberFormat', 'PluralRules', 'RelativeTimeFormat', 'Segmenter']) {
  Object.defineProperty(Intl, name, { get: () => noIntl('Intl.' + name), configurable: true })
}
define(globalThis, 'Intl', Intl)
for (const [name, format] of [['toLocaleDateString', (t) => dayOf(t)], ['toLocaleTimeString', (t) => timeOf(t)], ['toLocaleString', (t) => dayOf(t) + ', ' + timeOf(t)]]) {
  define(Date.prototype, name, function (locale, options) {
    onlyEnglish(name, locale, options, [])
    return Number.isNaN(this.getTime()) ? 'Invalid Date' : format(this)
  })
}
for (const name of ['toString', 'toTimeString']) {
  const write = Date.prototype[name]
  define(Date.prototype, name, function () {
    const text = write.call(this)
    return text === 'Invalid Date' ? text : text + ' (' + native.zone(String(this.getTime())) + ')'
  })
}
function dayOf(t) {
  return t.getMonth() + 1 + '/' + t.getDate() + '/' + t.getFullYear()
}
function timeOf(t) {
  const two = (n) => String(n).padStart(2, '0')
  return (t.getHours() % 12 || 12) + ':' + two(t.getMinutes()) + ':' + two(t.getSeconds()) + (t.getHours() < 12 ? ' AM' : ' PM')
}
define(Number.prototype, 'toLocaleString', function (locale, options = {}) {
  onlyEnglish('toLocaleString', locale, options, ['minimumFractionDigits', 'maximumFractionDigits', 'useGrouping'])
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
