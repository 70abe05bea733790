// lock makes the language's own objects unchangeable as far as well-meant code does not notice: their members cannot be replaced. New
// ones can be added, but not to Object.prototype, whose members reach every object. What objects are commonly given of their own
// stays as it is (a read-only member of a prototype cannot be assigned in what inherits from it), as do Date and Math, which
// tests replace, and the console.
function lock() {
  const left = new Set([globalThis, console, Math, Date])
  const kept = new Set(['toString', 'toLocaleString', 'valueOf', 'toJSON', 'constructor', 'name', 'message', 'stack', 'cause'])
  const seen = new Set()
  const visit = (o) => {
    if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o) || left.has(o)) return
    seen.add(o)
    visit(Reflect.getPrototypeOf(o))
    for (const key of Reflect.ownKeys(o)) {
      const d = Reflect.getOwnPropertyDescriptor(o, key)
      if ('value' in d) {
        visit(d.value)
      } else {
        visit(d.get)
        visit(d.set)
      }
      if (!d.configurable || kept.has(key) || o === Object.prototype) continue
      if (o.prototype === undefined || key !== 'length') Reflect.defineProperty(o, key, 'value' in d ? { configurable: false, writable: false } : { configurable: false })
    }
  }
  for (const key of Reflect.ownKeys(globalThis)) {
    const d = Reflect.getOwnPropertyDescriptor(globalThis, key)
    visit(d.value)
    if (d.configurable && !left.has(d.value)) Reflect.defineProperty(globalThis, key, { configurable: false, writable: false })
  }
  const hidden = [
    [][Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), ''[Symbol.iterator](), 'a'.matchAll(/a/g),
    function* () {}, async function () {}, async function* () {}, function* () {}.prototype, async function* () {}.prototype,
  ]
  for (const o of hidden) visit(Reflect.getPrototypeOf(o))
  Object.preventExtensions(Object.prototype)
}
