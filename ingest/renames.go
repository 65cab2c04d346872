package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/message"
)

// A Rename is a mapped source that vanished while a new file has the same
// bytes.
type Rename struct {
	ResourceID string `json:"resource_id"`
	From       string `json:"from"` // as [workspace.Candidate.Path]
	To         string `json:"to"`
}

// A lostSource is a mapped source that vanished.
type lostSource struct {
	source string
	note   ledger.Note
	size   int64 // -1 if unknown
	kind   citekit.Modality
	member string // the only one that its map names, or ""
}

// followRenames makes the maps of renamed sources follow them, if the caller
// wants that. It returns the remaining candidates, without paths whose file was
// moved.
func (in *run) followRenames(ctx context.Context, candidates []candidate) ([]candidate, error) {
	if in.opts.ResourceID != "" {
		return candidates, nil
	}
	renames, err := in.findRenames(ctx, candidates)
	if err != nil || len(renames) == 0 || in.opts.Renames == nil || !in.opts.Renames(slices.Clone(renames)) {
		return candidates, err
	}
	identities := make(map[string]string)
	for _, c := range candidates {
		identities[c.Path] = c.Identity
	}
	for _, r := range renames {
		if err := in.follow(ctx, r, identities[r.To], companionsAt(candidates, r.To)); err != nil {
			return candidates, err
		}
	}
	return slices.DeleteFunc(candidates, func(c candidate) bool { return c.err != nil && in.movedTo[c.Path] != "" }), nil
}

func companionsAt(candidates []candidate, source string) []string {
	i := slices.IndexFunc(candidates, func(c candidate) bool { return c.Path == source })
	return candidates[i].Companions
}

// findRenames returns the unambiguous renames, sorted by the old path.
func (in *run) findRenames(ctx context.Context, candidates []candidate) ([]Rename, error) {
	fresh, seen := in.fresh(candidates)
	if len(fresh) == 0 {
		return nil, ctx.Err()
	}
	lost := in.lost(ctx, fresh, seen)
	if len(lost) == 0 {
		return nil, ctx.Err()
	}
	lostAt := make(map[string]lostSource) // by path
	from, to := make(map[string][]string), make(map[string][]string)
	sizes := make(map[int64]bool)
	for _, l := range lost {
		from[l.note.Hash] = append(from[l.note.Hash], l.source)
		lostAt[l.source], sizes[l.size] = l, true
	}
	for _, c := range fresh {
		if !sizes[c.Size] && !sizes[-1] {
			continue
		}
		if hash := in.hashAt(ctx, c.Path); from[hash] != nil {
			to[hash] = append(to[hash], c.Path)
		}
	}
	var renames []Rename
	for hash, paths := range from {
		pairs := pairRenames(paths, to[hash])
		for _, source := range paths {
			if pairs[source] != "" && in.fitsAt(ctx, pairs[source], lostAt[source]) {
				renames = append(renames, Rename{ResourceID: lostAt[source].note.ID, From: source, To: pairs[source]})
			} else if len(to[hash]) > 0 {
				in.mayBeAt[source] = to[hash]
			}
		}
	}
	for _, r := range renames {
		in.mayBeAt[r.From] = []string{r.To}
	}
	slices.SortFunc(renames, func(a, b Rename) int { return strings.Compare(a.From, b.From) })
	return renames, ctx.Err()
}

// fitsAt reports whether the map of a lost source is right for a file with its bytes.
func (in *run) fitsAt(ctx context.Context, source string, l lostSource) bool {
	if l.member == "" {
		return true
	}
	src, err := in.lib.OpenSource(ctx, source)
	if err != nil {
		return false
	}
	defer src.Close()
	return in.fits(ctx, src, l.kind, l.member)
}

// fresh returns the candidates that have no map, and all paths at which
// something exists.
func (in *run) fresh(candidates []candidate) (fresh []candidate, seen map[string]bool) {
	seen = make(map[string]bool, len(candidates))
	for _, c := range candidates {
		if c.err != nil {
			continue
		}
		seen[c.Path] = true
		n, _ := in.book.Note(c.Path)
		if n.ID == "" && !c.Link && c.Size > 0 && c.Size <= in.opts.MaxSourceBytes && isNotable(c.Path) {
			fresh = append(fresh, c)
		}
	}
	return fresh, seen
}

// lost returns the mapped sources that vanished and have the size of a fresh
// candidate.
func (in *run) lost(ctx context.Context, fresh []candidate, seen map[string]bool) (lost []lostSource) {
	sizes := make(map[int64]bool)
	for _, c := range fresh {
		sizes[c.Size] = true
	}
	for source, n := range in.book.All() {
		if n.ID == "" || n.Hash == "" || seen[source] || n.Size > 0 && !sizes[n.Size] || ctx.Err() != nil || !isGone(ctx, in.ws, source) {
			continue
		}
		m, _, err := in.lib.ReadMap(ctx, n.ID)
		if err != nil || m.SourcePath != source || m.SourceHash() != n.Hash {
			continue
		}
		size, ok := m.SourceSize()
		if !ok {
			size = -1
		}
		lost = append(lost, lostSource{source, n, size, m.Type, onlyMember(m.Nodes)})
	}
	slices.SortFunc(lost, func(a, b lostSource) int { return strings.Compare(a.source, b.source) })
	return lost
}

// hashAt returns the hash of a source, or "".
func (in *run) hashAt(ctx context.Context, source string) string {
	src, err := in.lib.OpenSource(ctx, source)
	if err != nil {
		return ""
	}
	defer src.Close()
	hash, err := src.Hash(ctx)
	if err != nil {
		return ""
	}
	return hash
}

const (
	maxSameBytes = 1000 // how many files with the same bytes are compared
	maxSameNames = 32   // how many names at the ends of their paths are compared
)

// pairRenames returns the new path of each old one; all of them have the same
// bytes. One old and one new path are a pair. Several need as many new paths as
// old ones, and names and folders that show which is which, as when a folder
// was renamed. Otherwise there are no pairs, because nobody knows which file is
// meant.
func pairRenames(from, to []string) map[string]string {
	if len(from) != len(to) || len(from) > maxSameBytes {
		return nil
	}
	if len(from) == 1 {
		return map[string]string{from[0]: to[0]}
	}
	var ends pathEnds
	for _, old := range from {
		end := ends.at(old)
		end.from = append(end.from, old)
	}
	for _, renamed := range to {
		end := ends.at(renamed)
		end.to = append(end.to, renamed)
	}
	pairs := make(map[string]string)
	for _, end := range ends.before {
		if !end.pair(pairs) {
			return nil
		}
	}
	if len(pairs) < len(from) {
		return nil
	}
	return pairs
}

// A pathEnds is a tree of paths by their last names, the last name first: all
// paths below an entry end in the same names.
type pathEnds struct {
	before   map[string]*pathEnds // by the name before those of this entry
	from, to []string             // paths without a pair
}

// at returns the entry of a path.
func (e *pathEnds) at(name string) *pathEnds {
	for n := 0; name != "" && n < maxSameNames; n++ {
		next := e.before[path.Base(name)]
		if next == nil {
			if e.before == nil {
				e.before = make(map[string]*pathEnds)
			}
			next = &pathEnds{}
			e.before[path.Base(name)] = next
		}
		e, name = next, parentOf(name)
	}
	return e
}

// pair pairs paths that share more of their last names with each other than
// with any other path. It reports whether the result is unambiguous.
func (e *pathEnds) pair(pairs map[string]string) bool {
	for _, longer := range e.before {
		if !longer.pair(pairs) {
			return false
		}
		e.from, e.to = append(e.from, longer.from...), append(e.to, longer.to...)
	}
	if len(e.from) == 0 || len(e.to) == 0 {
		return true
	}
	if len(e.from) > 1 || len(e.to) > 1 {
		return false
	}
	pairs[e.from[0]] = e.to[0]
	e.from, e.to = nil, nil
	return true
}

func parentOf(name string) string {
	if dir := path.Dir(name); dir != "." && dir != "/" {
		return dir
	}
	return ""
}

// follow gives the map of a renamed source the new path. The id stays, and so
// do all addresses and anything that a person wrote in the map.
func (in *run) follow(ctx context.Context, r Rename, identity string, companions []string) error {
	n, _ := in.book.Note(r.From)
	stamp, err := in.ws.StatMap(ctx, r.ResourceID)
	if err != nil {
		return ignoreGone(err)
	}
	m, hash, err := in.lib.ReadMap(ctx, r.ResourceID)
	if err != nil || m.SourcePath != r.From {
		return ctx.Err() // the map was changed just now
	}
	c := moved(m, r.From, r.To)
	in.moveCompanions(ctx, c, &n, r, companions)
	hand, err := handOn(ctx, in.lib, m, hash)
	if err != nil {
		return err
	}
	encode := in.lib.Encode // a person's change must stay detectable
	if hand == ledger.Nothing {
		encode = func(m *citekit.ResourceMap) ([]byte, error) { return encodeMarked(in.lib, m) }
	}
	data, err := encode(c)
	if err != nil {
		return err
	}
	written, err := in.ws.WriteMapIf(ctx, r.ResourceID, data, stamp)
	if errors.Is(err, citekit.ErrConflict) {
		return nil // another process changed or deleted it just now
	}
	if err != nil {
		return err
	}
	n.Identity, n.Stamp, n.ByHand = identity, written.Identity, hand
	in.book.Forget(r.From)
	in.book.Put(r.To, n)
	in.movedTo[r.From], in.movedFrom[r.To] = r.To, r.From
	delete(in.mayBeAt, r.From)
	return nil
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// moved returns a copy of a map for its source under another path.
func moved(m *citekit.ResourceMap, from, to string) *citekit.ResourceMap {
	c := m.Clone()
	if c.Title == path.Base(from) {
		c.Title = path.Base(to)
	}
	c.SourcePath = to
	return c
}

// moveCompanions sets the path of a transcript that was renamed together with
// its recording, and the digest of all companions if they are otherwise the
// same.
func (in *run) moveCompanions(ctx context.Context, m *citekit.ResourceMap, n *ledger.Note, r Rename, companions []string) {
	if n.Companions == "" || len(companions) == 0 {
		return
	}
	before := make([]string, len(companions))
	for i, c := range companions {
		before[i] = renamedCompanion(c, r.To, r.From)
	}
	if digest, _, _ := strings.Cut(n.Companions, transcribedBy); in.digestAs(ctx, companions, before) != digest {
		return // the source is mapped again
	}
	n.Companions = withCompanions(in.digestCompanions(ctx, companions), transcriberOf(*n))
	if m.Metadata[companionsKey] != nil {
		m.Metadata[companionsKey] = n.Companions
	}
	transcript, hash := m.Transcript()
	if i := slices.Index(before, transcript); i >= 0 {
		setTranscript(m, companions[i], hash)
	}
}

// renamedCompanion returns the path of a companion after its recording is
// renamed to other.
func renamedCompanion(companion, recording, other string) string {
	stem := strings.TrimSuffix(recording, path.Ext(recording))
	return strings.TrimSuffix(other, path.Ext(other)) + strings.TrimPrefix(companion, stem)
}

// whereNow returns an error that gives the new location of the bytes of a
// vanished source, or nil if it is unknown.
func (in *run) whereNow(source string) error {
	paths := in.mayBeAt[source]
	switch {
	case len(paths) == 0:
		return nil
	case len(paths) == 1:
		return fmt.Errorf("its bytes are in %s now; its map was not moved", message.Quote(paths[0]))
	}
	return fmt.Errorf("its bytes are in %d new files, such as %s; it is unclear which one replaces it", len(paths), message.Quote(paths[0]))
}
