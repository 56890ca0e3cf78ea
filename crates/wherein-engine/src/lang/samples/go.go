// Package limiter implements a token bucket.
package limiter

import (
	"errors"
	"sync"
	"time"
)

// ErrEmpty is returned when no token is left.
var ErrEmpty = errors.New("limiter: empty")

var (
	clock   = time.Now
	a, b    int
)

const (
	DefaultRate = 10
	MaxBurst    = 100
)

// Taker hands out tokens.
type Taker interface {
	Take(n int) error
}

type (
	// Bucket is a Taker refilled over time.
	Bucket struct {
		mu     sync.Mutex
		tokens int
		last   time.Time
	}
	Option func(*Bucket)
	Alias  = Bucket
)

// New builds a Bucket.
func New(opts ...Option) *Bucket {
	b := &Bucket{tokens: DefaultRate, last: clock()}
	for _, o := range opts {
		o(b)
	}
	return b
}

// Take removes n tokens.
func (b *Bucket) Take(n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	const floor = 0
	if b.tokens-n < floor {
		return ErrEmpty
	}
	b.tokens -= n
	return nil
}

func Map[T, U any](xs []T, f func(T) U) []U {
	var out []U
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}
