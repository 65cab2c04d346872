package archive

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

// listZip reads the directory of a ZIP archive.
func listZip(ctx context.Context, src *citekit.Source) (*listing, error) {
	z, err := zipread.OpenAny(ctx, src, src.Size())
	if err != nil {
		return nil, known(ctx, err)
	}
	return listingOf(ctx, src, z)
}

// listingOf lists the members of a ZIP archive.
func listingOf(ctx context.Context, src *citekit.Source, z *zipread.Archive) (*listing, error) {
	l := &listing{kind: kindOf(z, src.Name()), byName: make(map[string]*entry), cut: cutZip}
	l.cutExt, l.version, l.hasSums = l.kind.ext, src.Version(), true
	for _, f := range z.Files() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.add(zipEntry(f))
	}
	return l, nil
}

func zipEntry(f *zipread.File) *entry {
	e := &entry{name: f.Text(), size: f.Size(), folder: f.IsDir(), open: f.Open, inPlace: f.Stored, raw: f}
	switch {
	case f.IsUnsafe():
		e.refusal = errLeads
	case f.IsTwice():
		e.refusal = errTwice
	case f.IsEncrypted():
		e.refusal = errLocked
	}
	return e
}

// kindOf detects the kind of a ZIP archive: a JAR by its manifest, a CBZ by its file
// name.
func kindOf(z *zipread.Archive, name string) kind {
	switch {
	case z.File("META-INF/MANIFEST.MF") != nil:
		return kindJar
	case strings.EqualFold(path.Ext(name), kindCBZ.ext):
		return kindCBZ
	}
	return kindZip
}

// cutZip writes a ZIP archive of some entries without repacking them.
func cutZip(ctx context.Context, w io.Writer, entries []*entry) error {
	out := zipread.NewWriter(w)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := out.Copy(e.raw.(*zipread.File)); err != nil {
			return err
		}
	}
	return out.Close()
}
