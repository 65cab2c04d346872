package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
)

// Options configures a [Searcher]. The zero value is ready to use.
type Options struct {
	index index.Index // of a test; nil means an index in the stores of the workspace

	// Layers holds the texts; nil means a new store with the defaults.
	Layers *textlayer.Store

	// Relations finds related places; nil means a new graph.
	Relations *relations.Graph

	// Semantics adds ranking by meaning; nil ranks by words alone.
	Semantics *Semantics

	// Shards is the number of shards, at most 256, that the resources of a new index are
	// spread over, for more than ten million passages or many writers; zero means one.
	// Results and their scores are those of one index. An index that is there keeps its
	// number until [Searcher.Reshard].
	Shards int

	// Progress, if not nil, is called after each resource with the number of
	// outdated resources updated so far.
	Progress func(done, of int)

	// Program identifies the program and all else that decides whether a text can be
	// read, such as its version and other programs that it runs. The index then notes
	// the resources whose texts cannot be read, and they are not tried again while the
	// map, the resolvers and Program are the same. "" means that each Searcher tries
	// them again; so is what may be passing, such as a source that is gone.
	Program string
}

// A Searcher searches the resources of a Library. It is safe for concurrent use.
type Searcher struct {
	lib       *citekit.Library
	layers    *textlayer.Store
	index     index.Index
	relations *relations.Graph
	previews  *preview.Maker
	progress  func(done, of int)
	program   string
	form      string // of entries, as part of each version
	close     func() error
	err       error // why it cannot search, or nil

	semantics *semantics // nil if it is off

	background context.Context // for updates, which continue after their caller's context ends
	stop       context.CancelFunc
	running    sync.WaitGroup

	mu       sync.Mutex
	updating *updateRun // nil if none is running
	upToDate bool       // the index was, at the last check
	seen     sweep      // that check
	failed   map[string]failure
	aside    map[string]string     // the kinds of resources of which only a part is in the index, by id
	unread   map[string]unreadText // of which the index has nothing, as their texts cannot be read, by id
	told     map[string]bool       // of these, those that an ingest or an earlier Searcher told of
	noted    map[string]bool       // put since the last look at all resources began
	few      []string              // what first returned
	fewAt    citekit.Stamp         // of all maps, then

	mapped   *mappedGroup  // to be put next; nil if none waits
	mappedIn chan struct{} // capacity 1: has a token while one is put

	telling   sync.Mutex
	listeners map[*func(done, of int)]bool // to the progress of updates

	checked *check // the check of all sources that runs, or the last one; nil before
}

// entryForm changes when the content of entries changes, so that the entries of
// earlier builds are made again.
const entryForm = "7"

// New returns a Searcher over a Library. A nil opts means the defaults. The
// caller must close the Searcher before the Library. [Searcher.Err] reports
// options and workspaces with which it cannot search.
func New(lib *citekit.Library, opts *Options) *Searcher {
	var o Options
	if opts != nil {
		o = *opts
	}
	s := &Searcher{
		lib: lib, previews: preview.New(lib), layers: o.Layers, index: o.index, relations: o.Relations, progress: o.Progress, program: o.Program,
		form: formOf(lib), close: func() error { return nil }, mappedIn: make(chan struct{}, 1),
		failed: make(map[string]failure), aside: make(map[string]string), unread: make(map[string]unreadText), told: make(map[string]bool), noted: make(map[string]bool),
	}
	if s.layers == nil {
		s.layers = textlayer.New(lib, nil)
	}
	if s.relations == nil {
		s.relations = relations.New(lib)
	}
	s.background, s.stop = context.WithCancel(context.Background())
	store, ok := lib.Workspace().(index.Store)
	if !ok {
		s.err = fmt.Errorf("search: this workspace cannot open what it stores; give it OpenEvidence: %w", errors.ErrUnsupported)
		return s
	}
	if s.index == nil {
		local := index.New(store, &index.Options{Shards: o.Shards})
		s.index, s.close = local, local.Close
	}
	s.semantics, s.err = s.newSemantics(o.Semantics)
	return s
}

// Err returns the error that all other methods but Close return, or nil. It
// matches [citekit.ErrSyntax] if the options are invalid. It matches
// [errors.ErrUnsupported] if the workspace is not a [citekit.EvidenceOpener], also
// with an Index elsewhere, as the texts to search are kept in the workspace.
func (s *Searcher) Err() error { return s.err }

// Layers returns the store of texts that the Searcher reads.
func (s *Searcher) Layers() *textlayer.Store { return s.layers }

// Library returns the Library that is searched.
func (s *Searcher) Library() *citekit.Library { return s.lib }

// Close ends a running update and releases the resources of the Searcher. The
// index stays.
func (s *Searcher) Close() error {
	s.stop()
	pass(&s.mu)
	if s.semantics != nil {
		pass(&s.semantics.mu)
	}
	s.running.Wait()
	return s.close()
}

// pass waits for the holder of a lock: work that started before is then
// registered, and none starts afterwards.
func pass(lock *sync.Mutex) {
	lock.Lock()
	defer lock.Unlock()
}

// Ready waits until all files of the index are on this machine, so that a search need not
// fetch them from the store of the workspace. It then returns nil, also later, while new
// ones are fetched. If ctx is done before, the error says how many there are, and fetching
// goes on, so that a probe can ask again.
func (s *Searcher) Ready(ctx context.Context) error {
	if s.err != nil {
		return s.err
	}
	if in, ok := s.index.(interface{ Ready(context.Context) error }); ok {
		return in.Ready(ctx)
	}
	return nil
}

// Reshard spreads the index over so many shards, at most 256; 1 means that it is one. It
// moves what is there, and reads no text again. Searches go on, and all who use the
// workspace follow. For another number the error matches [citekit.ErrSyntax].
func (s *Searcher) Reshard(ctx context.Context, shards int) error {
	if s.err != nil {
		return s.err
	}
	in, ok := s.index.(interface {
		Reshard(ctx context.Context, n int) error
	})
	if !ok {
		return fmt.Errorf("search: this index has no shards: %w", errors.ErrUnsupported)
	}
	if leases, ok := s.lib.Workspace().(interface {
		Lease(ctx context.Context, name string) (release func(), err error)
	}); ok {
		release, err := leases.Lease(ctx, "reshard")
		if err != nil {
			return err
		}
		defer release()
	}
	return in.Reshard(ctx, shards)
}

// Stats returns statistics of the index.
func (s *Searcher) Stats(ctx context.Context) (Stats, error) {
	if s.err != nil {
		return index.Stats{}, s.err
	}
	return s.index.Stats(ctx)
}

// Unindexed returns the ids of the resources that the index has no entry of, in order:
// those that are not read yet, and those that cannot be read.
func (s *Searcher) Unindexed(ctx context.Context) (ids []string, err error) {
	all, err := s.lib.Resources(ctx)
	if err = cmp.Or(s.err, err); err != nil {
		return nil, err
	}
	for _, id := range all {
		held, err := s.index.Holds(ctx, id)
		switch {
		case errors.Is(err, fs.ErrNotExist), strings.Contains(held, unreadMark):
			ids = append(ids, id)
		case err != nil:
			return nil, err
		}
	}
	return ids, nil
}

// formOf identifies how resolvers read texts.
func formOf(lib *citekit.Library) string {
	form := entryForm
	for _, m := range lib.Modalities() {
		if v, ok := lib.Resolvers()[m].(citekit.Versioner); ok && m.BuiltIn() {
			form += " " + v.Version()
		}
	}
	return form
}

// reserve is how much of the remaining time of a call is kept for the search
// itself while the index is brought up to date.
func reserve(left time.Duration) time.Duration { return max(left/5, min(left, 50*time.Millisecond)) }

// Search returns the matches of a request, best first. It brings the index up
// to date first. If the time of the context is too short for that, it searches
// the present index, Results.Complete is false, and the update continues.
//
// If nothing meets the orders of an expression, such as a quoted phrase, the results are
// those without them, and Results.Hint says so.
//
// Errors match [citekit.ErrSyntax] if the request is invalid, or are those of
// the index and of the context. If time runs out after something was found,
// that is not an error.
func (s *Searcher) Search(ctx context.Context, req Request) (*Results, error) {
	defer ctxio.Time(ctx, ctxio.PhaseSearch)()
	if s.err != nil {
		return nil, s.err
	}
	req.Syntax = req.Syntax.Of(req.Query)
	ctx = s.lately(ctx)
	results, err := s.searchAs(ctx, req)
	if err != nil || len(results.Results) > 0 || results.LeftOut > 0 || req.Syntax != index.Expression {
		return results, err
	}
	orders := ordersOf(req.Query)
	if orders == "" || !index.Wants(req.Query, req.Syntax) {
		return results, nil
	}
	req.Query, req.Syntax = index.Words(req.Query, req.Syntax), index.Question
	without, err := s.searchAs(ctx, req)
	if err != nil || len(without.Results) == 0 {
		return results, nil
	}
	without.Hint = strings.TrimSuffix("nothing has "+orders+"; the results are without that order; "+without.Hint, "; ")
	return without, nil
}

// A rememberer is a workspace far away that knows what it was asked lately.
type rememberer interface {
	// Lately returns a context in which maps, sources and evidence count as they were a
	// moment ago, or when they were last looked at, so that nobody waits for a request.
	Lately(ctx context.Context) context.Context
}

// lately returns a context in which the workspace may answer by what it knows.
func (s *Searcher) lately(ctx context.Context) context.Context {
	if w, ok := s.lib.Workspace().(rememberer); ok {
		return w.Lately(ctx)
	}
	return ctx
}

// exactly calls look, and again so that nothing counts as it was lately, if a source seems
// to have changed or to be gone: another process may have mapped it since.
func exactly(ctx context.Context, look func(context.Context) error) error {
	err := look(ctx)
	if ctxio.IsLately(ctx) && isChanged(err) {
		return look(ctxio.Exactly(ctx))
	}
	return err
}

// searchAs is Search for a syntax that is not Auto.
func (s *Searcher) searchAs(ctx context.Context, req Request) (*Results, error) {
	req.phrases = index.Phrases(req.Query, req.Syntax)
	in := s.ranking(req)
	defer in.close()
	results, err := s.answer(ctx, time.Now(), req, in)
	if err == nil {
		in.tell(results)
		if !index.UsesAll(req.Query, req.Syntax) {
			results.Hint = "the query is too long; only its first words count"
		}
		if hint := excluding(req, len(results.Results)); hint != "" && results.Hint != message.NoMaps {
			results.Hint = strings.TrimPrefix(results.Hint+"; "+hint, "; ")
		}
	}
	return results, err
}

// answer answers a request that came at start, using s.index or an index around
// it.
func (s *Searcher) answer(ctx context.Context, start time.Time, req Request, in index.Index) (*Results, error) {
	req, err := req.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := s.checkResources(ctx, req.Filters.Resources); err != nil {
		return nil, err
	}
	failed := s.catchUp(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	results, err := s.inMode(ctx, req, in)
	if err != nil {
		return nil, err
	}
	if failed != nil && len(results.Results) == 0 && !errors.Is(failed, context.DeadlineExceeded) {
		return nil, failed
	}
	switch {
	case errors.Is(failed, context.DeadlineExceeded):
		results.Hint = "new texts are still being read; ask again to include them"
	case len(results.Results) == 0 && !index.Wants(req.Query, req.Syntax) && len(index.Excluded(req.Query, req.Syntax)) == 0:
		results.Hint = "the query has no words; give some"
	case len(results.Results) == 0 && !index.Wants(req.Query, req.Syntax):
		results.Hint = "the query only says what to leave out; add a word to find, such as tea -green"
	case len(results.Results) == 0:
		results.Hint = s.hint(ctx, req, results.LeftOut)
	}
	if n := s.unstored(); n > 0 {
		results.Complete = false
		if failed == nil {
			results.Hint = message.Count(n, "resource") + " not searched, as the text could not be stored: the disk or the budget for evidence is full"
		}
	}
	results.Complete = results.Complete && failed == nil && results.unsure == ""
	if hint := s.asideHint(req.Filters); hint != "" {
		results.Hint = strings.TrimPrefix(results.Hint+"; "+hint, "; ")
	}
	if results.unsure != "" {
		results.Hint = strings.TrimPrefix(results.Hint+"; "+results.unsure, "; ")
	}
	results.QueryTimeMS = float64(time.Since(start).Microseconds()) / 1000
	return results, nil
}

// unstored returns how many resources are not searched because their text or their
// entries could not be stored.
func (s *Searcher) unstored() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.failed {
		if f.store {
			n++
		}
	}
	return n
}

// checkResources returns a [*citekit.NotFoundError] if one of the first
// requested resources does not exist.
func (s *Searcher) checkResources(ctx context.Context, ids []string) error {
	const most = 100
	for _, id := range ids[:min(len(ids), most)] {
		if _, err := s.lib.Workspace().StatMap(ctx, id); err != nil || citekit.CheckResourceID(id) != nil {
			if _, err := s.lib.Map(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// catchUp brings the index up to date within a part of the available time. If
// that fails, the present index is searched.
func (s *Searcher) catchUp(ctx context.Context) error {
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve(time.Until(deadline))))
		defer cancel()
	}
	return s.Update(ctx)
}
