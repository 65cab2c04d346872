package citekit_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/citekit/citekit"
)

func TestTranscript(t *testing.T) {
	for _, test := range []struct {
		metadata string
		want     [2]string
	}{
		{`{}`, [2]string{}},
		{`{"transcript":"talk.srt"}`, [2]string{}},
		{`{"transcript":{"source_path":5}}`, [2]string{}},
		{`{"transcript":{"source_hash":"ab"}}`, [2]string{}},
		{`{"transcript":{"source_path":"talk.srt","source_hash":7}}`, [2]string{"talk.srt", ""}},
		{`{"transcript":{"source_path":"talk.srt","source_hash":"AB12"}}`, [2]string{"talk.srt", "ab12"}},
	} {
		m, err := citekit.ParseMap([]byte(`{"resource_id":"talk","type":"audio","source_path":"talk.wav","nodes":[],"metadata":` + test.metadata + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if path, hash := m.Transcript(); [2]string{path, hash} != test.want {
			t.Errorf("%s: got %q, %q", test.metadata, path, hash)
		}
	}
}

// TestMetadataNumbers checks that neither a fraction nor a string counts as a
// number of pages or bytes.
func TestMetadataNumbers(t *testing.T) {
	for value, want := range map[any]int{
		json.Number("12"): 12, json.Number("12.0"): 12, 12: 12, int64(12): 12, 12.0: 12,
		json.Number("1.5"): 0, 1.5: 0, "12": 0, json.Number("-3"): 0, json.Number("1e300"): 0, math.NaN(): 0, math.Inf(1): 0, true: 0,
	} {
		m := &citekit.ResourceMap{Type: citekit.Document, Metadata: map[string]any{"pages": value, "source_size": value}}
		if got := m.Extent().Pages; got != want {
			t.Errorf("%T %v are %d pages, want %d", value, value, got, want)
		}
		if size, ok := m.SourceSize(); want > 0 && (size != int64(want) || !ok) {
			t.Errorf("%T %v are %d bytes, %v", value, value, size, ok)
		}
	}
	m := &citekit.ResourceMap{Type: citekit.Audio, Metadata: map[string]any{"duration": 90}}
	if got := m.Extent().Duration; got != 90 {
		t.Errorf("a duration of 90 seconds is %v", got)
	}
}
