package worker

import (
	"container/list"
	"time"

	"context-manager/functions"
)

// longestKey is the longest name, in bytes, that an answer is kept under; names
// come from requests, and the memory of the cache has to have a bound.
const longestKey = 1024

// modelEntry is what the router said about a model, or that it has none.
type modelEntry struct {
	budget   *functions.ModelBudget // nil = the router does not know the model
	at       time.Time              // when it was said
	outdated bool                   // a flush came since

	// Of limits that could not be confirmed; zero otherwise.
	failedAt time.Time // end of the last lookup
	failure  error
	warnedAt time.Time
}

func (e *modelEntry) fresh(now time.Time) bool {
	ttl := knownFor
	if e.budget == nil {
		ttl = unknownFor
	}
	return !e.outdated && now.Sub(e.at) <= ttl
}

// failing reports whether the last lookup failed and the limits still serve.
func (e *modelEntry) failing() bool { return e.failure != nil }

// warning is the attributes of a warning that is due; nil = none is.
type warning []any

func (e *modelEntry) warn(key modelKey, now time.Time) warning {
	if !e.warnedAt.IsZero() && now.Sub(e.warnedAt) < warnEvery {
		return nil
	}
	e.warnedAt = now
	return warning{"model", key.ID, "provider", key.Provider, "age", now.Sub(e.at), "error", e.failure}
}

// modelCache keeps a bounded number of entries and gives up the one that was
// stored first.
type modelCache struct {
	most    int
	entries map[modelKey]*list.Element
	order   *list.List // of *cachedModel, oldest first
}

type cachedModel struct {
	key   modelKey
	entry *modelEntry
}

func newModelCache(most int) modelCache {
	return modelCache{most: most, entries: map[modelKey]*list.Element{}, order: list.New()}
}

// get returns the entry of a model or nil.
func (c *modelCache) get(key modelKey) *modelEntry {
	if at := c.entries[key]; at != nil {
		return at.Value.(*cachedModel).entry
	}
	return nil
}

func (c *modelCache) put(key modelKey, e *modelEntry) {
	if len(key.Provider)+len(key.ID) > longestKey {
		return
	}
	c.remove(c.entries[key])
	if len(c.entries) >= c.most {
		c.remove(c.order.Front())
	}
	c.entries[key] = c.order.PushBack(&cachedModel{key: key, entry: e})
}

func (c *modelCache) remove(at *list.Element) {
	if at != nil {
		c.order.Remove(at)
		delete(c.entries, at.Value.(*cachedModel).key)
	}
}

// outdate keeps the limits as what the router said last and forgets the rest. It
// also forgets that lookups failed: who announces a change can be asked.
func (c *modelCache) outdate() {
	for at := c.order.Front(); at != nil; {
		next, e := at.Next(), at.Value.(*cachedModel).entry
		if e.budget == nil {
			c.remove(at)
		} else {
			e.outdated, e.failure = true, nil
		}
		at = next
	}
}
