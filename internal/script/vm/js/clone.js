// structuredClone, and what else the web platform and Node have and the language lacks.

const errorTypes = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }

function structuredClone(v, options) {
  if (arguments.length === 0) throw new TypeError('structuredClone needs a value')
  const moved = options && options.transfer ? [...options.transfer] : []
  for (const b of moved) {
    if (typeof b !== 'object' || b === null || kindOf(b) !== 'ArrayBuffer') throw uncloneable(b)
  }
  const seen = new Map()
  const copy = cloneValue(v, seen, moved)
  for (const b of moved) {
    if (!seen.has(b)) b.transfer()
  }
  return copy
}

function uncloneable(v) {
  return new DOMException(cut(inspectLine(v), 100) + ' could not be cloned', 'DataCloneError')
}

function cloneValue(v, seen, moved) {
  if (typeof v === 'symbol' || typeof v === 'function') throw uncloneable(v)
  if (typeof v !== 'object' || v === null) return v
  if (seen.has(v)) return seen.get(v)
  const keep = (copy) => {
    seen.set(v, copy)
    return copy
  }
  const clone = (x) => cloneValue(x, seen, moved)
  switch (kindOf(v)) {
    case 'Boolean':
    case 'Number':
    case 'String':
    case 'BigInt':
      return keep(Object(v.valueOf()))
    case 'Date':
      return keep(new Date(Date.prototype.getTime.call(v)))
    case 'RegExp':
      return keep(new RegExp(v.source, v.flags))
    case 'ArrayBuffer':
      return keep(moved.includes(v) ? v.transfer() : v.slice(0))
    case 'TypedArray': {
      const T = globalThis[tagOfTyped.call(v)]
      const { byteOffset, length } = v
      return keep(new T(clone(v.buffer), byteOffset, length))
    }
    case 'DataView': {
      const { byteOffset, byteLength } = v
      return keep(new DataView(clone(v.buffer), byteOffset, byteLength))
    }
    case 'Map': {
      const copy = keep(new Map())
      for (const [key, x] of [...Map.prototype.entries.call(v)]) copy.set(clone(key), clone(x))
      return copy
    }
    case 'Set': {
      const copy = keep(new Set())
      for (const x of [...Set.prototype.values.call(v)]) copy.add(clone(x))
      return copy
    }
    case 'Error': {
      const T = errorTypes[v.name] || Error
      const copy = keep(new T(String(v.message)))
      if (v.stack !== undefined) define(copy, 'stack', String(v.stack))
      if (Object.hasOwn(v, 'cause')) define(copy, 'cause', clone(v.cause))
      return copy
    }
    case 'Array': {
      const copy = keep(new Array(v.length))
      for (const key of Object.keys(v)) copy[key] = clone(v[key])
      return copy
    }
    case 'Proxy':
    case 'Promise':
    case 'Symbol':
      throw uncloneable(v)
  }
  if (v instanceof WeakMap || v instanceof WeakSet || v instanceof WeakRef) throw uncloneable(v)
  const copy = keep({})
  for (const key of Object.keys(v)) Object.defineProperty(copy, key, { value: clone(v[key]), writable: true, enumerable: true, configurable: true })
  return copy
}

const crypto = {
  randomUUID() {
    const b = new Uint8Array(native.random(16))
    b[6] = b[6] & 0x0f | 0x40
    b[8] = b[8] & 0x3f | 0x80
    const h = native.encode('hex', b.buffer)
    return [h.slice(0, 8), h.slice(8, 12), h.slice(12, 16), h.slice(16, 20), h.slice(20)].join('-')
  },
  getRandomValues(array) {
    const kind = typeof array === 'object' && array !== null ? tagOfTyped.call(array) : undefined
    if (kind === undefined || kind.startsWith('Float')) throw new DOMException('getRandomValues takes an array of integers', 'TypeMismatchError')
    if (array.byteLength > 65536) throw new DOMException('getRandomValues gives at most 65536 bytes', 'QuotaExceededError')
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(new Uint8Array(native.random(array.byteLength)))
    return array
  },
}

const performance = { now: () => native.now(), timeOrigin: Date.now() - native.now() }

async function fromAsync(items, map, self) {
  const list = []
  let i = 0
  const add = async (v) => {
    list.push(map === undefined ? v : await Reflect.apply(map, self, [v, i]))
    i++
  }
  if (items[Symbol.asyncIterator] !== undefined || items[Symbol.iterator] !== undefined) {
    for await (const v of items) await add(v)
  } else {
    for (let n = 0; n < items.length; n++) await add(await items[n])
  }
  return list
}
