//go:build !cgo

#include "textflag.h"

// usher_entry is the entry of the program where the linker is told so (-E usher_entry): the kernel jumps here, with the
// number of arguments at 0(SP), and their addresses, the environment and the auxiliary vector above it. It calls enter
// with that address, and if that returns, goes on to the usual entry of Go, for which nothing has changed.
//
// Go code expects its goroutine in R14 and in the thread's local storage, zero in X15. A goroutine of zeros has no limit
// of its stack, which here is the process's; the runtime sets its own later.
TEXT usher_entry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVQ SP, BX
	MOVQ $·noGoroutine(SB), CX
	MOVQ $·noStorage+8(SB), SI // FS: the goroutine is in the 8 bytes before it
	MOVQ CX, -8(SI)
	MOVQ $0x1002, DI           // ARCH_SET_FS
	MOVQ $158, AX              // arch_prctl
	SYSCALL
	TESTQ AX, AX
	JNE  usual
	SUBQ $32, SP
	ANDQ $~15, SP
	MOVQ BX, 16(SP)
	MOVQ BX, 0(SP)
	MOVQ $·noGoroutine(SB), R14
	XORPS X15, X15
	CALL ·enter(SB)
	MOVQ 16(SP), SP
usual:
	XORL DX, DX                // no function to call at the end
	JMP  _rt0_amd64_linux(SB)
