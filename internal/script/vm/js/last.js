function setGlobals(members) {
  for (const name of Object.keys(members)) define(globalThis, name, members[name])
}

setGlobals({ console, setTimeout, setInterval, setImmediate, clearTimeout, clearInterval: clearTimeout, clearImmediate: clearTimeout, queueMicrotask })

return {
  setFacade(f) {
    install = f
  },
  lock, begin, start, finish, settle, event, rejected, fire, describe,
}
