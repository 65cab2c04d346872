package cloud

import (
	"context"

	"github.com/citekit/citekit/cloud/jobs"
	"github.com/citekit/citekit/cloud/s3"
)

// Stats say what a workspace counted since it was opened by this process.
type Stats struct {
	DatabaseFailures int64               // calls that the database did not take, or not in time
	DatabaseFaults   int64               // of them, those that were not made again, and failed
	Buckets          map[string]Requests // by use: "objects" and "sources"
	CacheHits        int64               // objects, or blocks of them, that were on disk
	CacheFetches     int64               // requests for those that were not
	CacheFetched     int64               // bytes
	CacheHeld        int64               // bytes on disk, or -1 if that is not known
}

// Requests are requests to a bucket.
type Requests struct {
	Made   int64 // with those that were made again
	Failed int64 // of them, those without an answer, or with one of 429 or 500 and more
}

// Stats returns what the workspace counted.
func (w *Workspace) Stats() Stats {
	s := Stats{DatabaseFailures: w.failures.Load(), DatabaseFaults: w.faults.Load(), Buckets: make(map[string]Requests), CacheHeld: -1}
	if b, ok := w.bucket.(*s3.Bucket); ok {
		s.addBucket("objects", b)
	}
	if w.sourceStore != nil {
		s.addBucket("sources", w.sourceStore)
	}
	if w.cache != nil {
		use := w.cache.Use()
		s.CacheHits, s.CacheFetches, s.CacheFetched, s.CacheHeld = use.Hits, use.Fetches, use.Fetched, use.Held
	}
	return s
}

func (s *Stats) addBucket(use string, b *s3.Bucket) {
	made, failed := b.Requests()
	s.Buckets[use] = Requests{made, failed}
}

// SourceBucket returns the bucket of the sources that the URL names, or nil.
func (w *Workspace) SourceBucket() *s3.Bucket { return w.sourceStore }

// Depth returns how full the queue of the workspace is, without making its tables. It costs
// the same however many jobs wait, but for a count of them each minute.
func (w *Workspace) Depth(ctx context.Context) (jobs.Depth, error) {
	return w.gauge.Read(ctx, w.pool, w.schema)
}
