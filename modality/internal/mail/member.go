package mail

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/modality/internal/member"
)

var _ citekit.MemberOpener = (*Resolver)(nil)

// OpenMember implements [citekit.MemberOpener]. The members of a message are
// its attachments, by their file names. If two have the same name, or one has
// none, they are named by the numbers of their parts. In a mailbox the name begins
// with the number of the message, as in "12/report.pdf".
//
// Any part can be opened by its number, too.
func (r *Resolver) OpenMember(ctx context.Context, src *citekit.Source, name string) (*citekit.Source, error) {
	f, err := r.open(ctx, src, citekit.Location{Modality: citekit.Text})
	if err != nil {
		return nil, err
	}
	n, inner := 0, name
	if f.box != nil {
		if n, inner, err = f.cutMessage(name); err != nil {
			return nil, err
		}
	}
	m, err := f.message(ctx, n)
	if err != nil {
		return nil, err
	}
	if m.why != nil {
		return nil, m.why
	}
	members := m.members(ctx, src)
	part := members[inner]
	if part == nil {
		if part = m.parts[inner]; part == nil || part.isMultipart() {
			return nil, member.Missing(inner, maps.Keys(members))
		}
	}
	file := part.fileName(ctx, src)
	if file == "" {
		file = part.number + part.ext()
	}
	return r.copies.Source(ctx, file, part.decoded(ctx, src), -1)
}

// cutMessage cuts the number of a message from the name of a member.
func (f *file) cutMessage(name string) (n int, rest string, err error) {
	number, rest, ok := strings.Cut(name, "/")
	n, err = strconv.Atoi(number)
	if !ok || err != nil || n < 1 {
		return 0, "", fmt.Errorf("members of a mailbox are named by message and file, such as 12/report.pdf: %w", citekit.ErrRange)
	}
	extent := citekit.Extent{Modality: citekit.Text, Messages: len(f.box.starts)}
	return n, rest, extent.Check(citekit.Location{Modality: citekit.Text, Message: n})
}

// members returns the attachments of a message by their names.
func (m *message) members(ctx context.Context, src io.ReaderAt) map[string]*entity {
	members := make(map[string]*entity)
	twice := make(map[string]bool)
	for _, number := range m.order {
		part := m.parts[number]
		if !part.isAttachment(ctx, src) && (part.message == nil || part.fileName(ctx, src) == "") {
			continue
		}
		name := part.fileName(ctx, src)
		if other := members[name]; other != nil && !twice[name] {
			twice[name] = true
			members[other.number] = other
			delete(members, name)
		}
		if name == "" || twice[name] || !isMemberName(name) {
			name = number
		}
		members[name] = part
	}
	return members
}

// isMemberName reports whether an address can have a name.
func isMemberName(name string) bool {
	loc := citekit.Location{Modality: citekit.Text, Member: name}
	return loc.Validate() == nil && !strings.Contains(name, selector.MemberSeparator)
}
