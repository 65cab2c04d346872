package config

import (
	"reflect"
	"time"

	"github.com/citekit/citekit/server"
)

// Limits are the limits of package server and of extracting evidence.
type Limits struct {
	Calls          int      `json:"calls" jsonschema:"Concurrent lookups." setting:"reload"`
	CallsPerCaller int      `json:"calls_per_caller" jsonschema:"The same for each caller; 0 means a quarter of calls." setting:"reload"`
	HeavyCalls     int      `json:"heavy_calls" jsonschema:"Concurrent calls that search or extract; 0 means one for each CPU, at least 2." setting:"reload"`
	HeavyPerCaller int      `json:"heavy_per_caller" jsonschema:"The same for each caller; 0 means three quarters of heavy_calls." setting:"reload"`
	Queue          int      `json:"queue" jsonschema:"Calls that wait for others to end; a negative number means none." setting:"reload"`
	QueuePerCaller int      `json:"queue_per_caller" jsonschema:"The same for each caller; a negative number means none." setting:"reload"`
	Wait           Duration `json:"wait" jsonschema:"Longest wait of a call." setting:"reload"`
	Rate           float64  `json:"rate" jsonschema:"Calls per second for each caller." setting:"reload"`
	Burst          int      `json:"burst" jsonschema:"Calls in a burst for each caller; 0 means twice the rate." setting:"reload"`
	BytesPerMinute Size     `json:"bytes_per_minute" jsonschema:"Size of answers and evidence per minute for each caller." setting:"reload"`

	Sessions    int  `json:"sessions" jsonschema:"Sessions for each caller, in all workspaces." setting:"min=0"`
	Connections int  `json:"connections" jsonschema:"Connections with a request of a caller; each caller has a share." setting:"min=0"`
	BodyBytes   Size `json:"body_bytes" jsonschema:"Largest body of a request." setting:"min=0"`

	Extractions      int      `json:"extractions" jsonschema:"Concurrent extractions, in all workspaces together; 0 means four for each CPU." setting:"min=0"`
	ExtractionTime   Duration `json:"extraction_time" jsonschema:"Longest extraction." setting:"min=0"`
	ChildProcesses   int      `json:"child_processes" jsonschema:"Concurrent programs such as ffmpeg and tesseract, for all workspaces and modalities together." setting:"min=0 max=1024"`
	DecoderMemory    Size     `json:"decoder_memory" jsonschema:"Memory for decoding images, for all workspaces together." setting:"min=0"`
	EvidencePerSpace Size     `json:"evidence_per_workspace" jsonschema:"Size of the evidence that each workspace keeps; the least recently used is deleted first."`
}

// Server returns the limits that package server enforces.
func (l Limits) Server() server.Limits {
	return server.Limits{
		Calls: l.Calls, CallsPerCaller: l.CallsPerCaller, HeavyCalls: l.HeavyCalls, HeavyPerCaller: l.HeavyPerCaller,
		Queue: l.Queue, QueuePerCaller: l.QueuePerCaller, Wait: time.Duration(l.Wait),
		Rate: l.Rate, Burst: l.Burst, BytesPerMinute: int64(l.BytesPerMinute),
	}
}

// filled returns the limits with zeros replaced by what they mean in package server
// and in the defaults. Negative values stay.
func (l Limits) filled() Limits {
	meant, all := Default().Limits, l.Server().Effective()
	meant.Calls, meant.CallsPerCaller, meant.HeavyCalls, meant.HeavyPerCaller = all.Calls, all.CallsPerCaller, all.HeavyCalls, all.HeavyPerCaller
	meant.Queue, meant.QueuePerCaller, meant.Wait = all.Queue, all.QueuePerCaller, Duration(all.Wait)
	meant.Rate, meant.Burst, meant.BytesPerMinute = all.Rate, all.Burst, Size(all.BytesPerMinute)
	given := reflect.ValueOf(&l).Elem()
	for i := range given.NumField() {
		if given.Field(i).IsZero() {
			given.Field(i).Set(reflect.ValueOf(meant).Field(i))
		}
	}
	return l
}
