package bpe

// window merges a stretch of a long piece with a heap. Lengths stand at both
// ends of a part, which makes the list of parts cost two bytes a byte.
type window struct {
	fore  []uint8  // length of the part that starts here
	back  []uint8  // length of the part that ends before here
	ranks []uint32 // rank of the pair whose first part starts here, or none
	heap  []uint64 // rank<<32 | position; stale when ranks says otherwise
}

// merge splits text into parts that are tokens; they start at 0 and each
// begins fore[i] after the last.
func (w *window) merge(v *vocab, text []byte) (ops uint64) {
	n := len(text)
	w.resize(n)
	for i := range n {
		w.fore[i], w.back[i+1], w.ranks[i] = 1, 1, none
		if i+1 < n {
			if r := v.pairs[int(text[i])<<8|int(text[i+1])]; r != none {
				w.ranks[i] = r
				w.heap = append(w.heap, uint64(r)<<32|uint64(i))
			}
		}
	}
	ops = uint64(n)
	for i := len(w.heap)/2 - 1; i >= 0; i-- {
		ops += w.down(i)
	}
	for len(w.heap) > 0 {
		top := w.heap[0]
		last := len(w.heap) - 1
		w.heap[0] = w.heap[last]
		w.heap = w.heap[:last]
		ops += 1 + w.down(0)
		i := int(top & (1<<32 - 1))
		if w.ranks[i] != uint32(top>>32) {
			continue
		}
		j := i + int(w.fore[i])
		k := j + int(w.fore[j])
		w.ranks[j] = none
		w.fore[i] = uint8(k - i)
		w.back[k] = uint8(k - i)
		w.ranks[i] = none
		if k < n {
			ops += w.pair(v, text, i, k+int(w.fore[k]))
		}
		if i > 0 {
			ops += w.pair(v, text, i-int(w.back[i]), k)
		}
	}
	return ops
}

// pair looks text[i:end] up, sets the rank of i and queues it.
func (w *window) pair(v *vocab, text []byte, i, end int) uint64 {
	r := v.rank(text, i, end-i)
	w.ranks[i] = r
	if r == none {
		return 1
	}
	w.heap = append(w.heap, uint64(r)<<32|uint64(i))
	at := len(w.heap) - 1
	item := w.heap[at]
	steps := uint64(1)
	for at > 0 {
		up := (at - 1) / 2
		if w.heap[up] <= item {
			break
		}
		w.heap[at] = w.heap[up]
		at = up
		steps++
	}
	w.heap[at] = item
	return steps
}

// down restores the heap below at.
func (w *window) down(at int) (steps uint64) {
	heap := w.heap
	if at >= len(heap) {
		return 0
	}
	item := heap[at]
	for {
		child := 2*at + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && heap[child+1] < heap[child] {
			child++
		}
		if item <= heap[child] {
			break
		}
		heap[at] = heap[child]
		at = child
		steps++
	}
	heap[at] = item
	return steps
}

// resize makes room for n bytes.
func (w *window) resize(n int) {
	if cap(w.ranks) < n {
		if n <= windowSize {
			// One allocation for what nearly all long pieces need.
			var a struct {
				fore  [windowSize]uint8
				back  [windowSize + 1]uint8
				ranks [windowSize]uint32
				heap  [2 * windowSize]uint64
			}
			w.fore, w.back, w.ranks, w.heap = a.fore[:], a.back[:], a.ranks[:], a.heap[:]
		} else {
			w.fore, w.back = make([]uint8, n), make([]uint8, n+1)
			w.ranks, w.heap = make([]uint32, n), make([]uint64, 2*n)
		}
	}
	w.fore, w.back, w.ranks, w.heap = w.fore[:n], w.back[:n+1], w.ranks[:n], w.heap[:0]
}
