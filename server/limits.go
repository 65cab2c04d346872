package server

import (
	"cmp"
	"fmt"
	"runtime"
	"time"
)

// Limits say how much callers may ask of a server. The zero value is ready to
// use; a negative number means no limit, but of Queue and QueuePerCaller none at
// all.
//
// Calls are of two kinds. Lookups are answered from maps: listResources,
// getStructure, getNode, ingestStatus, and what the protocol itself needs.
// All others are heavy: they search, extract and render. Each kind has its
// places, so that the heavy ones are not in the way of the others. Evidence that is
// fetched by a link takes none; each caller may fetch 64 pieces at a time.
type Limits struct {
	Calls          int // lookups at a time; zero means 64
	CallsPerCaller int // of these for each caller; zero means a quarter of Calls

	HeavyCalls     int // heavy calls at a time; zero means one for each CPU, at least 2
	HeavyPerCaller int // of these for each caller; zero means three quarters of HeavyCalls, at least 1

	Queue          int           // calls that wait for a place; zero means 512
	QueuePerCaller int           // of these for each caller; zero means 64
	Wait           time.Duration // longest wait; zero means 10 seconds

	Rate  float64 // calls in a second that each caller may make; zero means 100
	Burst int     // calls that it may make at once; zero means twice Rate

	// BytesPerMinute is how many bytes of answers and evidence each caller may
	// have in a minute. One that had more waits until the mean is right; zero
	// means 1 GiB.
	BytesPerMinute int64
}

const (
	defaultCalls          = 64
	defaultQueue          = 512
	defaultQueuePerCaller = 64
	defaultWait           = 10 * time.Second
	defaultRate           = 100
	defaultBytesPerMinute = 1 << 30

	// maxDownloads is how many pieces of evidence a caller may fetch at a time: each
	// has a connection and an open file for as long as the client goes on reading.
	maxDownloads = 64

	unlimited = 1 << 30 // more than there will ever be
)

// Effective returns the limits with what zero means in them. What has no limit is a
// very large number, and a queue that there is not zero.
func (l Limits) Effective() Limits { return l.withDefaults() }

// withDefaults returns limits that are all positive, or zero for a queue that
// there is not.
func (l Limits) withDefaults() Limits {
	count := func(n *int, zero int) {
		if *n = cmp.Or(*n, zero); *n < 0 {
			*n = unlimited
		}
	}
	count(&l.Calls, defaultCalls)
	count(&l.CallsPerCaller, max(1, l.Calls/4))
	count(&l.HeavyCalls, max(2, runtime.NumCPU()))
	count(&l.HeavyPerCaller, max(1, l.HeavyCalls*3/4))
	l.Queue = max(0, cmp.Or(l.Queue, defaultQueue))
	l.QueuePerCaller = max(0, cmp.Or(l.QueuePerCaller, defaultQueuePerCaller))
	l.Wait = max(0, cmp.Or(l.Wait, defaultWait))
	if l.Rate = cmp.Or(l.Rate, defaultRate); l.Rate < 0 {
		l.Rate = unlimited
	}
	count(&l.Burst, max(1, int(min(2*l.Rate, unlimited))))
	if l.BytesPerMinute = cmp.Or(l.BytesPerMinute, defaultBytesPerMinute); l.BytesPerMinute < 0 {
		l.BytesPerMinute = 1 << 60
	}
	return l
}

// places returns how many calls of a kind there may be, in all and of a caller.
func (l *Limits) places(k kind) (all, each int) {
	if k == heavy {
		return l.HeavyCalls, min(l.HeavyPerCaller, l.HeavyCalls)
	}
	return l.Calls, min(l.CallsPerCaller, l.Calls)
}

// Timeouts returns how long calls of each tool may take on a server for several
// callers, for the Options of package mcpadapter: 0.5 seconds for lookups, 5
// for searches and contents, 30 for evidence, answers and quotes.
func Timeouts() map[string]time.Duration {
	const lookup, search, extract = 500 * time.Millisecond, 5 * time.Second, 30 * time.Second
	return map[string]time.Duration{
		"listResources": lookup, "getStructure": lookup, "getNode": lookup, "ingestStatus": lookup,
		"info": search, "search": search, "findSimilar": search, "getContents": search, "getContext": search,
		"resolve": extract, "answer": extract, "verify": extract, "ingest": extract,
	}
}

// A kind tells lookups from heavy calls.
type kind int

const (
	lookup kind = iota
	heavy
	kinds
)

// String returns how a kind is called in messages.
func (k kind) String() string { return [...]string{"lookups", "calls that search or extract"}[k] }

func plural(n int, k kind) string { return fmt.Sprintf("%d %s", n, k) }
