package corpus

import (
	"time"

	"github.com/citekit/citekit/corpus/internal/sage"
	"github.com/citekit/citekit/mcpadapter"
)

// SAGEOptions configures the dialect of the SAGE reference.
type SAGEOptions struct {
	// Timeout is the time of calls that do not ask for another, and the longest that
	// they can ask for. Zero means 2 and 10 seconds; at most 10 seconds.
	Timeout time.Duration

	// Capabilities are what is offered besides sage_info: knowledge_retrieval, search
	// and context_management. Nil means all.
	Capabilities []string
}

// sage returns the dialect of the SAGE reference, for a server with some options.
func (c *Corpus) sage(o *mcpadapter.Options) mcpadapter.Dialect {
	if c == nil {
		return sage.New(sage.Rooms{}, nil)
	}
	opts := &sage.Options{Version: o.Version, Logger: o.Logger}
	if given := c.opts.SAGE; given != nil {
		opts.Timeout, opts.Capabilities = given.Timeout, given.Capabilities
	}
	return sage.New(sage.Rooms{Library: c.Library, Searcher: c.Searcher, Contents: c.Contents, Briefing: c.Briefing}, opts)
}
