// lock makes the language's own objects unchangeable as far as well-meant code does not notice: their members cannot be replaced. New
// ones can be added, but not to Object.prototype, whose members reach every object. What objects are commonly given of their own
// stays as it is (a read-only member of a prototype cannot be assigned in what inherits from it): toString, name, the constructor of
// errors. So do Date and Math, which tests replace, and the console.
function lock() {
  const left = new Set([globalThis, console, Math, Date])
  const kept = new Set(['toString', 'toLocaleString', 'valueOf', 'toJSON', 'name', 'message', 'stack', 'cause'])
  const seen = new Set()
  const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys, defineProperty } = Reflect
  const readOnly = { __proto__: null, configurable: false, writable: false }
  const fixed = { __proto__: null, configurable: false }
  const visit = (o) => {
    if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o) || left.has(o)) return
    seen.add(o)
    if (o === Object.prototype) return
    visit(getPrototypeOf(o))
    for (const key of ownKeys(o)) {
      const d = getOwnPropertyDescriptor(o, key)
      const v = d.value
      // A function that makes no objects has nothing of its own but name and length.
      if (typeof v === 'object' || typeof v === 'function' && Object.hasOwn(v, 'prototype')) visit(v)
      if (d.configurable && !kept.has(key) && (key !== 'constructor' || o !== Error.prototype && !(o instanceof Error))) defineProperty(o, key, d.get === undefined && d.set === undefined ? readOnly : fixed)
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
