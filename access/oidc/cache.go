package oidc

import (
	"crypto/sha256"
	"sync"

	"github.com/citekit/citekit/access"
)

// maxTaken is how many tokens a cache holds.
const maxTaken = 4096

// A cache holds the grants of accepted tokens, so that a signature is checked
// once and not with each request. A grant is valid as long as the keys that
// checked its token.
type cache struct {
	mu         sync.Mutex
	generation int // of the keys
	grants     map[[sha256.Size]byte]*access.Grant
}

func newCache() *cache { return &cache{grants: make(map[[sha256.Size]byte]*access.Grant)} }

func (c *cache) get(sum [sha256.Size]byte, generation int) *access.Grant {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return nil
	}
	return c.grants[sum]
}

func (c *cache) put(sum [sha256.Size]byte, generation int, grant *access.Grant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation < c.generation {
		return
	}
	if generation > c.generation || len(c.grants) >= maxTaken {
		clear(c.grants)
		c.generation = generation
	}
	c.grants[sum] = grant
}
