package index

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
)

// A manifest lists the segments, and the outdated resources in them. It is a note, the
// root; replacing the root makes a change. If it is too large for a note, the root lists
// the latest segments, and notes that list the others: the parts. A part never changes.
// It is written before the root that names it, and deleted after one that does not.
//
// The outdated resources of a segment are listed here, not in the segment that
// replaced them: if that segment is lost, the older version must not come back.
type manifest struct {
	shards   int // that have the segments; 0 if the manifest itself lists them
	parts    []*manifestPart
	segments []segmentRecord // of the parts, and then of the root
}

// A manifestPart is a note that lists segments.
type manifestPart struct {
	name     string // random, so that no other part has it
	stamp    citekit.Stamp
	segments []segmentRecord
	lost     int // how many it listed, if it cannot be read
}

// A rootNote is the root as a note, or a part.
type rootNote struct {
	Format   int             `json:"format"`
	Shards   int             `json:"shards,omitempty"`
	Parts    []partRecord    `json:"parts,omitempty"`
	Segments []segmentRecord `json:"segments"`
}

// A partRecord is the root's record of a part.
type partRecord struct {
	Name     string `json:"name"`
	Segments int    `json:"segments"`
}

const (
	manifestFormat = 1 // of a root without parts, which earlier versions read
	partedFormat   = 2
	shardedFormat  = 3        // of a root that says how many shards there are, and lists nothing
	manifestKind   = "search" // of the notes
)

// maxManifest is the size of the largest note of a manifest in bytes; notes have at most
// 64 KiB. A test lowers it.
var maxManifest = 60 << 10

// A segmentRecord is the manifest's record of a segment.
type segmentRecord struct {
	Key       string `json:"key"` // of the evidence
	SHA256    string `json:"sha256"`
	Size      int64  `json:"size"`
	Entries   int    `json:"entries"`
	Resources int    `json:"resources"`
	Dead      []byte `json:"dead,omitempty"` // numbers of outdated resources, as written by appendNumbers

	part *manifestPart // that lists it; nil for the root
}

// decodeRoot decodes the root or a part. Invalid data gives an empty one.
func decodeRoot(data []byte) (r rootNote) {
	if json.Unmarshal(data, &r) == nil {
		switch r.Format {
		case manifestFormat, partedFormat:
			r.Shards = 0
			return r
		case shardedFormat:
			return rootNote{Shards: min(r.Shards, mostShards)}
		}
	}
	return rootNote{}
}

// partName returns the name of the note of a part.
func (l *Local) partName(part string) string { return l.name + "/" + part }

// part returns a part by its name, or nil.
func (m *manifest) part(name string) *manifestPart {
	for _, p := range m.parts {
		if p.name == name {
			return p
		}
	}
	return nil
}

// addPart adds a part with all it lists.
func (m *manifest) addPart(p *manifestPart) {
	m.parts = append(m.parts, p)
	m.segments = append(m.segments, p.segments...)
}

// keys returns the keys of all segments.
func (m *manifest) keys() map[string]bool {
	keys := make(map[string]bool, len(m.segments))
	for _, r := range m.segments {
		keys[r.Key] = true
	}
	return keys
}

// lost returns how many segments the parts listed that cannot be read.
func (m *manifest) lost() (n int) {
	for _, p := range m.parts {
		n += p.lost
	}
	return n
}

// arrange returns a manifest of some segments. It has the parts whose segments are all
// among them, unchanged.
func arrange(segments []segmentRecord) (m manifest) {
	kept := make(map[*manifestPart]int)
	for _, r := range segments {
		kept[r.part]++
	}
	var own []segmentRecord
	for _, r := range segments {
		switch p := r.part; {
		case p == nil || kept[p] != len(p.segments) && kept[p] != 0:
			r.part = nil
			own = append(own, r)
		case kept[p] != 0:
			m.addPart(p)
			kept[p] = 0
		}
	}
	m.segments = append(m.segments, own...)
	return m
}

// encode returns the root. If that is too large, it first moves segments of the root into
// parts. The error matches [citekit.ErrTooLarge] if one record, or the list of the parts,
// is too large.
func (m *manifest) encode() ([]byte, error) {
	if m.shards > 1 {
		return json.Marshal(rootNote{Format: shardedFormat, Shards: m.shards, Segments: []segmentRecord{}})
	}
	own := slices.IndexFunc(m.segments, func(r segmentRecord) bool { return r.part == nil })
	if own < 0 {
		own = len(m.segments)
	}
	root := rootNote{Format: manifestFormat}
	for _, p := range m.parts {
		root.Format = partedFormat
		root.Parts = append(root.Parts, partRecord{p.name, len(p.segments) + p.lost})
	}
	for {
		root.Segments = m.segments[own:]
		data, err := json.Marshal(root)
		if err != nil || len(data) <= maxManifest {
			return data, err
		}
		n, err := fitting(root.Segments)
		if err != nil {
			return nil, err
		}
		p := &manifestPart{name: rand.Text()}
		for i := range m.segments[own : own+n] {
			m.segments[own+i].part = p
		}
		p.segments = slices.Clone(m.segments[own : own+n])
		m.parts = append(m.parts, p)
		root.Format, root.Parts = partedFormat, append(root.Parts, partRecord{p.name, n})
		own += n
	}
}

// fitting returns how many of the first segments one part can list, at least one.
func fitting(segments []segmentRecord) (n int, err error) {
	size := len(`{"format":2,"segments":[]}`)
	for _, r := range segments {
		data, err := json.Marshal(r)
		if err != nil {
			return 0, err
		}
		if size += len(data) + len(","); size > maxManifest {
			break
		}
		n++
	}
	if n == 0 {
		return 0, fmt.Errorf("search: too many segments: %w", citekit.ErrTooLarge)
	}
	return n, nil
}

// changes returns the changes of notes that make m of the manifest before it: new parts,
// the root, and parts that it has no more.
func (l *Local) changes(m, before *manifest, root []byte, stamp citekit.Stamp) (changes []citekit.NoteChange, err error) {
	for _, p := range m.parts {
		if before.part(p.name) != nil {
			continue
		}
		data, err := json.Marshal(rootNote{Format: partedFormat, Segments: p.segments})
		if err != nil {
			return nil, err
		}
		changes = append(changes, citekit.NoteChange{Name: l.partName(p.name), Data: data})
	}
	changes = append(changes, citekit.NoteChange{Name: l.name, Data: root, Stamp: stamp})
	for _, p := range before.parts {
		if p.lost == 0 && m.part(p.name) == nil {
			changes = append(changes, citekit.NoteChange{Name: l.partName(p.name), Stamp: p.stamp})
		}
	}
	return changes, nil
}

// isPartOf reports whether a note is a part of the manifest whose root has some name.
func isPartOf(note, root string) bool {
	name, ok := strings.CutPrefix(note, root+"/")
	return ok && len(name) == len(rand.Text()) && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

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
