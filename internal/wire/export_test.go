package wire

// ReadBuffer is the size of the pieces that are read, KeepBuffer that up to which a buffer is used again.
const (
	ReadBuffer = readBuffer
	KeepBuffer = keepBuffer
)

// WholeFrame is wholeFrame.
var WholeFrame = wholeFrame

// Direct reports whether frames to a client are written to its socket with one call each.
func Direct(c *Client) bool { return c.out.raw != nil }
