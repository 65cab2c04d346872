package search

import "github.com/citekit/citekit/search/internal/index"

// A ranking is the index that one search uses.
type ranking struct {
	index.Index
	reader *reader
	fusion *fusion // nil if there is none
}

// ranking returns the index for a request: that of the Searcher, wrapped as the
// request and the options require.
func (s *Searcher) ranking(req Request) *ranking {
	r := &ranking{Index: s.index, reader: s.newReader()}
	if req.Expand {
		r.Index = &expansion{Index: r.Index, reader: r.reader}
	}
	r.Index = &weighing{Index: r.Index, reader: r.reader, req: req}
	if s.semantics != nil {
		r.fusion = &fusion{Index: r.Index, reader: r.reader, asked: index.Words(req.Query, req.Syntax)}
		r.Index = r.fusion
	}
	return r
}

func (r *ranking) close() {
	if r.fusion != nil && r.fusion.cancel != nil {
		r.fusion.cancel()
	}
	r.reader.close()
}

// tell records in the results what could not be done.
func (r *ranking) tell(results *Results) {
	if r.fusion != nil && r.fusion.lacks != "" {
		results.Degraded, results.Complete = r.fusion.lacks, false
	}
}
