package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/internal/member"
)

// A visitor visits the members of one archive, within the limits of one map or one text.
type visitor struct {
	r    *Resolver
	l    *listing
	left *int64 // bytes that may still be unpacked, shared with looks at nested archives

	unread     []any // members whose text was left out because of the limit
	unreadMore int   // number of further such members
}

func (r *Resolver) newVisitor(ctx context.Context, l *listing) *visitor {
	if left, ok := ctx.Value(leftKey{}).(*int64); ok {
		return &visitor{r: r, l: l, left: left}
	}
	left := cmp.Or(r.MaxUnpacked, defaultUnpacked)
	return &visitor{r: r, l: l, left: &left}
}

type leftKey struct{}

// deeper returns the context for reading a member.
func (k *visitor) deeper(ctx context.Context) context.Context {
	return context.WithValue(member.Deeper(ctx), leftKey{}, k.left)
}

// leftOf returns how many bytes may still be unpacked for the look in ctx, if there
// is one.
func leftOf(ctx context.Context) int64 {
	if left, ok := ctx.Value(leftKey{}).(*int64); ok {
		return *left
	}
	return math.MaxInt64
}

// spend records that n bytes were unpacked for the look in ctx, if there is one.
func spend(ctx context.Context, n int64) {
	if left, ok := ctx.Value(leftKey{}).(*int64); ok {
		*left -= n
	}
}

// headBytes is how many bytes of a member are read if it is not unpacked.
const headBytes = 64 << 10

// An openMember is a member and what was detected about it.
type openMember struct {
	src      *citekit.Source
	modality citekit.Modality
	whole    bool // whether src has the whole member
}

// open opens a member and detects its modality. If it is larger than the number of
// bytes that may still be unpacked, only its start is read. The error is the reason
// to leave the member out, unless [ends] reports true for it.
func (k *visitor) open(ctx context.Context, e *entry) (f openMember, err error) {
	if e.refusal != nil {
		return f, e.refusal
	}
	if err := k.r.checkNotSide(ctx, k.l, e); err != nil {
		return f, err
	}
	if in := e.inPlace(); e.size > *k.left && in == nil {
		f.src, err = k.head(ctx, e)
	} else {
		f.whole = true
		if f.src, err = k.r.openUnchecked(ctx, k.l, e); in == nil {
			*k.left -= e.size
		}
	}
	if err != nil {
		return f, err
	}
	if f.modality, err = k.r.modalityOf(ctx, f.src); err == nil && hasWords(f.modality) && f.whole {
		err = k.r.check(ctx, k.l, e) // others are not read here
	}
	if err != nil {
		f.src.Close()
	}
	return f, err
}

// head returns a source with the start of a member.
func (k *visitor) head(ctx context.Context, e *entry) (*citekit.Source, error) {
	content, err := e.open(ctx)
	if err != nil {
		return nil, known(ctx, err)
	}
	defer content.Close()
	head, err := io.ReadAll(io.LimitReader(content, headBytes))
	if err != nil {
		return nil, known(ctx, err)
	}
	return citekit.NewSource(bytes.NewReader(head), citekit.SourceInfo{Name: path.Base(e.name), Size: int64(len(head))}), nil
}

// modalityOf detects the modality of a member. The error matches
// [errors.ErrUnsupported] if no resolver reads its format.
func (r *Resolver) modalityOf(ctx context.Context, src *citekit.Source) (citekit.Modality, error) {
	modality, err := r.Members.Detect(ctx, src)
	if err != nil || modality != citekit.Text {
		return modality, err
	}
	format, err := sniff.Detect(src, src.Size())
	if err != nil {
		return "", err
	}
	if err := sniff.Refusal(format, src.Name()); err != nil {
		return "", err
	}
	if format.Kind == sniff.Other && format.ID != "" || format.Unread {
		return "", fmt.Errorf("%s is not read here: %w", format.Name, errors.ErrUnsupported)
	}
	return modality, nil
}

// leaveUnread records that the text of a member is not read completely.
func (k *visitor) leaveUnread(e *entry) {
	if len(k.unread) == maxSkipped {
		k.unreadMore++
		return
	}
	k.unread = append(k.unread, message.Clip(e.name))
}

// ends reports whether an error ends the whole look, because it is not about one
// member.
func ends(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return true
	}
	for _, of := range []error{citekit.ErrFormat, citekit.ErrTooLarge, citekit.ErrRange, errors.ErrUnsupported} {
		if errors.Is(err, of) {
			return false
		}
	}
	return err != nil
}

// isDeep reports whether the archive is nested too deep for its members to be
// addressed.
func isDeep(ctx context.Context) bool { return member.Depth(ctx) >= selector.MaxMemberDepth }
