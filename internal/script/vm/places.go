package vm

import (
	"unsafe"

	js "modernc.org/libquickjs"
)

// Each call that may fail keeps the stack of the code that made it, since the engine keeps none over an await. The engine makes
// the text of a stack whenever it makes an error, which took a third of the process's time for a call (BenchmarkCall). Code that makes thousands of calls makes
// them from a few places, so the texts are kept, by the instructions that are being executed in the frames of the stack.

// The limits of places. A stack that is deeper, or one more, has its text made each time.
const (
	maxPlaces = 256
	maxDepth  = 48 // functions of JavaScript
)

// instructions are the addresses of the instructions that the functions of a stack execute, the innermost first.
type instructions [maxDepth]uintptr

// places are the stacks of a run. The addresses are valid for as long as the code exists: that of the run and of the facade does
// until the run ends; of what eval made, no frame is shown.
type places struct {
	known map[instructions]int // index of texts
	texts []string
	last  instructions // of the last call of place
	deep  bool         // it has more functions than last
}

// barrier is the mode of a frame at which the engine ends a stack, JS_MODE_BACKTRACE_BARRIER.
const barrier = 1 << 3

// instructions returns where the functions of the present stack are; deep is true if not all of them fit.
func (r *realm) instructions() (now instructions, deep bool) {
	n := 0
	for p := (*js.TJSRuntime)(at(r.rt)).Fcurrent_stack_frame; p != 0; {
		f := (*js.TJSStackFrame)(at(p))
		if f.Fjs_mode&barrier != 0 {
			break
		}
		if isFunction(f.Fcur_func) {
			if n == maxDepth {
				return now, true
			}
			now[n] = f.Fcur_pc
			n++
		}
		p = f.Fprev_frame
	}
	return now, false
}

// isFunction reports whether a frame's function is one of JavaScript, with instructions, and not one of C.
func isFunction(v value) bool {
	if v.Ftag != js.EJS_TAG_OBJECT {
		return false
	}
	switch (*js.TJSObject)(at(*(*uintptr)(unsafe.Pointer(&v.Fu)))).Fclass_id {
	case js.EJS_CLASS_BYTECODE_FUNCTION, js.EJS_CLASS_GENERATOR_FUNCTION, js.EJS_CLASS_ASYNC_FUNCTION, js.EJS_CLASS_ASYNC_GENERATOR_FUNCTION:
		return true
	}
	return false
}

// place returns the number of the present stack, undefined if its text is not known.
func (m *machine) place([]value) (value, error) {
	p := &m.places
	if p.last, p.deep = m.instructions(); p.deep {
		return undefined, nil
	}
	if i, ok := p.known[p.last]; ok {
		return number(float64(i)), nil
	}
	return undefined, nil
}

// placed keeps the text of the stack of the last call of place, and returns its number, or the text if it is not kept.
func (m *machine) placed(args []value) (value, error) {
	texts, err := m.texts(args, 1)
	if err != nil {
		return undefined, err
	}
	p := &m.places
	if p.deep || len(p.texts) == maxPlaces {
		return m.text(texts[0]), nil
	}
	if p.known == nil {
		p.known = map[instructions]int{}
	}
	p.known[p.last] = len(p.texts)
	p.texts = append(p.texts, texts[0])
	return number(float64(len(p.texts) - 1)), nil
}

// stackOf returns the text of a stack by its number.
func (m *machine) stackOf(args []value) (value, error) {
	if len(args) != 1 {
		return undefined, errArguments
	}
	i := int(toFloat(args[0]))
	if i < 0 || i >= len(m.places.texts) {
		return undefined, errArguments
	}
	return m.text(m.places.texts[i]), nil
}
