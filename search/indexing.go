package search

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

var _ ingest.Indexer = (*Searcher)(nil)

// Index implements [ingest.Indexer], so that a Searcher can be given to an ingest. It is
// [Searcher.Update] with the progress, and with what the index has afterwards. What could
// not be read for a reason that may have passed is tried again. After Close the error is
// [fs.ErrClosed].
func (s *Searcher) Index(ctx context.Context, progress func(done, of int)) (ingest.Indexed, error) {
	if progress != nil {
		defer s.listen(progress)()
	}
	s.retry()
	if err := s.Update(ctx); err != nil {
		return ingest.Indexed{}, err
	}
	if s.background.Err() != nil {
		return ingest.Indexed{}, fs.ErrClosed
	}
	return s.indexed(ctx)
}

// indexed returns what the index has. From then on all is told that it returns.
func (s *Searcher) indexed(ctx context.Context) (ingest.Indexed, error) {
	ids, err := s.lib.Resources(ctx)
	if err != nil {
		return ingest.Indexed{}, err
	}
	missing := make(map[string]ingest.NotIndexed)
	s.mu.Lock()
	for id, f := range s.failed {
		missing[id] = ingest.NotIndexed{Err: f.err}
	}
	for id, kind := range s.aside {
		missing[id] = ingest.NotIndexed{Err: lacking[kind], Begun: true, Before: s.told[id]}
		s.told[id] = true
	}
	for id, u := range s.unread {
		missing[id] = ingest.NotIndexed{Err: u, Before: s.told[id]}
		s.told[id] = true
	}
	s.mu.Unlock()
	there := make(map[string]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	maps.DeleteFunc(missing, func(id string, _ ingest.NotIndexed) bool { return !there[id] })
	x := ingest.Indexed{Resources: len(ids), Searchable: len(ids) - len(missing)}
	for _, id := range slices.Sorted(maps.Keys(missing)) {
		one := missing[id]
		one.ResourceID = id
		if m, err := s.lib.Map(ctx, id); err == nil {
			one.Path = m.SourcePath
		}
		x.Missing = append(x.Missing, one)
	}
	return x, ctx.Err()
}

// retry has the next update read again what could not be read.
func (s *Searcher) retry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, f := range s.failed {
		f.until = time.Time{}
		s.failed[id] = f
		s.seen.stamp = citekit.Stamp{}
	}
}

// listen calls f with the progress of updates until stop is called.
func (s *Searcher) listen(f func(done, of int)) (stop func()) {
	s.telling.Lock()
	defer s.telling.Unlock()
	if s.listeners == nil {
		s.listeners = make(map[*func(done, of int)]bool)
	}
	s.listeners[&f] = true
	return func() {
		s.telling.Lock()
		defer s.telling.Unlock()
		delete(s.listeners, &f)
	}
}

// tell tells all listeners the progress of an update.
func (s *Searcher) tell(done, of int) {
	s.telling.Lock()
	defer s.telling.Unlock()
	for f := range s.listeners {
		(*f)(done, of)
	}
}

// unreadMark stands between the version of a resource of which the index has nothing, as
// its text cannot be read, and a digest of the program that found it so, the code of the
// error, and the reason.
const unreadMark = " cannot be read: "

// mostReason is how many bytes of a reason the index keeps.
const mostReason = 500

// An unreadText is why the text of a resource cannot be read, as an error.
type unreadText struct {
	version string // of the resource
	reason  string
	code    string
}

func (u unreadText) Error() string { return u.reason }

// Is makes the error match what its cause matched.
func (u unreadText) Is(target error) bool { return citekit.CodeOf(target) == u.code }

// unreadVersion returns a version that notes why a text cannot be read. It returns false
// if that may be passing, or if nobody says which program finds it so.
func (s *Searcher) unreadVersion(version string, err error) (string, bool) {
	code := citekit.CodeOf(err)
	if s.program == "" || code != message.CodeInvalidInput && code != message.CodeTooLarge && code != message.CodeUnsupported {
		return "", false
	}
	if errors.Is(err, citekit.ErrNotStored) || isChanged(err) {
		return "", false
	}
	return version + unreadMark + s.programKey() + " " + string(code) + " " + plain.Shorten(cause(err).Error(), mostReason), true
}

// programKey returns a digest of the program.
func (s *Searcher) programKey() string { return ctxio.HashParts(s.program)[:16] }

// isUnread reports whether what the index holds says that this program cannot read the
// text of a version.
func (s *Searcher) isUnread(held, version string) bool {
	return s.program != "" && strings.HasPrefix(held, version+unreadMark+s.programKey()+" ")
}

// parseUnread returns why a text cannot be read, from what the index holds.
func parseUnread(held string) unreadText {
	version, why, _ := strings.Cut(held, unreadMark)
	_, why, _ = strings.Cut(why, " ")
	code, reason, _ := strings.Cut(why, " ")
	return unreadText{version, reason, string(code)}
}

// keepPartial takes over what the index notes of resources that it does not have whole.
// What is news comes from earlier, so that it was told. It needs the lock.
func (s *Searcher) keepPartial(aside map[string]string, noted map[string]unreadText) {
	told := make(map[string]bool)
	for id := range s.noted { // it may have been looked at before it was put
		delete(aside, id)
		delete(noted, id)
		if kind, ok := s.aside[id]; ok {
			aside[id] = kind
		}
		if why, ok := s.unread[id]; ok {
			noted[id] = why
		}
	}
	for id := range aside {
		_, known := s.aside[id]
		told[id] = !known || s.told[id]
	}
	for id := range noted {
		_, known := s.unread[id]
		told[id] = !known || s.told[id]
	}
	s.aside, s.unread, s.told = aside, noted, told
}

// isUnreadable reports whether the text of a version of a resource cannot be read, now
// or ever.
func (s *Searcher) isUnreadable(id, version string) bool {
	s.mu.Lock()
	u, ok := s.unread[id]
	s.mu.Unlock()
	return ok && u.version == version || s.hasFailed(id, version)
}

// cause returns an error without the operation and the address, and without the path of
// a file.
func cause(err error) error {
	if resolve, ok := errors.AsType[*citekit.ResolveError](err); ok {
		err = cmp.Or(resolve.Err, err)
	}
	return localfile.WithoutPath(err)
}
