package vm

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	js "modernc.org/libquickjs"
)

// The engine is QuickJS, translated from C to Go, used through its C interface: the Go interface to it
// (modernc.org/quickjs) has no file names, no report of rejected promises, and clears an interrupt when the next job begins.
// What it calls pointers are integers, its values are counted references that are freed by hand.

// value is a value of the engine, borrowed or owned as each function says.
type value = js.TJSValue

var (
	undefined = value{Ftag: js.EJS_TAG_UNDEFINED}
	exception = value{Ftag: js.EJS_TAG_EXCEPTION}
)

// native is a function that JavaScript calls. The values of args are borrowed, the result is given away. An error is
// thrown as a TypeError, or as a RangeError for errRange.
type native func(args []value) (value, error)

// realm is one runtime of the engine with one global object.
type realm struct {
	tls     *libc.TLS
	rt, ctx uintptr
	natives []native
	// rejected is called, with borrowed values, when a promise is rejected that nobody awaits, and when somebody does later.
	rejected func(promise, reason value, handled bool)
	// interrupted is polled by the engine; true ends what it does, without a chance for the code to catch that.
	interrupted func() bool
	polls       int32 // those that ended something
}

// current is the realm of this process. There is one at a time.
var current atomic.Pointer[realm]

// newRealm returns a realm in which values may take so many bytes.
func newRealm(memory int64) (*realm, error) {
	r := &realm{tls: libc.NewTLS(), interrupted: func() bool { return false }, rejected: func(value, value, bool) {}}
	if !current.CompareAndSwap(nil, r) {
		r.tls.Close()
		return nil, errors.New("this process has a JavaScript realm already")
	}
	if r.rt = js.XJS_NewRuntime(r.tls); r.rt != 0 {
		js.XJS_SetMemoryLimit(r.tls, r.rt, js.Tsize_t(memory))
		js.XJS_SetInterruptHandler(r.tls, r.rt, address(onInterrupt), 0)
		js.XJS_SetHostPromiseRejectionTracker(r.tls, r.rt, address(onRejection), 0)
		r.ctx = js.XJS_NewContext(r.tls, r.rt)
	}
	if r.ctx == 0 {
		r.close()
		return nil, errors.New("there is no memory for a JavaScript realm")
	}
	return r, nil
}

// close frees everything of the realm. Values that are not freed yet end the process.
func (r *realm) close() {
	if r.ctx != 0 {
		js.XJS_FreeContext(r.tls, r.ctx)
	}
	if r.rt != 0 {
		js.XJS_FreeRuntime(r.tls, r.rt)
	}
	r.tls.Close()
	current.Store(nil)
}

// setMemory changes how many bytes values may take.
func (r *realm) setMemory(limit int64) { js.XJS_SetMemoryLimit(r.tls, r.rt, js.Tsize_t(limit)) }

// address returns what the engine calls a pointer to a function that is no closure.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// at converts an address of the engine's memory.
func at(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// onInterrupt has the engine's signature.
func onInterrupt(*libc.TLS, uintptr, uintptr) int32 {
	r := current.Load()
	if r.interrupted() {
		r.pollSoon()
		return 1
	}
	r.collectInTime()
	return 0
}

// pollSoon makes the engine poll again after some tens of calls and turns of loops, and not after 10,000: an async function keeps what
// interrupts it in its promise, and a loop around it goes on until that is interrupted outside. The number varies, so that it is not always
// the same place of the loop.
func (r *realm) pollSoon() {
	r.polls++
	(*js.TJSContext)(at(r.ctx)).Finterrupt_counter = 64 + r.polls*29%61
}

// collectInTime lets the engine collect garbage before values reach their limit. By itself it does so when there is half as much again as
// after the last time, which can be beyond the limit: then there was no memory while most of it was garbage (promises in cycles).
func (r *realm) collectInTime() {
	rt := (*js.TJSRuntime)(at(r.rt))
	s := &rt.Fmalloc_ctx.Fmalloc_state
	if rt.Fmalloc_gc_threshold <= s.Fmalloc_limit || s.Fmalloc_size >= s.Fmalloc_limit {
		return
	}
	if room := s.Fmalloc_limit - s.Fmalloc_size; room > s.Fmalloc_limit/collectUpTo {
		rt.Fmalloc_gc_threshold = s.Fmalloc_size + room/2
	}
}

// collectUpTo is the part of the limit up to which collectInTime collects: each time takes as long as all values together need, and
// code that keeps them all would be slow for nothing.
const collectUpTo = 16

// onRejection has the engine's signature.
func onRejection(_ *libc.TLS, _ uintptr, promise, reason value, handled int32, _ uintptr) {
	current.Load().rejected(promise, reason, handled != 0)
}

// errRange is wrapped by errors of natives that JavaScript sees as a RangeError.
var errRange = errors.New("out of range")

// onCall has the engine's signature: it calls the native whose number is magic.
func onCall(_ *libc.TLS, _ uintptr, _ value, argc int32, argv uintptr, magic int32) value {
	r := current.Load()
	var args []value
	if argc > 0 {
		args = unsafe.Slice((*value)(at(argv)), argc)
	}
	result, err := r.natives[magic](args)
	switch {
	case err == nil:
		return result
	case errors.Is(err, errRange):
		return r.throw(js.XJS_ThrowRangeError, err)
	}
	return r.throw(js.XJS_ThrowTypeError, err)
}

// throw throws an error of Go as one of JavaScript.
func (r *realm) throw(as func(tls *libc.TLS, ctx, format, args uintptr) value, err error) value {
	format, args := r.cString("%s"), r.cString(err.Error())
	defer libc.Xfree(r.tls, format)
	defer libc.Xfree(r.tls, args)
	list := libc.NewVaList(args)
	defer libc.Xfree(r.tls, list)
	return as(r.tls, r.ctx, format, list)
}

// cString copies a string to where the engine reads it. The caller frees it.
func (r *realm) cString(s string) uintptr {
	p, err := libc.CString(s)
	if err != nil {
		panic("no memory for a string") // the process ends, and its parent reports that
	}
	return p
}

// function returns a function of JavaScript that calls f. The caller owns it.
func (r *realm) function(name string, f native) value {
	label := r.cString(name)
	defer libc.Xfree(r.tls, label)
	r.natives = append(r.natives, f)
	return js.XJS_NewCFunction2(r.tls, r.ctx, address(onCall), label, 0, js.EJS_CFUNC_generic_magic, int32(len(r.natives)-1))
}

// object returns an empty object. The caller owns it.
func (r *realm) object() value { return js.XJS_NewObject(r.tls, r.ctx) }

// text returns a string of JavaScript. The caller owns it.
func (r *realm) text(s string) value {
	p := r.cString(s)
	defer libc.Xfree(r.tls, p)
	return js.XJS_NewStringLen(r.tls, r.ctx, p, js.Tsize_t(len(s)))
}

// number returns a number of JavaScript.
func number(n float64) (v value) {
	v.Fu.Fuint641 = *(*uint64)(unsafe.Pointer(&n))
	v.Ftag = js.EJS_TAG_FLOAT64
	return v
}

// boolean returns a boolean of JavaScript.
func boolean(b bool) (v value) {
	v.Ftag = js.EJS_TAG_BOOL
	if b {
		v.Fu.Fuint641 = 1
	}
	return v
}

// toFloat returns a number, 0 for what is none. It runs no JavaScript.
func toFloat(v value) float64 {
	switch v.Ftag {
	case js.EJS_TAG_INT, js.EJS_TAG_BOOL:
		return float64(int32(uint32(v.Fu.Fuint641)))
	case js.EJS_TAG_FLOAT64:
		return *(*float64)(unsafe.Pointer(&v.Fu.Fuint641))
	}
	return 0
}

// toText returns a string; ok is false for what is none, and when there is no memory. It runs no JavaScript. A lone surrogate
// comes as the three bytes of its code point.
func (r *realm) toText(v value) (s string, ok bool) {
	if v.Ftag != js.EJS_TAG_STRING && v.Ftag != js.EJS_TAG_STRING_ROPE {
		return "", false
	}
	size := int(unsafe.Sizeof(js.Tsize_t(0)))
	length := r.tls.Alloc(size)
	defer r.tls.Free(size)
	p := js.XJS_ToCStringLen2(r.tls, r.ctx, length, v, 0)
	if p == 0 {
		r.free(js.XJS_GetException(r.tls, r.ctx))
		return "", false
	}
	defer js.XJS_FreeCString(r.tls, r.ctx, p)
	return string(unsafe.Slice((*byte)(at(p)), *(*js.Tsize_t)(at(length)))), true
}

// bytes returns a copy of the bytes of an ArrayBuffer.
func (r *realm) bytes(v value) ([]byte, bool) {
	size := int(unsafe.Sizeof(js.Tsize_t(0)))
	length := r.tls.Alloc(size)
	defer r.tls.Free(size)
	p := js.XJS_GetArrayBuffer(r.tls, r.ctx, length, v)
	if p == 0 {
		r.free(js.XJS_GetException(r.tls, r.ctx))
		return nil, false
	}
	return append([]byte(nil), unsafe.Slice((*byte)(at(p)), *(*js.Tsize_t)(at(length)))...), true
}

// buffer returns an ArrayBuffer with a copy of b. The caller owns it.
func (r *realm) buffer(b []byte) value {
	p := r.cString(unsafe.String(unsafe.SliceData(b), len(b)))
	defer libc.Xfree(r.tls, p)
	return js.XJS_NewArrayBufferCopy(r.tls, r.ctx, p, js.Tsize_t(len(b)))
}

func (r *realm) free(v value) { js.XFreeValue(r.tls, r.ctx, v) }

// property returns a property of an object. The caller owns it.
func (r *realm) property(object value, name string) value {
	p := r.cString(name)
	defer libc.Xfree(r.tls, p)
	return js.XJS_GetPropertyStr(r.tls, r.ctx, object, p)
}

// setProperty sets a property of an object, and takes v over.
func (r *realm) setProperty(object value, name string, v value) {
	p := r.cString(name)
	defer libc.Xfree(r.tls, p)
	js.XJS_SetPropertyStr(r.tls, r.ctx, object, p, v)
}

// thrown is a value that JavaScript threw. The holder frees it.
type thrown struct{ v value }

func (*thrown) Error() string { return "JavaScript threw a value" }

// check returns v, or what was thrown instead of it.
func (r *realm) check(v value) (value, error) {
	if v.Ftag == js.EJS_TAG_EXCEPTION {
		return undefined, &thrown{js.XJS_GetException(r.tls, r.ctx)}
	}
	return v, nil
}

// call calls a function. It borrows the arguments; the caller owns the result.
func (r *realm) call(f value, args ...value) (value, error) {
	var argv uintptr
	if len(args) > 0 {
		size := len(args) * int(unsafe.Sizeof(value{}))
		argv = r.tls.Alloc(size)
		defer r.tls.Free(size)
		copy(unsafe.Slice((*value)(at(argv)), len(args)), args)
	}
	return r.check(js.XJS_Call(r.tls, r.ctx, f, undefined, int32(len(args)), argv))
}

// eval evaluates a script. The caller owns the result.
func (r *realm) eval(source, name string, flags int32) (value, error) {
	code, file := r.cString(source), r.cString(name)
	defer libc.Xfree(r.tls, code)
	defer libc.Xfree(r.tls, file)
	return r.check(js.XJS_Eval(r.tls, r.ctx, code, js.Tsize_t(len(source)), file, js.MJS_EVAL_TYPE_GLOBAL|flags))
}

// compile returns the bytecode of a script, which only this very version of the engine can load.
//
// It has no source: functions show as native code does, and a realm takes less memory.
func (r *realm) compile(source, name string) ([]byte, error) {
	js.XJS_SetStripInfo(r.tls, r.rt, js.MJS_STRIP_SOURCE)
	v, err := r.eval(source, name, js.MJS_EVAL_FLAG_COMPILE_ONLY)
	if err != nil {
		return nil, r.errorOf(name, err)
	}
	defer r.free(v)
	size := int(unsafe.Sizeof(js.Tsize_t(0)))
	length := r.tls.Alloc(size)
	defer r.tls.Free(size)
	p := js.XJS_WriteObject(r.tls, r.ctx, length, v, js.MJS_WRITE_OBJ_BYTECODE)
	if p == 0 {
		return nil, fmt.Errorf("compile %s: there is no memory", name)
	}
	defer js.Xjs_free(r.tls, r.ctx, p)
	return append([]byte(nil), unsafe.Slice((*byte)(at(p)), *(*js.Tsize_t)(at(length)))...), nil
}

// load evaluates bytecode. The caller owns the result.
func (r *realm) load(bytecode []byte) (value, error) {
	p := r.cString(unsafe.String(unsafe.SliceData(bytecode), len(bytecode)))
	defer libc.Xfree(r.tls, p)
	f, err := r.check(js.XJS_ReadObject(r.tls, r.ctx, p, js.Tsize_t(len(bytecode)), js.MJS_READ_OBJ_BYTECODE))
	runtime.KeepAlive(bytecode)
	if err != nil {
		return undefined, err
	}
	return r.check(js.XJS_EvalFunction(r.tls, r.ctx, f))
}

// job runs the next job, which is what follows an await or a then. more tells whether there was one. A job that fails, as only
// an interrupted one does, gives its error.
func (r *realm) job() (more bool, err error) {
	size := int(unsafe.Sizeof(uintptr(0)))
	context := r.tls.Alloc(size)
	defer r.tls.Free(size)
	switch n := js.XJS_ExecutePendingJob(r.tls, r.rt, context); {
	case n == 0:
		return false, nil
	case n > 0:
		return true, nil
	}
	_, err = r.check(exception)
	return true, err
}

// errorOf converts what our own scripts throw.
func (r *realm) errorOf(what string, err error) error {
	var t *thrown
	if !errors.As(err, &t) {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer r.free(t.v)
	text := js.XJS_ToString(r.tls, r.ctx, t.v)
	defer r.free(text)
	stack := r.property(t.v, "stack")
	defer r.free(stack)
	message, _ := r.toText(text)
	where, _ := r.toText(stack)
	return fmt.Errorf("%s: %s\n%s", what, message, where)
}
