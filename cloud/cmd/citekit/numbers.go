package main

import (
	"context"

	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/internal/command"
)

// numbers returns what a store and its queue count, for the metrics. What the database
// does not tell is left out.
func numbers(ctx context.Context, store command.Store) (all []command.Number) {
	ws, ok := store.(*cloud.Workspace)
	if !ok {
		return nil
	}
	add := func(name, help string, value float64) {
		all = append(all, command.Number{Name: name, Help: help, Value: value})
	}
	labelled := func(name, help, label, of string, value float64) {
		all = append(all, command.Number{Name: name, Help: help, Labels: map[string]string{label: of}, Value: value})
	}
	s := ws.Stats()
	add("citekit_database_failures_total", "Calls that the database did not take, of which most were made again.", float64(s.DatabaseFailures))
	add("citekit_database_faults_total", "Calls of the database that failed for good.", float64(s.DatabaseFaults))
	for use, r := range s.Buckets {
		labelled("citekit_bucket_requests_total", "Requests to buckets, with those that were made again.", "bucket", use, float64(r.Made))
		labelled("citekit_bucket_failures_total", "Requests to buckets without an answer, or with one of 429 or 500 and more.", "bucket", use, float64(r.Failed))
	}
	add("citekit_cache_hits_total", "Objects, or blocks of them, that were on the disk of this machine.", float64(s.CacheHits))
	add("citekit_cache_fetches_total", "Requests for objects, or blocks of them, that were not.", float64(s.CacheFetches))
	add("citekit_cache_fetched_bytes_total", "Bytes of these requests.", float64(s.CacheFetched))
	if s.CacheHeld >= 0 {
		add("citekit_cache_bytes", "Bytes that the folder of the cache holds.", float64(s.CacheHeld))
	}
	d, err := ws.Depth(ctx)
	if err != nil {
		return all
	}
	for state, n := range map[string]int{"waiting": d.Waiting, "running": d.Running, "discarded": d.Discarded} {
		labelled("citekit_jobs", "Jobs of the queue, which all processes see alike; those that are done are not counted. What is more than 10,000 is a minute old, or left out.", "state", state, float64(n))
	}
	add("citekit_jobs_oldest_seconds", "How long the first of the jobs waits that may run.", d.Oldest.Seconds())
	add("citekit_index_lag_seconds", "How long what was mapped first waits to be searchable.", d.IndexLag.Seconds())
	return all
}
