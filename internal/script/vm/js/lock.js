// lock makes the language's own objects unchangeable as far as well-meant code does not notice: their members cannot be replaced. New
// ones can be added, but not to Object.prototype, whose members reach every object. What objects are commonly given of their own
// stays as it is (a read-only member of a prototype cannot be assigned in what inherits from it): toString, name, the constructor of
// errors. So do Date and Math, which tests replace, and the console.
function lock() {
  const left = [globalThis, console, Math, Date]
  const kept = ['toString', 'toLocaleString', 'valueOf', 'toJSON', 'name', 'message', 'stack', 'cause']
  const hidden = [
    [][Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), ''[Symbol.iterator](), 'a'.matchAll(/a/g),
    function* () {}, async function () {}, async function* () {}, function* () {}.prototype, async function* () {}.prototype,
  ].map((o) => Object.getPrototypeOf(o))
  native.lock(globalThis, Object.prototype, Error.prototype, left, kept, hidden)
  Object.preventExtensions(Object.prototype)
}
