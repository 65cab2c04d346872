package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
)

// Index implements [ingest.Indexer] with a Searcher as a search opens it: with the
// resolvers and the roots of a search, not those of the flags. It stays open, so that
// texts that are being read when a watch maps changes are read on.
func (in *ingestion) Index(ctx context.Context, progress func(done, of int)) (ingest.Indexed, error) {
	in.bar.Load().Stop()
	if err := in.startIndex(ctx); err != nil {
		return ingest.Indexed{}, err
	}
	if in.showsProgress() {
		bar := term.NewBar(in.stderr)
		in.index.reading.begin(bar)
		in.bar.Store(bar)
	}
	defer in.index.reading.stop()
	return in.index.Searcher.Index(ctx, progress)
}

// IndexMapped implements [ingest.MappedIndexer] with the same Searcher as Index.
func (in *ingestion) IndexMapped(ctx context.Context, ids []string) (all bool, err error) {
	if err := in.startIndex(ctx); err != nil {
		return false, err
	}
	return in.index.Searcher.IndexMapped(ctx, ids)
}

// startIndex opens the Searcher, once, and spreads its index over the shards of the flags.
func (in *ingestion) startIndex(ctx context.Context) error {
	in.starting.Lock()
	defer in.starting.Unlock()
	if in.index == nil {
		x, err := in.openIndex()
		if err != nil {
			return err
		}
		in.index = x
	}
	if in.flags.shards == 0 {
		return nil
	}
	return in.index.Searcher.Reshard(ctx, in.flags.shards)
}

// openIndex opens the Searcher, over the library of the ingest if a search has the same.
func (in *ingestion) openIndex() (*searchFolder, error) {
	if in.asSearch {
		return in.searchingIn(in.lib, nil, &indexProgress{}), nil
	}
	return in.openSearchFolder(nil, &indexProgress{})
}

func (in *ingestion) closeIndex() {
	if in.index != nil {
		in.index.close()
	}
}

// searchable returns lines that say how many resources can be searched, and why others
// cannot: those that an earlier ingest has named only if all is set. There are none if
// nothing is mapped.
func searchable(x *ingest.Indexed, all bool) []string {
	if x == nil || x.Err != nil || x.Resources == 0 {
		return nil
	}
	figure := message.Count(x.Resources, "resource") + " searchable"
	if len(x.Missing) > 0 {
		figure = fmt.Sprintf("%d of %s", x.Searchable, figure)
	}
	named := notSearchable(x.Missing, all)
	if len(named) < len(x.Missing) && !all {
		figure += " (-v says why the others are not)"
	}
	return append([]string{figure}, named...)
}

// mostUnsearchable is how many resources are named that cannot be searched.
const mostUnsearchable = 20

// notSearchable returns a line for each resource that cannot be searched: the reason,
// and what to do.
func notSearchable(missing []ingest.NotIndexed, all bool) (lines []string) {
	for _, one := range missing {
		if one.Before && !all {
			continue
		}
		if len(lines) == mostUnsearchable && !all {
			break
		}
		lines = append(lines, describeUnread(one))
	}
	return lines
}

// describeUnread returns why a resource cannot be searched, and what to do.
func describeUnread(one ingest.NotIndexed) string {
	what := "mapped, but its text cannot be searched"
	if one.Begun {
		what = "mapped, but only a part of its text can be searched"
	}
	return fmt.Sprintf("%s: %s: %v; %s", cmp.Or(one.Path, one.ResourceID), what, one.Err, searchAdvice(one))
}

// searchAdvice says what to do about a resource that cannot be searched.
func searchAdvice(one ingest.NotIndexed) string {
	var missing *citekit.NoResolverError
	switch code := citekit.CodeOf(one.Err); {
	case one.Begun && code == message.CodeUnsupported:
		return "'citekit read' tells which pages"
	case one.Begun:
		return "read on by address, or split the file"
	case errors.As(one.Err, &missing):
		return "search with the program that mapped it"
	case errors.Is(one.Err, citekit.ErrNotStored):
		return "make room, and ingest again"
	case code == message.CodeStale:
		return "ingest the file again"
	case code == message.CodeNotFound:
		return "ingest the file where it is now, or 'citekit rm " + one.ResourceID + "'"
	case code == message.CodeForbidden:
		return "let this user read the file, or name its folder with --root, and ingest again"
	case code == message.CodeTooLarge:
		return "read it by address, or split the file"
	}
	return "replace the file and ingest it again, or read other parts of it by address"
}
