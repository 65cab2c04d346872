package citekit_test

import (
	"reflect"
	"testing"

	"github.com/citekit/citekit"
)

func TestTranscript(t *testing.T) {
	for _, test := range []struct {
		metadata string
		want     citekit.Transcript
		ok       bool
	}{
		{`{}`, citekit.Transcript{}, false},
		{`{"transcript":"talk.srt"}`, citekit.Transcript{}, false},
		{`{"transcript":{"source_path":5}}`, citekit.Transcript{}, false},
		{`{"transcript":{"source_hash":"ab"}}`, citekit.Transcript{}, false},
		{`{"transcript":{"source_path":"talk.srt","source_hash":7}}`, citekit.Transcript{SourcePath: "talk.srt"}, true},
		{`{"transcript":{"source_path":"talk.srt","source_hash":"AB12"}}`, citekit.Transcript{SourcePath: "talk.srt", SourceHash: "ab12"}, true},
	} {
		m, err := citekit.ParseMap([]byte(`{"resource_id":"talk","type":"audio","source_path":"talk.wav","nodes":[],"metadata":` + test.metadata + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := m.Transcript(); got != test.want || ok != test.ok {
			t.Errorf("%s: got %+v, %v", test.metadata, got, ok)
		}
	}
}

func TestSetTranscript(t *testing.T) {
	m := new(citekit.ResourceMap)
	m.SetTranscript(citekit.Transcript{SourcePath: "a.srt", SourceHash: "ab"})
	if want := map[string]any{"transcript": map[string]any{"source_path": "a.srt", "source_hash": "ab"}}; !reflect.DeepEqual(m.Metadata, want) {
		t.Errorf("got %v", m.Metadata)
	}
	before := map[string]any{"source_path": "a.srt", "language": "fr"}
	m.Metadata = map[string]any{"transcript": before}
	m.SetTranscript(citekit.Transcript{SourcePath: "b.srt"})
	if want := map[string]any{"transcript": map[string]any{"source_path": "b.srt", "language": "fr"}}; !reflect.DeepEqual(m.Metadata, want) {
		t.Errorf("got %v", m.Metadata)
	}
	if before["source_path"] != "a.srt" {
		t.Error("metadata that another map may share were changed")
	}
}
