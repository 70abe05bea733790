function startTimer(f, delay, repeat, args) {
  if (typeof f !== 'function') throw new TypeError('the first argument of a timer must be a function')
  let ms = Number(delay)
  if (!(ms >= 1)) ms = 1
  if (ms > 0x7fffffff) ms = 1
  const id = ++lastTimer
  native.timer(id, ms)
  timers.set(id, { f, args, ms: repeat ? ms : 0 })
  return id
}

function setTimeout(f, ms, ...args) {
  return startTimer(f, ms, false, args)
}

function setInterval(f, ms, ...args) {
  return startTimer(f, ms, true, args)
}

function setImmediate(f, ...args) {
  return startTimer(f, 0, false, args)
}

function clearTimeout(id) {
  if (timers.delete(Number(id))) native.timer(Number(id), -1)
}

// fire calls what a timer is for.
function fire(id) {
  const t = timers.get(id)
  if (t === undefined) return
  if (t.ms === 0) timers.delete(id)
  else native.timer(id, t.ms)
  guarded(t.f, ...t.args)
}

function queueMicrotask(f) {
  if (typeof f !== 'function') throw new TypeError('the argument of queueMicrotask must be a function')
  Promise.resolve().then(() => guarded(f))
}
