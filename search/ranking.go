package search

import "github.com/citekit/citekit/search/internal/index"

// A ranker is the index that one search uses.
type ranker struct {
	index.Index
	reader *reader
	fusion *fusion // nil if there is none
}

// ranking returns the index for a request: that of the Searcher, wrapped as the
// request and the options require.
func (s *Searcher) ranking(req Request) *ranker {
	r := &ranker{Index: s.index, reader: s.newReader()}
	if req.Expand {
		r.Index = &expansion{Index: r.Index, reader: r.reader}
	}
	r.Index = &rowScorer{Index: r.Index, reader: r.reader, req: req}
	if s.semantics != nil {
		r.fusion = &fusion{Index: r.Index, reader: r.reader, asked: index.Words(req.Query, req.Syntax), unjudged: req.NoRerank}
		r.Index = r.fusion
	}
	return r
}

func (r *ranker) close() {
	if r.fusion != nil && r.fusion.cancel != nil {
		r.fusion.cancel()
	}
	r.reader.close()
}

// tell records in the results what could not be done.
func (r *ranker) tell(results *Results) {
	if r.fusion != nil && r.fusion.lacks != "" {
		results.Degraded, results.Complete = r.fusion.lacks, false
	}
}
