package telemetry

import (
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// FuzzRejected reads answers of collectors beside the library of protocol buffers.
func FuzzRejected(f *testing.F) {
	for _, n := range []int64{0, 1, -1, 1 << 40} {
		seed, err := proto.Marshal(&collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: n, ErrorMessage: "too old"}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Add([]byte("\x0a\x02\x08"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		got := rejected(answer, "application/x-protobuf")
		var want collector.ExportTraceServiceResponse
		if proto.Unmarshal(answer, &want) != nil {
			return
		}
		if n := want.GetPartialSuccess().GetRejectedSpans(); (got != nil) != (n != 0) {
			t.Errorf("%x: %v, want %d rejected", answer, got, n)
		}
	})
}
