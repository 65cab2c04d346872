package index

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
)

// A manifest lists the segments, and the outdated resources in them. It is one
// note; replacing the note makes a change.
//
// The outdated resources of a segment are listed here, not in the segment that
// replaced them: if that segment is lost, the older version must not come back.
type manifest struct {
	Format   int             `json:"format"`
	Segments []segmentRecord `json:"segments"`
}

const (
	manifestFormat = 1
	manifestKind   = "search" // of the note
	maxManifest    = 60 << 10 // bytes; notes have at most 64 KiB
)

// A segmentRecord is the manifest's record of a segment.
type segmentRecord struct {
	Key       string `json:"key"` // of the evidence
	SHA256    string `json:"sha256"`
	Size      int64  `json:"size"`
	Entries   int    `json:"entries"`
	Resources int    `json:"resources"`
	Dead      []byte `json:"dead,omitempty"` // numbers of outdated resources, as written by appendNumbers
}

// decodeManifest decodes a manifest. Invalid data gives an empty manifest.
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
