package relations

import (
	"bytes"
	"context"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

const (
	anchor = "anchor"

	storedFormat = "1"      // of the stored links; part of every key
	maxStored    = 64 << 20 // bytes of the links of one source
)

// links returns the links of a resource: those stored for this version of its
// source, else those read from the source.
func (g *Graph) links(ctx context.Context, m *citekit.ResourceMap) ([]Link, error) {
	key := g.storedKey(m)
	if links, ok := g.stored(ctx, key); ok {
		return links, nil
	}
	var links []Link
	for link, err := range ReadLinks(ctx, g.lib, m.ResourceID) {
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	g.store(ctx, key, m, links)
	return links, nil
}

// storedKey returns the key of the links of the source version that a map
// names, or "" if it names none.
func (g *Graph) storedKey(m *citekit.ResourceMap) string {
	modality := m.Address(nil).Location.Modality
	hash := m.SourceHash()
	if hash == "" || modality == "" {
		return ""
	}
	version := g.lib.Resolvers().Version(modality)
	return ctxio.HashParts("links", storedFormat, string(modality), version, hash, m.ResourceID, m.SourcePath)
}

// stored returns the links stored under a key.
func (g *Graph) stored(ctx context.Context, key string) ([]Link, bool) {
	opener, ok := g.lib.Workspace().(citekit.EvidenceOpener)
	if !ok || key == "" {
		return nil, false
	}
	body, _, err := opener.OpenEvidence(ctx, key)
	if err != nil {
		return nil, false
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, maxStored+1))
	if err != nil || len(data) > maxStored {
		return nil, false
	}
	links, err := decodeLinks(data)
	return links, err == nil
}

// store stores links under a key. Links that are not stored are read again.
func (g *Graph) store(ctx context.Context, key string, m *citekit.ResourceMap, links []Link) {
	if _, ok := g.lib.Workspace().(citekit.EvidenceOpener); !ok || key == "" {
		return
	}
	data := encodeLinks(links)
	if len(data) > maxStored {
		return
	}
	meta := citekit.EvidenceMeta{
		Name:       "links-" + key[:32] + ".bin",
		Size:       int64(len(data)),
		Resource:   m.ResourceID,
		MediaType:  "application/octet-stream",
		SourceHash: m.SourceHash(),
	}
	_, _ = g.lib.Workspace().StoreEvidence(ctx, key, meta, bytes.NewReader(data))
}
