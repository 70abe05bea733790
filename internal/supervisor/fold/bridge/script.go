package bridge

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

//go:embed bridge.js
var script string

// scriptURL is the name the script gives itself. The name looks like that of a script without one, for a page may see it where
// it has its own code called by us: in the text of an error.
const scriptURL = "<anonymous>"

// Gap hides the source text of a function. A function whose parameter list begins more than 65,534 characters after its
// name is, to Function.prototype.toString of every realm, native code (measured on Chromium 156: V8 stores that
// distance in 16 bits and omits the text when it does not fit).
const Gap = 1 << 16

// Source completes the script with a nonce, and returns the hash by which the debugger reports it: SHA-256 of its UTF-8
// text (measured on Chromium 156). A page cannot write a script with that hash, because it never sees the text.
func Source(nonce string) (source, hash string) {
	gap := strings.Repeat(" ", Gap) + "\n" // the line end keeps columns small where they can be seen
	source = "/*" + nonce + "*/" + strings.NewReplacer(
		"alert(){", "alert"+gap+"(){", "confirm(){", "confirm"+gap+"(){", "prompt(){", "prompt"+gap+"(){",
	).Replace(script) + "//# sourceURL=" + scriptURL
	sum := sha256.Sum256([]byte(source))
	return source, hex.EncodeToString(sum[:])
}
