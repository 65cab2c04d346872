package citekit

import (
	"encoding/json"
	"maps"
	"math"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// SourceHash returns the SHA-256 of the source in lower-case hex, or "" if the
// metadata have none.
func (m *ResourceMap) SourceHash() string {
	hash, _ := m.Metadata["source_hash"].(string)
	return strings.ToLower(hash)
}

// SourceSize returns the size of the source in bytes and whether the metadata
// have it.
func (m *ResourceMap) SourceSize() (int64, bool) {
	size, ok := m.number("source_size")
	return int64(size), ok && isWhole(size)
}

// Extent returns the size of the source as recorded in the metadata. Fields
// that the metadata do not have, or that the type of the map does not use, are
// zero. The source is not opened.
func (m *ResourceMap) Extent() Extent {
	e := Extent{Modality: m.Type}
	switch m.Type {
	case Document:
		e.Pages, e.Blocks, e.Sheets = m.count("pages"), m.count("blocks"), m.count("sheets")
		e.Parts, e.Tables, e.Members = m.count("parts"), m.count("tables"), m.count("members")
	case Text:
		e.Lines, e.Blocks, e.Rows = m.count("lines"), m.count("blocks"), m.count("rows")
		e.Parts, e.Messages = m.count("parts"), m.count("messages")
	case Image, Video:
		e.Width, e.Height = m.count("width"), m.count("height")
	}
	if m.Type == Video || m.Type == Audio {
		if v, _ := m.number("duration"); v > 0 && v <= plain.MaxSeconds {
			e.Duration = v
		}
	}
	return e
}

// count returns a whole number from 1, or 0.
func (m *ResourceMap) count(key string) int {
	n, _ := m.number(key)
	if !isWhole(n) || n < 0 || n >= math.MaxInt {
		return 0
	}
	return int(n)
}

// number returns a number in the metadata. A string of digits is not a number.
func (m *ResourceMap) number(key string) (n float64, ok bool) {
	switch v := m.Metadata[key].(type) {
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// isWhole reports whether v has no fraction, and is exact.
func isWhole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1<<53 }

// Transcript returns the path of the file with the words of a recording, in the
// form of SourcePath, and the SHA-256 that this file had when the recording was
// mapped, in lower-case hex. Both are "" if the metadata have no path of a
// transcript. The hash alone may be "".
func (m *ResourceMap) Transcript() (sourcePath, sourceHash string) {
	noted, _ := m.Metadata["transcript"].(map[string]any)
	if sourcePath, _ = noted["source_path"].(string); sourcePath == "" {
		return "", ""
	}
	sourceHash, _ = noted["source_hash"].(string)
	return sourcePath, strings.ToLower(sourceHash)
}

// SetTranscript records in the metadata the path of a transcript and its hash.
// If sourceHash is "", the metadata then have no hash of it. Other fields of
// the transcript are unchanged.
func (m *ResourceMap) SetTranscript(sourcePath, sourceHash string) {
	noted, _ := m.Metadata["transcript"].(map[string]any)
	if noted = maps.Clone(noted); noted == nil {
		noted = make(map[string]any)
	}
	noted["source_path"] = sourcePath
	if delete(noted, "source_hash"); sourceHash != "" {
		noted["source_hash"] = sourceHash
	}
	if m.Metadata == nil {
		m.Metadata = make(map[string]any)
	}
	m.Metadata["transcript"] = noted
}
