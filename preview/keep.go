package preview

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/plain"
)

// format is part of every key of a preview.
const format = "preview/1"

// keyOf returns the key of a preview: a SHA-256 of everything that determines
// its bytes and its name.
func keyOf(o *citekit.Opened, resolverVersion string, opts Options) string {
	loc := o.Address.Location
	parts := []string{
		format, string(loc.Modality), resolverVersion, o.Source.Version(), o.Source.Name(),
		loc.String(), o.Address.Resource, string(o.Map.Type), fmt.Sprint(opts.Side),
	}
	for _, b := range opts.Boxes {
		parts = append(parts, fmt.Sprintf("%x", [...]float64{b.X1, b.Y1, b.X2, b.Y2}))
	}
	return ctxio.HashParts(parts...)
}

// kept returns a stored preview, or an error matching [fs.ErrNotExist]. Nothing
// is stored if the workspace cannot open evidence.
func (m *Maker) kept(ctx context.Context, key string) (*Preview, error) {
	opener, ok := m.lib.Workspace().(citekit.EvidenceOpener)
	if !ok {
		return nil, fs.ErrNotExist
	}
	content, stored, err := opener.OpenEvidence(ctx, key)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	p := Preview{Cached: true}
	if json.Unmarshal(stored.Preview, &p) != nil {
		return nil, fs.ErrNotExist
	}
	p.Data, err = io.ReadAll(io.LimitReader(content, maxBytes))
	return &p, err
}

func (m *Maker) keep(ctx context.Context, j job, p *Preview) error {
	ws := m.lib.Workspace()
	if _, ok := ws.(citekit.EvidenceOpener); !ok {
		return nil
	}
	described, err := json.Marshal(p)
	if err != nil {
		return err
	}
	label := strings.TrimSuffix("preview_"+j.Address.Fragment(), "_")
	_, err = ws.StoreEvidence(ctx, j.key, citekit.EvidenceMeta{
		Name:       plain.EvidenceName(j.Address.Resource, label, j.key, strings.Replace(p.MediaType, "image/", ".", 1)),
		Size:       int64(len(p.Data)),
		Resource:   j.Address.Resource,
		MediaType:  p.MediaType,
		SourceHash: j.SourceHash(),
		Preview:    described,
	}, bytes.NewReader(p.Data))
	return err
}
