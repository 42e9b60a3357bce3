package tokens

// Put remembers a count in the cache.
func (c *Cache) Put(kind uint32, text []byte, count uint64) { c.put(c.key(kind, text), count) }

// Get looks a count up.
func (c *Cache) Get(kind uint32, text []byte) (uint64, bool) { return c.get(c.key(kind, text)) }

// Limit is the most entries a shard may hold.
func (c *Cache) Limit() int { return c.most }

// SharedCacheLimit is that of the cache that estimators share.
func SharedCacheLimit() int { return sharedCache().most }
