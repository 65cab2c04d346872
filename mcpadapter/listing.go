package mcpadapter

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/stats"
)

func (a *adapter) listResources(ctx context.Context, args arguments) (answer, error) {
	req := stats.ListRequest{
		Query: args.text("query"), Type: citekit.Modality(strings.ToLower(strings.TrimSpace(args.text("type")))),
		Cursor: args.text("cursor"), Names: len(args) == 0, MaxBytes: cmp.Or(a.opts.PageBytes, defaultListBytes),
		Say: func(err error) string { return printable(explain("listResources", err, citekit.CodeOf(err))) },
	}
	if args.has("limit") {
		if req.Limit = args.count("limit"); req.Limit < 1 || req.Limit > stats.MaxListed {
			return answer{}, badArgument("argument 'limit' is %d; it must be from 1 to %d", req.Limit, stats.MaxListed)
		}
	}
	if req.Type != "" && !req.Type.BuiltIn() && !slices.Contains(a.lib.Modalities(), req.Type) {
		return answer{}, badArgument("argument 'type' is %s; it must be one of %s", quote(string(req.Type)), message.Modalities)
	}
	list, err := a.stats.List(ctx, req)
	if err != nil {
		return answer{}, asArgument(err)
	}
	if slices.ContainsFunc(list.Items, func(item stats.Resource) bool { return item.State == stats.StateUnchecked }) {
		list.Hint = uncheckedHint
	}
	if len(list.Resources) == 0 {
		list.Hint = a.noMaps(ctx)
		if list.Hint == "" && (req.Type != "" || strings.TrimSpace(req.Query) != "") && req.Cursor == "" {
			list.Hint = "no resource matches; files without a map are not listed, nor those that another base directory has maps of; to map files: " +
				a.mapAgain(ctx) + "; a folder outside the base directory is named with --root FOLDER"
		}
	}
	return asJSON(json.Marshal(list))
}

const uncheckedHint = "sources that are unchecked were written since they were mapped, and are too large to see in one list whether they changed; a later list goes on, and resolve says it of one"
