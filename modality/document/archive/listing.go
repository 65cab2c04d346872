package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/zipread"
)

// maxEntries is how many entries an archive has at most.
const maxEntries = zipread.MaxEntries

// A kind is a format of archives.
type kind struct{ name, mediaType, ext string }

var (
	kindZip = kind{"zip", "application/zip", ".zip"}
	kindJar = kind{"jar", "application/java-archive", ".jar"}
	kindCBZ = kind{"cbz", "application/vnd.comicbook+zip", ".cbz"}
	kindTar = kind{"tar", "application/x-tar", ".tar"}
)

// A listing is what an archive holds, in the order of the archive.
type listing struct {
	kind    kind
	entries []*entry
	byName  map[string]*entry
	version string // of the source, or ""
	hasSums bool   // members have checksums, which are compared as they are read

	// cut writes an archive of some of the entries, whose names end in cutExt.
	cut    func(ctx context.Context, w io.Writer, entries []*entry) error
	cutExt string
}

// An entry is a file or a folder of an archive.
type entry struct {
	name   string // as it is addressed; a folder ends in "/"
	size   int64
	folder bool

	refusal error // why it cannot be opened, or nil

	open    func(ctx context.Context) (io.ReadCloser, error)
	inPlace func() *io.SectionReader // returns nil if it is compressed
	raw     any                      // for cut
}

// isMember reports whether the entry can be opened.
func (e *entry) isMember() bool { return !e.folder && e.refusal == nil }

// list reads what an archive holds.
func (r *Resolver) list(ctx context.Context, src *citekit.Source) (*listing, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	head := make([]byte, tarBlock)
	n, err := src.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if p := packingOf(head[:n]); p != nil {
		return r.listPacked(ctx, src, p)
	}
	if beginsTar(head[:n]) {
		return listTar(ctx, src)
	}
	return listZip(ctx, src)
}

// add adds an entry. One that cannot be addressed is kept with the reason.
func (l *listing) add(e *entry) {
	if e.refusal == nil {
		e.refusal = nameRefusal(e.name)
	}
	first, taken := l.byName[e.name]
	switch {
	case !taken:
		l.byName[e.name] = e
	case e.folder:
		return
	case e.refusal == nil:
		first.refusal, e.refusal = errTwice, errTwice
	}
	l.entries = append(l.entries, e)
}

var (
	errTwice   = fmt.Errorf("the archive has two members of that name: %w", errors.ErrUnsupported)
	errLeads   = fmt.Errorf("the name of the member leads out of the archive: %w", errors.ErrUnsupported)
	errNoName  = fmt.Errorf("the name of the member cannot be written in an address: %w", errors.ErrUnsupported)
	errLink    = fmt.Errorf("the member is a link, which is not followed: %w", errors.ErrUnsupported)
	errSpecial = fmt.Errorf("the member is no file: %w", errors.ErrUnsupported)
	errSparse  = fmt.Errorf("the member is a sparse file: %w", errors.ErrUnsupported)
	errLocked  = fmt.Errorf("the member: %w", citekit.ErrEncrypted)
)

// nameRefusal returns why a name is not that of a member, or nil.
func nameRefusal(name string) error {
	if !message.IsPlain(name) || strings.Contains(name, citekit.MemberSeparator) {
		return errNoName
	}
	loc := citekit.Location{Modality: citekit.Document}.In(name)
	switch {
	case name == "" || strings.ContainsAny(name, "\\\x00") || len(name) > 1 && name[1] == ':':
		return errLeads
	case loc.Validate() != nil:
		if leads(name) {
			return errLeads
		}
		return errNoName
	}
	return nil
}

// leads reports whether a name may lead out of the archive.
func leads(name string) bool {
	if strings.HasPrefix(name, "/") {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// names yields the names of the members.
func (l *listing) names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, e := range l.entries {
			if e.isMember() && !yield(e.name) {
				return
			}
		}
	}
}

// known makes an error match what a resolver returns.
func known(ctx context.Context, err error) error { return zipread.Known(ctx, err) }
