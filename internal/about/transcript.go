package about

import (
	"io"
	"strings"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// A transcript that a machine made is evidence of its map, which names it as it names
// one in a file.

const (
	transcriptScheme = "citekit-transcript:"

	// TranscriptPrefix begins the name of evidence that is a transcript.
	TranscriptPrefix = "transcript-"

	// TranscriptExt ends the name of such a transcript among the companions of a source.
	TranscriptExt = ".transcribed"

	// MaxTranscript is the most bytes of one: what is read of a companion.
	MaxTranscript = 16 << 20
)

// TranscriptPath returns what a map has as the path of the transcript under a key.
func TranscriptPath(key string) string { return transcriptScheme + key }

// TranscriptKey returns the key in such a path, and whether it is one.
func TranscriptKey(path string) (key string, ok bool) {
	key, ok = strings.CutPrefix(path, transcriptScheme)
	return key, ok && transcriptKey.MatchString(key)
}

var transcriptKey = lazyregexp.New(`^[0-9a-f]{64}$`)

// TranscriptName returns the name of the evidence under a key.
func TranscriptName(key string) string { return TranscriptPrefix + key[:16] + ".json" }

// TranscriptOf returns the key of the evidence that is the transcript of a map, and the
// SHA-256 that it has by the map.
func TranscriptOf(m interface{ Transcript() (path, hash string) }) (key, hash string, ok bool) {
	path, hash := m.Transcript()
	key, ok = TranscriptKey(path)
	return key, hash, ok
}

// ReadTranscript returns evidence with a name, and closes it. If it is no transcript, the
// error is forbidden.
func ReadTranscript(body io.ReadCloser, name string, forbidden error) (string, error) {
	defer body.Close()
	if !strings.HasPrefix(name, TranscriptPrefix) {
		return "", forbidden
	}
	data, err := io.ReadAll(io.LimitReader(body, MaxTranscript+1))
	if len(data) > MaxTranscript {
		return "", forbidden
	}
	return string(data), err
}

// IsTranscribed reports whether the metadata of a map say that a machine wrote down its
// words.
func IsTranscribed(metadata map[string]any) bool {
	noted, _ := metadata["transcript"].(map[string]any)
	is, _ := noted["transcribed"].(bool)
	return is
}
