// Text, bytes and base64.

class TextEncoder {
  get encoding() {
    return 'utf-8'
  }
  encode(text = '') {
    return new Uint8Array(native.decode('utf8', String(text)))
  }
  encodeInto(text, into) {
    let read = 0
    let written = 0
    for (const c of String(text)) {
      const bytes = this.encode(c)
      if (written + bytes.length > into.length) break
      into.set(bytes, written)
      written += bytes.length
      read += c.length
    }
    return { read, written }
  }
}

const labels = new Map()
for (const [encoding, ...names] of [
  ['utf-8', 'utf-8', 'utf8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8'],
  ['utf-16le', 'utf-16le', 'utf-16', 'ucs-2', 'unicode', 'iso-10646-ucs-2', 'csunicode', 'unicodefeff'],
  ['windows-1252', 'windows-1252', 'latin1', 'iso-8859-1', 'iso8859-1', 'iso88591', 'iso_8859-1', 'ascii', 'us-ascii', 'cp1252', 'x-cp1252', 'l1', 'ansi_x3.4-1968', 'cp819', 'csisolatin1', 'ibm819', 'iso-ir-100', 'iso_8859-1:1987'],
]) {
  for (const name of names) labels.set(name, encoding)
}

class TextDecoder {
  #encoding
  #fatal
  #ignoreBOM
  #rest = new Uint8Array(0)
  #begun = false
  constructor(label = 'utf-8', options = {}) {
    this.#encoding = labels.get(String(label).trim().toLowerCase())
    if (this.#encoding === undefined) throw new RangeError('there is no encoding "' + label + '": use utf-8, utf-16le or latin1')
    this.#fatal = Boolean(options && options.fatal)
    this.#ignoreBOM = Boolean(options && options.ignoreBOM)
  }
  get encoding() {
    return this.#encoding
  }
  get fatal() {
    return this.#fatal
  }
  get ignoreBOM() {
    return this.#ignoreBOM
  }
  decode(input, options = {}) {
    let bytes = input === undefined ? new Uint8Array(0) : new Uint8Array(bytesOf(input))
    if (this.#rest.length > 0) {
      const both = new Uint8Array(this.#rest.length + bytes.length)
      both.set(this.#rest)
      both.set(bytes, this.#rest.length)
      bytes = both
    }
    const stream = Boolean(options && options.stream)
    const keep = stream ? incomplete(bytes, this.#encoding) : 0
    this.#rest = bytes.slice(bytes.length - keep)
    if (keep > 0) bytes = bytes.slice(0, bytes.length - keep)
    const [text, valid] = native.read(this.#encoding, bytesOf(bytes))
    if (!valid && this.#fatal) {
      this.#rest = new Uint8Array(0)
      throw new TypeError('the bytes are not valid ' + this.#encoding)
    }
    const first = !this.#begun
    if (bytes.length > 0) this.#begun = true
    if (!stream) this.#begun = false
    return first && !this.#ignoreBOM && text.startsWith('\ufeff') && this.#encoding !== 'windows-1252' ? text.slice(1) : text
  }
}

// incomplete is how many bytes at the end begin a character that is not whole.
function incomplete(bytes, encoding) {
  const n = bytes.length
  if (encoding === 'utf-16le') {
    const odd = n % 2
    const high = n >= 2 + odd ? bytes[n - odd - 1] : 0
    return high >= 0xd8 && high <= 0xdb ? odd + 2 : odd
  }
  if (encoding !== 'utf-8') return 0
  for (let back = 1; back <= Math.min(3, n); back++) {
    const b = bytes[n - back]
    if (b >= 0x80 && b < 0xc0) continue
    const length = b >= 0xf0 && b < 0xf5 ? 4 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xc2 && b < 0xe0 ? 2 : 1
    return back < length && native.read('utf-8', bytes.slice(n - back).buffer)[0].length === 1 ? back : 0
  }
  return 0
}

function btoa(text) {
  const s = String(text)
  if (/[^\x00-\xff]/.test(s)) throw new DOMException('btoa takes characters up to U+00FF only', 'InvalidCharacterError')
  return native.encode('base64', native.decode('latin1', s))
}

function atob(text) {
  let s = String(text).replace(/[\t\n\f\r ]/g, '')
  if (s.length % 4 === 0) s = s.replace(/={1,2}$/, '')
  if (s.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(s)) throw new DOMException('the text is not base64', 'InvalidCharacterError')
  return native.encode('latin1', native.decode('base64', s))
}

const bufferEncodings = new Map([['utf8', 'utf8'], ['utf-8', 'utf8'], ['hex', 'hex'], ['base64', 'base64'], ['base64url', 'base64url'], ['latin1', 'latin1'], ['binary', 'latin1'], ['ascii', 'ascii'], ['utf16le', 'utf16le'], ['utf-16le', 'utf16le'], ['ucs2', 'utf16le'], ['ucs-2', 'utf16le']])

function bufferEncoding(name) {
  if (name === undefined || name === null || name === '') return 'utf8'
  const encoding = bufferEncodings.get(String(name).toLowerCase())
  if (encoding === undefined) throw new TypeError('Unknown encoding: ' + name)
  return encoding
}

class Buffer extends Uint8Array {
  static from(v, encodingOrOffset, length) {
    if (typeof v === 'string') return new Buffer(native.decode(bufferEncoding(encodingOrOffset), v))
    if (typeof v === 'object' && v !== null) {
      if (kindOf(v) === 'ArrayBuffer') return new Buffer(v, encodingOrOffset, length)
      if (v.type === 'Buffer' && Array.isArray(v.data)) return Buffer.from(v.data)
      if (typeof v.length === 'number') {
        const b = new Buffer(v.length)
        for (let i = 0; i < v.length; i++) b[i] = v[i]
        return b
      }
      const primitive = v.valueOf()
      if (primitive !== v && primitive !== null && primitive !== undefined) return Buffer.from(primitive, encodingOrOffset, length)
    }
    throw new TypeError('Buffer.from takes a string, a Buffer, an ArrayBuffer, or an array of bytes')
  }
  static of(...bytes) {
    return Buffer.from(bytes)
  }
  static alloc(size, fill, encoding) {
    if (typeof size !== 'number') throw new TypeError('the size of a Buffer must be a number')
    const b = new Buffer(size)
    return fill === undefined || fill === 0 ? b : b.fill(fill, encoding)
  }
  static allocUnsafe(size) {
    return Buffer.alloc(size)
  }
  static concat(list, total) {
    if (!Array.isArray(list)) throw new TypeError('Buffer.concat takes an array of Buffers')
    const size = total === undefined ? list.reduce((n, b) => n + b.length, 0) : total
    const all = new Buffer(size)
    let at = 0
    for (const b of list) {
      if (at >= size) break
      all.set(b.length > size - at ? b.subarray(0, size - at) : b, at)
      at += b.length
    }
    return all
  }
  static isBuffer(v) {
    return v instanceof Buffer
  }
  static isEncoding(name) {
    return bufferEncodings.has(String(name).toLowerCase())
  }
  static byteLength(v, encoding) {
    return typeof v === 'string' ? native.decode(bufferEncoding(encoding), v).byteLength : v.byteLength
  }
  static compare(a, b) {
    const n = Math.min(a.length, b.length)
    for (let i = 0; i < n; i++) {
      if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1
    }
    return Math.sign(a.length - b.length)
  }
  toString(encoding, start = 0, end = this.length) {
    return native.encode(bufferEncoding(encoding), bytesOf(this.subarray(Math.max(0, start), Math.min(this.length, end))))
  }
  toLocaleString(encoding) {
    return this.toString(encoding)
  }
  toJSON() {
    return { type: 'Buffer', data: Array.from(this) }
  }
  equals(other) {
    if (!(other instanceof Uint8Array)) throw new TypeError('equals takes a Buffer or Uint8Array')
    return Buffer.compare(this, other) === 0
  }
  compare(other) {
    return Buffer.compare(this, other)
  }
  slice(start, end) {
    return this.subarray(start, end)
  }
  write(text, at = 0, length = this.length - at, encoding = 'utf8') {
    if (typeof at === 'string') [at, length, encoding] = [0, this.length, at]
    else if (typeof length === 'string') [length, encoding] = [this.length - at, length]
    const bytes = new Uint8Array(native.decode(bufferEncoding(encoding), String(text)))
    const n = Math.min(bytes.length, length, this.length - at)
    this.set(bytes.subarray(0, n), at)
    return n
  }
  copy(target, at = 0, start = 0, end = this.length) {
    const part = Uint8Array.prototype.subarray.call(this, start, Math.min(end, start + target.length - at))
    target.set(part, at)
    return part.length
  }
  fill(v, start = 0, end = this.length, encoding = 'utf8') {
    if (typeof v !== 'string' && !(v instanceof Uint8Array)) return super.fill(v, start, end)
    if (typeof start === 'string') [start, encoding] = [0, start]
    const unit = typeof v === 'string' ? Buffer.from(v, encoding) : v
    for (let i = start; i < end; i++) this[i] = unit.length === 0 ? 0 : unit[(i - start) % unit.length]
    return this
  }
  indexOf(v, from = 0, encoding = 'utf8') {
    if (typeof v === 'number') return super.indexOf(v & 255, from)
    const unit = typeof v === 'string' ? Buffer.from(v, encoding) : v
    if (from < 0) from = Math.max(0, this.length + from)
    for (let i = from; i + unit.length <= this.length; i++) {
      let n = 0
      while (n < unit.length && this[i + n] === unit[n]) n++
      if (n === unit.length) return i
    }
    return -1
  }
  includes(v, from, encoding) {
    return this.indexOf(v, from, encoding) >= 0
  }
}
for (const [name, kind, size] of [['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4], ['Int32', 'Int32', 4], ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigUInt64', 'BigUint64', 8], ['BigInt64', 'BigInt64', 8]]) {
  for (const end of size === 1 ? [''] : ['LE', 'BE']) {
    define(Buffer.prototype, 'read' + name + end, function (at = 0) {
      return new DataView(this.buffer, this.byteOffset, this.length)['get' + kind](at, end === 'LE')
    })
    define(Buffer.prototype, 'write' + name + end, function (v, at = 0) {
      new DataView(this.buffer, this.byteOffset, this.length)['set' + kind](at, v, end === 'LE')
      return at + size
    })
  }
}
