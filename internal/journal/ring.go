package journal

// sized is a record with the size of its texts.
type sized interface{ weight() int }

// ring is a list that loses its oldest records when it is full.
type ring[T sized] struct {
	items   []T
	head    int // items before it are dropped already
	bytes   int
	dropped int // since the last clear
}

// overhead is what a record costs besides its texts, measured with 64-bit
// pointers: struct, slot, map entries.
const overhead = 512

func (r *ring[T]) len() int { return len(r.items) - r.head }

// add pushes a record and drops the oldest beyond most. It returns by how many bytes the ring has grown.
func (r *ring[T]) add(item T, most int) (grown int) {
	grown = r.push(item)
	for r.len() > most {
		grown -= r.dropOldest()
	}
	return grown
}

// push adds v, drops what is over limit, and returns by how many bytes the ring
// grew.
func (r *ring[T]) push(v T) int {
	n := v.weight() + overhead
	r.items = append(r.items, v)
	r.bytes += n
	return n
}

// dropOldest returns the bytes it freed, 0 when the ring is empty.
func (r *ring[T]) dropOldest() int {
	if r.len() == 0 {
		return 0
	}
	n := r.items[r.head].weight() + overhead
	var none T
	r.items[r.head] = none
	r.head++
	r.bytes -= n
	r.dropped++
	if r.head > 64 && r.head*2 > len(r.items) {
		n := copy(r.items, r.items[r.head:])
		clear(r.items[n:])
		r.items, r.head = r.items[:n], 0
	}
	return n
}

// oldest needs a ring that is not empty.
func (r *ring[T]) oldest() T { return r.items[r.head] }

// all returns the records, oldest first. The slice is the ring's own.
func (r *ring[T]) all() []T { return r.items[r.head:] }

// clear empties the ring and returns how many records and bytes it held.
func (r *ring[T]) clear() (records, bytes int) {
	records, bytes = r.len(), r.bytes
	*r = ring[T]{}
	return records, bytes
}
