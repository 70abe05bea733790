package outline

import "slices"

// align finds for each row of a list of siblings its counterpart in the old list, as an index into that list; -1 if
// there is none. Indices only increase: a row that moved among its siblings is not found. A row with a ref only matches
// the row with that ref.
func (c *comparison) align(old, now []int32) []int {
	partner := make([]int, len(now))
	for j := range partner {
		partner[j] = -1
	}
	lo, hiOld, hiNow := 0, len(old), len(now)
	for lo < hiOld && lo < hiNow && c.old[old[lo]].hash == c.now[now[lo]].hash {
		partner[lo] = lo
		lo++
	}
	for hiOld > lo && hiNow > lo && c.old[old[hiOld-1]].hash == c.now[now[hiNow-1]].hash {
		hiOld, hiNow = hiOld-1, hiNow-1
		partner[hiNow] = hiOld
	}
	if lo == hiOld || lo == hiNow {
		return partner
	}
	c.anchor(old[lo:hiOld], now[lo:hiNow], lo, partner[lo:hiNow])
	// What lies between anchors is paired by likeness.
	before, from := lo, lo
	for j := lo; j <= hiNow; j++ {
		after := hiOld
		if j < hiNow {
			if partner[j] < 0 {
				continue
			}
			after = partner[j]
		}
		c.fill(old[before:after], now[from:j], before, partner[from:j])
		before, from = after+1, j+1
	}
	return partner
}

// anchor pairs the rows that are unique: by their ref, by a ref below them, by their content. offset is added to the
// indices it writes.
func (c *comparison) anchor(old, now []int32, offset int, partner []int) {
	hashes := make(map[uint64]int, len(old)) // index of the only row with that content, -1 if there are several
	for i, a := range old {
		if h := c.old[a].hash; c.old[a].Ref == 0 {
			if _, twice := hashes[h]; twice {
				i = -1
			}
			hashes[h] = i
		}
	}
	seen := make(map[uint64]int, len(now))
	for _, b := range now {
		if c.now[b].Ref == 0 {
			seen[c.now[b].hash]++
		}
	}
	guess := make([]int, len(now))
	taken := make([]bool, len(old))
	for j, b := range now {
		one := &c.now[b]
		guess[j] = -1
		if one.Ref != 0 {
			guess[j] = c.among(old, one.Ref, true)
		} else if i, ok := hashes[one.hash]; ok && i >= 0 && seen[one.hash] == 1 {
			guess[j] = i
		}
		if guess[j] >= 0 {
			taken[guess[j]] = true
		}
	}
	for j, b := range now {
		if guess[j] >= 0 || c.now[b].Ref != 0 {
			continue
		}
		if i := c.holder(old, b); i >= 0 && !taken[i] {
			guess[j], taken[i] = i, true
		}
	}
	for _, j := range longestIncreasing(guess) {
		partner[j] = guess[j] + offset
	}
}

// among finds the sibling of the old outline that has a ref, or that contains the row with the ref.
func (c *comparison) among(old []int32, ref int32, itself bool) int {
	at, ok := c.oldOf[ref]
	if !ok {
		return -1
	}
	i, exact := slices.BinarySearch(old, at)
	if exact {
		if itself {
			return i
		}
		return -1
	}
	if itself || i == 0 || at >= c.old[old[i-1]].End {
		return -1
	}
	return i - 1
}

// holder finds the sibling of the old outline that had the role of a row without a ref, and in which an element was that
// is now in the row.
func (c *comparison) holder(old []int32, b int32) int {
	for k := b + 1; k < c.now[b].End; k++ {
		ref := c.now[k].Ref
		if ref == 0 {
			continue
		}
		if i := c.among(old, ref, false); i >= 0 {
			if a := old[i]; c.old[a].Ref == 0 && Role(c.old[a].Text) == Role(c.now[b].Text) {
				return i
			}
			return -1
		}
	}
	return -1
}

// longestIncreasing returns the indices of a longest increasing subsequence, ignoring negative numbers.
func longestIncreasing(numbers []int) []int {
	var tails []int // tails[n]: index of the smallest number that ends a subsequence of n+1
	before := make([]int, len(numbers))
	for j, n := range numbers {
		if n < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(tails, n, func(place, n int) int { return numbers[place] - n })
		if at == len(tails) {
			tails = append(tails, j)
		} else {
			tails[at] = j
		}
		before[j] = -1
		if at > 0 {
			before[j] = tails[at-1]
		}
	}
	if len(tails) == 0 {
		return nil
	}
	run := make([]int, len(tails))
	for n, j := len(tails)-1, tails[len(tails)-1]; n >= 0; n, j = n-1, before[j] {
		run[n] = j
	}
	return run
}

// maxPairs bounds the work of finding likenesses; beyond it rows are taken one by one.
const maxPairs = 40_000

// fill pairs rows that nothing identifies: those alike as much as can be, in order.
func (c *comparison) fill(old, now []int32, offset int, partner []int) {
	if len(old) == 0 || len(now) == 0 {
		return
	}
	if len(old)*len(now) > maxPairs {
		for j := range min(len(old), len(now)) {
			if c.likeness(old[j], now[j]) > 0 {
				partner[j] = offset + j
			}
		}
		return
	}
	width := len(now) + 1
	best := make([]int32, (len(old)+1)*width) // best[i*width+j]: what the rows from i and j on can reach
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			most := max(best[(i+1)*width+j], best[i*width+j+1])
			if like := c.likeness(old[i], now[j]); like > 0 {
				most = max(most, like+best[(i+1)*width+j+1])
			}
			best[i*width+j] = most
		}
	}
	for i, j := 0, 0; i < len(old) && j < len(now); {
		like := c.likeness(old[i], now[j])
		switch here := best[i*width+j]; {
		case like > 0 && here == like+best[(i+1)*width+j+1]:
			partner[j] = offset + i
			i, j = i+1, j+1
		case here == best[(i+1)*width+j]:
			i++
		default:
			j++
		}
	}
}

// likeness of two rows: 0 if one cannot have become the other.
func (c *comparison) likeness(a, b int32) int32 {
	old, now := &c.old[a], &c.now[b]
	switch {
	case old.Ref != now.Ref:
		return 0
	case old.hash == now.hash:
		return 16
	case old.Ref != 0:
		return 8
	case old.Text == now.Text:
		return 4
	case Role(old.Text) == Role(now.Text):
		return 1
	}
	return 0
}

// Role returns the first word of a row, its role.
func Role(text string) string { return SpanOf(text).Role }
