// URL and URLSearchParams, as in the URL standard. The process parses.

const parts = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']

// parseURL returns the parts of an address, or undefined. change is a part that is set to value.
function parseURL(address, base, change, value) {
  const text = native.url(address, base === undefined ? '' : base, base === undefined ? '' : 'base', change || '', value || '')
  return text === '' ? undefined : JSON.parse(text)
}

class URL {
  #parts
  #params
  constructor(address, base) {
    this.#parts = parseURL(String(address), base === undefined ? undefined : String(base))
    if (this.#parts === undefined) {
      const e = new TypeError('Invalid URL')
      e.code = 'ERR_INVALID_URL'
      e.input = String(address)
      if (base !== undefined) e.base = String(base)
      throw e
    }
    this.#params = newParams(this.#parts[9], (query) => this.#change('search', query))
  }
  #change(name, value) {
    const changed = parseURL(this.#parts[0], undefined, name, value)
    if (changed !== undefined) this.#parts = changed
  }
  get searchParams() {
    return this.#params
  }
  toString() {
    return this.#parts[0]
  }
  toJSON() {
    return this.#parts[0]
  }
  static canParse(address, base) {
    return parseURL(String(address), base === undefined ? undefined : String(base)) !== undefined
  }
  static parse(address, base) {
    return URL.canParse(address, base) ? new URL(address, base) : null
  }
  static get(u, i) {
    return u.#parts[i]
  }
  static set(u, name, value) {
    if (name === 'href') {
      const changed = parseURL(value)
      if (changed === undefined) throw new TypeError('Invalid URL')
      u.#parts = changed
    } else {
      u.#change(name, value)
    }
    if (name === 'href' || name === 'search') setParams(u.#params, u.#parts[9])
  }
}
const getPart = URL.get
const setPart = URL.set
delete URL.get
delete URL.set
parts.forEach((name, i) => {
  Object.defineProperty(URL.prototype, name, {
    get() {
      return getPart(this, i)
    },
    set: name === 'origin' ? undefined : function (v) {
      setPart(this, name, String(v))
    },
    enumerable: true,
    configurable: true,
  })
})

function decodeForm(text) {
  text = text.replaceAll('+', ' ')
  if (!text.includes('%')) return text
  return native.unescape(text)
}

function encodeForm(text) {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()~]|%20/g, (c) => (c === '%20' ? '+' : '%' + c.charCodeAt(0).toString(16).toUpperCase()))
}

function parseForm(text) {
  return text.split('&').filter((p) => p !== '').map((p) => {
    const i = p.indexOf('=')
    return i < 0 ? [decodeForm(p), ''] : [decodeForm(p.slice(0, i)), decodeForm(p.slice(i + 1))]
  })
}

class URLSearchParams {
  #list = []
  #changed = null
  constructor(init = '') {
    if (typeof init === 'object' && init !== null || typeof init === 'function') {
      if (typeof init[Symbol.iterator] === 'function') {
        for (const pair of init) {
          const both = [...pair]
          if (both.length !== 2) throw new TypeError('each pair must have a name and a value')
          this.#list.push([wellFormedText(both[0]), wellFormedText(both[1])])
        }
      } else {
        for (const key of Object.keys(init)) this.#list.push([wellFormedText(key), wellFormedText(init[key])])
      }
      return
    }
    const text = wellFormedText(init)
    this.#list = parseForm(text.startsWith('?') ? text.slice(1) : text)
  }
  #update() {
    if (this.#changed !== null) this.#changed(this.toString())
  }
  get size() {
    return this.#list.length
  }
  append(name, value) {
    this.#list.push([wellFormedText(name), wellFormedText(value)])
    this.#update()
  }
  delete(name, value) {
    this.#list = this.#list.filter((p) => p[0] !== String(name) || value !== undefined && p[1] !== String(value))
    this.#update()
  }
  get(name) {
    const found = this.#list.find((p) => p[0] === String(name))
    return found === undefined ? null : found[1]
  }
  getAll(name) {
    return this.#list.filter((p) => p[0] === String(name)).map((p) => p[1])
  }
  has(name, value) {
    return this.#list.some((p) => p[0] === String(name) && (value === undefined || p[1] === String(value)))
  }
  set(name, value) {
    const i = this.#list.findIndex((p) => p[0] === String(name))
    if (i < 0) {
      this.#list.push([wellFormedText(name), wellFormedText(value)])
    } else {
      this.#list[i] = [this.#list[i][0], wellFormedText(value)]
      this.#list = this.#list.filter((p, n) => n <= i || p[0] !== String(name))
    }
    this.#update()
  }
  sort() {
    this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))
    this.#update()
  }
  forEach(f, self) {
    for (const [name, value] of this) Reflect.apply(f, self, [value, name, this])
  }
  *entries() {
    for (let i = 0; i < this.#list.length; i++) yield [...this.#list[i]]
  }
  *keys() {
    for (const p of this.entries()) yield p[0]
  }
  *values() {
    for (const p of this.entries()) yield p[1]
  }
  [Symbol.iterator]() {
    return this.entries()
  }
  toString() {
    return this.#list.map((p) => encodeForm(p[0]) + '=' + encodeForm(p[1])).join('&')
  }
  static link(p, changed) {
    p.#changed = changed
  }
  static reset(p, query) {
    p.#list = parseForm(query.startsWith('?') ? query.slice(1) : query)
  }
}
const linkParams = URLSearchParams.link
const setParams = URLSearchParams.reset
delete URLSearchParams.link
delete URLSearchParams.reset

function newParams(query, changed) {
  const p = new URLSearchParams(query)
  linkParams(p, changed)
  return p
}

function wellFormedText(v) {
  return String(v).toWellFormed()
}
