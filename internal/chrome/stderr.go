package chrome

import (
	"strings"
	"sync"
)

// tailSize is the number of bytes of standard error that are stored: enough for Chromium's last messages.
const tailSize = 8 << 10

// tail is a writer that stores the last tailSize bytes.
type tail struct {
	mu  sync.Mutex
	buf []byte // at most twice tailSize, so that each byte is moved once at most
	cut bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if len(b) > tailSize {
		b, t.buf, t.cut = b[len(b)-tailSize:], t.buf[:0], true
	}
	if len(t.buf)+len(b) > 2*tailSize {
		keep := t.buf[len(t.buf)-tailSize:]
		t.buf, t.cut = append(t.buf[:0], keep...), true
	}
	t.buf = append(t.buf, b...)
	return n, nil
}

// String returns the stored text, from the first whole line when the start was cut.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, cut := t.buf, t.cut
	if len(s) > tailSize {
		s, cut = s[len(s)-tailSize:], true
	}
	text := string(s)
	if cut {
		if _, after, ok := strings.Cut(text, "\n"); ok && after != "" {
			text = after
		}
	}
	return text
}
