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
	for _, seed := range []string{"\x0a\x02\x08", "\x09\x08\x01\x08\x01\x08\x01\x08\x01", "\x0a\x03\x0a\x01\x05"} { // the last are of other types
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		got := new(destination).rejected(answer, "application/x-protobuf")
		var want collector.ExportTraceServiceResponse
		if proto.Unmarshal(answer, &want) != nil {
			return
		}
		if n := want.GetPartialSuccess().GetRejectedSpans(); (got != nil) != (n != 0) {
			t.Errorf("%x: %v, want %d rejected", answer, got, n)
		}
	})
}
