package odf

import (
	"context"
	"io"

	"github.com/citekit/citekit/internal/xmlspan"
	"github.com/citekit/citekit/internal/zipread"
)

// A Cut is a package made of files of another: those that are kept, as they are
// packed or with another content. What a document says of itself, thumbnails,
// settings and macros are there only if they are kept by name. The same cut
// gives the same bytes.
type Cut struct {
	// Gone reports whether the target of a link within the document, such as
	// "page4", is left out; nil means that none is. Set it before [Cut.Fit].
	Gone func(target string) bool

	p        *Package
	kept     map[string]bool
	replaced map[string]string
}

// NewCut returns a cut of p with nothing but its type.
func NewCut(p *Package) *Cut {
	return &Cut{p: p, kept: make(map[string]bool), replaced: make(map[string]string)}
}

// Keep keeps a file, if there is one of that name.
func (c *Cut) Keep(name string) { c.kept[name] = true }

// Replace keeps a file with another content.
func (c *Cut) Replace(name, content string) {
	c.kept[name] = true
	c.replaced[name] = content
}

// Size returns how large the files are that are kept, without compression.
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

// WriteTo writes the package: its type first and without compression, then the
// files in their order, the manifest with those alone. Errors are those of
// reading the source, as [Open] has them, and of w.
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
			return KnownXML(err)
		}
		return out.Add(name, []byte(list))
	case isReplaced:
		return out.Add(name, []byte(content))
	case c.kept[name]:
		return out.Copy(f)
	}
	return nil
}

// fullPath returns the file that an entry of a manifest is about.
func fullPath(s *xmlspan.Scanner) string {
	for a := range s.Attrs() {
		if a.Local == "full-path" {
			return a.Value
		}
	}
	return ""
}
