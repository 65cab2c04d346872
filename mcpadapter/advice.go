package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/lookup"
	words "github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/verify"
)

// An advisedError is an error with what to do about it on this server.
type advisedError struct {
	error
	advice string // sentences
	brief  string // the same behind the message of the error, or ""
}

func (e advisedError) Unwrap() error { return e.error }

// advise adds to an error about a source that changed or is gone how to map it,
// and to one about a resource that does not exist which address was meant.
func (a *adapter) advise(ctx context.Context, err error) error {
	var failed *citekit.ResolveError
	var missing *citekit.NotFoundError
	errors.As(err, &failed)
	switch {
	case errors.As(err, &missing) && missing.Kind == "node" && failed != nil:
		if place := a.ownPlace(ctx, failed.Address.Resource, missing.ID); place != "" {
			return advisedError{err, isPlace(place), ""}
		}
	case errors.As(err, &missing):
		meant := ""
		if missing.Kind == "resource" {
			meant = a.addressesMeant(ctx, missing.ID)
		}
		switch {
		case meant == "":
		case len(missing.Suggestions) > 0:
			return advisedError{err, "Did you mean address " + meant + "?", ""} // the message names what was meant
		default:
			return advisedError{err, "Did you mean address " + meant + "?", "did you mean address " + meant + "?"}
		}
	case failed == nil || failed.Address.Resource == "":
	case ingest.IsOutside(err):
		how := a.mapAgain(ctx, failed.Address.Resource)
		return advisedError{err, "The server does not open it: " + how + ".", how}
	case errors.Is(err, citekit.ErrStale):
		how := a.mapAgain(ctx, failed.Address.Resource)
		return advisedError{err, "The source has changed since it was mapped and must be mapped again before it is cited: " + how + ".", how}
	case errors.Is(err, fs.ErrNotExist):
		how := a.mapAgain(ctx)
		return advisedError{err, "The map exists, but its source is missing; the source must be restored or mapped again: " + how + ".", how}
	}
	return err
}

// ownPlace returns the address that was meant by the id of a node that does not
// exist, if that is a place in a resource of a modality that a program defines,
// whose selectors do not tell it; else "".
func (a *adapter) ownPlace(ctx context.Context, resource, id string) string {
	if len(id) > maxShownID {
		return ""
	}
	p, err := lookup.Find(ctx, a.lib, resource+"#"+strings.TrimPrefix(id, "#"))
	if err != nil || p.Address.Location.IsWhole() || p.Address.Location.Modality.BuiltIn() {
		return ""
	}
	return p.Address.String()
}

// addressesMeant returns the addresses that may be meant by a text that is none,
// or "".
func (a *adapter) addressesMeant(ctx context.Context, text string) string {
	var shown []string
	for _, address := range lookup.Meant(ctx, a.lib, text) {
		shown = append(shown, plain.Shorten(address.String(), maxShownID))
	}
	return strings.Join(shown, " or ")
}

// mapAgain says how to map the sources of resources, and how to allow those that
// are outside the roots, which no ingest maps. Without resources it names no
// paths, nor if one is not for the caller to see.
func (a *adapter) mapAgain(ctx context.Context, resources ...string) string {
	return a.remedy(ctx, "", resources...)
}

// remedy is mapAgain with a text before what concerns an ingest.
func (a *adapter) remedy(ctx context.Context, before string, resources ...string) string {
	var inside, outside []string
	for _, id := range resources {
		m, err := a.lib.Map(ctx, id)
		if err != nil || !ingest.OutsideRoots(ctx, a.lib, m) {
			inside = append(inside, id)
		} else if name := shownName(m.SourcePath); !slices.Contains(outside, name) {
			outside = append(outside, name)
		}
	}
	if len(outside) == 0 {
		return before + a.ingestAgain(ctx, inside)
	}
	are := " is outside the roots: a person adds its folder"
	if len(outside) > 1 {
		are = " are outside the roots: a person adds their folders"
	}
	how := strings.Join(outside, ", ") + are + " with --root to citekit serve"
	if len(inside) == 0 {
		return how
	}
	return before + a.ingestAgain(ctx, inside) + "; " + how
}

// shownName returns the name of a file whose folder is not shown.
func shownName(path string) string {
	return quote(filepath.Base(filepath.FromSlash(path)))
}

// ingestAgain says how to map the sources of resources, as mapAgain does.
func (a *adapter) ingestAgain(ctx context.Context, resources []string) string {
	var paths []string
	for _, id := range resources {
		m, err := a.lib.Map(ctx, id)
		if err != nil || m.SourcePath == "" || shownPath(ctx, m.SourcePath) != m.SourcePath || len(m.SourcePath) > maxShownID || !words.IsPlain(m.SourcePath) {
			paths = nil
			break
		}
		if !slices.Contains(paths, m.SourcePath) {
			paths = append(paths, m.SourcePath)
		}
	}
	if a.hasTool(ctx, "ingest") {
		if len(paths) == 0 {
			return "ingest does it, with the path"
		}
		list, _ := json.Marshal(paths) // strings always encode
		return "ingest does it, with paths " + string(list)
	}
	if len(paths) == 0 {
		paths = []string{"FILE"}
	}
	for i, path := range paths {
		paths[i] = words.ShellWord(path)
	}
	return "a person does it, with citekit ingest " + strings.Join(paths, " ")
}

// noMaps is the hint where nothing is mapped, or "" if something is.
func (a *adapter) noMaps(ctx context.Context) string {
	if ids, err := a.lib.ResourcesAfter(ctx, "", 1); err != nil || len(ids) > 0 {
		return ""
	}
	return words.NoMaps + ": " + a.mapAgain(ctx)
}

// hint returns a hint of a search as this server gives it: it says how to map
// files where none is mapped, and which resources are left out. Those that are
// unreadable although they did not change are not to be mapped again, nor are those
// whose sources are gone.
func (a *adapter) hint(ctx context.Context, hint string, leftOut int, ids []string) string {
	if strings.Contains(hint, words.NoMaps) {
		return strings.Replace(hint, words.NoMaps, words.NoMaps+": "+a.mapAgain(ctx), 1)
	}
	if leftOut == 0 {
		return hint
	}
	left := hint
	if !strings.Contains(hint, "left out, as the sources") { // it says so already
		left = search.LeftOutHint(leftOut, ids)
		if hint != "" {
			left = hint + "; " + left
		}
	}
	why := ingest.WhyLeftOut(ctxio.WithHashLimit(ctx, stats.MaxStateBytes), a.lib, ids)
	if len(why.Changed) > 0 || len(why.Damaged)+len(why.Gone) == 0 {
		left += "; " + a.remedy(ctx, "map them again if they changed: ", why.Changed...)
	}
	if len(why.Damaged) > 0 {
		left += "; not changed, but cannot be read: a person replaces " + shownNames(why.Damaged) + ", or removes the resource with citekit rm"
	}
	if len(why.Gone) > 0 {
		left += "; gone: a person restores " + shownNames(why.Gone) + ", or removes the resource with citekit rm"
	}
	return left
}

// shownNames returns the names of files whose folders are not shown.
func shownNames(paths []string) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = shownName(path)
	}
	return strings.Join(names, ", ")
}

// staleHint says how to map the resources again whose changed sources verdicts
// are about; "" if there is none.
func (a *adapter) staleHint(ctx context.Context, verdicts ...*verify.Verdict) string {
	var ids []string
	for _, v := range verdicts {
		id := v.Address.Resource
		if at := new(citekit.ResolveError); id == "" && errors.As(v.Problem, &at) {
			id = at.Address.Resource // its text is not kept
		}
		if v.Stale && id != "" && !slices.Contains(ids, id) && len(ids) < search.MaxLeftOut {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return "cited sources changed since they were mapped; map them again: " + a.mapAgain(ctx, ids...)
}

// withHint adds a hint, unless it is "", to an object, behind the hint that it may
// have.
func withHint(object json.RawMessage, hint string) json.RawMessage {
	list, err := strictjson.Members(object)
	if hint == "" || err != nil {
		return object
	}
	w := new(strictjson.Writer)
	w.Open()
	for _, m := range list {
		if known, err := strictjson.Unquoted(m.Value); m.Key == "hint" && err == nil {
			w.Text("hint", words.Joined(known, hint))
			hint = ""
			continue
		}
		w.Raw(m.Key, m.Value)
	}
	w.Optional("hint", hint)
	w.Close()
	return w.Bytes()
}
