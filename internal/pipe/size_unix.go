//go:build unix && !linux

package pipe

const pipeBuf = 512
