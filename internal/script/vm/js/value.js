// Returned and displayed values.

const deepest = 100 // levels of a value that has cycles, or members that throw
const mostText = 16 << 20

// plain converts what JSON has no form for. It is JSON.stringify's replacer.
function plain(key, v) {
  const original = this[key]
  switch (typeof v) {
    case 'bigint':
      return String(v)
    case 'symbol':
      return v.toString()
    case 'object':
      if (v === null || Array.isArray(v)) return v
      break
    default:
      return v
  }
  if (original !== v) return v // it has a toJSON
  switch (kindOf(v)) {
    case 'Map':
      return [...Map.prototype.entries.call(v)]
    case 'Set':
      return [...Set.prototype.values.call(v)]
    case 'RegExp':
      return sourceOfRegExp.call(v)
    case 'Error':
      return { name: String(v.name), message: String(v.message), ...v }
    case 'TypedArray':
      return Array.from(v)
    case 'ArrayBuffer':
      return Array.from(new Uint8Array(v))
  }
  return v
}

// careful makes a plain copy of a value of which JSON.stringify made nothing.
function careful(v, seen) {
  if (typeof v === 'function') return '[Function]'
  if (typeof v !== 'object' || v === null) return plain.call({ v }, 'v', v)
  if (seen.includes(v)) return '[Circular]'
  if (seen.length >= deepest) return '[…]'
  const below = [...seen, v]
  const read = (o, key) => {
    try {
      return careful(o[key], below)
    } catch (e) {
      return '[threw ' + inspectLine(e).split('\n', 1)[0] + ']'
    }
  }
  try {
    const kind = kindOf(v)
    if (kind === 'Date') return Number.isNaN(Date.prototype.getTime.call(v)) ? null : Date.prototype.toISOString.call(v)
    if (kind === 'Map' || kind === 'Set') return (kind === 'Map' ? [...Map.prototype.entries.call(v)] : [...Set.prototype.values.call(v)]).map((e) => careful(e, below))
    if (kind !== 'Array' && kind !== 'Object' && kind !== 'Proxy' && kind !== 'Error') return plain.call({ v }, 'v', v)
    if (Array.isArray(v)) return Array.from({ length: v.length }, (_, i) => read(v, i))
    const copy = { __proto__: null }
    if (kind === 'Error') {
      copy.name = read(v, 'name')
      copy.message = read(v, 'message')
    }
    for (const key of Object.keys(v)) {
      const member = read(v, key)
      if (member !== undefined) copy[key] = member
    }
    return copy
  } catch (e) {
    return '[threw ' + inspectLine(e).split('\n', 1)[0] + ']'
  }
}

function stringify(v, space) {
  let text
  try {
    text = JSON.stringify(v, plain, space)
    if (text !== undefined && !native.isJSON(text)) text = undefined
  } catch (e) {
    if (native.isOutOfMemory(e)) throw e
  }
  if (text === undefined) text = JSON.stringify(careful(v, []), undefined, space)
  if (text.length > mostText) throw tooLarge(text.length)
  return text
}

function tooLarge(length) {
  return new RangeError('the value has ' + Math.ceil(length / (1 << 20)) + ' MB of text, more than the limit of ' + (mostText >> 20) + ' MB')
}

// jsonOf returns the JSON of a value that is not undefined.
function jsonOf(v) {
  if (typeof v === 'function' || typeof v === 'symbol') return JSON.stringify(cut(String(v), 65536))
  if (typeof v === 'string' && v.length > mostText) throw tooLarge(v.length)
  return stringify(v)
}

// textOf returns a value as text: strings and what is no object as they are, the rest as JSON over several lines.
function textOf(v) {
  switch (typeof v) {
    case 'string':
      if (v.length > mostText) throw tooLarge(v.length)
      return v
    case 'object':
      if (v !== null) return stringify(v, 2)
  }
  return cut(String(v), 65536)
}

// display shows a value to the agent: an image as { type: 'image', data, mimeType }, a string as text, all else as JSON.
function display(v) {
  if (typeof v === 'object' && v !== null && v.type === 'image' && v.data !== undefined) {
    const data = typeof v.data === 'string' ? v.data : toBase64(v.data)
    native.output('image', '', data.replace(/^data:[^,]*,/, ''), String(v.mimeType || 'image/png'))
    return
  }
  native.output(typeof v === 'object' && v !== null ? 'json' : 'text', '', textOf(v), '')
}

function toBase64(bytes) {
  return native.encode('base64', bytesOf(bytes))
}

// bytesOf returns an ArrayBuffer with the bytes of a buffer or of a view of one.
function bytesOf(v) {
  if (ArrayBuffer.isView(v)) {
    return v.byteLength === v.buffer.byteLength ? v.buffer : v.buffer.slice(v.byteOffset, v.byteOffset + v.byteLength)
  }
  if (kindOf(v) === 'ArrayBuffer') return v
  throw new TypeError('bytes must be a Uint8Array, a Buffer, an ArrayBuffer, or a view of one')
}
