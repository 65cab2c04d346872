package index

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
)

// A manifest says which segments there are, and what in them counts no more. It
// is one note; replacing it is what makes a change.
//
// What is outdated in a segment stands here, and not in the segment that
// replaced it: if that is lost, the older version must not come back.
type manifest struct {
	Format   int             `json:"format"`
	Segments []segmentRecord `json:"segments"`
}

const (
	manifestFormat = 1
	manifestKind   = "search" // of the note
	maxManifest    = 60 << 10 // bytes; notes have at most 64 KiB
)

// A segmentRecord is what the manifest says of a segment.
type segmentRecord struct {
	Key       string `json:"key"` // of the evidence
	SHA256    string `json:"sha256"`
	Size      int64  `json:"size"`
	Entries   int    `json:"entries"`
	Resources int    `json:"resources"`
	Dead      []byte `json:"dead,omitempty"` // numbers of resources, as of appendNumbers
}

// decodeManifest returns an empty manifest for what is not one.
func decodeManifest(data []byte) manifest {
	var m manifest
	if json.Unmarshal(data, &m) != nil || m.Format != manifestFormat {
		return manifest{Format: manifestFormat}
	}
	return m
}

func (m manifest) encode() ([]byte, error) { return json.Marshal(m) }

// appendNumbers writes numbers in ascending order, as differences.
func appendNumbers(data []byte, numbers []int) []byte {
	last := 0
	for _, n := range numbers {
		data = binary.AppendUvarint(data, uint64(n-last))
		last = n
	}
	return data
}

var errBadNumbers = errors.New("search: the manifest is damaged")

// readNumbers reads numbers below limit.
func readNumbers(data []byte, limit int) ([]int, error) {
	var numbers []int
	last := uint64(0)
	for len(data) > 0 {
		step, size := binary.Uvarint(data)
		if size <= 0 || step >= uint64(limit) || last+step >= uint64(limit) {
			return nil, errBadNumbers
		}
		last += step
		data = data[size:]
		numbers = append(numbers, int(last))
	}
	return slices.Compact(numbers), nil
}
