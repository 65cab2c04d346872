package server

import (
	"cmp"
	"fmt"
	"runtime"
	"time"
)

// Limits bound how much callers may ask of a server. The zero value is ready to
// use. A negative number means no limit, except in Queue and QueuePerCaller, where
// it means that no calls wait.
//
// Calls are of two kinds. Lookups are answered from maps: listResources,
// getStructure, getNode, ingestStatus, and what the protocol itself needs.
// All others are heavy: they search, extract and render. Each kind has its own
// places, so that heavy calls do not block lookups. Evidence that is fetched by a
// link takes no place; each caller may fetch 64 pieces at a time.
type Limits struct {
	Calls          int // lookups at a time; zero means 64
	CallsPerCaller int // of these for each caller; zero means a quarter of Calls

	HeavyCalls     int // heavy calls at a time; zero means one for each CPU, at least 2
	HeavyPerCaller int // of these for each caller; zero means three quarters of HeavyCalls, at least 1

	Queue          int           // calls that wait for a place; zero means 512
	QueuePerCaller int           // of these for each caller; zero means 64
	Wait           time.Duration // longest wait; zero means 10 seconds

	Rate  float64 // calls per second of each caller; zero means 100
	Burst int     // calls that each caller may make at once; zero means twice Rate

	// BytesPerMinute is how many bytes of answers and evidence each caller may
	// receive per minute. A caller that received more waits until the mean is
	// below the limit. Zero means 1 GiB.
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
	// keeps a connection and a file open until the client has read it.
	maxDownloads = 64

	unlimited = 1 << 30 // more than any server needs
)

// Effective returns the limits with their defaults filled in. No limit is a very
// large number, and no queue is zero.
func (l Limits) Effective() Limits { return l.withDefaults() }

// withDefaults returns limits that are all positive, or zero for no queue.
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

// places returns how many calls of a kind may run, in all and for one caller.
func (l *Limits) places(k kind) (all, each int) {
	if k == heavy {
		return l.HeavyCalls, min(l.HeavyPerCaller, l.HeavyCalls)
	}
	return l.Calls, min(l.CallsPerCaller, l.Calls)
}

// Timeouts returns how long calls of each tool may take on a server for several
// callers, for the Options of package mcpadapter: 5 minutes for evidence, and 30
// seconds for all else. They are for storage and programs that hang: how much a call
// may do is counted, so that it has the same answer on any machine.
func Timeouts() map[string]time.Duration {
	const usual, extract = 30 * time.Second, 5 * time.Minute
	return map[string]time.Duration{
		"listResources": usual, "getStructure": usual, "getNode": usual, "ingestStatus": usual,
		"info": usual, "search": usual, "findSimilar": usual, "getContents": usual, "getContext": usual,
		"resolve": extract, "answer": usual, "verify": usual, "ingest": usual,
	}
}

// A kind is the kind of a call: a lookup or a heavy call.
type kind int

const (
	lookup kind = iota
	heavy
	kinds
)

// String returns the name of a kind in messages.
func (k kind) String() string { return [...]string{"lookups", "calls that search or extract"}[k] }

func plural(n int, k kind) string { return fmt.Sprintf("%d %s", n, k) }
