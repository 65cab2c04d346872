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
	"github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

// maxEntries is the largest number of entries of an archive. Tests lower it.
var maxEntries = zipread.MaxEntries

// A kind is an archive format.
type kind struct{ name, mediaType, ext string }

var (
	kindZip = kind{"zip", "application/zip", ".zip"}
	kindJar = kind{"jar", "application/java-archive", ".jar"}
	kindCBZ = kind{"cbz", "application/vnd.comicbook+zip", ".cbz"}
	kindTar = kind{"tar", "application/x-tar", ".tar"}
)

// A listing is the content of an archive, in archive order.
type listing struct {
	kind    kind
	entries []*entry
	byName  map[string]*entry
	version string          // version of the source, or ""
	isDB    map[*entry]bool // whether a member begins as a SQLite database does, where known
	hasSums bool            // whether members have checksums, which are compared while reading

	// cut writes an archive of some entries. Its file name extension is cutExt.
	cut    func(ctx context.Context, w io.Writer, entries []*entry) error
	cutExt string
}

// An entry is a file or a folder of an archive.
type entry struct {
	name   string // name in addresses; the name of a folder ends in "/"
	size   int64
	folder bool

	refusal error // why it cannot be opened, or nil

	open    func(ctx context.Context) (io.ReadCloser, error)
	inPlace func() *io.SectionReader // returns nil if the member is compressed
	raw     any                      // data for cut
}

// isMember reports whether the entry can be opened.
func (e *entry) isMember() bool { return !e.folder && e.refusal == nil }

// list reads the listing of an archive.
func (r *Resolver) list(ctx context.Context, src *citekit.Source) (*listing, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if z := zipread.Kept(ctx, src); z != nil {
		return listingOf(ctx, src, z)
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

// add adds an entry. If it cannot be addressed, refusal gives the reason.
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
	errBinary  = fmt.Errorf("the member is binary and of no format that is read here: %w", errors.ErrUnsupported)
	errSparse  = fmt.Errorf("the member is a sparse file: %w", errors.ErrUnsupported)
	errSide    = fmt.Errorf("the member is a side file of the SQLite database beside it, and may have changes that are not committed; read the database: %w", errors.ErrUnsupported)
	errLocked  = fmt.Errorf("the member has a password; unpack the archive with its password and map the files: %w", citekit.ErrEncrypted)
)

// nameRefusal returns why a name cannot be that of a member, or nil.
func nameRefusal(name string) error {
	if !message.IsPlain(name) || strings.Contains(name, selector.MemberSeparator) {
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

// leads reports whether a name might lead out of the archive.
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

// known maps err to an error that a resolver may return.
func known(ctx context.Context, err error) error { return zipread.Known(ctx, err) }
