package lookup

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/citedtext"
	"github.com/citekit/citekit/internal/plain"
)

const (
	maxLonger = 1000 // resources whose ids are compared
	maxBehind = 4096 // bytes of text behind an address
)

// CheckWhole returns an error if an address in a text was read too short,
// because the id of a resource goes on behind it with a character that an
// address may only have escaped, such as a space, or the name of the file that a
// resource was made from does: it says what to write, and matches
// [citekit.ErrSyntax]. So does an address that ends before the end of the name of a
// sheet, a table or a member which the map has; one with another fragment was read
// whole. The text is that behind the address.
func CheckWhole(ctx context.Context, lib *citekit.Library, a citekit.Address, behind string) error {
	behind, _, _ = strings.Cut(behind[:min(len(behind), maxBehind)], "\n")
	if a.Location.Sheet+a.Location.Table+a.Location.Member != "" && a.Version == "" && behind != "" {
		return checkName(ctx, lib, a, behind)
	}
	if a.Resource == "" || !a.Location.IsWhole() || a.Version != "" || behind == "" || hasMap(ctx, lib, a.Resource) && !mayGoOn(behind) {
		return nil
	}
	ids, err := lib.ResourcesAfter(ctx, a.Resource, maxLonger)
	if err != nil {
		return nil // nothing tells that it goes on
	}
	longest := ""
	for _, id := range ids {
		rest, ok := strings.CutPrefix(id, a.Resource)
		if !ok {
			break
		}
		if len(id) > len(longest) && strings.HasPrefix(behind, rest) && endsName(behind[len(rest):]) {
			longest = id
		}
	}
	rest := strings.TrimPrefix(longest, a.Resource)
	write := "write"
	switch {
	case longest == "":
		if longest, rest = bySpacedName(ctx, lib, a.Resource, behind); longest == "" {
			return nil
		}
	case strings.Contains(rest, " "):
		write = "write %20 for spaces:"
	}
	whole := citekit.Address{Resource: longest, Location: citekit.Location{Modality: a.Location.Modality}}
	scheme, _, _ := strings.Cut(whole.String(), "://")
	for m := range citedtext.Mentions(scheme + "://" + url.PathEscape(longest) + behind[len(rest):]) {
		if m.Err == nil && m.Address.Resource == longest {
			whole = m.Address
		}
		break
	}
	return fmt.Errorf("%s ends before %q, which belongs to the name of a resource; %s %s: %w", a, rest, write, whole, citekit.ErrSyntax)
}

// bySpacedName returns the resource that a file gets whose name begins with an id
// that does not exist and goes on behind it up to a fragment, and that rest of the
// name; "" if there is none.
func bySpacedName(ctx context.Context, lib *citekit.Library, id, behind string) (resource, rest string) {
	rest, _, _ = strings.Cut(behind, "#")
	if !mayGoOn(behind) || hasMap(ctx, lib, id) {
		return "", ""
	}
	for _, resource := range []string{plain.FileSlug(id + rest), plain.SlugForFile(id + rest)} {
		if hasMap(ctx, lib, resource) {
			return resource, rest
		}
	}
	return "", ""
}

// mayGoOn reports whether a fragment follows later in a text, so that the name
// of an existing resource before it may be a part of another's.
func mayGoOn(behind string) bool {
	name, _, ok := strings.Cut(behind, "#")
	return ok && !strings.Contains(name, "://")
}

// endsName reports whether a name may end before a text.
func endsName(after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}
