package cdptest

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// modulePrefix is the prefix of the import paths whose types a census examines.
const modulePrefix = "github.com/usher-browser/usher/"

// Census counts what is held by maps, lists and channels that can be reached from a value: by where they stand, the
// entries of all of them together. It holds the locks called mu of what it looks into; what other locks guard, or
// goroutines have to themselves, has to be at rest.
func Census(root any) map[string]int {
	c := census{seen: map[visit]bool{}, count: map[string]int{}, held: map[*sync.Mutex]bool{}}
	c.look(reflect.ValueOf(root), "")
	return c.count
}

// Grown lists what grew from one census to another by at least that much.
func Grown(before, after map[string]int, least int) []string {
	var out []string
	for where, n := range after {
		if n-before[where] >= least {
			out = append(out, fmt.Sprintf("%s: %d, and then %d", where, before[where], n))
		}
	}
	return out
}

type visit struct {
	at unsafe.Pointer
	of reflect.Type
}

type census struct {
	seen  map[visit]bool
	count map[string]int
	held  map[*sync.Mutex]bool
}

func (c *census) look(v reflect.Value, where string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || c.again(v.UnsafePointer(), v.Type()) {
			return
		}
		c.look(v.Elem(), where)
	case reflect.Interface:
		if !v.IsNil() {
			c.look(v.Elem(), where)
		}
	case reflect.Map:
		if v.IsNil() || c.again(v.UnsafePointer(), v.Type()) {
			return
		}
		c.count[where] += v.Len()
		for it := v.MapRange(); it.Next(); {
			c.look(it.Key(), where+" key")
			c.look(it.Value(), where+"[]")
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			c.count[where] += v.Len()
		}
		if plain(v.Type().Elem().Kind()) {
			return
		}
		for i := range v.Len() {
			c.look(v.Index(i), where+"[]")
		}
	case reflect.Chan:
		c.count[where] += v.Len()
	case reflect.Struct:
		c.fields(v, where)
	}
}

func (c *census) again(at unsafe.Pointer, of reflect.Type) bool {
	key := visit{at, of}
	again := c.seen[key]
	c.seen[key] = true
	return again
}

func (c *census) fields(v reflect.Value, where string) {
	t := v.Type()
	if strings.HasPrefix(t.Name(), "Pointer[") && t.PkgPath() == "sync/atomic" {
		of := t.Field(0).Type.Elem() // [0]*T
		if at := v.FieldByName("v"); at.Kind() == reflect.UnsafePointer && !at.IsZero() {
			c.look(reflect.NewAt(of.Elem(), at.UnsafePointer()), where)
		}
		return
	}
	if t.PkgPath() != "" && !strings.HasPrefix(t.PkgPath(), modulePrefix) {
		return
	}
	name := strings.TrimPrefix(t.PkgPath(), modulePrefix+"internal/") + "." + t.Name()
	if t.Name() == "" {
		name = where
	}
	if mu := v.FieldByName("mu"); mu.IsValid() && mu.CanAddr() && mu.Type() == reflect.TypeFor[sync.Mutex]() {
		lock := (*sync.Mutex)(mu.Addr().UnsafePointer())
		if c.held[lock] {
			return // the same under another type
		}
		for begun := time.Now(); !lock.TryLock(); runtime.Gosched() { // not Lock: the order of locks is not known here
			if time.Since(begun) > Timeout {
				panic("census: " + name + ".mu is held all the time")
			}
		}
		c.held[lock] = true
		defer func() {
			delete(c.held, lock)
			lock.Unlock()
		}()
	}
	for i := range t.NumField() {
		c.look(v.Field(i), name+"."+t.Field(i).Name)
	}
}

func plain(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
}
