package citekit

import (
	"maps"
	"strings"
)

// A Transcript is the file beside a recording that has its words.
type Transcript struct {
	SourcePath string // as that of a map, and never empty
	SourceHash string // SHA-256 in lower case hex when the recording was mapped; "" if not known
}

const metadataTranscript = "transcript" // in the metadata of a map

// Transcript returns the transcript that the metadata name, and whether they
// name one.
func (m *ResourceMap) Transcript() (Transcript, bool) {
	noted, _ := m.Metadata[metadataTranscript].(map[string]any)
	path, _ := noted["source_path"].(string)
	if path == "" {
		return Transcript{}, false
	}
	hash, _ := noted["source_hash"].(string)
	return Transcript{SourcePath: path, SourceHash: strings.ToLower(hash)}, true
}

// SetTranscript puts a transcript into the metadata. What else they say of the
// transcript stays.
func (m *ResourceMap) SetTranscript(t Transcript) {
	noted, _ := m.Metadata[metadataTranscript].(map[string]any)
	if noted = maps.Clone(noted); noted == nil {
		noted = make(map[string]any)
	}
	noted["source_path"] = t.SourcePath
	if t.SourceHash == "" {
		delete(noted, "source_hash")
	} else {
		noted["source_hash"] = t.SourceHash
	}
	if m.Metadata == nil {
		m.Metadata = make(map[string]any)
	}
	m.Metadata[metadataTranscript] = noted
}
