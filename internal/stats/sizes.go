package stats

import (
	"context"
	"strings"

	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// addSizes adds up the sizes of stored data other than maps. Their names show
// what the data is, so nothing is opened or marked as used.
func (c *Collector) addSizes(ctx context.Context, s *Stats) {
	keeper, ok := c.lib.Workspace().(workspace.Deleter)
	if !ok {
		return
	}
	for kept, err := range keeper.Kept(ctx) {
		if err != nil {
			s.Complete = false
			return
		}
		switch {
		case kept.Kind != workspace.KeptEvidence:
		case strings.HasSuffix(kept.Path, textlayer.Ext):
			s.Sizes.Text += kept.Size
		case strings.HasSuffix(kept.Path, search.Ext):
			s.Sizes.Index += kept.Size
		default:
			s.Sizes.Evidence += kept.Size
		}
	}
}
