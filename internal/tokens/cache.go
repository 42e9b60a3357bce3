package tokens

import (
	"math/bits"
	"math/rand/v2"
	"sync"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// CacheBytes is the usual limit of a cache: 64 MiB, two million counts.
const CacheBytes = 64 << 20

const (
	cacheShards = 64
	bucketSize  = 8  // entries that a key may be in
	firstTable  = 64 // entries of a shard's first table
)

// A Cache remembers counts of texts and messages, so that a history costs only
// what is new in it. It holds no text, only hashes; tables start small, double
// while they fill, and stay within the limit by forgetting what was not asked
// for lately. It is safe for concurrent use.
//
// Two texts are taken for one when two 64-bit hashes with different seeds,
// drawn for each process, and the lengths agree.
type Cache struct {
	seeds  [2]uint64
	most   int // entries of a shard, a power of two
	shards [cacheShards]cacheShard
}

// A cacheKey is what a count is remembered under.
type cacheKey struct {
	hash   [2]uint64
	length uint32
	kind   uint32 // what was counted how; 0 marks a free entry
}

type cacheEntry struct {
	key   cacheKey
	count uint32
	used  bool // since the bucket was last full
}

type cacheShard struct {
	mu      sync.Mutex
	entries []cacheEntry // a power of two of them, in buckets
	taken   int
}

// NewCache returns an empty cache whose tables together take at most limit
// bytes. A limit below 1 MiB counts as that.
func NewCache(limit int) *Cache {
	perShard := max(limit, 1<<20) / cacheShards / int(unsafe.Sizeof(cacheEntry{}))
	return &Cache{
		seeds: [2]uint64{rand.Uint64(), rand.Uint64()},
		most:  1 << (bits.Len(uint(perShard)) - 1),
	}
}

// Bytes returns the memory that the tables take.
func (c *Cache) Bytes() int {
	n := 0
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		n += len(s.entries) * int(unsafe.Sizeof(cacheEntry{}))
		s.mu.Unlock()
	}
	return n
}

// Len returns the number of counts that are remembered.
func (c *Cache) Len() int {
	n := 0
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		n += s.taken
		s.mu.Unlock()
	}
	return n
}

// key returns the key of a text. The kind must not be 0.
func (c *Cache) key(kind uint32, text []byte) cacheKey {
	return cacheKey{
		hash:   [2]uint64{xxh3.HashSeed(text, c.seeds[0]), xxh3.HashSeed(text, c.seeds[1])},
		length: uint32(len(text)),
		kind:   kind,
	}
}

// get returns the count under a key.
func (c *Cache) get(k cacheKey) (uint64, bool) {
	s := &c.shards[k.hash[0]%cacheShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	bucket := s.bucket(k)
	for i := range bucket {
		if e := &bucket[i]; e.key == k {
			e.used = true
			return uint64(e.count), true
		}
	}
	return 0, false
}

// put remembers a count. One that does not fit 32 bits is not.
func (c *Cache) put(k cacheKey, count uint64) {
	if count != uint64(uint32(count)) {
		return
	}
	s := &c.shards[k.hash[0]%cacheShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.entries) == 0 {
		s.entries = make([]cacheEntry, min(firstTable, c.most))
	}
	for len(s.entries) < c.most && s.taken >= len(s.entries)/4*3 {
		s.grow()
	}
	s.insert(cacheEntry{key: k, count: uint32(count)})
}

// bucket returns the entries that may hold a key; none in an empty shard.
func (s *cacheShard) bucket(k cacheKey) []cacheEntry {
	if len(s.entries) == 0 {
		return nil
	}
	at := int(k.hash[1]) & (len(s.entries)/bucketSize - 1) * bucketSize
	return s.entries[at : at+bucketSize]
}

// insert puts an entry into its bucket: where its key is, else into a free
// place, else in place of one that nobody asked for since the last time that
// all had been asked for.
func (s *cacheShard) insert(e cacheEntry) {
	bucket := s.bucket(e.key)
	first := int(e.key.hash[0]>>32) % bucketSize // so that none is always the victim
	free, idle := -1, -1
	for i := range bucket {
		i = (first + i) % bucketSize
		switch {
		case bucket[i].key == e.key:
			bucket[i].count = e.count
			return
		case bucket[i].key.kind == 0:
			free = i
		case !bucket[i].used && idle < 0:
			idle = i
		}
	}
	switch {
	case free >= 0:
		s.taken++
		bucket[free] = e
	case idle >= 0:
		bucket[idle] = e
	default:
		for i := range bucket {
			bucket[i].used = false
		}
		bucket[first] = e
	}
}

// grow doubles the table.
func (s *cacheShard) grow() {
	old := s.entries
	s.entries = make([]cacheEntry, 2*len(old))
	s.taken = 0
	for _, e := range old {
		if e.key.kind != 0 {
			s.insert(e)
		}
	}
}
