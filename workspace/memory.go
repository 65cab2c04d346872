package workspace

import (
	"context"
	"io"
	"io/fs"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace/driver"
)

// A Memory is a [citekit.Workspace] in memory, for tests and for programs that
// embed citekit: a [Bucket] whose objects are in memory. Make one with
// [NewMemory]. It has no size limits, and nothing is stored beyond its lifetime.
type Memory struct{ Bucket }

var (
	_ citekit.Workspace      = (*Memory)(nil)
	_ MapPather              = (*Memory)(nil)
	_ citekit.EvidenceOpener = (*Memory)(nil)
	_ Finder                 = (*Memory)(nil)
	_ Deleter                = (*Memory)(nil)
)

// NewMemory returns an empty workspace. Its sources are the files in sources
// and those added by [Memory.AddSource]. A nil sources means no files. Evidence and
// texts stay in memory until [Memory.DeleteKept] deletes them.
func NewMemory(sources fs.FS) *Memory {
	m := new(Memory)
	m.init(driver.NewMemory(), sources, "memory")
	return m
}

// AddSource makes data the source with the given path, replacing an earlier
// one. The data must not change afterwards.
func (m *Memory) AddSource(path string, data []byte) { m.add(path, data) }

// Evidence returns the content of an evidence file by its path in
// [citekit.StoredEvidence].
func (m *Memory) Evidence(path string) ([]byte, error) {
	ctx := context.Background()
	for object, err := range m.list(ctx, recordPrefix, "", 0) {
		if err != nil {
			return nil, err
		}
		content, stored, err := m.OpenEvidence(ctx, strings.TrimPrefix(object.Key, recordPrefix))
		if err != nil {
			continue // it was deleted meanwhile
		}
		defer content.Close()
		if stored.Path == path {
			return io.ReadAll(content)
		}
	}
	return nil, missing("evidence")
}

// MapPath implements [MapPather].
func (m *Memory) MapPath(id string) string { return ".resource_maps/" + shownName(id) }
