package ingest

import (
	"reflect"
	"testing"

	"github.com/citekit/citekit"
)

func TestSetTranscript(t *testing.T) {
	m := new(citekit.ResourceMap)
	setTranscript(m, "a.srt", "ab")
	if want := map[string]any{"transcript": map[string]any{"source_path": "a.srt", "source_hash": "ab"}}; !reflect.DeepEqual(m.Metadata, want) {
		t.Errorf("got %v", m.Metadata)
	}
	before := map[string]any{"source_path": "a.srt", "language": "fr"}
	m.Metadata = map[string]any{"transcript": before}
	setTranscript(m, "b.srt", "")
	if want := map[string]any{"transcript": map[string]any{"source_path": "b.srt", "language": "fr"}}; !reflect.DeepEqual(m.Metadata, want) {
		t.Errorf("got %v", m.Metadata)
	}
	if before["source_path"] != "a.srt" {
		t.Error("metadata that another map may share were changed")
	}
}
