package world

// DOMListeners is how listeners are read where the browser has no command line API.
var DOMListeners = (*Worlds).domListeners
