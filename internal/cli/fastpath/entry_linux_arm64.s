//go:build !cgo

#include "textflag.h"

// usher_entry: see entry_linux_amd64.s. Here Go code expects its goroutine in g, which is a register.
TEXT usher_entry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVD RSP, R0
	SUB  $32, RSP
	MOVD R0, 8(RSP)
	MOVD R0, 24(RSP)
	MOVD $·noGoroutine(SB), g
	BL   ·enter(SB)
	MOVD 24(RSP), R0
	MOVD R0, RSP
	MOVD ZR, g
	JMP  _rt0_arm64_linux(SB)
