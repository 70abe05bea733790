// The bridge between an agent's code and the process around it. This and the other files of this directory are one function:
// `native` has the functions of the process, the object at the end of last.js is what the process calls. They run before any other
// code, and lock() makes what they use of the language unchangeable before the agent's code begins.

const rejections = new Map() // promises that nobody awaits, and why they were rejected
const calls = new Map() // by id: the functions that settle the promise of a call
const timers = new Map() // by id: what to call
let lastCall = 0
let lastTimer = 0
let ended = false
let onEvent = null
let install = null
let result // what the code returned
let failure = null // what it threw: { error, unhandled }
let onResult = null
let onSave = null
const host = {
  call, post, display, trace, uncaught,
  // cancel ends a call, by its number.
  cancel(id) {
    native.cancel(id)
  },
  onEvent(handler) {
    onEvent = handler
  },
  // onResult has a function make what is reported of what the code returned.
  onResult(handler) {
    onResult = handler
  },
  // onSave has a function write a text, which host.state is when the next run has a new global object.
  onSave(handler) {
    onSave = handler
  },
}

// here keeps the stack, whose text stackAt returns.
function here() {
  const known = native.place()
  return known === undefined ? native.placed(String(new Error().stack)) : known
}

function stackAt(place) {
  return typeof place === 'number' ? native.stackOf(place) : place
}

// call asks the process for a method. done and fail, if given, convert its result and its error. label is what the code called for it, and
// begun gets the number of the call.
function call(method, params, done, fail, label, begun) {
  return request(method, params, false, done, fail, label, begun)
}

// post is call for what goes on beside the code, which is not to await it.
function post(method, params) {
  return request(method, params, true)
}

function request(method, params, beside, done, fail, label = '', begun = undefined) {
  return new Promise((resolve, reject) => {
    if (ended) throw new Error('the run has ended')
    const text = params === undefined ? '' : toJSON(params)
    const id = ++lastCall
    native.send(id, String(method), text, beside, String(label))
    if (begun !== undefined) begun(id)
    calls.set(id, { resolve, reject, done, fail, at: here() })
  })
}

// toJSON is JSON.stringify, with an error for what has no JSON.
function toJSON(v) {
  const text = JSON.stringify(v)
  if (text === undefined) throw new TypeError('a ' + typeof v + ' cannot be sent')
  return text
}

function settle(id, ok, text) {
  const c = calls.get(id)
  if (c === undefined) return
  calls.delete(id)
  if (ok) {
    const value = text === '' ? undefined : JSON.parse(text)
    if (c.done === undefined) {
      c.resolve(value)
      return
    }
    try {
      c.resolve(c.done(value))
    } catch (error) {
      c.reject(error)
    }
    return
  }
  const e = JSON.parse(text)
  const error = new Error(e.message)
  define(error, 'name', e.name || 'Error')
  define(error, 'stack', stackAt(c.at))
  for (const key of ['code', 'hint', 'data']) {
    if (e[key] !== undefined) error[key] = e[key]
  }
  c.reject(c.fail === undefined ? error : c.fail(error))
}

function define(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false })
}

// trace has the async methods of an object throw errors that say where the agent's code called them. Without it an error of a
// method that awaited something first says nothing of that: the engine keeps no stack over an await.
function trace(object) {
  for (const key of Reflect.ownKeys(object)) {
    const d = Object.getOwnPropertyDescriptor(object, key)
    if (key === 'constructor' || typeof d.value !== 'function' || !d.configurable) continue
    const method = d.value
    const traced = function (...args) {
      const returned = Reflect.apply(method, this, args)
      if (!(returned instanceof Promise)) return returned
      const at = here()
      return returned.then(undefined, (e) => {
        if (typeof e === 'object' && e !== null && kindOf(e) === 'Error' && !native.inCode(String(e.stack))) define(e, 'stack', stackAt(at))
        throw e
      })
    }
    define(traced, 'name', method.name)
    define(traced, 'length', method.length)
    d.value = traced
    Object.defineProperty(object, key, d)
  }
  return object
}

// uncaught ends the run: a callback threw, or what it returned was rejected.
function uncaught(error) {
  if (!ended && failure === null) failure = { error, unhandled: true }
  native.done()
}

function guarded(f, ...args) {
  try {
    f(...args)
  } catch (e) {
    uncaught(e)
  }
}

function event(name, text) {
  if (onEvent !== null) guarded(onEvent, name, text === '' ? undefined : JSON.parse(text))
}

function rejected(promise, reason, handled) {
  if (handled) rejections.delete(promise)
  else rejections.set(promise, reason)
}

// begin gives the run its globals. Nothing of an earlier run goes on: what it awaited is never settled.
function begin(config, state) {
  rejections.clear()
  calls.clear()
  timers.clear()
  ended = false
  result = undefined
  failure = null
  host.config = config === '' ? undefined : JSON.parse(config)
  host.state = state
  const globals = install(host)
  for (const name of Reflect.ownKeys(Object(globals))) {
    if (!Reflect.defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true, enumerable: true })) {
      throw new Error(name + ' cannot be set: earlier code made it read-only, and it stays so until the state is reset')
    }
  }
}

// save returns what the facade wants to have back in a new global object.
function save() {
  return onSave === null ? '' : String(onSave())
}

// start runs the agent's code.
function start(code) {
  const main = code()
  main.then(
    (v) => {
      result = v
      native.done()
    },
    (error) => {
      if (failure === null) failure = { error, unhandled: false }
      native.done()
    },
  )
  return main
}

// finish reports how the code ended.
function finish() {
  ended = true
  if (failure === null) {
    for (const reason of rejections.values()) {
      failure = { error: reason, unhandled: true }
      break
    }
  }
  if (failure === null) {
    try {
      if (onResult !== null) result = onResult(result)
      if (result !== undefined) native.value(jsonOf(result), textOf(result))
      return
    } catch (error) {
      failure = { error, unhandled: false }
    }
  }
  native.error(describe(failure.error, failure.unhandled))
}

// cancel rejects the calls without an answer. The run has ended, and no other follows in this realm.
const cancelled = new Map() // by the error: the number of the call

function cancel() {
  rejections.clear()
  for (const [id, c] of calls) {
    const error = new Error('the run has ended')
    cancelled.set(error, id)
    c.reject(error)
  }
  calls.clear()
}

// unawaited returns the numbers of the cancelled calls whose rejection reached nobody.
function unawaited() {
  const ids = []
  for (const reason of rejections.values()) if (cancelled.has(reason)) ids.push(cancelled.get(reason))
  return ids.join(' ')
}

// describe returns the JSON of what was thrown.
function describe(thrown, unhandled) {
  const e = { message: '', unhandled }
  const read = (name) => {
    try {
      return thrown[name]
    } catch {
      return undefined
    }
  }
  if (typeof thrown === 'object' && thrown !== null && kindOf(thrown) === 'Error') {
    for (const key of ['name', 'message', 'stack', 'code', 'hint']) {
      const v = read(key)
      if (typeof v === 'string') e[key] = cut(v, 65536)
    }
    const data = read('data')
    try {
      if (data !== undefined) e.data = JSON.parse(jsonOf(data))
    } catch {
      e.data = undefined
    }
    const cause = read('cause')
    if (cause !== undefined) e.message += ' (cause: ' + cut(inspectLine(cause), 1000) + ')'
  } else {
    e.message = typeof thrown === 'string' ? cut(thrown, 65536) : cut(inspectLine(thrown), 65536)
  }
  return JSON.stringify(e)
}

function cut(text, most) {
  return text.length > most ? text.slice(0, most) + '…' : text
}
