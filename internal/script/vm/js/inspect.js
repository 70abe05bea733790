// Values as text, in the form of Node's util.inspect. No getter is called, and a proxy is not asked.

const lineWidth = 76
const most = { depth: 2, items: 100, text: 10000, total: 1 << 20 }

function inspect(v, options = {}) {
  const state = { depth: most.depth, seen: [], circular: new Map(), size: 0, ...options }
  return inspectValue(v, state, 0, 0)
}

function inspectLine(v) {
  try {
    return typeof v === 'string' ? v : inspect(v)
  } catch (e) {
    return '[a value that cannot be shown]'
  }
}

function quote(s) {
  const q = !s.includes("'") ? "'" : !s.includes('"') ? '"' : !s.includes('`') && !s.includes('${') ? '`' : "'"
  const escapes = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f', '\v': '\\v', '\\': '\\\\', [q]: '\\' + q }
  return q + s.replace(/[\x00-\x1f\x7f-\x9f\\'"`]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (c) => {
    if (escapes[c] !== undefined) return escapes[c]
    if (c === "'" || c === '"' || c === '`') return c
    const code = c.charCodeAt(0)
    return code < 256 ? '\\x' + code.toString(16).toUpperCase().padStart(2, '0') : '\\u' + code.toString(16).toUpperCase()
  }) + q
}

function inspectString(s) {
  let rest = ''
  if (s.length > most.text) {
    rest = '... ' + (s.length - most.text) + ' more character' + (s.length - most.text > 1 ? 's' : '')
    s = s.slice(0, most.text)
  }
  return quote(s) + rest
}

function inspectPrimitive(v) {
  switch (typeof v) {
    case 'string':
      return inspectString(v)
    case 'number':
      return Object.is(v, -0) ? '-0' : String(v)
    case 'bigint':
      return v + 'n'
    case 'symbol':
      return Symbol.prototype.toString.call(v)
  }
  return String(v)
}

function constructorName(o) {
  for (let p = o; p !== null; p = Object.getPrototypeOf(p)) {
    const d = Object.getOwnPropertyDescriptor(p, 'constructor')
    if (d !== undefined && typeof d.value === 'function' && d.value.name !== '') {
      const name = Object.getOwnPropertyDescriptor(d.value, 'name')
      if (name !== undefined && typeof name.value === 'string') return name.value
    }
  }
  return null
}

function tagOf(o, name) {
  for (let p = o; p !== null; p = Object.getPrototypeOf(p)) {
    const d = Object.getOwnPropertyDescriptor(p, Symbol.toStringTag)
    if (d !== undefined) return typeof d.value === 'string' && d.value !== '' && d.value !== name ? ' [' + d.value + ']' : ''
  }
  return ''
}

function prefixOf(o, fallback, size) {
  const name = constructorName(o)
  const count = size === undefined ? '' : '(' + size + ')'
  if (name === null) return '[' + fallback + count + ': null prototype]' + tagOf(o, fallback) + ' '
  return name + count + tagOf(o, name) + ' '
}

const sizeOfMap = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get
const sizeOfSet = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get
const lengthOfBuffer = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get
const typedArray = Object.getPrototypeOf(Uint8Array)
const tagOfTyped = Object.getOwnPropertyDescriptor(typedArray.prototype, Symbol.toStringTag).get
const sourceOfRegExp = RegExp.prototype.toString

const kinds = new Map()
for (const [kind, ...samples] of [
  ['Object', {}], ['Array', []], ['Function', () => {}, async () => {}, function* () {}, async function* () {}, Map, Reflect.get, (() => {}).bind(null), class {}],
  ['Error', new Error()], ['Map', new Map()], ['Set', new Set()], ['Date', new Date()], ['RegExp', /a/], ['Promise', Promise.resolve()],
  ['ArrayBuffer', new ArrayBuffer(0), new SharedArrayBuffer(0)], ['DataView', new DataView(new ArrayBuffer(0))], ['Proxy', new Proxy({}, {})],
  ['TypedArray', ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array].map((T) => new T())],
  ...[String, Number, Boolean].map((T) => [T.name, new T()]), ['BigInt', Object(0n)], ['Symbol', Object(Symbol())],
]) {
  for (const sample of samples) kinds.set(native.classOf(sample), kind)
}

// kindOf names what an object is inside, whatever its prototype says. A function in a proxy is a proxy.
function kindOf(o) {
  return kinds.get(native.classOf(o)) || 'Object'
}

const custom = Symbol.for('nodejs.util.inspect.custom')

// customOf returns the method with which an object shows itself, as in Node. It calls no getter.
function customOf(o) {
  for (; o !== null && kindOf(o) !== 'Proxy'; o = Object.getPrototypeOf(o)) {
    const d = Object.getOwnPropertyDescriptor(o, custom)
    if (d !== undefined) return typeof d.value === 'function' ? d.value : undefined
  }
  return undefined
}

function inspectValue(v, state, level, indent) {
  if ((typeof v !== 'object' && typeof v !== 'function') || v === null) return inspectPrimitive(v)
  if (state.seen.includes(v)) {
    if (!state.circular.has(v)) state.circular.set(v, state.circular.size + 1)
    return '[Circular *' + state.circular.get(v) + ']'
  }
  if (state.size > most.total) return '[…]'
  const kind = kindOf(v)
  if (kind === 'Proxy') return '[Proxy]'
  const own = customOf(v)
  if (own !== undefined && level <= state.depth) {
    const shown = Reflect.apply(own, v, [state.depth - level, { depth: state.depth - level }, inspect])
    if (shown !== v) return typeof shown === 'string' ? shown.replaceAll('\n', '\n' + ' '.repeat(indent)) : inspectValue(shown, state, level, indent)
  }
  let keys = Reflect.ownKeys(v).filter((k) => {
    const d = Object.getOwnPropertyDescriptor(v, k)
    return d !== undefined && d.enumerable
  })
  let open = '{'
  let close = '}'
  let prefix = ''
  let base = ''
  let entries = () => []
  switch (kind) {
    case 'Array':
      open = '['
      close = ']'
      prefix = constructorName(v) === 'Array' && tagOf(v, 'Array') === '' ? '' : prefixOf(v, 'Array', v.length)
      keys = keys.filter((k) => typeof k === 'symbol' || !isIndex(k))
      entries = () => inspectItems(v, state, level, indent)
      break
    case 'TypedArray':
      open = '['
      close = ']'
      prefix = prefixOf(v, tagOfTyped.call(v), v.length)
      keys = keys.filter((k) => typeof k === 'symbol' || !isIndex(k))
      entries = () => inspectItems(v, state, level, indent)
      if (constructorName(v) === 'Buffer') {
        const bytes = Array.from(Uint8Array.prototype.subarray.call(v, 0, 50), (b) => b.toString(16).padStart(2, '0'))
        return '<Buffer' + bytes.map((b) => ' ' + b).join('') + (v.length > 50 ? ' ... ' + (v.length - 50) + ' more byte' + (v.length > 51 ? 's' : '') : '') + '>'
      }
      break
    case 'Map':
      prefix = prefixOf(v, 'Map', sizeOfMap.call(v))
      entries = () => limited([...Map.prototype.entries.call(v)], (e) => inspectValue(e[0], state, level + 1, indent + 2) + ' => ' + inspectValue(e[1], state, level + 1, indent + 2))
      break
    case 'Set':
      prefix = prefixOf(v, 'Set', sizeOfSet.call(v))
      entries = () => limited([...Set.prototype.values.call(v)], (e) => inspectValue(e, state, level + 1, indent + 2))
      break
    case 'Function':
      base = inspectFunction(v)
      break
    case 'RegExp':
      base = sourceOfRegExp.call(v)
      break
    case 'Date':
      base = Number.isNaN(Date.prototype.getTime.call(v)) ? 'Invalid Date' : Date.prototype.toISOString.call(v)
      break
    case 'Error':
      base = inspectError(v)
      keys = keys.filter((k) => k !== 'name' && k !== 'message' && k !== 'stack')
      if (Object.hasOwn(v, 'cause') && !keys.includes('cause')) keys.push('cause')
      break
    case 'ArrayBuffer':
      prefix = prefixOf(v, 'ArrayBuffer')
      entries = () => ['byteLength: ' + lengthOfBuffer.call(v)]
      break
    case 'Promise':
      prefix = prefixOf(v, 'Promise')
      entries = () => [promiseText(v, state, level, indent)]
      break
    case 'String':
    case 'Number':
    case 'Boolean':
    case 'BigInt':
    case 'Symbol':
      base = '[' + kind + ': ' + inspectPrimitive(globalThis[kind].prototype.valueOf.call(v)) + ']'
      keys = keys.filter((k) => typeof k === 'symbol' || !isIndex(k))
      break
    default:
      prefix = prefixOf(v, 'Object')
      if (prefix === 'Object ') prefix = ''
  }
  if (base !== '' && keys.length === 0) return base
  if (level > state.depth) return '[' + (prefixOf(v, 'Object').trimEnd() || 'Object').replace(/\(\d+\)$/, '') + ']'
  state.seen.push(v)
  const output = entries()
  for (const k of keys) output.push(inspectProperty(v, k, state, level, indent))
  state.seen.pop()
  if (state.circular.has(v)) prefix = '<ref *' + state.circular.get(v) + '> ' + prefix
  if (base !== '') prefix += base + ' '
  if (output.length === 0) return prefix + open + close
  const text = reduce(output, prefix, open, close, indent, kind === 'Array' || kind === 'TypedArray', v)
  state.size += text.length
  return text
}

function isIndex(k) {
  return /^(0|[1-9][0-9]*)$/.test(k)
}

function limited(list, show) {
  const output = list.slice(0, most.items).map(show)
  if (list.length > most.items) output.push('... ' + (list.length - most.items) + ' more item' + (list.length - most.items > 1 ? 's' : ''))
  return output
}

function inspectItems(v, state, level, indent) {
  const output = []
  let i = 0
  const length = v.length
  for (; i < length && output.length < most.items; i++) {
    if (!Object.hasOwn(v, i)) {
      let n = 1
      while (i + n < length && n < 1e6 && !Object.hasOwn(v, i + n)) n++
      output.push('<' + n + ' empty item' + (n > 1 ? 's' : '') + '>')
      i += n - 1
      continue
    }
    output.push(inspectDescriptor(Object.getOwnPropertyDescriptor(v, i), state, level, indent))
  }
  if (i < length) output.push('... ' + (length - i) + ' more item' + (length - i > 1 ? 's' : ''))
  return output
}

function inspectDescriptor(d, state, level, indent) {
  if (d === undefined) return 'undefined'
  if ('value' in d) return inspectValue(d.value, state, level + 1, indent + 2)
  return d.get === undefined ? '[Setter]' : d.set === undefined ? '[Getter]' : '[Getter/Setter]'
}

function inspectProperty(o, key, state, level, indent) {
  const d = Object.getOwnPropertyDescriptor(o, key)
  const name = typeof key === 'symbol' ? '[' + key.toString() + ']' : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key)
  return (d !== undefined && !d.enumerable ? '[' + name + ']' : name) + ': ' + inspectDescriptor(d, state, level, indent)
}

function inspectFunction(f) {
  const source = Function.prototype.toString.call(f)
  const name = Object.getOwnPropertyDescriptor(f, 'name')
  const label = name !== undefined && typeof name.value === 'string' ? name.value : ''
  if (source.startsWith('class')) {
    const parent = Object.getPrototypeOf(f)
    const above = typeof parent === 'function' && parent.name ? ' extends ' + parent.name : ''
    return '[class ' + (label || '(anonymous)') + above + ']'
  }
  const kind = constructorName(f) || 'Function'
  return '[' + kind + (label === '' ? ' (anonymous)' : ': ' + label) + ']'
}

function inspectError(e) {
  const text = (key) => {
    try {
      const v = e[key]
      return typeof v === 'string' ? v : ''
    } catch {
      return ''
    }
  }
  const name = text('name') || 'Error'
  const message = text('message')
  const head = message === '' ? name : name + ': ' + message
  const stack = native.codeFrames(text('stack'))
  return stack === '' ? '[' + head + ']' : head + '\n' + stack
}

function promiseText(p, state, level, indent) {
  const [kind, v] = native.promise(p)
  if (kind === 0) return '<pending>'
  return (kind === 2 ? '<rejected> ' : '') + inspectValue(v, state, level + 1, indent + 2)
}

// reduce puts the parts of an object in one line if they fit, and into columns if they are many numbers or short texts.
function reduce(output, prefix, open, close, indent, isArray, v) {
  const before = prefix + open
  if (isArray && output.length > 6) output = grouped(output, v)
  const flat = output.every((o) => !o.includes('\n'))
  const total = output.reduce((n, o) => n + o.length + 2, 0) + before.length
  const nested = output.reduce((n, o) => Math.max(n, depthOf(o)), 0)
  if (flat && total + output.length <= lineWidth + 4 && nested < 3 && !output.grouped) return before + ' ' + output.join(', ') + ' ' + close
  const pad = '\n' + ' '.repeat(indent + 2)
  return before + pad + output.join(',' + pad) + '\n' + ' '.repeat(indent) + close
}

function depthOf(text) {
  return text.startsWith('{') || text.startsWith('[ ') ? 1 : 0
}

// grouped puts the items of a long array into columns.
function grouped(output, v) {
  let items = output
  const last = output[output.length - 1]
  const more = last.startsWith('... ') && last.includes(' more item')
  if (more) items = output.slice(0, -1)
  const longest = Math.max(...items.map((i) => i.length)) + 2
  const total = items.reduce((n, i) => n + i.length + 2, 0)
  if (items.some((i) => i.includes('\n')) || longest * 3 >= 80 || total / longest <= 5 && longest > 8) return output
  const width = Math.max(longest - 3 - Math.sqrt(longest - total / output.length), 1)
  const columns = Math.min(Math.round(Math.sqrt(2.5 * width * items.length) / width), Math.floor(80 / longest), 12, 15)
  if (columns <= 1) return output
  const widths = []
  for (let c = 0; c < columns; c++) {
    let w = 0
    for (let i = c; i < items.length; i += columns) w = Math.max(w, items[i].length)
    widths.push(w + 2)
  }
  const numeric = items.every((i, n) => typeof v[n] === 'number' || typeof v[n] === 'bigint')
  const rows = []
  for (let i = 0; i < items.length; i += columns) {
    const row = items.slice(i, i + columns)
    rows.push(row.map((item, c) => {
      const end = c === row.length - 1
      const cell = end ? item : item + ', '
      if (numeric) return cell.padStart(widths[c] - (end ? 2 : 0))
      return end ? cell : cell.padEnd(widths[c])
    }).join(''))
  }
  if (more) rows.push(last)
  rows.grouped = true
  return rows
}

// format is the text of the arguments of console.log.
function format(...args) {
  let text = ''
  let used = 0
  if (typeof args[0] === 'string' && args.length > 1) {
    used = 1
    text = args[0].replace(/%([sdifjoOc%])/g, (whole, kind) => {
      if (kind === '%') return '%'
      if (used >= args.length) return whole
      const v = args[used++]
      switch (kind) {
        case 's':
          return typeof v === 'string' ? v : (typeof v === 'object' && v !== null) ? inspect(v, { depth: 0 }) : inspectPrimitiveOrFunction(v)
        case 'd':
          return typeof v === 'bigint' ? v + 'n' : typeof v === 'symbol' || typeof v === 'object' && v !== null ? 'NaN' : inspectPrimitive(Number(v))
        case 'i':
          return typeof v === 'bigint' ? v + 'n' : typeof v === 'symbol' || typeof v === 'object' && v !== null ? 'NaN' : inspectPrimitive(parseInt(v))
        case 'f':
          return typeof v === 'symbol' ? 'NaN' : inspectPrimitive(parseFloat(v))
        case 'j':
          try {
            return String(JSON.stringify(v))
          } catch {
            return '[Circular]'
          }
        case 'o':
          return inspect(v, { depth: 4 })
        case 'O':
          return inspect(v)
      }
      return '' // %c, a style
    })
  }
  const rest = args.slice(used).map((v) => (typeof v === 'string' ? v : inspect(v)))
  return (used > 0 ? [text, ...rest] : rest).join(' ')
}

function inspectPrimitiveOrFunction(v) {
  return typeof v === 'function' ? inspectFunction(v) : inspectPrimitive(v)
}
