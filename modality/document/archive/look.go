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
	"github.com/citekit/citekit/internal/member"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sniff"
)

// A look goes through the members of one archive, within the bounds of one map
// or one text.
type look struct {
	r    *Resolver
	l    *listing
	left *int64 // bytes that may still be unpacked, also by looks at archives in this one

	unread     []any // names of members whose text was left out for want of room
	unreadMore int   // such members that are not named
}

func (r *Resolver) newLook(ctx context.Context, l *listing) *look {
	if left, ok := ctx.Value(leftKey{}).(*int64); ok {
		return &look{r: r, l: l, left: left}
	}
	left := cmp.Or(r.MaxUnpacked, defaultUnpacked)
	return &look{r: r, l: l, left: &left}
}

type leftKey struct{}

// deeper returns the context to read a member with.
func (k *look) deeper(ctx context.Context) context.Context {
	return context.WithValue(member.Deeper(ctx), leftKey{}, k.left)
}

// leftOf returns how many bytes may be unpacked for the look that ctx is of, if it
// is of one.
func leftOf(ctx context.Context) int64 {
	if left, ok := ctx.Value(leftKey{}).(*int64); ok {
		return *left
	}
	return math.MaxInt64
}

// spend notes that bytes were unpacked for the look that ctx is of, if it is of one.
func spend(ctx context.Context, n int64) {
	if left, ok := ctx.Value(leftKey{}).(*int64); ok {
		*left -= n
	}
}

// headBytes is how much of a member is looked at that is not unpacked.
const headBytes = 64 << 10

// A found is a member that is open, with what it is.
type found struct {
	src      *citekit.Source
	modality citekit.Modality
	whole    bool // src has all of it
}

// open opens a member and tells what it is. One that is larger than what may
// still be unpacked is known by its start alone. The error is the reason for
// leaving the member out, unless [ends] says otherwise.
func (k *look) open(ctx context.Context, e *entry) (f found, err error) {
	if e.refusal != nil {
		return f, e.refusal
	}
	if in := e.inPlace(); e.size > *k.left && in == nil {
		f.src, err = k.head(ctx, e)
	} else {
		f.whole = true
		if f.src, err = k.r.openUnchecked(ctx, e); in == nil {
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

// head returns a source of the start of a member.
func (k *look) head(ctx context.Context, e *entry) (*citekit.Source, error) {
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

// modalityOf tells what a member is. A format that nothing reads is an error
// matching [errors.ErrUnsupported].
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

// leaveUnread notes that the text of a member is not read, or not all of it.
func (k *look) leaveUnread(e *entry) {
	if len(k.unread) == maxSkipped {
		k.unreadMore++
		return
	}
	k.unread = append(k.unread, message.Clip(e.name))
}

// ends reports whether an error of a member ends the look at all of them: it is
// not about the member.
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

// isDeep reports whether the members of an archive cannot be addressed, as it is
// in archives itself.
func isDeep(ctx context.Context) bool { return member.Depth(ctx) >= citekit.MaxMemberDepth }
