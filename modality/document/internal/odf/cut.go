package odf

import (
	"context"
	"io"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

// A Cut is a package with some of the files of another package. Kept files are
// copied as they are packed, or replaced. Metadata, thumbnails, settings and
// macros are left out unless they are kept by name. The same cut gives the same
// bytes.
type Cut struct {
	// Gone reports whether the target of a link within the document, such as
	// "page4", is left out. If it is nil, no target is. Set it before [Cut.Fit].
	Gone func(target string) bool

	p        *Package
	kept     map[string]bool
	replaced map[string]string
}

// NewCut returns a cut of p that holds only the media type of p.
func NewCut(p *Package) *Cut {
	return &Cut{p: p, kept: make(map[string]bool), replaced: make(map[string]string)}
}

// Keep keeps the file of a name if it exists.
func (c *Cut) Keep(name string) { c.kept[name] = true }

// Replace keeps a file with another content.
func (c *Cut) Replace(name, content string) {
	c.kept[name] = true
	c.replaced[name] = content
}

// Size returns the uncompressed size of all kept files, in bytes.
func (c *Cut) Size() int64 {
	var size int64
	for _, f := range c.p.zip.Files() {
		if content, ok := c.replaced[f.Name()]; ok {
			size += int64(len(content))
		} else if c.kept[f.Name()] {
			size += f.Size()
		}
	}
	return size
}

// WriteTo writes the package: first its media type without compression, then the
// kept files in the order of the source. The manifest lists only kept files.
// Errors are those of reading the source, as for [Open], and those of w.
func (c *Cut) WriteTo(ctx context.Context, w io.Writer) error {
	out := zipread.NewWriter(w)
	if err := out.Store(mimetype, []byte(c.p.mediaType)); err != nil {
		return err
	}
	for _, f := range c.p.zip.Files() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.write(out, f); err != nil {
			return zipread.Known(ctx, err)
		}
	}
	return out.Close()
}

func (c *Cut) write(out *zipread.Writer, f *zipread.File) error {
	name := f.Name()
	content, isReplaced := c.replaced[name]
	switch {
	case name == mimetype:
	case name == manifest:
		list, err := xmlspan.Without(Scan(c.p.manifest), func(s *xmlspan.Scanner) bool {
			path := fullPath(s)
			return s.Local == "file-entry" && path != "/" && !c.kept[path]
		})
		if err != nil {
			return xmlspan.Known(err)
		}
		return out.Add(name, []byte(list))
	case isReplaced:
		return out.Add(name, []byte(content))
	case c.kept[name]:
		return out.Copy(f)
	}
	return nil
}

// fullPath returns the name of the file of a manifest entry.
func fullPath(s *xmlspan.Scanner) string {
	for a := range s.Attrs() {
		if a.Local == "full-path" {
			return a.Value
		}
	}
	return ""
}
