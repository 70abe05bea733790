// Events and cancellation, as in the DOM standard, for targets without a tree.

const domCodes = { IndexSizeError: 1, InvalidCharacterError: 5, InvalidStateError: 11, SyntaxError: 12, QuotaExceededError: 22, AbortError: 20, TimeoutError: 23, DataCloneError: 25, TypeMismatchError: 17 }

class DOMException extends Error {
  constructor(message = '', name = 'Error') {
    super(String(message))
    define(this, 'name', String(name))
  }
  get code() {
    return domCodes[this.name] || 0
  }
}

class Event {
  #state = { target: null, prevented: false, stopped: false, phase: 0 }
  constructor(type, init = {}) {
    if (arguments.length === 0) throw new TypeError('an Event needs a type')
    Object.defineProperties(this, {
      type: { value: String(type), enumerable: true },
      bubbles: { value: Boolean(init && init.bubbles), enumerable: true },
      cancelable: { value: Boolean(init && init.cancelable), enumerable: true },
      timeStamp: { value: native.now(), enumerable: true },
    })
  }
  get target() {
    return this.#state.target
  }
  get currentTarget() {
    return this.#state.phase === 2 ? this.#state.target : null
  }
  get eventPhase() {
    return this.#state.phase
  }
  get defaultPrevented() {
    return this.#state.prevented
  }
  preventDefault() {
    if (this.cancelable) this.#state.prevented = true
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this.#state.stopped = true
  }
  composedPath() {
    return this.#state.phase === 2 ? [this.#state.target] : []
  }
  static stateOf(e) {
    return e.#state
  }
}
const stateOf = Event.stateOf
delete Event.stateOf

class CustomEvent extends Event {
  constructor(type, init = {}) {
    super(type, init)
    Object.defineProperty(this, 'detail', { value: init && init.detail !== undefined ? init.detail : null, enumerable: true })
  }
}

class EventTarget {
  #listeners = []
  addEventListener(type, callback, options) {
    if (callback === null || callback === undefined) return
    if (typeof callback !== 'function' && typeof callback !== 'object') throw new TypeError('a listener must be a function or an object')
    const capture = typeof options === 'object' && options !== null ? Boolean(options.capture) : Boolean(options)
    const { once = false, signal } = typeof options === 'object' && options !== null ? options : {}
    type = String(type)
    if (signal && signal.aborted) return
    if (this.#listeners.some((l) => l.type === type && l.callback === callback && l.capture === capture)) return
    this.#listeners.push({ type, callback, capture, once: Boolean(once), removed: false })
    if (signal) signal.addEventListener('abort', () => this.removeEventListener(type, callback, capture))
  }
  removeEventListener(type, callback, options) {
    const capture = typeof options === 'object' && options !== null ? Boolean(options.capture) : Boolean(options)
    const i = this.#listeners.findIndex((l) => l.type === String(type) && l.callback === callback && l.capture === capture)
    if (i < 0) return
    this.#listeners[i].removed = true
    this.#listeners.splice(i, 1)
  }
  dispatchEvent(event) {
    if (!(event instanceof Event)) throw new TypeError('dispatchEvent needs an Event')
    const state = stateOf(event)
    if (state.phase !== 0) throw new DOMException('the event is being dispatched', 'InvalidStateError')
    state.target = this
    state.phase = 2
    for (const l of [...this.#listeners]) {
      if (l.type !== event.type || l.removed || state.stopped) continue
      if (l.once) this.removeEventListener(l.type, l.callback, l.capture)
      guarded(() => {
        if (typeof l.callback === 'function') Reflect.apply(l.callback, this, [event])
        else l.callback.handleEvent(event)
      })
    }
    state.phase = 0
    state.stopped = false
    return !state.prevented
  }
}

const newSignal = Symbol('new signal')

class AbortSignal extends EventTarget {
  #aborted = false
  #reason
  onabort = null
  constructor(token) {
    if (token !== newSignal) throw new TypeError('an AbortSignal comes from an AbortController')
    super()
    Object.defineProperty(this, 'onabort', { enumerable: false })
  }
  get aborted() {
    return this.#aborted
  }
  get reason() {
    return this.#reason
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason
  }
  static abort(reason) {
    const s = new AbortSignal(newSignal)
    abort(s, reason)
    return s
  }
  static timeout(ms) {
    if (!(Number(ms) >= 0)) throw new TypeError('a timeout must be at least 0')
    const s = new AbortSignal(newSignal)
    setTimeout(() => abort(s, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms)
    return s
  }
  static any(signals) {
    const s = new AbortSignal(newSignal)
    const list = [...signals]
    for (const one of list) {
      if (!(one instanceof AbortSignal)) throw new TypeError('AbortSignal.any needs signals')
      if (one.aborted) {
        abort(s, one.reason)
        return s
      }
    }
    for (const one of list) one.addEventListener('abort', () => abort(s, one.reason), { once: true })
    return s
  }
  static setAborted(s, reason) {
    s.#aborted = true
    s.#reason = reason
  }
}
const setAborted = AbortSignal.setAborted
delete AbortSignal.setAborted

function abort(s, reason) {
  if (s.aborted) return
  setAborted(s, reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason)
  const e = new Event('abort')
  if (typeof s.onabort === 'function') s.addEventListener('abort', s.onabort, { once: true })
  s.dispatchEvent(e)
}

class AbortController {
  #signal = new AbortSignal(newSignal)
  get signal() {
    return this.#signal
  }
  abort(reason) {
    abort(this.#signal, reason)
  }
}
