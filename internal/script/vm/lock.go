package vm

import (
	"errors"
	"unsafe"

	js "modernc.org/libquickjs"
)

// locker walks the objects of a realm and makes their members unchangeable: lock.js says which and why. The walk is a native because it
// reads some two thousand properties before every run: as JavaScript it took 3 ms of the 8 that a realm takes, as this it takes 1.
type locker struct {
	*realm
	seen map[uint64]bool // objects that are done, or stay as they are
	left map[uint64]bool // objects that stay as they are, and so do the globals that hold them
	kept map[js.TJSAtom]bool
	// prototypes of all objects and of errors
	ofObjects, ofErrors uint64
	// what the engine writes its results to
	list, length, descriptor uintptr
}

var errLock = errors.New("the realm cannot be locked")

// lock is called with the global object, Object.prototype, Error.prototype, a list of objects that stay as they are, a list of names of
// properties that stay as they are, and a list of objects that no global leads to.
func (m *machine) lock(args []value) (value, error) {
	if len(args) != 6 {
		return undefined, errArguments
	}
	sizes := []int{int(unsafe.Sizeof(uintptr(0))), int(unsafe.Sizeof(uint32(0))), int(unsafe.Sizeof(js.TJSPropertyDescriptor{}))}
	l := &locker{realm: m.realm, seen: map[uint64]bool{}, left: map[uint64]bool{}, kept: map[js.TJSAtom]bool{}, ofObjects: identity(args[1]), ofErrors: identity(args[2])}
	for i, at := range []*uintptr{&l.list, &l.length, &l.descriptor} {
		*at = l.tls.Alloc(sizes[i])
		defer l.tls.Free(sizes[i])
	}
	defer func() {
		for name := range l.kept {
			js.XJS_FreeAtom(l.tls, l.ctx, name)
		}
	}()
	for _, step := range []func() error{
		func() error { return l.each(args[3], l.leave) },
		func() error { return l.each(args[4], l.keep) },
		func() error { return l.globals(args[0]) },
		func() error { return l.each(args[5], l.visit) },
	} {
		if err := step(); err != nil {
			return undefined, err
		}
	}
	return undefined, nil
}

// leave has an object stay as it is.
func (l *locker) leave(o value) error {
	l.seen[identity(o)], l.left[identity(o)] = true, true
	return nil
}

// keep has the properties of a name stay as they are.
func (l *locker) keep(name value) error {
	l.kept[js.XJS_ValueToAtom(l.tls, l.ctx, name)] = true
	return nil
}

// identity tells objects apart.
func identity(v value) uint64 { return v.Fu.Fuint641 }

// each calls f with the items of an array.
func (l *locker) each(array value, f func(value) error) error {
	length := l.property(array, "length")
	for i := range uint32(toFloat(length)) {
		v := js.XJS_GetPropertyUint32(l.tls, l.ctx, array, i)
		err := f(v)
		l.free(v)
		if err != nil {
			return err
		}
	}
	return nil
}

// properties calls f with the own properties of an object. What it is called with is borrowed.
func (l *locker) properties(o value, f func(name js.TJSAtom, p *js.TJSPropertyDescriptor) error) error {
	if js.XJS_GetOwnPropertyNames(l.tls, l.ctx, l.list, l.length, o, js.MJS_GPN_STRING_MASK|js.MJS_GPN_SYMBOL_MASK) != 0 {
		return errLock
	}
	list, length := *(*uintptr)(at(l.list)), *(*uint32)(at(l.length))
	defer js.XJS_FreePropertyEnum(l.tls, l.ctx, list, length)
	if length == 0 {
		return nil
	}
	for _, entry := range unsafe.Slice((*js.TJSPropertyEnum)(at(list)), length) {
		switch js.XJS_GetOwnProperty(l.tls, l.ctx, l.descriptor, o, entry.Fatom) {
		case 0:
			continue
		case 1:
		default:
			return errLock
		}
		p := *(*js.TJSPropertyDescriptor)(at(l.descriptor)) // a copy: f comes here again
		err := f(entry.Fatom, &p)
		for _, v := range []value{p.Fvalue, p.Fgetter, p.Fsetter} {
			l.free(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// globals locks what the properties of the global object hold, and these.
func (l *locker) globals(global value) error {
	return l.properties(global, func(name js.TJSAtom, p *js.TJSPropertyDescriptor) error {
		if err := l.visit(p.Fvalue); err != nil || p.Fvalue.Ftag == js.EJS_TAG_OBJECT && l.left[identity(p.Fvalue)] {
			return err
		}
		return l.fix(global, name, p)
	})
}

// visit locks an object, its prototypes, and what its members hold.
func (l *locker) visit(o value) error {
	if o.Ftag != js.EJS_TAG_OBJECT || l.seen[identity(o)] {
		return nil
	}
	l.seen[identity(o)] = true
	if identity(o) == l.ofObjects {
		return nil
	}
	prototype := js.XJS_GetPrototype(l.tls, l.ctx, o)
	err := l.visit(prototype)
	l.free(prototype)
	if err != nil {
		return err
	}
	ofError := l.inheritsFromError(o)
	return l.properties(o, func(name js.TJSAtom, p *js.TJSPropertyDescriptor) error {
		if v := p.Fvalue; v.Ftag == js.EJS_TAG_OBJECT && (js.XJS_IsFunction(l.tls, l.ctx, v) == 0 || l.makesObjects(v)) {
			if err := l.visit(v); err != nil {
				return err
			}
		}
		if l.kept[name] || ofError && name == js.EJS_ATOM_constructor {
			return nil
		}
		return l.fix(o, name, p)
	})
}

// inheritsFromError reports whether an object is Error.prototype or has it as a prototype.
func (l *locker) inheritsFromError(o value) bool {
	if identity(o) == l.ofErrors {
		return true
	}
	prototype := js.XJS_GetPrototype(l.tls, l.ctx, o)
	defer l.free(prototype)
	return prototype.Ftag == js.EJS_TAG_OBJECT && l.inheritsFromError(prototype)
}

// makesObjects reports whether a function has a prototype for the objects that it makes. Others have nothing of their own but name and length.
func (l *locker) makesObjects(function value) bool {
	return js.XJS_GetOwnProperty(l.tls, l.ctx, 0, function, js.EJS_ATOM_prototype) == 1
}

// fix makes a property unchangeable.
func (l *locker) fix(o value, name js.TJSAtom, p *js.TJSPropertyDescriptor) error {
	if p.Fflags&js.MJS_PROP_CONFIGURABLE == 0 {
		return nil
	}
	flags := int32(js.MJS_PROP_HAS_CONFIGURABLE)
	if p.Fflags&js.MJS_PROP_GETSET == 0 {
		flags |= js.MJS_PROP_HAS_WRITABLE
	}
	if js.XJS_DefineProperty(l.tls, l.ctx, o, name, undefined, undefined, undefined, flags) < 0 {
		return errLock
	}
	return nil
}
