//go:build !unix

package vm

import "os"

// blocking is an input that cannot be asked without waiting.
type blocking struct{}

func openInput() (source, error) { return blocking{}, nil }

func (blocking) receive(take func(read func([]byte) int)) {
	buffer := make([]byte, readSize)
	for {
		n, err := os.Stdin.Read(buffer)
		if n == 0 && err != nil {
			os.Exit(0)
		}
		for rest := buffer[:n]; len(rest) > 0; {
			take(func(b []byte) int {
				copied := copy(b, rest)
				rest = rest[copied:]
				return copied
			})
		}
	}
}

func (blocking) read([]byte) int { return 0 }
